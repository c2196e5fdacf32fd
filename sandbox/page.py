"""Changes to SimCord's page: where Discord behaves differently, where a press would be lost, and for screen readers.

Each change is a piece of one of its files and its replacement; a test checks that the file contains the piece once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_END: Final = "\nbootstrap();"
_PRESELECTION: Final = "if (listItems.length) suggestionListbox.setActive(0"
"""Preselects the first optional option of a command, so that Enter would add it; on Discord Enter sends."""
_SORTING: Final = """
    || String(a.entry.invocation).localeCompare(String(b.entry.invocation))
    || String(a.entry.commandId).localeCompare(String(b.entry.commandId))"""
"""Sorts commands by name; Discord lists those of a group in the order in which they were registered."""
_ELLIPSIS: Final = """if (optional) item.append(node("span", "command-suggestion-ellipsis", "…"));"""
_DESCRIBED: Final = """
      if (value.description) item.append(node("span", "command-suggestion-description", value.description));"""
"""Says beside each option of a command what it is for, as Discord does; the page has three dots there."""
_NAMELESS: Final = """list.id = "command-suggestion-listbox";"""
_NAMED: Final = f"""{_NAMELESS}
    list.setAttribute("aria-label", heading);"""
"""Tells a screen reader what is listed."""
_UNASKED: Final = """const current = String(field.value || "");"""
_ASKED: Final = """
            if (!autocompleteResults.has(autocompleteKey(currentDraft(), option.name, current))) {
              clearPopup();
              queryAutocomplete(option, current);
              return;
            }"""
"""Asks the bot for choices as soon as an option is picked, as Discord does; the page waits until a letter is typed."""
_EMPTY: Final = "ui.channelEmpty.hidden = ids.length > 0;"
_WELCOME: Final = """
    ui.channelEmpty.textContent = ui.channelTopic.textContent;"""
"""Says in an empty channel how to begin; Discord greets people there."""
_REDRAWING: Final = "const ids = (snapshot.timeline || []).map(String);"
_HELD: Final = f"""ui.messageList.style.minHeight = `${{ui.messageList.offsetHeight}}px`;
    ui.messageList.getBoundingClientRect();
    {_REDRAWING}"""
_REDRAWN: Final = "    setMessageOrder(desired);"
_RELEASED: Final = f"""{_REDRAWN}
    ui.messageList.style.minHeight = "";"""
"""Keeps the channel as high as it was while messages are redrawn: Safari lays it out when one of them is empty, and
would scroll away from it."""
_ARRIVED: Final = """state.ready = false;
      if (state.scrollIntent"""
_NOT_YET_THERE: Final = """const wasReady = state.ready;
      state.ready = false;
      if (wasReady && state.scrollIntent"""
"""Keeps whoever was at the end of the channel there, even if a slow browser did not draw one change before the next."""
_SCROLLED: Final = 'if (!state.ready && state.scrollIntent?.policy === "target") return;'
_SCROLLED_BY_PERSON: Final = "if (!state.ready && state.scrollIntent) return;"
"""Browsers tell of scrolling late: what the page itself did for one change, when it draws the next."""
_EMOJIS: Final = """noto-color-emoji-v2.051.ttf") format("truetype")"""
_DRAWABLE: Final = f"{_EMOJIS} tech(color-COLRv1)"
"""Leaves emojis to the system where a browser cannot draw those of the page, such as Safari: they would be blank."""
_RECEIPT: Final = "rememberReceipt: (receipt, kind) => {"
_REFUSED: Final = """
    if (receipt.rejected && ["click", "select", "modal_submit"].includes(kind)) tellInVain();"""
_SENT: Final = """
    if (kind === "run_command") {
      state.scrollIntent = { policy: "bottom" };
      ui.timeline.scrollTop = ui.timeline.scrollHeight;
      if (near?.isWriting) requestAnimationFrame(() => document.activeElement === document.body && ui.composer.focus());
    }"""
"""Shows the end of the channel to whoever has sent a command, and lets them type on, as Discord does."""
IN_VAIN: Final = "This changed while you pressed, so nothing was done. Look, then press again."
FORGOTTEN: Final = "The sandbox no longer knows this page. Reload it."
ELSEWHERE: Final = "The sandbox cannot be played at this address. Open the one that it printed last."
FULL: Final = "The sandbox cannot show this page now. Close other tabs of it, then reload this one."
_EXPIRED: Final = """terminateSession("Preview session is unavailable. Reload the active Preview URL.");"""
_PRESSED_EXPIRED: Final = "terminate: terminateSession,"
_SAID_EXPIRED: Final = f"""{{ terminateSession("{FORGOTTEN}"); sayAlone("{FORGOTTEN}"); }}"""
_BARE: Final = """message: "Open this page from a Preview URL fragment", complete: false });"""
_UNOPENED: Final = """remediation: "Reload the active Preview URL.", complete: false });"""
_SAID_ELSEWHERE: Final = f"""
    sayAlone("{ELSEWHERE}");"""
_SAID_UNOPENED: Final = f"""
    sayAlone(_.status === 401 ? "{ELSEWHERE}" : "{FULL}");"""
"""Says what to do where nothing is shown: on a page that slept for ten minutes, at the address of another run, and in
one tab more than the sandbox has pages for."""
_OPENED: Final = """await request("/api/pages", "POST", {}, null);"""
_REOPENED: Final = _OPENED.replace("{}", "{ viewer_id: remembered?.getItem(state.capability) }")
"""Has a tab that is reloaded show the same person as before; the page would show the first one, with their cards.

Not in a browser that lets no page store anything, as Chromium where all cookies are blocked.
"""
_SCRIPT: Final = """
function sayAlone(words) {
  ui.empty.hidden = false;
  ui.empty.textContent = words;
}
const remembered = (() => { try { return sessionStorage; } catch { return null; } })();
const inVain = document.body.appendChild(document.createElement("p"));
inVain.id = "in-vain";
inVain.setAttribute("role", "status");
let pressed = null;
let forgetting = 0;
function tellInVain() {
  inVain.style.left = `${Math.max(8, Math.min(pressed?.x - 140 || 8, innerWidth - 296))}px`;
  inVain.style.bottom = `${Math.min(innerHeight - (pressed?.y ?? innerHeight) + 20, innerHeight - 80)}px`;
  inVain.textContent = "IN_VAIN";
  clearTimeout(forgetting);
  forgetting = setTimeout(() => inVain.replaceChildren(), 6000);
}
document.addEventListener("pointerdown", (event) => {
  const button = event.target.closest("button.component-button[data-control-key]");
  pressed = { x: event.clientX, y: event.clientY, button, message: button?.closest("[data-message-id]"),
    words: button?.textContent, command: event.target.closest(".command-entry") };
  inVain.replaceChildren();
}, true);
document.addEventListener("pointerup", (event) => {
  const { button, message, words, command, x, y } = pressed ?? {};
  const isPress = event.button === 0 && Math.hypot(event.clientX - x, event.clientY - y) < 20;
  if (command?.isConnected === false && isPress)
    document.querySelector(`[data-entry-key="${CSS.escape(command.dataset.entryKey)}"]`)?.click();
  if (!button || button.isConnected || !isPress) return;
  const now = [...message?.querySelectorAll("button.component-button[data-control-key]:enabled") ?? []];
  const same = now.find((each) => each.textContent === words);
  if (same && message.isConnected) same.click();
  else tellInVain();
}, true);
document.addEventListener("keydown", (event) => {
  const isText = event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.altKey && !event.metaKey;
  if (isText && event.target.matches("body, article")) ui.composer.focus();
});
""".replace("IN_VAIN", IN_VAIN)
"""A button or a listed command that is redrawn before the pointer is released gets no click, so the new one is clicked.

If there is no such button, or the click is refused, a note appears where the person pressed. Whatever is typed outside
of any field goes to the channel, as on Discord, except a space, which presses buttons and turns pages.
"""
_LOST: Final = "if (!active || active === document.body || !active.isConnected) restoreFocus();"
_FOUND: Final = _LOST.replace(
    " restoreFocus();",
    """ {
        restoreFocus();
        if (document.activeElement === document.body) stayNear();
      }""",
)
"""Has the focus stay near a control that is gone."""
_RENDERED: Final = "reconcileLightbox();\n  state.renderPendingMedia"
_TOLD: Final = _RENDERED.replace("state.", "tellNews(snapshot);\n  state.")
"""Tells a screen reader what is new once the page is redrawn."""
_NAMED_BY_PLACE: Final = """`Open ${label || "image"} in image preview`"""
_NAMED_BY_WORDS: Final = f"media.description || {_NAMED_BY_PLACE}"
"""The page names a picture's button "Gallery item 1", which would hide the picture's description."""
_SPOKEN: Final = """
const news = document.body.appendChild(document.createElement("div"));
news.id = "news";
news.className = "visually-hidden";
news.setAttribute("role", "log");
for (const each of [ui.timeline, ui.action, ui.pageStatus, ui.pickerEmpty]) each.setAttribute("aria-live", "off");
const linesOf = (article) => [...article.querySelectorAll(".text-display, .message-content")].flatMap((part) => {
  const times = [...part.querySelectorAll("time")].map((each) => each.textContent);
  return part.innerText.split(/\\n|(?<=[.。]) /).map((line) => line.trim()).filter(Boolean)
    .map((line) => ({ line, lasting: times.reduce((rest, time) => rest.replace(time, ""), line) }));
});
let told = { viewer: null, messages: new Map() };
function tellNews(snapshot) {
  const isNew = snapshot.viewerId !== told.viewer, messages = new Map();
  for (const article of ui.messageList.querySelectorAll("article")) {
    const lines = linesOf(article), before = told.messages.get(article.dataset.messageId) ?? new Set();
    messages.set(article.dataset.messageId, new Set(lines.map((each) => each.lasting)));
    article.ariaLabel = article.querySelector("h1, h2, h3")?.innerText ?? "";
    const said = lines.filter((each) => !before.has(each.lasting)).map((each) => each.line).join("\\n");
    if (said && !isNew) news.appendChild(document.createElement("p")).innerText = said;
  }
  told = { viewer: snapshot.viewerId, messages };
  if (snapshot.viewerId) remembered?.setItem(state.capability, snapshot.viewerId);
  while (news.childElementCount > 20) news.firstElementChild.remove();
  ui.timeline.lang = state.profile.locale;
  document.title = `${ui.viewer.selectedOptions[0]?.textContent} · #${ui.channelName.textContent}`;
}
let near = null;
document.addEventListener("focusin", ({ target }) => {
  const message = target.closest("article[data-message-id]");
  const place = [...message?.querySelectorAll(".select-trigger") ?? []].indexOf(target);
  near = { message, place, isWriting: ui.composerForm.contains(target) };
});
document.addEventListener("pointerdown", () => { near = null; }, true);
function stayNear() {
  const { message, place } = near ?? {};
  if (!message) return;
  message.tabIndex = -1;
  const next = message.querySelectorAll(".select-trigger")[place] ?? message;
  (message.isConnected ? next : ui.composer).focus({ preventScroll: true });
}
"""
"""For people who hear the page or use no mouse.

A screen reader is told only the lines of a message that are new, without regard to times, which pass; the page has it
read the whole message whenever that is redrawn. A focused control that is gone leaves the focus on the same select of
its message, or on the message, instead of nowhere.
"""
_STYLE: Final = """
#in-vain { position: fixed; z-index: 1000; width: 280px; margin: 0; padding: 8px 12px; border-radius: 8px;
  background: var(--discord-red); color: #fff; pointer-events: none; }
#in-vain:empty { display: none; }
.command-suggestion-label:has(+ .command-suggestion-description) { flex: none; }
.command-suggestion-description { font-size: 13px; }
.message-time, .message-edited, .message-ephemeral-note, .message-interaction-header, .discord-timestamp,
.command-optional-count, .command-suggestion-description { color: var(--discord-subtle) !important; }
@media (max-height: 420px) {
  html body { overflow: auto; }
  #preview-shell { flex: none; height: 640px; }
  #channel-timeline { overscroll-behavior: auto; }
}
@media (forced-colors: active) {
  button.component-button, .preview-app button, .select-trigger { border: 1px solid ButtonBorder; }
}
"""
_HOVERED, _PRESSED = (f".component-button:{how}:not(:disabled):not(.is-disabled)," for how in ("hover", "active"))
"""Have every button under the pointer turn blue; on Discord, as in its own later rules here, each keeps its colour."""
CHANGES: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "commands.js": (
        (_PRESELECTION, _PRESELECTION.replace("listItems.length", "listItems.length && !optional")),
        (_SORTING, ""),
        (_ELLIPSIS, _DESCRIBED.strip()),
        (_NAMELESS, _NAMED),
        (_UNASKED, _UNASKED + _ASKED),
    ),
    "app.js": (
        (_RECEIPT, _RECEIPT + _REFUSED + _SENT),
        (_LOST, _FOUND),
        (_RENDERED, _TOLD),
        (_OPENED, _REOPENED),
        (_EXPIRED, _SAID_EXPIRED),
        (_PRESSED_EXPIRED, f"terminate: () => {_SAID_EXPIRED},"),
        (_BARE, _BARE + _SAID_ELSEWHERE),
        (_UNOPENED, _UNOPENED + _SAID_UNOPENED),
        (_END, _SCRIPT + _SPOKEN + _END),
    ),
    "timeline.js": (
        (_EMPTY, _EMPTY + _WELCOME),
        (_REDRAWING, _HELD),
        (_REDRAWN, _RELEASED),
        (_ARRIVED, _NOT_YET_THERE),
        (_SCROLLED, _SCROLLED_BY_PERSON),
    ),
    "media.js": ((_NAMED_BY_PLACE, _NAMED_BY_WORDS),),
    "preview.css": (
        (":root {", _STYLE + ":root {"),
        (_EMOJIS, _DRAWABLE),
        *((each, each.replace("component-button", "button-style-1")) for each in (_HOVERED, _PRESSED)),
    ),
}
"""For each file, pieces of it and what is served in their place."""
