"""The languages of the texts: one for each folder in `locales/`, and a `Translator` for each.

A folder says in `language.toml` what the language is called in itself and what is peculiar to it; its texts stand
beside in a gettext catalogue. English is the source: what has no translation is said in English. A sentence is
translated whole, its parts named in braces; `t(...)` for one, `t.n(...)` where a number decides the form, `t.c(...)`
where the same English word needs its context. `mark` and its like note texts that stand in a table and are
translated where they are used. Which language a message is in is decided by the caller that draws it: the server's for
public ones, the reader's for private ones.
"""

from __future__ import annotations

import gettext
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

LOCALES: Final = Path(__file__).parents[2] / "locales"
SOURCE: Final = "en"
_LAST: Final = 99


@dataclass(frozen=True, slots=True)
class Language:
    """What the folder of a language says.

    `code` is the name of the folder: a locale of Discord's (`pt-BR`) or the first part of one (`pt`). `name` is what
    the language is called in itself, `order` its place in lists. `complete` promises that every text that some other
    complete language translates is translated here too; tests check it. `same` lists plurals that read as in English.
    `clashes` holds patterns of words before which *and* or *or* is a different word: `padre e hijo`, `7 u 8`.
    """

    code: str
    name: str
    order: int = _LAST
    complete: bool = False
    same: Sequence[str] = ()
    clashes: Mapping[str, re.Pattern[str]] | None = None


def _read(folder: Path) -> Language:
    keys = tomllib.loads((folder / "language.toml").read_text(encoding="utf-8"))
    clashes = {joint: re.compile(pattern, re.IGNORECASE) for joint, pattern in keys.pop("clashes", {}).items()}
    return Language(folder.name, clashes=clashes, **keys)


_found: Final = [_read(path.parent) for path in LOCALES.glob("*/language.toml")]
LANGUAGES: Final[Mapping[str, Language]] = {
    each.code: each for each in sorted(_found, key=lambda each: (each.order, each.code))
}
"""All languages by code, in the order in which they are offered."""


def catalogue_of(code: str) -> Path:
    """Where the texts of a language stand; there need not be any."""
    return LOCALES / code / "LC_MESSAGES" / "shithead.po"


def mark(text: str) -> str:
    """A text that stands in a table and is translated where it is used."""
    return text


def mark_n(one: str, many: str) -> tuple[str, str]:
    """The two forms of such a text."""
    return one, many


def mark_c(context: str, text: str) -> str:  # noqa: ARG001 - the context is read by the extraction
    """Such a text with its context."""
    return text


def marks(*texts: str) -> tuple[str, ...]:
    """Several such texts."""
    return texts


def marks_c(context: str, *texts: str) -> tuple[str, ...]:  # noqa: ARG001 - as above
    """Several such texts with one context."""
    return texts


@dataclass(frozen=True, slots=True)
class Translator:
    """Texts in one language; `polite` uses the polite name of the game."""

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
        pattern = (LANGUAGES[self.language].clashes or {}).get(joint)
        return bool(pattern and pattern.match(last.lstrip("*_`\\ ")))

    def enumerated(self, items: Iterable[str]) -> str:
        """`a, b, c`."""
        return self.c("between the items of a list", ", ").join(items)

    def typed(self, *names: str) -> str:
        """A command as its reader types it: ``t.typed("tea", "owed")`` is `/tea owed`, in German `/tee schulden`."""
        return f"`/{' '.join(self.c('command', name) for name in names)}`"

    def sentences(self, *parts: str) -> str:
        """Whole sentences one after another; empty ones are left out."""
        return self.c("between sentences", " ").join(filter(None, parts))

    def _ends(self, items: Sequence[str]) -> dict[str, str]:
        if len(items) < 2:  # noqa: PLR2004 - two are the fewest that need a word between them
            return {}
        return {"first": self.enumerated(items[:-1]), "last": items[-1]}


class _Catalogue(gettext.GNUTranslations):
    """The compiled texts of a language; another process, which gets it through a pipe, reads them itself."""

    def __init__(self, code: str) -> None:
        self._code = code
        with catalogue_of(code).with_suffix(".mo").open("rb") as file:
            super().__init__(file)

    def __reduce__(self) -> tuple[Callable[[str], _Catalogue], tuple[str]]:
        return _compiled, (self._code,)


@cache
def _compiled(code: str) -> _Catalogue:
    return _Catalogue(code)


@cache
def translator(locale: str) -> Translator:
    """The translator for one of Discord's locales; English if there is no such language."""
    code = next((each for each in (locale, locale.partition("-")[0]) if each in LANGUAGES), SOURCE)
    is_compiled = catalogue_of(code).with_suffix(".mo").exists()
    return Translator(code, _compiled(code) if is_compiled else gettext.NullTranslations())
