#!/usr/bin/env python3
"""Verify the shuffle of a transcript without the bot: `python3 verify_shuffle.py FILE`. The algorithm: fairness.md.

Exit status: 0 it verifies, 1 it does not, 2 it cannot be read.
"""

import hashlib
import hmac
import re
import sys
from pathlib import Path


def derive(secret: str, table: str, joiners: str, packs: int, jokers: int) -> list[str]:
    """Work the pack out, top first, as text."""
    names = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
    cards = [name for name in names for _ in range(packs)] + [("Xr", "Xb")[n % 2] for n in range(jokers)]
    spare, counter = b"", 0
    for size in range(len(cards), 1, -1):
        while True:
            if not spare:
                text = "shithead shuffle 1\n" + table + "\n" + joiners + "\n" + str(counter)
                spare = hmac.new(bytes.fromhex(secret), text.encode(), hashlib.sha256).digest()
                counter += 1
            word, spare = spare[0] * 256 + spare[1], spare[2:]
            if word < 65536 // size * size:
                break
        chosen = word % size
        cards[size - 1], cards[chosen] = cards[chosen], cards[size - 1]
    return cards


def verify(transcript: str) -> str:
    """Say what is wrong with the shuffle, nothing if it verifies; raises ValueError if it cannot be read."""
    header = re.match(r'([ \t]*\[\w+ "([^"\\\n]|\\.)*"\][ \t\r]*(\n|$))*', transcript.strip("\ufeff\r\n "))
    rows = re.findall(r'^[ \t]*\[(\w+) "((?:[^"\\\n]|\\.)*)"\]', header[0] if header else "", re.MULTILINE)
    tags = dict(rows)
    shapes = {"Table": r"[\w.:-]{1,64}", "Joiners": r"[1-9]\d{0,19}( [1-9]\d{0,19})*", "Seal": r"[\da-f]{64}"}
    shapes |= {"Secret": r"[\da-f]{64}", "Packs": r"0|[1-9]\d?", "Jokers": r"0|[1-9]\d?"}
    shapes["Pack"] = "([2-9TJQKA][cdhs]|X[rb])( ([2-9TJQKA][cdhs]|X[rb]))*"
    if len(rows) != len(tags) or not all(re.fullmatch(s, tags.get(name, ""), re.ASCII) for name, s in shapes.items()):
        raise ValueError("a tag of the shuffle is missing, repeated or malformed")
    if hashlib.sha256(bytes.fromhex(tags["Secret"])).hexdigest() != tags["Seal"]:
        return "the secret is not the one that was sealed"
    pack = derive(tags["Secret"], tags["Table"], tags["Joiners"], int(tags["Packs"]), int(tags["Jokers"]))
    return "" if pack == tags["Pack"].split() else "the secret and the joiners give a different pack"


if __name__ == "__main__":
    if not sys.argv[1:] or sys.argv[2:] or sys.argv[1].startswith("-"):
        sys.exit(sys.stderr.write("usage: python3 verify_shuffle.py FILE\n") and 2)
    try:
        fault = verify(Path(sys.argv[1]).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        sys.exit(sys.stdout.write(f"cannot be read: {error}\n") and 2)
    except KeyboardInterrupt:
        sys.exit(130)
    sys.stdout.write(f"does not verify: {fault}\n" if fault else "verified\n")
    sys.exit(1 if fault else 0)
