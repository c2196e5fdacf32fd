"""The page of failures and the tests that carry their numbers agree."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "failures.md").read_text(encoding="utf-8")
LISTED = [int(number) for number in re.findall(r"^\| F(\d+) \|", PAGE, re.MULTILINE)]
NUMBERS = set(LISTED)


def numbers_of_tests():
    """The numbers that tests have in their names, or in the first line of their module where one test has several."""
    for path in (ROOT / "tests").rglob("test_*.py"):
        text = path.read_text(encoding="utf-8")
        for names in re.findall(r"^ *(?:async )?def test_(f\d+(?:_(?:and_)?f?\d+)*)_", text, re.MULTILINE):
            yield from map(int, re.findall(r"\d+", names))
        if path.parent.name == "failures":
            yield from map(int, re.findall(r"\bF(\d+)", text.partition("\n")[0]))


def test_every_failure_of_the_page_is_tested():
    assert sorted(NUMBERS - set(numbers_of_tests())) == []


def test_every_number_of_a_test_is_on_the_page():
    assert sorted(set(numbers_of_tests()) - NUMBERS) == []


def test_the_numbers_have_no_gaps_and_none_stands_for_two_failures():
    assert sorted(LISTED) == list(range(1, max(NUMBERS) + 1))
