#!/bin/sh
# Writes the path of a Chromium for the browser tests, or "none", into .venv/browser. Does nothing if that is known.
# BROWSER=none: do without a browser. CHROMIUM=/path: use this one.
set -eu
cd "$(dirname "$0")/.."
note=.venv/browser

answers() { [ -n "$1" ] && "$1" --version >/dev/null 2>&1; }
keep() { printf '%s\n' "$1" >"$note"; exit 0; }

on_path() {
    for name in chromium chromium-browser google-chrome google-chrome-stable; do
        found=$(command -v "$name" || true)
        if answers "$found"; then keep "$found"; fi
    done
}

if [ "${BROWSER:-}" = none ]; then keep none; fi
if [ -n "${CHROMIUM:-}" ]; then
    if answers "$CHROMIUM"; then keep "$CHROMIUM"; fi
    echo "browser: CHROMIUM=$CHROMIUM does not start; looking for another" >&2
fi
if [ -z "${CHROMIUM:-}" ] && [ -f "$note" ] && answers "$(cat "$note")"; then exit 0; fi
on_path
if [ -f /etc/debian_version ] && [ "$(id -u)" = 0 ]; then
    echo "browser: none found; installing Debian's chromium for the browser tests (BROWSER=none skips this)"
    export DEBIAN_FRONTEND=noninteractive
    if apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; then on_path; fi
fi
echo "browser: trying Playwright's own Chromium"
if .venv/bin/python -m playwright install chromium; then
    found=$(.venv/bin/python -c 'from playwright.sync_api import sync_playwright as s
with s() as p: print(p.chromium.executable_path)' || true)
    if answers "$found"; then keep "$found"; fi
fi
echo "browser: no Chromium could be found or installed, so the browser tests will fail. Install one, name one with" \
    "CHROMIUM=/path/to/chromium, or run with BROWSER=none to leave these tests out." >&2
keep none
