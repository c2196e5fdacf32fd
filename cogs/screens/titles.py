"""The titles and sentences of the variants, noted for translation; the texts themselves stand in their files."""

from __future__ import annotations

from typing import Final

from cogs.screens.language import mark, mark_c

TITLES: Final = (
    mark_c("variant", "Classic"),
    mark_c("variant", "Choose three"),
    mark_c("variant", "First out"),
    mark_c("variant", "Ten by rank"),
    mark_c("variant", "Leave face-up"),
    mark_c("variant", "Gultnieks"),
    mark_c("variant", "Karma"),
    mark_c("variant", "Smeghead"),
    mark_c("variant", "West Kent"),
    mark_c("variant", "Guarducci"),
    mark_c("variant", "Finland"),
    mark_c("variant", "Ten-Two Slide"),
    mark_c("variant", "Egilsson"),
    mark_c("variant", "French"),
    mark_c("variant", "Reverse, first game"),
    mark_c("variant", "Reverse, second game"),
    mark_c("variant", "Garfield"),
    mark_c("variant", "Superjoker"),
    mark_c("variant", "Vändtia"),
    mark_c("variant", "China Hand"),
    mark_c("variant", "Shit Boot"),
    mark_c("variant", "Poohead"),
    mark_c("variant", "Palace"),
)
POLITE_TITLES: Final = {"Shit Boot": mark_c("variant", "Boot")}
"""What is said instead where the game goes by its polite name."""
SENTENCES: Final = (
    mark("Beat the pile or pick it up. Twos go on anything, tens burn. The last with cards loses."),
    mark("You get six cards and choose which three lie face up."),
    mark("The first to get rid of all cards wins, and the game stops."),
    mark("Tens burn, but do not go on a jack, queen, king or ace."),
    mark("Picking up while playing face-up cards, you take the pile alone and leave them lying."),
    mark("Sevens ask for seven or lower. Eights are glass, go on anything and turn the direction."),
    mark("Choose three, stack equal cards face up. After a pick-up, whoever played last leads."),
    mark("Two packs, four of everything. The first to burn is flush: later piles burn only when flush clears them."),
    mark("Five of everything, one pack. The first to burn is flush and clears later burns."),
    mark("Sevens are glass, eights ask for eight or lower, jokers skip, and suits run in sequences."),
    mark("Four face-down and four face-up cards, three in hand."),
    mark("Classic with four cards in hand."),
    mark("Fives go on any higher card and ask for lower. At any turn you may chance the top card of the stock."),
    mark(
        "One card may be exchanged, you draw only after the opening lead. Jokers are wild; first out wins, last loses."
    ),
    mark("Threes are thrown before play, jacks skip, jokers are glass and skip one more. You must play if you can."),
    mark("Aces are low, kings are thrown, nothing but aces is barred from a two. Stuck? The one before you picks up."),
    mark("Jacks ask for jacks, tens burn by rank, four of a kind goes on anything, one glass joker reverses."),
    mark(
        "The joker gives the pile to the next seat, unless a red jack passes it on. "
        "Jacks are glass, nines ask lower, eights skip."
    ),
    mark("Stack equal cards. The lowest hand starts, and the stuck may chance the stock. First out wins, last loses."),
    mark("Only aces, twos and tens go on an ace. Stack equal cards; the stuck may chance the stock; first out wins."),
    mark(
        "Choose three; a card is turned up to start the pile, left of the dealer begins, the stuck "
        "may chance the stock."
    ),
    mark("Sevens ask for lower. After a burn the next seat leads. The lowest card starts and must be led."),
    mark(
        "Nines ask for lower; six, four or three of everything for two, three or four players. The lowest card starts."
    ),
)
