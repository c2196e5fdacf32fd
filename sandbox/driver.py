"""A person at the page, in a browser window of their own; the pictures and the browser tests share this."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from shutil import which
from typing import Any, Final

from playwright.sync_api import Browser, Error, Locator, Page, ViewportSize, expect, sync_playwright
from playwright.sync_api import TimeoutError as NotShownError

from cogs.screens.formatter import formatter
from cogs.screens.language import SOURCE

FLAGS: Final = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WINDOW: Final[ViewportSize] = {"width": 1280, "height": 900}
_READY: Final = "() => window.simcordPreview?.ready"
_SEEN_AS: Final = "id => simcordPreview.viewerId === id && simcordPreview.ready"
_BEGUN: Final = """before => {
    const page = simcordPreview, last = page.lastAction;
    return page.pendingAction || (last && last.requestId !== before);
}"""
_DONE: Final = """before => {
    const page = simcordPreview, last = page.lastAction;
    return last && last.requestId !== before && !page.pendingAction && page.awaitingRevision === null && last;
}"""
_TRIES: Final = 10
_REACTION: Final = 10_000
"""Milliseconds within which the page must begin to handle what was done on it."""
PATIENCE: Final = 120
"""Seconds that anything on the page may take before it counts as broken."""


@contextmanager
def browser(chromium: str) -> Generator[Browser]:
    """Start the Chromium at this path, or with this name on the `PATH`; raises `OSError` if it does not start."""
    expect.set_options(timeout=PATIENCE * 1000)
    with sync_playwright() as playwright:
        try:
            found = playwright.chromium.launch(executable_path=which(chromium) or chromium, args=list(FLAGS))
        except Error as error:
            raise OSError(f"the browser {chromium} does not start") from error
        try:
            yield found
        finally:
            found.close()


class RefusedError(Exception):
    """The page did not accept a click."""


class Person:
    """One of the people on the server."""

    def __init__(self, page: Page, name: str, language: str = SOURCE) -> None:
        """Use a page that `arrive` opened; `language` is that of the sandbox."""
        self.page = page
        self.name = name
        self.t = formatter(language)
        self.waits: list[float] = []
        """For each action on the page, the seconds until it was answered."""

    @classmethod
    def arrive(
        cls,
        browser: Browser,
        address: str,
        name: str,
        *,
        window: ViewportSize = WINDOW,
        scale: int = 1,
        language: str = SOURCE,
    ) -> Person:
        """Open the page in a window of its own and view it as this person; `scale` is device pixels per CSS pixel."""
        context = browser.new_context(bypass_csp=True, viewport=window, device_scale_factor=scale)
        context.set_default_timeout(PATIENCE * 1000)
        page = context.new_page()
        page.goto(address)
        page.wait_for_function(_READY)
        found = page.get_by_label("Viewing as").select_option(label=name)
        page.wait_for_function(_SEEN_AS, arg=found[0])
        return cls(page, name, language)

    @property
    def messages(self) -> Locator:
        """All messages, oldest first."""
        return self.page.locator("#channel-message-list article.channel-message")

    @property
    def private(self) -> Locator:
        """The messages that only this person sees."""
        return self.messages.filter(has_text="Only you can see this")

    @property
    def public(self) -> Locator:
        """The messages that everybody sees."""
        return self.messages.filter(has_not_text="Only you can see this")

    def act(self, doing: Callable[[], object]) -> dict[str, Any]:
        """Do something on the page and wait until it has been answered.

        Raises:
            RefusedError: the page did not accept it.
        """
        before = self.page.evaluate("() => simcordPreview.lastAction?.requestId ?? null")
        begun = time.perf_counter()
        doing()
        try:
            self.page.wait_for_function(_BEGUN, arg=before, timeout=_REACTION)
        except NotShownError as error:
            if not self.page.evaluate(_BEGUN, before):  # a slow page may have begun, and been too busy to tell
                why = "the page did not react to the click: what was clicked had just been redrawn"
                raise RefusedError(why) from error
        last: dict[str, Any] = self.page.wait_for_function(_DONE, arg=before).json_value()
        if last["rejected"]:
            raise RefusedError(last["diagnostics"])
        self.waits.append(time.perf_counter() - begun)
        return last

    def press(self, button: Locator) -> None:
        """Press a button; try again, ten times in all, if the page was redrawn meanwhile."""
        for remaining in reversed(range(_TRIES)):
            try:
                self.act(button.click)
            except RefusedError:
                if not remaining:
                    raise
            else:
                return

    def button(self, label: str, where: Locator | None = None) -> Locator:
        """The newest button whose label ends like this (the name of a card's picture may precede it)."""
        place = self.messages if where is None else where
        return place.get_by_role("button", name=re.compile(f"{re.escape(label)}$")).last

    def choose(self, shown: str, wanted: str, where: Locator) -> None:
        """Choose the option `wanted` in the select that shows `shown`."""
        where.get_by_role("combobox").filter(has_text=shown).click()
        self.act(self.page.get_by_role("option", name=wanted).first.click)

    def command(self, text: str, **options: str) -> None:
        """Run a slash command. The command and its options are given in English, but typed in the person's language."""
        text = self.t.typed(*text.removeprefix("/").split()).strip("`")
        self.page.locator("#channel-composer-input").press_sequentially(text)
        self.page.get_by_role("option", name=text).first.click()
        for name, value in options.items():
            self._fill(self.t.c("option", name), self.t.c("choice", value))
        self.act(self.page.locator("#send-message").click)

    def _fill(self, name: str, value: str) -> None:
        self.page.locator(".command-ghost").click()
        self.page.get_by_role("option", name=re.compile(f"^{re.escape(name)}")).click()
        field = self.page.locator(f".command-option-input[data-option={name}]")
        field.press_sequentially(value)
        if field.get_attribute("role") == "combobox":
            self.page.locator(".command-popup").get_by_role("option", name=value).first.click()
