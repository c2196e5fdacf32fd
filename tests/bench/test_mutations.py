"""Which changes a mutation bench makes, and which it leaves alone because nothing could notice them."""

import json

import pytest

from bench import mutants
from bench.mutants import Known, Mutant, drawn
from testkit.mutations import mutations


def changes(source):
    return [str(each) for each in mutations(source.encode())]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a == b", ["a == b  ->  (a != b)"]),
        ("a < b", ["a < b  ->  (a <= b)"]),
        ("a not in b", ["a not in b  ->  (a in b)"]),
        ("a is None", ["a is None  ->  (a is not None)"]),
        ("a and b and c", ["a and b and c  ->  (a or b or c)"]),
        ("not a", ["not a  ->  (a)"]),
        ("a - b", ["a - b  ->  (a + b)"]),
        ("a & b", ["a & b  ->  (a | b)"]),
        ("x = 7", ["7  ->  (7 + 1)"]),
        ("x = True", ["True  ->  False"]),
        ("if a: b", ["a  ->  (not a)"]),
        ("x = b if a else c", ["a  ->  (not a)"]),
        ("def f(): return a", ["return a  ->  return None"]),
        ("x = f(a, b, c)", ["f(a, b, c)  ->  f(b, a, c)"]),
        ("f(x)", ["f(x)  ->  pass"]),
        ("x += a", ["x += a  ->  pass"]),
        ("x.y = a", ["x.y = a  ->  pass"]),
        ("raise Error", ["raise Error  ->  pass"]),
        ("for a in b: continue", ["continue  ->  pass"]),
    ],
)
def test_each_kind_of_change(source, expected):
    assert changes(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        '"""A docstring, 1 < 2."""',
        "from a import b",
        "x: Literal[1]",
        "X: TypeAlias = dict[1, 2] | None",
        "_log.info(a, b)",
        "assert_never(a)",
        "@dataclass(frozen=True)\nclass A: pass",
        "if TYPE_CHECKING:\n    x = 1",
        "def f(a: 1 | 2) -> 3: pass",
        "'a' + b",
        "x = None",
    ],
)
def test_what_no_test_could_notice_is_left_alone(source):
    assert changes(source) == []


def test_a_change_leaves_the_rest_of_the_text_as_it_is():
    source = 'x = "ä"  # 1\nif x  ==  "ö": y = 1\n'.encode()
    first, second = mutations(source)
    assert first.applied(source).decode() == "x = \"ä\"  # 1\nif (x != 'ö'): y = 1\n"
    assert second.applied(source).decode() == 'x = "ä"  # 1\nif x  ==  "ö": y = (1 + 1)\n'
    assert (second.line, second.last) == (2, 2)


def test_a_seed_draws_the_same_mutants_and_no_known_equivalent(tmp_path, monkeypatch):
    some = drawn(["game/cards.py"], 5, seed=1)
    assert some == drawn(["game/cards.py"], 5, seed=1) != drawn(["game/cards.py"], 5, seed=2)
    listed = tmp_path / "equivalent.toml"
    first = some[0]
    entry = {"file": first.path, "line": first.line, "change": str(first.mutation), "why": "it is"}
    lines = [f"{key} = {json.dumps(value)}" for key, value in entry.items()]
    listed.write_text("\n".join(["[[mutant]]", *lines]), encoding="utf-8")
    monkeypatch.setattr(mutants, "EQUIVALENT", listed)
    everything = drawn(["game/cards.py"], 10_000, seed=1)
    assert first not in everything
    assert set(some[1:]) <= set(everything)


def test_the_tests_of_a_mutant_are_those_that_run_its_line_the_quickest_first():
    known = Known({"a.py": {5: {"slow", "quick"}, 9: {"other"}}}, {"slow": 2.0, "quick": 0.1, "other": 1.0})
    (on_line,) = mutations(b"\n\n\n\nx = 1")
    (at_import,) = mutations(b"x = 1")
    assert known.tests_of(Mutant("a.py", on_line, "")) == ["quick", "slow"]
    assert known.tests_of(Mutant("a.py", at_import, "")) == ["quick", "other", "slow"]
    assert known.tests_of(Mutant("b.py", on_line, "")) == []
