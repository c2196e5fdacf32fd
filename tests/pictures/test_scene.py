"""The scene of a table: what is drawn and put into words, as data."""

import pytest

from cogs.picture_messages import seated
from cogs.pictures.scene import FAN, FaceSet, SceneSlot, scene_of
from cogs.screens.formatter import formatter
from data.models import Player
from game.cards import parse_card, parse_face
from testkit import scenes
from testkit.made import made_table, replaced
from testkit.scenes import NAMES, WRITTEN, players


def scene(name, **presences):
    view = WRITTEN[name]()
    return scene_of(view, players(NAMES[: len(view.seats)], **presences))


def cards(text):
    return tuple(map(parse_card, text.split()))


def test_players_have_a_name_and_whether_somebody_plays_for_them():
    players = (
        Player(user_id=1, name="Ann", joined_by=1),
        Player(user_id=2, name="", joined_by=2, away=True),
        Player(user_id=3, name="Cy", joined_by=3, left=True, away=True),
        Player(user_id=None, name="Otto", joined_by=4),
    )
    found = seated(formatter(), made_table(players=players))
    assert [(each.name, each.fallback, each.presence) for each in found] == [
        ("Ann", "Player 1", "here"),
        ("Player 2", "Player 2", "away"),
        ("Cy", "Player 3", "left"),
        ("Otto", "Player 4", "computer"),
    ]


def test_a_computer_has_its_level():
    players = (
        Player(user_id=1, name="Ann", joined_by=1),
        Player(user_id=None, name="Otto", joined_by=2, level="strong"),
        Player(user_id=None, name="Clara", joined_by=3),
    )
    found = seated(formatter(), made_table(players=players))
    assert [each.level for each in found] == ["", "computer, strong", ""]


def test_the_fan_is_the_top_of_the_pile():
    found = scene("in_play")
    assert (found.pile, found.stock, found.burned) == (7, 0, 18)
    assert tuple(card.face for card in found.fan) == cards("5s 6h 7h 7s")
    assert len(scene("long_pile").fan) == FAN
    assert scene("long_pile").pile == 60


def test_a_slot_has_a_face_up_card_on_top_of_a_face_down_one():
    ann, _, cy, dee = scene("in_play").seats
    assert ann.slots == tuple(SceneSlot((card,), is_down=True) for card in cards("Td As 9h"))
    assert cy.slots == (SceneSlot(is_down=True), SceneSlot(), SceneSlot(is_down=True))
    assert (dee.place, dee.slots, dee.hand) == (1, (), 0)


def test_stacked_cards_share_a_slot():
    assert scene("stacked").seats[0].slots[0].cards == cards("Jc Js")


def test_chosen_cards_are_not_in_the_scene_before_all_have_chosen():
    ann, bob, _ = scene("choosing").seats
    assert [slot.unseen for slot in bob.slots] == [True] * 3
    assert not any(slot.cards for slot in bob.slots)
    assert not any(slot.unseen for slot in ann.slots)


@pytest.mark.parametrize(
    ("name", "roles"),
    [
        ("in_play", ["", "acts", "", ""]),
        ("exchange", ["", "", ""]),
        ("choosing", ["", "", ""]),
        ("calling", ["", "", ""]),
        ("clearing", ["", "", "acts"]),
        ("tribute", ["acts", "", "gives"]),
        ("ended", ["", "shithead", "", ""]),
    ],
)
def test_the_roles_of_the_seats(name, roles):
    assert [seat.role for seat in scene(name).seats] == roles


def test_a_winner_has_a_role_if_the_rules_play_for_one():
    view = scenes.replace(scenes.ended(), shithead=None, winner=2)
    assert [seat.role for seat in scene_of(view, players(NAMES[:4])).seats] == ["", "", "winner", ""]


def test_ready_seats_are_shown_only_during_the_exchange():
    assert [seat.ready for seat in scene("exchange").seats] == [True, False, True]
    assert [seat.ready for seat in scene("in_play").seats] == [None] * 4


def test_whoever_has_chosen_cards_is_not_ready_before_saying_so():
    """As in the message above the picture, which counts those who are ready."""
    chosen = scenes.choosing()
    said = replaced(chosen, seats=tuple(replaced(face, ready=face.chosen) for face in chosen.seats))
    readies = [[seat.ready for seat in scene_of(view, players(NAMES[:3])).seats] for view in (chosen, said)]
    assert readies == [[False, False, False], [False, True, False]]
    assert [3 - len(view.awaited) for view in (chosen, said)] == [0, 1]


def test_the_direction_is_given_only_where_it_matters():
    assert scene("in_play").direction == 1
    assert scene("named").direction is None  # two seats
    assert scene("exchange").direction is None
    assert scene("ended").direction is None


def test_named_cards_carry_their_word():
    assert [(card.face, card.word) for card in scene("named").fan] == [
        (parse_face("9c"), "high"),
        (parse_face("9d=low"), "low"),
        (parse_face("Xb=J"), ""),
        (parse_face("Xr"), ""),
    ]


def test_the_repr_of_a_scene_names_no_card():
    found = scene("in_play")
    for part in (found, found.seats[0], found.seats[0].slots[0], found.fan[0]):
        assert "(" not in repr(part)


def test_the_rank_that_may_be_called_is_given_during_the_call():
    assert scene("calling").calling == 1
    assert scene("in_play").calling is None


def test_each_rank_has_its_number_or_letter():
    english, french = (
        [faces.letter(rank) for rank in range(13)] for faces in (FaceSet(), FaceSet(("V", "D", "R", "A")))
    )
    assert english == ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
    assert french == [*english[:9], "V", "D", "R", "A"]
