"""The languages of the texts: a `Translator` for each, made from the gettext catalogues in `locales/`.

English is the source. A sentence is translated whole, its parts named in braces; `t(...)` for one, `t.n(...)` where a
number decides the form, `t.c(...)` where the same English word needs its context. `mark`, `mark_n` and `mark_c` note
texts that stand in a table and are translated where they are used. Which language a message is in is decided by whoever
draws it: the server's for public ones, the reader's for private ones.
"""

from __future__ import annotations

import gettext
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

LANGUAGES: Final = ("en", "it", "es", "ja", "de", "fr")
DOMAIN: Final = "shithead"
LOCALES: Final = Path(__file__).parents[2] / "locales"
_CLASHES: Final = {
    ("es", "and"): re.compile(r"[ií]|h[ií](?![aeo])", re.IGNORECASE),
    ("es", "or"): re.compile(r"h?[oó]|8|11(?![0-9])", re.IGNORECASE),
    ("it", "and"): re.compile(r"[eèé]", re.IGNORECASE),
}
"""Words before which a language says another *and* or *or*: `padre e hijo`, `7 u 8`, `Anna ed Ennio`."""


def mark(text: str) -> str:
    """A text that stands in a table and is translated where it is used."""
    return text


def mark_n(one: str, many: str) -> tuple[str, str]:
    """The two forms of such a text."""
    return one, many


def mark_c(context: str, text: str) -> str:  # noqa: ARG001 - the context is read by the extraction
    """Such a text with its context."""
    return text


@dataclass(frozen=True, slots=True)
class Translator:
    """Texts in one language; `polite` where what is rude has another name."""

    language: str
    catalogue: gettext.NullTranslations
    polite: bool = False

    def __call__(self, text: str, /, **values: object) -> str:
        """The text in this language, its braces filled."""
        return self.catalogue.gettext(text).format(**values)

    def n(self, one: str, many: str, count: int, /, **values: object) -> str:
        """The text in the form for `count`, which also fills `{count}` unless given otherwise."""
        return self.catalogue.ngettext(one, many, count).format(**({"count": count} | values))

    def c(self, context: str, text: str, /, **values: object) -> str:
        """The text as it is called in this context."""
        return self.catalogue.pgettext(context, text).format(**values)

    def listing(self, items: Sequence[str]) -> str:
        """`a, b and c`."""
        ends = self._ends(items)
        if ends and self._clashes("and", ends["last"]):
            return self.c("before a word that begins like *and*", "{first} and {last}", **ends)
        return self("{first} and {last}", **ends) if ends else "".join(items)

    def choice(self, items: Sequence[str]) -> str:
        """`a, b or c`."""
        ends = self._ends(items)
        if ends and self._clashes("or", ends["last"]):
            return self.c("before a word that begins like *or*", "{first} or {last}", **ends)
        return self("{first} or {last}", **ends) if ends else "".join(items)

    def _clashes(self, joint: str, last: str) -> bool:
        pattern = _CLASHES.get((self.language, joint))
        return bool(pattern and pattern.match(last.lstrip("*_`\\ ")))

    def sentences(self, *said: str) -> str:
        """Whole sentences one after another; empty ones are left out."""
        return self.c("between sentences", " ").join(filter(None, said))

    def _ends(self, items: Sequence[str]) -> dict[str, str]:
        if len(items) < 2:  # noqa: PLR2004 - two are the fewest that need a word between them
            return {}
        return {"first": self.c("between the items of a list", ", ").join(items[:-1]), "last": items[-1]}


@cache
def translator(locale: str) -> Translator:
    """The translator for one of Discord's locales; English where there is no such language."""
    language = locale.partition("-")[0].lower()
    if language not in LANGUAGES:
        language = "en"
    return Translator(language, gettext.translation(DOMAIN, LOCALES, [language], fallback=True))


ENGLISH: Final = Translator("en", gettext.NullTranslations())
"""The source texts themselves."""
