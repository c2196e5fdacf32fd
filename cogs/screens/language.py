"""The languages of the texts: one for each folder in `locales/`, and a `Translator` for each.

A folder's `language.toml` describes the language; a gettext catalogue beside it has the texts. English is the source:
a text without a translation appears in English. A sentence is translated whole, its variable parts in braces: with
`t(...)`, with `t.n(...)` if a number decides the form, with `t.c(...)` if the English text needs a context. `mark` and
its variants tag texts that are stored in a table and translated where they are used. The caller that draws a message
chooses its language: the server's for public messages, the reader's for private ones.
"""

from __future__ import annotations

import gettext
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, TypeVar

LOCALES: Final = Path(__file__).parents[2] / "locales"
SOURCE: Final = "en"
_LAST: Final = 99
Text = TypeVar("Text", bound=str)


@dataclass(frozen=True, slots=True)
class Language:
    """A language, as its folder describes it.

    `code` is the name of the folder: a locale of Discord's (`pt-BR`) or the first part of one (`pt`). `name` is the
    language's own name for itself, `order` its place in lists. `complete` promises a translation for every text that
    another complete language translates; tests check it. `same` lists plurals that are meant to read as in English.
    `clashes` holds patterns of words before which *and* or *or* changes its form: `padre e hijo`, `7 u 8`.
    """

    code: str
    name: str
    order: int = _LAST
    complete: bool = False
    same: Sequence[str] = ()
    clashes: Mapping[str, re.Pattern[str]] | None = None


def _read(file: Path) -> Language:
    try:
        keys = tomllib.loads(file.read_text(encoding="utf-8-sig"))
        clashes = {joint: re.compile(pattern, re.IGNORECASE) for joint, pattern in keys.pop("clashes", {}).items()}
        return Language(file.parent.name, order=int(keys.pop("order", _LAST)), clashes=clashes, **keys)
    except (AttributeError, OSError, OverflowError, TypeError, ValueError, re.error) as error:  # nobody catches it
        raise SystemExit(f"locales/{file.parent.name}/{file.name} cannot be used: {error}") from error


_found: Final = sorted(map(_read, LOCALES.glob("*/language.toml")), key=lambda each: (each.order, each.code))
LANGUAGES: Final[Mapping[str, Language]] = {each.code: each for each in _found}
"""All languages by code, in the order in which they are offered."""


def catalogue_of(code: str) -> Path:
    """The path of a language's catalogue, which need not exist."""
    return LOCALES / code / "LC_MESSAGES" / "shithead.po"


def mark(text: str) -> str:
    """Tag a text that is stored in a table, so that it is extracted; it is translated where it is used."""
    return text


def mark_n(one: str, many: str) -> tuple[str, str]:
    """Tag the singular and the plural of such a text."""
    return one, many


def marks(*texts: str) -> tuple[str, ...]:
    """Tag several such texts."""
    return texts


def marks_c(context: str, *texts: Text) -> tuple[Text, ...]:  # noqa: ARG001 - the context is read by the extraction
    """Tag several such texts with one context."""
    return texts


@dataclass(frozen=True, slots=True, eq=False)
class Translator:
    """Texts in one language; `polite` uses the polite name of the game. Compared by identity, to be a key of caches."""

    language: str
    catalogue: gettext.NullTranslations
    polite: bool = False

    def __call__(self, text: str, /, **values: object) -> str:
        """Translate a text and fill its braces."""
        return self.catalogue.gettext(text).format(**values)

    def n(self, one: str, many: str, count: int, /, **values: object) -> str:
        """Translate a text in the form for `count`, which also fills `{count}` unless `values` has one."""
        return self.catalogue.ngettext(one, many, count).format(**({"count": count} | values))

    def c(self, context: str, text: str, /, **values: object) -> str:
        """Translate a text in its context."""
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
        """`a, b, c`; empty items are left out."""
        return self.c("between the items of a list", ", ").join(filter(None, items))

    def typed(self, *names: str) -> str:
        """A command as its reader types it: ``t.typed("tea", "owed")`` is `/tea owed`, in German `/tee schulden`."""
        return f"`/{' '.join(self.c('command', name) for name in names)}`"

    def sentences(self, *parts: str) -> str:
        """Join whole sentences; empty ones are left out."""
        return self.c("between sentences", " ").join(filter(None, parts))

    def _ends(self, items: Sequence[str]) -> dict[str, str]:
        return {"first": self.enumerated(items[:-1]), "last": items[-1]} if len(items) > 1 else {}  # one needs no "and"


class _Catalogue(gettext.GNUTranslations):
    """The compiled texts of a language. It is pickled as its code alone; the other process loads the texts itself."""

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
