"""A terminal session of real programs in version 2 of asciinema's format."""

import html
import json
import re
import time

LINES, COLUMNS = 24, 80
LONGEST_PAUSE = 0.4
"""Maximum pause in seconds."""
READING_TIME = 1.2
"""Pause in seconds before input."""

_TAKEN_AWAY = re.compile(r"[^\n]*\r\x1b\[K")
"""A line that was overwritten, such as a progress message."""

_STEERING = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b\][^\x07]*\x07|\r")
_MADE = [
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "UUID"),
    (re.compile(r"(?<![\w-])[\w-]{16}(?![\w-])"), "ID"),
    (re.compile(r"(?<=account )[\w-]{8}$|(?<=\()[\w-]{8}(?=\)$)", re.M), "ID"),
    (re.compile(r"^authctl: waiting \d+ s for a new passcode\n", re.M), ""),
    (re.compile(r"\[\d+:\d\d\]"), "[TIME]"),
    (re.compile(r"^\d{6}$", re.M), "PASSCODE"),
    (re.compile(r"\b127\.0\.0\.1:\d+"), "HOST"),
    (re.compile(r"valid for \d+ s"), "valid for N s"),
    (re.compile(r"\bin \d+ (?:s|min \d+ s)\b|\b\d+ s ago\b"), "TIME"),
]


class Recording:
    """The output of a terminal. A terminal of pexpect writes to it."""

    def __init__(self):
        self._events = []
        self._now, self._last = 0.0, time.monotonic()

    def write(self, text):
        now = time.monotonic()
        self._now += min(now - self._last, LONGEST_PAUSE)
        self._last = now
        self._events.append([round(self._now, 3), "o", text])

    def flush(self):
        """Does nothing, since there is no buffer."""

    def read(self):
        """Adds time for users to read the output."""
        self._now += READING_TIME
        self._last = time.monotonic()

    @property
    def cast(self):
        header = {"version": 2, "width": COLUMNS, "height": LINES, "title": "mfad in five minutes"}
        return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in [header, *self._events])


def shown(cast):
    """Returns the text that a valid recording leaves on the screen, without control sequences."""
    header, *events = map(json.loads, cast.splitlines())
    assert header["version"] == 2 and all(kind == "o" for _, kind, _ in events)
    times = [at for at, _, _ in events]
    assert times == sorted(times)
    text = _STEERING.sub("", _TAKEN_AWAY.sub("", "".join(text for _, _, text in events)))
    return re.sub(" +\n", "\n", text)


def alike(text):
    """Replaces generated values in a text."""
    for pattern, name in _MADE:
        text = pattern.sub(name, text)
    return text


_LINE_HEIGHT, _MARGIN, _LETTER_WIDTH = 17, 14, 7.85
"""In units of the picture, for a monospaced font of size 13."""


def picture(cast, prompt):
    """The screen as an SVG document; commands are bold, and a wide line decides the width."""
    lines = shown(cast).removesuffix(prompt).splitlines()
    width = round(max(map(len, lines)) * _LETTER_WIDTH) + 2 * _MARGIN
    rows = []
    for number, line in enumerate(lines, 1):
        weight = ' font-weight="bold"' if line.startswith(prompt) else ""
        # Ordinary spaces would collapse.
        text = html.escape(line, quote=False).replace(" ", "\N{NO-BREAK SPACE}")
        rows.append(f'  <text x="{_MARGIN}" y="{_MARGIN + _LINE_HEIGHT * number}"{weight}>{text}</text>\n')
    height = 2 * _MARGIN + _LINE_HEIGHT * len(lines) + 6
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" font-family="monospace"'
        f' font-size="13px" fill="#e6e6e6" role="img">\n  <title>mfad in five minutes</title>\n'
        f'  <rect width="{width}" height="{height}" rx="8" fill="#1f2430"/>\n{"".join(rows)}</svg>\n'
    )
