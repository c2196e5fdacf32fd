"""Rule sets for Hypothesis: every option and every part of a power, each on its own, so that a failure names few."""

from hypothesis import strategies as st

from game.rules import POWER_KEYS, Rules
from game.variants import variants

RANKS = st.sampled_from(POWER_KEYS[:-1])
DEEDS = ("burn", "reverse", "skip", "again", "give-pile", "skip-beneath")
ASKS = st.sampled_from(("at-least", "at-most", "below", "same", "anything", "under", "named"))
SIZES = st.sampled_from((3, 1, 2, 4, 6))


def options(**values):
    """A table with any of these options in it."""
    return st.fixed_dictionaries(
        {},
        optional={
            key: value if isinstance(value, st.SearchStrategy) else st.sampled_from(value)
            for key, value in values.items()
        },
    )


def power(**more):
    return options(
        on=("rank", "higher", "anything"),
        not_on=st.lists(RANKS, max_size=3, unique=True),
        asks=ASKS | RANKS.map("not:{}".format) | RANKS.map("rank:{}".format),
        does=st.lists(st.sampled_from(DEEDS), max_size=3, unique=True),
        bare=RANKS,
        two_left=("anything",),
        leaves=(False, False, True),
        answer=("red-jack",),
        **more,
    )


CHANGES = options(
    deal=options(
        packs=(1, 2, 3, 4),
        jokers=(0, 1, 2, 8),
        jokers_for_six=(0, 2, 8),
        face_down=SIZES,
        face_up=SIZES,
        hand=SIZES,
        by_seats=({}, {2: 6, 3: 4}, {2: 1, 5: 2}),
        method=("open", "choose"),
        stacking=(False, True),
        exchange=("any", "one", "none"),
    ),
    start=options(
        by=("face-up-then-call", "call-nearest", "lowest", "left", "thrown"),
        rank=RANKS,
        must_lead=(False, True),
        turn_up=(False, True),
    ),
    play=options(
        refill=("always", "opening"),
        ace=("high", "low"),
        stuck=("self", "previous"),
        must_play=(False, True),
        burn_again=(True, False),
        four_of_a_kind=(True, False),
        four_on_anything=(False, True),
        runs_through_glass=(False, True),
        sequences=(False, True),
        chance=("never", "stuck", "always"),
        lead_after_pickup=("next", "previous"),
        face_up_pickup=("add-one", "leave"),
        flush=(False, True),
        interrupt=(False, True),
        follow_up=(False, True),
        combo=(False, True),
    ),
    powers=st.dictionaries(RANKS, power(), max_size=4).flatmap(
        lambda found: st.just(found) | power(wild=(False, True)).map(lambda joker: {**found, "joker": joker})
    ),
    end=options(aim=("loser", "winner", "both"), next_dealer=("loser", "rotate"), tribute=(False, True)),
)
RULES = CHANGES.map(Rules(seats=(2, 12)).changed_with)
PRESETS = st.sampled_from(sorted(variants())).map(lambda name: variants()[name].rules)
