"""Which changes a mutation bench makes, and which it leaves alone because nothing could notice them."""

import json
import threading
import tomllib
from concurrent.futures import ThreadPoolExecutor

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
        ("a or b", ["a or b  ->  (a and b)", "a or b  ->  (a)", "a or b  ->  (b)"]),
        (
            "a and b and c",
            [f"a and b and c  ->  ({each})" for each in ("a and b", "a and c", "a or b or c", "b and c")],
        ),
        ("a < b <= c", ["a < b <= c  ->  (a < b)", "a < b <= c  ->  (b <= c)"]),
        ("a == b == c == d", ["a == b == c == d  ->  (a == b == c)", "a == b == c == d  ->  (b == c == d)"]),
        ("[a for a in b if a if c]", ["a  ->  True", "c  ->  True"]),
        ("not a", ["not a  ->  (a)"]),
        ("a - b", ["a - b  ->  (a + b)"]),
        ("a & b", ["a & b  ->  (a | b)"]),
        ("x = 7", ["7  ->  (7 + 1)"]),
        ("x = True", ["True  ->  False"]),
        ("match a:\n    case 7: pass", ["7  ->  8"]),
        ("if a: b", ["a  ->  (not a)"]),
        ("x = b if a else c", ["a  ->  (not a)"]),
        ("def f(): return a", ["return a  ->  return None"]),
        ("x = f(a, b, c)", ["f(a, b, c)  ->  f(b, a, c)"]),
        ("f(x)", ["f(x)  ->  pass"]),
        ("x = s.where(a, b)", ["s.where(a, b)  ->  s.where(a)", "s.where(a, b)  ->  s.where(b)"]),
        ("x = s.filter_by(a=b)", ["s.filter_by(a=b)  ->  s"]),
        ("x += a", ["x += a  ->  pass"]),
        ("x.y = a", ["x.y = a  ->  pass"]),
        ("raise Error", ["raise Error  ->  pass"]),
        ("for a in b: continue", ["continue  ->  pass"]),
        ("x = zip(a, strict=False)", ["False  ->  True"]),
        ("x = Field(strict=True)", ["True  ->  False"]),
        ("class A(BaseModel, frozen=True): a: int", ["True  ->  False"]),
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
        "x = zip(a, strict=True)",
        "class A(TypedDict, total=False): a: int",
        "x = min(a, b)",
        "with suppress(A, B): pass",
    ],
)
def test_what_no_test_could_notice_is_left_alone(source):
    assert changes(source) == []


def test_a_change_leaves_the_rest_of_the_text_as_it_is():
    source = 'x = "ä"  # 1\nif x  ==  "ö": y = 1\n'.encode()
    first, second = mutations(source)
    assert first.applied(source).decode() == "x = \"ä\"  # 1\nif (x != 'ö'): y = 1\n"
    assert second.applied(source).decode() == 'x = "ä"  # 1\nif x  ==  "ö": y = (1 + 1)\n'
    assert second.line == 2


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


def test_every_known_equivalent_is_a_change_that_there_is():
    listed = tomllib.loads(mutants.EQUIVALENT.read_text(encoding="utf-8"))["mutant"]
    found = set()
    for file in {each["file"] for each in listed}:
        source = (mutants.ROOT / file).read_bytes()
        lines = source.decode().splitlines()
        found |= {(file, lines[each.line - 1].strip(), str(each)) for each in mutations(source)}
    assert [each for each in listed if (each["file"], each["line"], each["change"]) not in found] == []


def test_a_change_knows_the_function_it_is_in():
    source = "x = 1\nclass A:\n    @property\n    def b(self):\n        def c(): y = 2\n        z = 3\n"
    assert {each.before: each.function for each in mutations(source.encode())} == {
        "1": "",
        "2": "A.b.<locals>.c",
        "3": "A.b",
    }


TOOK = {"slow": 2.0, "quick": 0.1, "other": 1.0, "of the file[postgresql]": 0.01}
ENTER = {"a.py": {"f": {"slow", "quick"}, "g": {"quick", "other", "of the file[postgresql]"}}}
IN_F, AT_IMPORT = mutations(b"x = 1\ndef f(): y = 2")[::-1]


def test_a_mutant_gets_the_tests_that_enter_its_function_the_quickest_first_then_others_of_its_file():
    known = Known(ENTER, TOOK)
    assert known.tests_of(Mutant("a.py", IN_F, "")) == ["quick", "slow", "other", "of the file[postgresql]"]
    assert known.tests_of(Mutant("a.py", AT_IMPORT, "")) == ["quick", "other", "slow", "of the file[postgresql]"]


def test_a_mutant_of_a_file_that_no_test_enters_gets_all_tests_those_of_its_layer_first():
    known = Known(ENTER, {**TOOK, "tests/b/c": 3.0})
    found = ["tests/b/c", "quick", "other", "slow", "of the file[postgresql]"]
    assert known.tests_of(Mutant("b/types.py", IN_F, "")) == found
    assert Known({}, {}).tests_of(Mutant("b/types.py", IN_F, "")) == []


def test_the_tests_of_a_mutants_layer_come_before_those_of_others():
    here, slow, server, elsewhere = (f"tests/{each}" for each in ("data/a", "data/b", "data/c[postgresql]", "bot/d"))
    took = {here: 1, slow: 2, server: 0.1, elsewhere: 0.1}
    known = Known({"data/a.py": {"f": set(took)}}, took)
    assert known.tests_of(Mutant("data/a.py", IN_F, "")) == [here, slow, server, elsewhere]


def test_a_mutant_gets_no_more_tests_than_fit_into_its_time(monkeypatch):
    monkeypatch.setattr(mutants, "ENOUGH", 2.5)
    assert Known(ENTER, TOOK).tests_of(Mutant("a.py", IN_F, "")) == ["quick", "slow"]
    monkeypatch.setattr(mutants, "ENOUGH", 0.05)
    assert Known(ENTER, TOOK).tests_of(Mutant("a.py", IN_F, "")) == ["quick"]


def test_what_is_interrupted_tries_no_further_mutants(tmp_path, monkeypatch):
    ending, begun = threading.Event(), []

    class Pool(ThreadPoolExecutor):
        def shutdown(self, wait=True, *, cancel_futures=False):
            super().shutdown(wait=False, cancel_futures=cancel_futures)
            ending.set()
            super().shutdown(wait)

    class Workshop:
        def __init__(self, place, jobs):
            pass

        def outcome(self, mutant, known):
            begun.append(mutant)
            if len(begun) > 1:
                ending.wait()
            return "killed"

    monkeypatch.setattr(mutants, "ThreadPoolExecutor", Pool)
    monkeypatch.setattr(mutants, "Workshop", Workshop)
    some = drawn(["game"], 6, 1)
    trials = mutants.tried(some, Known({}, {}), 1, tmp_path / "kept.jsonl")
    assert next(trials) == (begun[0], "killed")
    trials.close()
    assert len(begun) <= 2
