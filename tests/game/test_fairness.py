"""The sealed shuffle is unbiased, anybody can work it out again, and nobody can choose it."""

import hashlib
import importlib.util
import random
import re
import sys
from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path
from textwrap import indent

import pytest

from bench import shuffle as bench
from game import fairness
from game.cards import format_card, make_pack
from game.fairness import NotAShuffleError, Shuffle, Verdict, judge, pack_from, parse_shuffle, seal
from testkit.waiting import run_to_end

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "docs" / "verify_shuffle.py"
VECTORS = re.findall(r"```text\n(\[Table .*?)```", (ROOT / "docs" / "fairness.md").read_text(), re.DOTALL)
SECRET = bytes(range(32))
JOINERS = (1311234567890123456, 1311234567890123457)


def verify(transcript):
    return judge(parse_shuffle(transcript))


def script():
    """The stand-alone verifier as a module."""
    spec = importlib.util.spec_from_file_location("verify_shuffle", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def made(secret=SECRET, table="t-1", joiners=JOINERS, packs=1, jokers=0):
    pack = pack_from(secret, table, joiners, make_pack(packs, jokers))
    return Shuffle(table, joiners, seal(secret), secret, packs, jokers, pack)


def header(shuffle: Shuffle):
    """The tags of a shuffle, as in the header of a transcript."""
    tags = {
        "Table": shuffle.table,
        "Joiners": " ".join(map(str, shuffle.joiners)),
        "Seal": shuffle.seal,
        "Secret": shuffle.secret.hex(),
        "Packs": shuffle.packs,
        "Jokers": shuffle.jokers,
        "Pack": " ".join(map(format_card, shuffle.pack)),
    }
    return "".join(f'[{name} "{value}"]\n' for name, value in tags.items())


def transcript(shuffle: Shuffle | None = None, **changes):
    """A transcript with other tags around those of the shuffle; `changes` replaces the values of tags by name."""
    text = '[Variant "classic"]\n' + header(shuffle or made()) + '[Seats "A \\"one\\" B"]\n\nA play 5c 5d\n'
    for name, value in changes.items():
        text, found = re.subn(rf'\[{name} "[^"]*"\]', f'[{name} "{value}"]', text)
        assert found == 1
    return text


def swap(text, old, new):
    assert old in text
    return text.replace(old, new)


def words_of(text):
    return [format_card(card) for card in text]


# The vectors


def test_published_vectors_are_those_of_the_algorithm():
    assert len(VECTORS) == 4
    for vector in VECTORS:
        shuffle = parse_shuffle(vector)
        assert (
            pack_from(shuffle.secret, shuffle.table, shuffle.joiners, make_pack(shuffle.packs, shuffle.jokers))
            == shuffle.pack
        )
        assert verify(vector) is Verdict.VERIFIED


def test_the_first_vector_spelled_out():
    assert seal(SECRET) == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"
    assert " ".join(words_of(pack_from(SECRET, "1", (1,), make_pack()))) == (
        "8c Qs Qd 5s Th 7c Ts Jd Jc Kd 3d 4d 7h 2d Jh 9d Ad 4h 5d 5h As 3c 4s 6s Js 9s 6d Ah 8s 6h 8h 3h 7d Ks 3s 7s "
        "Kh 6c 9c 2c 9h 4c Qh Qc 2s Kc 8d Tc Ac 5c Td 2h"
    )


def test_the_vectors_include_skipped_words(monkeypatch):
    thrown = []

    def counting(bound, words):
        limit = 65536 - 65536 % bound
        for word in words:
            if word < limit:
                return word % bound
            thrown.append(word)
        raise AssertionError

    monkeypatch.setattr(fairness, "_draw_below", counting)
    counts = []
    for vector in VECTORS:
        before = len(thrown)
        assert verify(vector) is Verdict.VERIFIED
        counts.append(len(thrown) - before)
    assert counts == [0, 0, 1, 2]


def test_the_independent_script_agrees_on_200_random_shuffles():
    dice, derive = random.Random(20), script().derive
    for _ in range(200):
        table = "".join(dice.choices("0123456789abcXYZ_.:-", k=dice.randint(1, 64)))
        joiners = tuple(dice.randrange(1, 1 << dice.choice((8, 63, 64))) for _ in range(dice.randint(1, 8)))
        shuffle = made(dice.randbytes(32), table, joiners, dice.randint(1, 4), dice.randint(0, 16))
        ids = " ".join(map(str, joiners))
        assert derive(shuffle.secret.hex(), table, ids, shuffle.packs, shuffle.jokers) == words_of(shuffle.pack)


# Without bias


@pytest.mark.parametrize("bound", [2, 3, 13, 52, 54, 108, 216, 65535, 65536])
def test_every_number_is_drawn_from_equally_many_words(bound):
    counts = Counter()
    for word in range(65536):
        left = iter((word, 0))
        drawn = fairness._draw_below(bound, left)
        if next(left, None) is not None:  # the word was not skipped
            counts[drawn] += 1
    assert set(counts) == set(range(bound))
    assert len(set(counts.values())) == 1


def test_a_draw_skips_words_beyond_the_last_multiple():
    assert fairness._draw_below(52, iter((65535, 65520, 65519))) == 65519 % 52


@pytest.mark.long
def test_each_card_is_equally_frequent_in_each_place():
    """Chi-square over 5,000 packs, with about 96 of each card expected in each place; the secrets are fixed."""
    statistic, freedom = bench.chi_square(bench.sealed(number) for number in range(5000))
    assert 0.001 < bench.p_value(statistic, freedom) < 0.999


def test_all_orders_of_a_small_pack_are_equally_frequent():
    counts = Counter(pack_from(hashlib.sha256(b"%d" % n).digest(), "t", (1,), (0, 1, 2, 3)) for n in range(12_000))
    assert len(counts) == 24
    assert sum((count - 500) ** 2 / 500 for count in counts.values()) < 49.7  # p = 0.001 at 23 degrees of freedom


def test_chi_square_detects_a_biased_shuffle():
    """The classic mistake: exchange each card with one in any place."""
    dice = random.Random(3)

    def careless():
        cards = list(bench.PACK)
        for place in range(52):
            other = dice.randrange(52)
            cards[place], cards[other] = cards[other], cards[place]
        return cards

    assert bench.p_value(*bench.chi_square(careless() for _ in range(3000))) < 1e-6


# What the pack depends on


def test_the_pack_is_a_permutation():
    for packs, jokers in product((0, 1, 2, 4), (0, 1, 2, 8)):
        assert sorted(made(packs=packs, jokers=jokers).pack) == sorted(make_pack(packs, jokers))


@pytest.mark.parametrize(
    "other",
    [
        {"secret": bytes(31) + b"\x01"},
        {"table": "t-2"},
        {"joiners": JOINERS[::-1]},
        {"joiners": JOINERS[:1]},
        {"joiners": (*JOINERS[:1], JOINERS[1] + 1)},
    ],
)
def test_secret_table_and_joiners_each_change_the_pack(other):
    assert made(**other).pack != made().pack


@pytest.mark.parametrize(
    ("fault", "other"),
    [
        ("Secret", {"secret": b"short"}),
        ("Table", {"table": ""}),
        ("Table", {"table": "a b"}),
        ("Table", {"table": "a\n1"}),
        ("Table", {"table": "x" * 65}),
        ("Joiners", {"joiners": ()}),
        ("Joiners", {"joiners": (0,)}),
        ("Joiners", {"joiners": (-1,)}),
    ],
)
def test_a_malformed_secret_table_or_id_is_refused(fault, other):
    with pytest.raises(NotAShuffleError, match=fault):
        made(**other)


def test_a_short_secret_cannot_be_sealed():
    with pytest.raises(NotAShuffleError, match="Secret"):
        seal(bytes(31))


def test_a_pack_with_more_cards_than_a_word_can_count_is_refused():
    with pytest.raises(NotAShuffleError, match="pack"):
        pack_from(SECRET, "t", (1,), (0,) * 65537)
    assert len(pack_from(SECRET, "t", (1,), (0,) * 65536)) == 65536


# Verifying a transcript


def test_a_transcript_verifies():
    assert verify(transcript()) is Verdict.VERIFIED
    assert verify("\ufeff\n" + transcript().replace("\n", "\r\n")) is Verdict.VERIFIED
    assert script().verify("\ufeff\n" + transcript().replace("\n", "\r\n")) == ""


def test_a_transcript_that_was_indented_verifies():
    text = indent(transcript(), "    ")
    assert verify(text) is Verdict.VERIFIED
    assert script().verify(text) == ""


def test_a_shuffle_survives_a_round_trip_through_text():
    shuffle = made(packs=2, jokers=3)
    assert parse_shuffle(header(shuffle)) == shuffle
    assert parse_shuffle(header(shuffle).strip()) == shuffle


def test_the_repr_of_a_shuffle_has_no_cards_and_no_secret():
    assert SECRET.hex() not in repr(made())
    assert "pack" not in repr(made())


def other_pack():
    pack = words_of(made().pack)
    return " ".join((pack[1], pack[0], *pack[2:]))


TAMPERED = {
    "card": (transcript(Pack=other_pack()), Verdict.PACK_DIFFERS),
    "card left out": (transcript(Pack=" ".join(words_of(made().pack[1:]))), Verdict.PACK_DIFFERS),
    "joiner": (transcript(Joiners=f"{JOINERS[0]} {JOINERS[1] + 1}"), Verdict.PACK_DIFFERS),
    "seats": (transcript(Joiners=f"{JOINERS[1]} {JOINERS[0]}"), Verdict.PACK_DIFFERS),
    "table": (transcript(Table="t-2"), Verdict.PACK_DIFFERS),
    "jokers": (transcript(Jokers="2"), Verdict.PACK_DIFFERS),
    "packs": (transcript(Packs="2"), Verdict.PACK_DIFFERS),
    "secret": (transcript(Secret="01" + SECRET.hex()[2:]), Verdict.SEAL_DIFFERS),
    "seal": (transcript(Seal=seal(bytes(32))), Verdict.SEAL_DIFFERS),
    "secret and seal": (transcript(Seal=seal(bytes(32)), Secret=bytes(32).hex()), Verdict.PACK_DIFFERS),
}


@pytest.mark.parametrize("part", TAMPERED)
def test_a_changed_transcript_does_not_verify(part):
    text, verdict = TAMPERED[part]
    assert verify(text) is verdict
    assert script().verify(text)


UNREADABLE = {
    "Table": [transcript(Table="a b"), transcript(Table=""), transcript(Table="é")],
    "Joiners": [transcript(Joiners=ids) for ids in ("", "1  2", "1 02", "1,2", "1 x", "-1", "٣", "1" * 21)],
    "Seal": [transcript(Seal=seal(SECRET).upper()), transcript(Seal=seal(SECRET)[:12])],
    "Secret": [transcript(Secret=""), transcript(Secret="00" * 31), transcript(Secret="??")],
    "Packs": [transcript(Packs="100"), transcript(Packs="01"), transcript(Packs="one")],
    "Jokers": [transcript(Jokers="-1"), transcript(Jokers="")],
    "Pack": [transcript(Pack=cards) for cards in ("", "7h  8h", "7H", "10h", "7h ??", "joker", "X=7")],
}


@pytest.mark.parametrize(("part", "text"), [(part, text) for part, texts in UNREADABLE.items() for text in texts])
def test_a_malformed_tag_is_named(part, text):
    with pytest.raises(NotAShuffleError) as caught:
        verify(text)
    assert caught.value.args == (part,)
    with pytest.raises(ValueError, match="tag"):
        script().verify(text)


@pytest.mark.parametrize("part", fairness._TAGS)
def test_a_missing_or_repeated_tag_is_named(part):
    line = re.search(rf"\[{part} .*\n", transcript())[0]
    for text in (
        swap(transcript(), line, ""),
        swap(transcript(), line, line * 2),
        swap(transcript(), line, "\n" + line),
    ):
        with pytest.raises(NotAShuffleError) as caught:
            verify(text)
        with pytest.raises(ValueError, match="tag"):
            script().verify(text)
        assert caught.value.args[0] in fairness._TAGS


def test_tags_below_the_header_are_ignored():
    assert verify(transcript() + f'[Secret "{bytes(32).hex()}"]\n') is Verdict.VERIFIED
    with pytest.raises(NotAShuffleError):
        verify("A play 5c\n" + transcript())


def test_the_seal_is_checked_before_the_pack():
    shuffle = replace(made(), secret=bytes(32), pack=())
    assert fairness.judge(shuffle) is Verdict.SEAL_DIFFERS


# The commands


@pytest.fixture
def file(tmp_path):
    return tmp_path / "game.txt"


def test_the_command_says_in_one_line_that_a_transcript_verifies(file, capsys):
    file.write_text(transcript())
    assert fairness.main(["verify", str(file)]) == 0
    line = capsys.readouterr().out
    assert (
        line == f"verified: 52 cards follow from the secret and 2 joiners; the lobby must have shown {seal(SECRET)}\n"
    )


def test_the_command_counts_a_single_joiner(file, capsys):
    file.write_text(transcript(made(joiners=JOINERS[:1])))
    assert fairness.main(["verify", str(file)]) == 0
    assert " the secret and 1 joiner;" in capsys.readouterr().out


def test_the_command_says_in_one_line_what_does_not_verify(file, capsys):
    file.write_text(transcript(Table="t-2"))
    assert fairness.main(["verify", str(file)]) == 1
    assert capsys.readouterr().out == "does not verify: the secret and the joiners give a different pack\n"


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", transcript(Secret="").encode(), None])
def test_the_command_says_in_one_line_what_it_cannot_read(file, capsys, content):
    if content is not None:
        file.write_bytes(content)
    assert fairness.main(["verify", str(file)]) == 2
    out = capsys.readouterr().out
    assert out.startswith("cannot be read: ")
    assert "Errno" not in out
    assert out.count("\n") == 1


@pytest.mark.parametrize(("text", "status"), [(transcript(), 0), (transcript(Packs="2"), 1), ("nothing", 2)])
def test_both_commands_have_the_same_exit_status(file, text, status):
    file.write_text(text)
    for command in (["-m", "game.fairness", "verify"], [str(SCRIPT)]):
        done = run_to_end(sys.executable, *command, str(file))
        assert (done.returncode, done.stdout.count("\n"), done.stderr) == (status, 1, "")


def test_the_script_is_short_and_shares_no_code_with_the_bot():
    source = SCRIPT.read_text()
    assert len(source.splitlines()) < 60
    imported = re.findall(r"^(?:from|import) (\w+)", source, re.MULTILINE)
    assert set(imported) <= sys.stdlib_module_names


def test_the_command_without_a_verb_prints_its_usage(capsys):
    with pytest.raises(SystemExit, match="2"):
        fairness.main([])
    assert "usage: python -m game.fairness" in capsys.readouterr().err


@pytest.mark.parametrize("words", [(), ("--help",), ("--nonsense",), ("game.txt", "another.txt")])
def test_the_script_without_exactly_one_file_prints_its_usage(words):
    done = run_to_end(sys.executable, str(SCRIPT), *words)
    assert (done.returncode, done.stderr) == (2, "usage: python3 verify_shuffle.py FILE\n")
