"""Writes docs/variants.md from the variants, and their number into other pages: `python -m tools.variants_page`.

The sentences are those that players read, in English. Everything else on the page comes from this file.
"""

from __future__ import annotations

import json
import re
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from cogs.screens.formatter import formatter
from cogs.screens.rule_words import differences
from game.rules import Rules, is_table
from game.shell import run_command
from game.variants import Variant, variants

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "variants.md"
NUMBERS: Final = {
    ROOT / "README.md": re.compile(r"\d+(?= variants)"),
    ROOT / "docs" / "peers.md": re.compile(r"(?<=\| variants by name \| ● )\d+"),
}
"""Other pages that say how many variants there are."""
SOURCES: Final = {
    "S": "the texts that this project was made for",
    "V": "another public description",
    "D": "a decision of this project",
}
HEAD: Final = """\
# Variants

<!-- Written by `python -m tools.variants_page` from game/variants/*.toml; change those. -->

Every variant is one small file of options, and no code asks which one is played. What the options mean is in
[rules.md](rules.md), sections 3 and 4. Each variant says where it comes from: **[S]** the texts that this project was
made for (pagat.com's page *Shithead* in five translations, and one French page), **[V]** another public description.
Where a source leaves something open, *Ours* says what was decided here.
"""
WANTED: Final = """\
## Rules wanted

The sources name these games without their rules. Whoever plays one: a TOML file like those above, or simply the rules
in words, would be welcome.

- **Twisted Shithead**
- **Mukava** (Finland)
- **Piina** (Finland)
"""


def page() -> str:
    """The whole page."""
    found = variants().values()
    rows = [f"| [{each.title}](#{each.id}) | {_seats(each)} | {each.sentence} |" for each in found]
    table = "\n".join(["| variant | seats | |", "|---|---|---|", *rows])
    return "\n".join([HEAD, table, "", *(section(each) for each in found), WANTED])


def section(variant: Variant) -> str:
    """The section about one variant."""
    plain = Rules()
    lines = [f'<a id="{variant.id}"></a>\n\n## {variant.title}', "", variant.sentence, ""]
    lines.append(f"- Id: `{variant.id}`")
    lines.append(f"- Seats: {_seats(variant)}{_limit(variant.rules)}")
    lines.append(f"- Source: [{variant.source}], {SOURCES[variant.source]}")
    if variant.ours:
        lines.append(f"- Ours: {variant.ours}")
    changed = variant.rules.differences(plain)
    if not changed:
        return "\n".join([*lines, "", "This is the game that all others are compared with.", ""])
    lines += ["", "Differs from Classic:", ""]
    lines += [f"- {sentence}" for sentence in differences(formatter(), variant.rules, plain)]
    return "\n".join([*lines, "", "```toml", *toml(changed), "```", ""])


def toml(options: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Options as lines of TOML with dotted keys; a power or a table of sizes takes one line."""
    for key, value in options.items():
        if is_table(value) and prefix != "powers." and key != "by_seats":
            yield from toml(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key} = {_value(value)}"


def _value(value: Any) -> str:
    if is_table(value):
        return "{ " + ", ".join(f"{key} = {_value(each)}" for key, each in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


def _seats(variant: Variant) -> str:
    fewest, most = variant.rules.seats
    return f"{fewest} to {most}"


def _limit(rules: Rules) -> str:
    """A note if the pack allows fewer seats than the rules."""
    most = rules.most_seats()
    return "" if most == rules.seats[1] else f", the pack allows {most}"


def counted(path: Path) -> str:
    """The text of a file of `NUMBERS` with the current number."""
    return NUMBERS[path].sub(str(len(variants())), path.read_text(encoding="utf-8"))


def main(argv: Sequence[str] = ()) -> int:
    """Write all pages."""
    ArgumentParser(description=(__doc__ or "").partition("\n")[0]).parse_args(argv)
    for place in NUMBERS:
        place.write_text(counted(place), encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    run_command(main)
