"""The picture of the table: what it shows, what it hides, whether it can be read, and what it costs."""

import random
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from io import BytesIO
from itertools import combinations
from typing import get_args

import pytest
from PIL import Image, ImageChops, ImageStat

from cogs.pictures import sprites
from cogs.pictures import text as texts
from cogs.pictures.layout import CARD_SHAPE, HEAD, WIDTH, Layout, layout_of
from cogs.pictures.palette import (
    ACCENT,
    BACK,
    BACK_LINE,
    BLACK,
    BLUE,
    FELT,
    GREEN,
    OUTLINE,
    PANEL,
    RED,
    WHITE,
    in_palette,
)
from cogs.pictures.scene import FaceSet, Scene, ScenePlayer, SceneSlot, scene_of
from cogs.pictures.shapes import CLUB, CROWN, DIAMOND, HEART, SPADE, STAR
from cogs.pictures.sheet import Sheet
from cogs.pictures.signs import Sign, draw_sign
from cogs.pictures.sprites import Canvas
from cogs.pictures.table_picture import PLAIN, Part, painted, table_parts, table_picture
from game.cards import DIFFERENT_CARDS, parse_face
from game.showing import table_view, unseen
from game.state import State
from game.variants import variants
from testkit.colours import contrast, difference_seen, hexadecimal
from testkit.disguise import disguised
from testkit.found import instance_of, not_none
from testkit.made import Game
from testkit.scenes import HARD_NAMES, NAMES, SCENES, busy, in_play, midgame, played, players, state_of
from testkit.waiting import run_to_end

EVERY = pytest.mark.parametrize("name", SCENES)
PHONE = 340
FOUR_COLOURS, FRENCH = FaceSet(four_colours=True), FaceSet(("V", "D", "R", "A"))
KING_OF_DIAMONDS, JOKER = parse_face("Kd"), parse_face("Xr")


@pytest.fixture
def written(monkeypatch):
    """Each text and sign that is drawn: what it is, its colour, and the colours beneath it."""
    notes = []
    write, sign = Canvas.write, Canvas.sign

    def beneath(canvas, x, y, across, down):
        edges = [round(edge * canvas.picture.width / WIDTH) for edge in (x, y, x + across, y + down)]
        colours = canvas.picture.crop(edges).getcolors(1 << 16)
        return {hexadecimal(colour) for count, colour in colours if count * 20 >= sum(each for each, _ in colours)}

    def noting_write(canvas, text, size, colour, at, **options):
        across = canvas.width_of(text, size, options.get("most", WIDTH))
        left = at[0] - {"left": 0, "middle": across / 2, "right": across}[options.get("align", "left")]
        notes.append((text, colour, beneath(canvas, left, at[1] - size / 3, across, size / 1.5), (left, across)))
        return write(canvas, text, size, colour, at, **options)

    def noting_sign(canvas, name, colour, across, x, y):
        notes.append((name, colour, beneath(canvas, x - across / 3, y - across / 3, *[across / 1.5] * 2), None))
        sign(canvas, name, colour, across, x, y)

    monkeypatch.setattr(Canvas, "write", noting_write)
    monkeypatch.setattr(Canvas, "sign", noting_sign)
    return notes


def opened(png):
    picture = Image.open(BytesIO(png))
    picture.load()
    return picture


def said(written):
    return [text for text, *_ in written]


# -- what it shows


@EVERY
def test_every_table_becomes_a_small_png_whose_texts_stay_inside_and_contrast_with_their_background(written, name):
    scene = SCENES[name]
    png = table_picture(scene)
    picture = opened(png)
    assert (picture.format, picture.mode) == ("PNG", "P")
    assert picture.size == (WIDTH, round(layout_of(len(scene.seats), scene.slot_count).height))
    assert len(png) <= 64 * 1024
    for text, colour, grounds, place in written:
        if place:
            assert place[0] >= 10, text
            assert place[0] + place[1] <= WIDTH - 10, text
        for ground in grounds:
            assert contrast(colour, ground) >= 4.5, (text, colour, ground)


@pytest.mark.parametrize("name", variants())
def test_every_variant_can_be_drawn_from_the_deal_on(name):
    rules = variants()[name].rules
    seats = rules.seats[0]
    view = Game(rules, seats, 1).snapshot().view
    assert opened(table_picture(scene_of(view, players(NAMES[:seats])))).width == WIDTH


def test_names_hands_and_heaps_are_written(written):
    table_picture(SCENES["in_play"])
    assert said(written) == [
        *("right-down", "left-up", "7"),  # the pile
        *("0", "burned", "18"),  # stock and burned heap
        *("3", "Ann"),
        *("5", "away", "turn", "Bob"),
        *("1", "computer", "Cy"),
        *("Dee", "medal", "1"),
    ]


@pytest.mark.parametrize(
    ("name", "signs"),
    [
        ("exchange", ["swap", "ready", "waiting", "ready"]),
        ("choosing", ["swap", "waiting", "waiting", "waiting"]),
        ("calling", ["3?"]),
        ("tribute", ["swap", "turn", "swap"]),
        ("clearing", ["burned", "turn"]),
        ("ended", ["cup"]),
    ],
)
def test_each_phase_has_its_signs(written, name, signs):
    table_picture(SCENES[name])
    known = {"swap", "ready", "waiting", "3?", "turn", "cup"} | ({"burned"} if name == "clearing" else set())
    assert [text for text in said(written) if text in known] == signs


@pytest.mark.parametrize("way", ["down", "up"])
@pytest.mark.parametrize("side", ["right", "left"])
def test_an_arrow_beside_the_pile_bends_to_its_side_and_has_its_head_where_it_leads(side, way):
    drawn = sprites.sign(f"{side}-{way}", WHITE, 44).getchannel("A")
    x, y = drawn.width, drawn.height
    halves = {"left": (0, 0, x // 2, y), "right": (x // 2, 0, x, y), "up": (0, 0, x, y // 2), "down": (0, y // 2, x, y)}
    ink = {name: ImageStat.Stat(drawn.crop(box)).sum[0] for name, box in halves.items()}
    assert ink[side] == max(ink["left"], ink["right"]) > min(ink["left"], ink["right"])
    assert ink[way] == max(ink["up"], ink["down"]) > min(ink["up"], ink["down"])


def test_whoever_went_out_first_has_the_medal_that_stands_out(written):
    table_picture(SCENES["ended"])
    medals = [colour == ACCENT for text, colour, *_ in written if text == "medal"]
    assert medals == [False, True, False], "those of the second, the first and the third"


def sticks_out(part: Part, layout: Layout):
    """By how many units the drawing of a part of the table reaches over the edge of its box."""
    canvas = Canvas(WIDTH, layout.height, FELT)
    part.draw(canvas)
    drawn = ImageChops.difference(canvas.picture, Image.new("RGB", canvas.picture.size, FELT)).getbbox()
    x, y, across, down = part.box
    left, top, right, bottom = drawn or (x, y, x, y)
    return max(x - left, y - top, right - x - across, bottom - y - down)


@EVERY
def test_nothing_reaches_over_the_edge_of_the_seat_or_heap_to_which_it_belongs(name):
    scene = SCENES[name]
    layout = layout_of(len(scene.seats), scene.slot_count)
    for part in table_parts(scene, layout, PLAIN):
        assert sticks_out(part, layout) < 1, part.box


@EVERY
def test_no_card_or_label_covers_what_is_written(covered, name):
    table_picture(SCENES[name])
    assert not covered()


def shares_seen(monkeypatch, name, kind, right=1.0, bottom=1.0):
    """How much is seen of the upper left part of each card of a kind; that part of each has a colour of its own."""
    areas = []

    def drawn(*card):
        across, down = card[-1], round(card[-1] * CARD_SHAPE)
        marked = Image.new("RGBA", (round(across * right), round(down * bottom)), (len(areas), 255, 0))
        areas.append(marked.width * marked.height)
        whole = Image.new("RGBA", (across, down), WHITE)
        whole.paste(marked, (0, 0))
        return whole

    monkeypatch.setattr(sprites, kind, drawn)
    seen = {colour: count for count, colour in painted(SCENES[name], PLAIN, WIDTH).getcolors(1 << 16)}
    return [seen.get((n, 255, 0), 0) / area for n, area in enumerate(areas)]


@EVERY
def test_each_open_card_of_a_seat_is_seen_as_a_whole(monkeypatch, name):
    shares = shares_seen(monkeypatch, name, "table_card")
    assert set(shares) <= {1}


@pytest.mark.parametrize("name", ["2-seats", "8-seats", "clearing", "ended", "long_pile"])
def test_rank_and_suit_of_each_card_that_lies_on_top_of_the_pile_are_seen(monkeypatch, name):
    shares = shares_seen(monkeypatch, name, "pile_card", 0.44, 0.64)
    assert len(shares) == min(SCENES[name].pile, 4)
    assert min(shares) > 0.9


@pytest.mark.parametrize("slots", range(7))
@pytest.mark.parametrize("seats", [2, 6, 8, 12])
def test_a_medal_stays_inside_its_seat(seats, slots):
    scene = SCENES["ended"]
    out = next(seat for seat in scene.seats if seat.place)
    layout = layout_of(seats, slots)
    table = replace(scene, seats=(replace(out, place=12),) * seats, slot_count=slots)
    for part in table_parts(table, layout, PLAIN):
        if part.shows in table.seats:
            assert sticks_out(part, layout) < 1


def slot_seen(*cards, is_down=False):
    """A seat whose one slot holds these cards, as drawn."""
    seat = replace(SCENES["in_play"].seats[0], slots=(SceneSlot(cards, is_down),))
    layout = layout_of(2, 1)
    canvas = Canvas(WIDTH, layout.height, FELT)
    table = replace(SCENES["2-seats"], seats=(seat, seat), slot_count=1)
    next(part for part in table_parts(table, layout, PLAIN) if part.shows is seat).draw(canvas)
    return canvas.picture


def test_a_second_card_in_a_slot_shows_under_the_first_and_under_a_single_card_nothing_does():
    empty = slot_seen()
    one, two = (ImageChops.difference(empty, slot_seen(*cards)).getbbox() for cards in ([7], [7, 4]))
    assert two[0] < one[0]
    assert two[3] > one[3]


def test_an_empty_slot_has_an_outline_and_a_card_has_none():
    slots = [slot_seen(), slot_seen(is_down=True), slot_seen(7)]
    colours = [{hexadecimal(colour) for _, colour in each.getcolors(1 << 16)} for each in slots]
    assert [OUTLINE in each for each in colours] == [True, False, False]


def test_the_card_that_is_called_for_is_written_inside_the_place_where_it_will_lie(written):
    table_picture(SCENES["calling"])
    ((left, across),) = [place for text, _, _, place in written if text == "3?"]
    assert 60 <= across <= 130
    assert abs(left + across / 2 - WIDTH / 2) < 2


def brightest(picture):
    """The brightest shade in a grey picture."""
    return instance_of(int, picture.getextrema()[1])


@pytest.mark.parametrize(
    ("drawn", "below"),
    [(sprites.table_card((JOKER,), PLAIN, 100), 95), (sprites.pile_card(JOKER, "", PLAIN, 100), 103)],
)
def test_a_joker_has_its_word_below_its_star(drawn, below):
    printed = ImageChops.difference(drawn, sprites.under_card(100)).convert("L").point([0] * 51 + [255] * 205)
    left, top, right, bottom = not_none(printed.crop((0, below, 100, 134)).getbbox())
    assert 5 <= left < right <= 95
    assert right - left >= 40
    assert 2 <= top < bottom <= 126 - below


def test_cards_have_the_shape_for_which_the_layout_has_room():
    drawn = [sprites.table_card((7,), PLAIN, 80), sprites.pile_card(7, "", PLAIN, 80), sprites.card_back(80)]
    shapes = {each.size for each in [*drawn, sprites.under_card(80), sprites.outline(80)]}
    assert shapes == {(80, round(80 * CARD_SHAPE))}


def test_a_suit_leaves_the_edge_of_a_card_of_the_pile_free():
    blank = sprites.under_card(100)
    for card in range(DIFFERENT_CARDS):
        printed = ImageChops.difference(sprites.pile_card(card, "", PLAIN, 100), blank).convert("L")
        assert brightest(printed.crop((96, 0, 100, 134))) <= 8


@pytest.mark.parametrize("card", range(0, 52, 5))
def test_rank_and_suit_stand_in_the_middle_of_a_table_card_one_below_the_other(card):
    drawn = ImageChops.difference(sprites.table_card((card,), PLAIN, 100), sprites.under_card(100))
    printed = drawn.convert("L").point([0] * 61 + [255] * 195)
    for part in ((0, 0, 100, 76), (0, 76, 100, 134)):
        left, _, right, _ = not_none(printed.crop(part).getbbox())
        assert left >= 14
        assert 94 <= left + right <= 108
        assert right - left >= 40


@pytest.mark.parametrize("shape", [CLUB, DIAMOND, HEART, SPADE, STAR, CROWN])
def test_a_suit_a_star_and_a_crown_are_alike_on_both_sides(shape):
    sheet = Sheet()
    sheet.shape(shape, (14, 14, 100, 100), WHITE)
    drawn = sheet.finished().getchannel("A")
    other = ImageChops.difference(drawn, drawn.transpose(Image.Transpose.FLIP_LEFT_RIGHT))
    assert brightest(other) <= 128, "but for the edges"
    assert all(
        abs(edge - wanted) <= 1 for edge, wanted in zip(not_none(drawn.getbbox()), (14, 14, 114, 114), strict=True)
    )


def test_up_to_four_equal_cards_in_a_slot_show_their_suits_and_more_their_number():
    sevens = tuple(map(parse_face, ("7c", "7d", "7h", "7s")))
    drawn = [sprites.table_card(cards, PLAIN, 100) for cards in (sevens, (*sevens, sevens[-1]))]
    below = [each.crop((10, 76, 90, 130)) for each in drawn]
    colours = [{hexadecimal(instance_of(tuple, colour)[:3]) for _, colour in each.getcolors(1 << 16)} for each in below]
    assert [RED in each for each in colours] == [True, False]
    assert all(BLACK in each for each in colours)


@pytest.mark.parametrize("sign", get_args(get_args(Sign)[0]))
def test_a_sign_is_as_large_as_others_and_not_cut_off(sign):
    drawn = draw_sign(sign, WHITE).finished().getchannel("A")
    left, top, right, bottom = not_none(drawn.getbbox())
    assert 1 <= min(left, top) <= max(right, bottom) <= 127
    assert ImageStat.Stat(drawn).mean[0] >= 0.2 * 255
    assert (right - left) + (bottom - top) >= 190
    assert min(right - left, bottom - top) >= 70


def test_each_card_of_the_pile_is_known_by_its_upper_left_corner():
    corners = [sprites.pile_card(card, "", PLAIN, 100).crop((4, 4, 44, 86)) for card in range(DIFFERENT_CARDS)]
    assert len({corner.tobytes() for corner in corners}) == DIFFERENT_CARDS
    blank = sprites.under_card(100).crop((4, 4, 44, 86))
    for corner in corners:
        assert ImageStat.Stat(ImageChops.difference(corner, blank).convert("L")).mean[0] >= 20


def test_where_no_cards_lie_on_the_table_none_seem_to_be_swapped_before_play(written):
    view = Game(variants()["paskahousu"].rules, 3).snapshot().view
    assert view.phase == "exchange"
    table_picture(scene_of(view, players(NAMES[:3])))
    assert "waiting" in said(written)
    assert "swap" not in said(written)


def all_chosen():
    """A table whose seats have chosen their face-up cards, but are not ready."""
    seats = ["5d | 2s 9c Td | 2c Jd 6c", "4h | Kd Qs Jh | 3d 5c 6s"]
    return table_view(state_of({"deal": {"method": "choose"}}, seats=seats, phase="exchange"))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Game(variants()["poytapaska"].rules, 3).snapshot().view,
        lambda: Game(variants()["classic"].rules.changed_with({"deal": {"face_up": 0}}), 3).snapshot().view,
        all_chosen,
    ],
    ids=["no exchange", "no face-up cards", "all chosen"],
)
def test_where_cards_lie_on_the_table_but_none_can_be_swapped_the_picture_does_not_show_it(written, make):
    view = make()
    assert view.phase == "exchange"
    assert any(seat.down for seat in view.seats)
    table_picture(scene_of(view, players(NAMES[: len(view.seats)])))
    assert "waiting" in said(written)
    assert "swap" not in said(written)


def test_the_other_direction_has_other_arrows(written):
    table_picture(scene_of(replace(in_play(), direction=-1), players(NAMES[:4])))
    assert said(written)[:2] == ["right-up", "left-down"]


def test_a_name_that_cannot_be_drawn_is_replaced_by_the_fallback(written):
    table_picture(SCENES["hard-names"])
    names = [text for text in said(written) if text in HARD_NAMES or text.startswith("Player")]
    assert names == [name if n not in {2, 5} else f"Player {n + 1}" for n, name in enumerate(HARD_NAMES)]


@pytest.mark.parametrize(("name", "shown"), [("Cy", "Cy (strong)"), (HARD_NAMES[0], HARD_NAMES[0])])
def test_a_computers_level_follows_its_name_if_there_is_room(written, name, shown):
    scene = SCENES["in_play"]
    computer = replace(scene.seats[2], player=ScenePlayer(name, "Player 3", "computer", "strong"))
    table_picture(replace(scene, seats=(*scene.seats[:2], computer, scene.seats[3])))
    assert shown in said(written)


def box_of(scene: Scene, seat):
    """The box of a seat, and the boxes of all places in the layout."""
    layout = layout_of(len(scene.seats), scene.slot_count)
    return next(part.box for part in table_parts(scene, layout, PLAIN) if part.shows is scene.seats[seat]), layout.seats


@pytest.mark.parametrize("seats", [2, 3, 4, 7, 12])
def test_a_person_among_computers_sits_at_the_bottom_with_the_others_around_in_turn(seats):
    view = busy(seats)
    for alone in range(seats):
        them = {name: "computer" for seat, name in enumerate(NAMES[:seats]) if seat != alone}
        scene = scene_of(view, players(NAMES[:seats], **them))
        box, boxes = box_of(scene, alone)
        assert box[1] == max(top for _, top, _, _ in boxes)
        following, _ = box_of(scene, (alone + 1) % seats)
        assert following == boxes[(boxes.index(box) + 1) % seats]


@pytest.mark.parametrize("presence", ["here", "left"])
def test_if_anybody_else_has_played_the_first_seat_stays_at_the_top(presence):
    scene = scene_of(busy(2), players(NAMES[:2], Bob=presence))
    assert [box_of(scene, seat)[0] for seat in range(2)] == list(layout_of(2, scene.slot_count).seats)


def test_a_long_name_ends_before_the_hand_beside_it(written):
    """A row of Ws, in seats of every width."""
    for seats in (2, 6, 12):
        scene = scene_of(table_view(played(seats)[5].state), players(["W" * 32] * seats))
        written.clear()
        table_picture(scene)
        lines = [place for text, _, _, place in written if text == "W" * 32]
        assert len(lines) == seats
        assert max(across for _, across in lines) <= 300


@pytest.mark.parametrize("seats", range(2, 13))
def test_the_label_of_a_long_name_leaves_a_gap_before_the_hand(written, monkeypatch, seats):
    labels, panel = [], Canvas.panel
    monkeypatch.setattr(Canvas, "panel", lambda canvas, box, *how: (labels.append(box), panel(canvas, box, *how)))
    view = busy(seats)
    view = replace(view, seats=tuple(replace(seat, hand=12, place=None) for seat in view.seats))
    table_picture(scene_of(view, players(["i" * 32] * seats)))
    (label,) = (box for box in labels if box[3] == HEAD)
    hand = next(place for text, _, _, place in written[said(written).index("turn") :: -1] if text == "12")
    assert label[0] + label[2] + 6 <= hand[0]


@pytest.mark.parametrize("presence", ["computer", "away"])
def test_at_a_full_table_before_play_a_short_name_fits_beside_all_signs(written, presence):
    view = midgame(12, 0)
    view = replace(view, phase="exchange", seats=tuple(replace(seat, ready=True) for seat in view.seats))
    table_picture(scene_of(view, players(["Clara"] * 12, Clara=presence)))
    widths = [place[1] for text, _, _, place in written if text == "Clara"]
    alone = Canvas(WIDTH, 100, PANEL)
    assert len(widths) == 12
    assert {*widths} <= {alone.width_of("Clara", size) for size in (31, 34)}


def test_at_a_full_table_a_name_has_room_before_the_cards_beside_a_large_hand(written):
    view = midgame(12, 40)
    view = replace(view, seats=tuple(replace(seat, hand=10, place=None) for seat in view.seats))
    names = ["Gus" if seat == view.turn else "Mona" for seat in range(12)]
    table_picture(scene_of(view, players(names, Gus="computer", Mona="computer")))
    alone = Canvas(WIDTH, 100, PANEL)
    widths = [(text, place[1]) for text, _, _, place in written if text in names]
    assert len(widths) == 12
    assert {*widths} <= {(name, alone.width_of(name, size)) for name in names for size in (31, 34)}


def test_letters_and_colours_of_faces_are_an_argument():
    scene = SCENES["in_play"]
    assert len({table_picture(scene, faces) for faces in (PLAIN, FOUR_COLOURS, FRENCH)}) == 3


def test_other_letters_leave_the_suits_as_they_are():
    english, french = (sprites.table_card((KING_OF_DIAMONDS,), faces, 100) for faces in (PLAIN, FRENCH))
    rank, suit = (0, 0, 100, 75), (0, 76, 100, 134)
    assert english.crop(rank).tobytes() != french.crop(rank).tobytes()
    assert english.crop(suit).tobytes() == french.crop(suit).tobytes()


def drawn_card(text, said=""):
    return sprites.pile_card(parse_face(text), said, PLAIN, 100).tobytes()


def test_a_wild_joker_shows_the_rank_it_was_named():
    assert len({drawn_card(text) for text in ("Xr", "Xr=K", "Xr=2", "Xb=K", "Kd")}) == 5


@pytest.mark.parametrize(("said", "tip", "stem"), [("high", 0, -1), ("low", -1, 0)])
def test_a_card_that_was_said_to_be_high_has_an_arrow_upwards_and_one_that_is_low_downwards(said, tip, stem):
    drawn, bare = (sprites.pile_card(parse_face("9c"), word, PLAIN, 100) for word in (said, ""))
    arrow = ImageChops.difference(drawn, bare).convert("L").point([0] * 129 + [255] * 127)
    left, top, right, bottom = not_none(arrow.getbbox())
    lines = [arrow.crop((left, y, right, y + 1)).histogram()[255] for y in range(top, bottom)]
    assert lines[tip] < lines[stem] < max(lines)


# -- what it hides


@pytest.mark.parametrize("seats", [2, 4, 7])
def test_hidden_cards_change_nothing(seats):
    rng = random.Random(seats)
    for step in rng.sample(played(seats, seats), 6):
        other = disguised(step.state, rng)
        assert [seat.hand for seat in other.seats] != [seat.hand for seat in step.state.seats] or not step.state.stock
        assert picture_of(step.state) == picture_of(other)


def test_chosen_cards_that_nobody_sees_change_nothing():
    seats = ["5d 2s 9c Td As 9h | - | 2c 7d 6c", "4h 3d 8d | Kd Qs Jh | 3c 5c 6s"]
    state = state_of({"deal": {"method": "choose"}}, seats=seats, stock="2d 2h 3s", phase="exchange")
    assert unseen(state)
    assert picture_of(state) == picture_of(disguised(state, random.Random(1)))


def picture_of(state: State):
    return table_picture(scene_of(table_view(state), players(NAMES[: len(state.seats)])))


@pytest.mark.long
def test_the_same_table_gives_the_same_bytes_from_a_cold_start_and_in_other_threads():
    names = ("8-seats", "in_play", "stacked", "hard-names")
    once = [table_picture(SCENES[name]) for name in names]
    for kept in (sprites.table_card, sprites.pile_card, sprites.card_back, texts.written, sprites.sign, sprites.disc):
        kept.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        again = list(pool.map(table_picture, [SCENES[name] for name in names] * 4))
    assert again == once * 4


def test_drawing_a_table_does_not_load_discord():
    program = "import cogs.pictures.table_picture, sys; sys.exit('discord' in sys.modules)"
    done = run_to_end(sys.executable, "-c", program)
    assert done.returncode == 0, done.stderr


# -- that it can be read


def test_ranks_and_suits_contrast_with_their_card():
    for faces in (PLAIN, FOUR_COLOURS):
        for card in range(DIFFERENT_CARDS):
            for sprite in (sprites.table_card((card,), faces, 100), sprites.pile_card(card, "", faces, 100)):
                counts = sprite.crop((6, 6, 94, 128)).convert("RGB").getcolors(1 << 16)
                ink = max((each for each in counts if each[1] != (255, 255, 255)), key=lambda each: each[0])[1]
                assert hexadecimal(ink) in {BLACK, RED, BLUE, GREEN}
                assert contrast(hexadecimal(ink), WHITE) >= 4.5


@pytest.mark.parametrize("ground", [FELT, PANEL])
def test_backs_of_cards_contrast_with_their_background(ground):
    back = sprites.card_back(86)
    inner = ImageStat.Stat(back.crop((4, 4, 82, 110)).convert("RGB")).mean
    for colour in (BACK, BACK_LINE, hexadecimal(map(round, inner))):
        assert contrast(colour, ground) >= 3


def test_a_card_contrasts_with_the_back_beneath_it():
    assert contrast(WHITE, BACK) >= 2


@pytest.mark.parametrize("vision", ["usual", "protanopia", "deuteranopia"])
def test_everybody_can_tell_four_colours_apart(vision):
    """As drawn, that is by the most frequent colour of each suit's shape."""
    colours = [suit_colour(suit) for suit in range(4)]
    assert set(colours) == {BLACK, RED, BLUE, GREEN}
    for one, other in combinations(colours, 2):
        assert difference_seen(one, other, vision) >= 20, (one, other)


def suit_colour(suit):
    picture = sprites.table_card((20 + suit,), FOUR_COLOURS, 100).crop((30, 80, 70, 124)).convert("RGB")
    counts = sorted((each for each in picture.getcolors(1 << 16) if each[1] != (255, 255, 255)), reverse=True)
    return hexadecimal(counts[0][1])


@pytest.mark.parametrize("faces", [PLAIN, FOUR_COLOURS])
@pytest.mark.parametrize("kind", ["table", "pile"])
def test_any_two_cards_differ_on_a_phone(faces, kind):
    """In the smallest size of tables with three slots, and in the smallest pile."""
    across = 68 if kind == "table" else 110
    small = [on_a_phone(card, faces, kind, across) for card in range(DIFFERENT_CARDS)]
    for (n, one), (m, other) in combinations(enumerate(small), 2):
        differing = ImageChops.difference(one, other).convert("L").histogram()
        assert sum(value * count for value, count in enumerate(differing)) >= 10 * 128, (n, m)


def on_a_phone(card, faces: FaceSet, kind, across):
    sprite = (
        sprites.table_card((card,), faces, across) if kind == "table" else sprites.pile_card(card, "", faces, across)
    )
    ground = Image.new("RGB", sprite.size, PANEL)
    ground.paste(sprite, (0, 0), sprite)
    size = (round(sprite.width * PHONE / WIDTH), round(sprite.height * PHONE / WIDTH))
    return ground.resize(size, Image.Resampling.LANCZOS)


def test_each_seat_has_a_ground_and_the_edge_of_that_on_turn_stands_out():
    scene = SCENES["in_play"]
    picture = painted(scene, PLAIN, WIDTH)
    boxes = layout_of(4, scene.slot_count).seats
    sides = [[(left + inside, top + down * 0.9) for inside in (3, 10)] for left, top, _, down in boxes]
    seen = [[hexadecimal(picture.getpixel((round(x), round(y)))) for x, y in points] for points in sides]
    assert seen == [[ACCENT if seat.role else PANEL, PANEL] for seat in scene.seats]


def test_the_turn_is_not_shown_by_colour_alone(written):
    """Only that seat has a sign before the name, and its label contrasts even in shades of grey."""
    table_picture(SCENES["in_play"])
    assert said(written).count("turn") == 1
    scene = SCENES["in_play"]
    layout, grey = layout_of(4, scene.slot_count), painted(scene, PLAIN, WIDTH).convert("L")
    corner = [instance_of(int, grey.getpixel((round(left + 30), round(top + 8)))) for left, top, _, _ in layout.seats]
    assert min(abs(corner[1] - corner[n]) for n in (0, 2, 3)) > 100


@pytest.mark.parametrize("name", ["4-seats", "clearing", "ended"])
def test_the_palette_changes_no_colour_by_much(name):
    """Edges of cards and letters stay smooth, as it has the mixtures of the colours that meet there."""
    picture = painted(SCENES[name], PLAIN, WIDTH)
    changes = ImageChops.difference(picture, in_palette(picture).convert("RGB")).convert("L")
    assert brightest(changes) <= 40


# -- what it costs


def test_four_seats_take_forty_kilobytes_at_most_throughout_a_game():
    sizes = [len(picture_of(step.state)) for seed in (1, 2) for step in played(4, seed)[::3]]
    assert max(sizes) <= 40 * 1024


def test_the_picture_can_have_any_size(covered):
    for across in (400, 680, 1500):
        assert opened(table_picture(SCENES["4-seats"], across=across)).width == across
    assert not covered()


def test_the_cache_of_sprites_is_bounded():
    cards = (sprites.table_card, sprites.pile_card, sprites.card_back, sprites.outline)
    for kept in (*cards, sprites.sign, texts.written):
        assert kept.cache_info().maxsize
