"""QR codes drawn by authctl, read by an independent decoder."""

import re

import pexpect
import pytest
import zxingcpp

from harness.authctl import Authctl

pytestmark = pytest.mark.flows

BLOCKS = {" ": (False, False), "▄": (False, True), "▀": (True, False), "█": (True, True)}
COLOURS = {30: 0, 47: 255}
SCALE = 6
ADDRESSES = [
    "https://auth.example/device?user_code=ABCD-EFGH",
    "https://auth.pingone.eu/0191c8a4-5a6e-7f1d/as/authorize?" + "&".join(f"parameter{n}=value{n}" for n in range(30)),
    "https://auth.example/" + "é漢" * 20,
]
WAYS = {"device": "--device", "redirect": "--browser", "davinci": "--davinci"}
WAITING = [{"key": "device", "type": "PollingCollector"}]


@pytest.fixture
def shown(scripted):
    """Returns a function that runs a browser sign-on with a URL and returns the terminal output."""

    def show(address, method="device", collectors=WAITING, prompt="waiting, Ctrl-C ends it: ", **options):
        node = {"login": "l1", "node": "continue", "method": method, "browserUrl": address, "actions": []}
        node["collectors"] = collectors
        with Authctl(scripted.socket).terminal("login", WAYS[method], **options) as terminal:
            scripted.answer("login.start", node)
            terminal.expect(prompt)
            text = terminal.before
            if not collectors:
                terminal.sendline("https://app.example/callback")
            scripted.answer("login.next" if collectors else "login.resume", {**node, "node": "failure", "message": "the end"})
            terminal.expect("the end")
            terminal.expect(pexpect.EOF)
        return text

    return show


def picture(text, foreground, background):
    """Returns the brightness of each half character in coloured lines, on a terminal with these colours."""
    rows = []
    for line in text.split("\r\n"):
        if "\x1b[" not in line:
            continue
        colours = {"foreground": foreground, "background": background}
        upper, lower = [], []
        for codes, character in re.findall("\x1b\\[([0-9;]*)m|(.)", line):
            if character:
                halves = BLOCKS[character]
                for half, row in zip(halves, (upper, lower)):
                    row.append(colours["foreground" if half else "background"])
                continue
            for code in map(int, codes.split(";")):
                if code == 0:
                    colours = {"foreground": foreground, "background": background}
                else:
                    colours["foreground" if code < 40 else "background"] = COLOURS[code]
        rows += [upper, lower]
    return rows


def decode(rows, around):
    """Returns the texts of the QR codes in a picture with a border of the brightness `around`."""
    width = max(map(len, rows)) + 8
    border = [[around] * width] * 4
    framed = border + [[around] * 4 + row + [around] * (width - 4 - len(row)) for row in rows] + border
    pixels = bytes(value for row in framed for _ in range(SCALE) for value in row for _ in range(SCALE))
    image = memoryview(pixels).cast("B", shape=(len(framed) * SCALE, width * SCALE))
    return [found.text for found in zxingcpp.read_barcodes(image, zxingcpp.BarcodeFormat.QRCode, try_invert=False)]


@pytest.mark.parametrize("address", ADDRESSES, ids=["short", "long", "not ASCII"])
@pytest.mark.parametrize("foreground, background", [(255, 0), (0, 255)], ids=["dark terminal", "light terminal"])
def test_drawn_qr_code_decodes_to_the_url_on_any_terminal(shown, address, foreground, background):
    text = shown(address, rows=70)
    assert f"  {address}\r\n" in text
    assert decode(picture(text, foreground, background), background) == [address]


@pytest.mark.parametrize(
    "options",
    [{"columns": 32}, {"TERM": "dumb"}, {"LANG": "C"}, {"LC_ALL": "POSIX"}],
    ids=["narrow", "no cursor", "ASCII", "POSIX"],
)
def test_only_the_url_is_shown_if_a_qr_code_cannot_be_drawn(shown, options):
    text = shown(ADDRESSES[0], **options)
    assert ADDRESSES[0] in text.replace("\r\n", "")
    assert not set("▀▄█\x1b") & set(text)


@pytest.mark.parametrize(
    "options",
    [
        {"method": "redirect"}, {"method": "davinci"},
        {"method": "davinci", "collectors": [], "prompt": "address that the browser ends at: "},
    ],
    ids=["redirect", "waiting", "address"],
)
def test_no_qr_code_is_drawn_if_the_sign_on_redirects_to_this_machine(shown, options):
    address = "https://auth.example/as?redirect_uri=http%3A%2F%2F127.0.0.1%3A8400%2Fcallback"
    assert picture(shown(address, rows=70), 255, 0), "there is room for one"
    text = shown(address, rows=70, **options)
    assert f"open this address in a browser:\r\n  {address}\r\n" in text
    assert not set("▀▄█\x1b") & set(text)


SHORT = ADDRESSES[0]
LONGER = "https://auth.pingone.eu/0191c8a4-5a6e-7f1d-8000-0123456789ab/device?user_code=ABCD-EFGH"


def test_qr_code_loses_its_margin_or_is_omitted_on_a_small_screen(shown):
    def rows(text):
        return [line for line in text.split("\r\n") if "\x1b[" in line]

    assert len(rows(shown(SHORT, columns=80, rows=24))) > len(rows(shown(SHORT, columns=80, rows=23))) > 0
    # The whole output, including the prompt, fits the screen.
    text = shown(SHORT, columns=80, rows=23)
    assert len(text.split("\r\n")) <= 23
    assert decode(picture(text, 255, 0), 0) == [SHORT]
    told = shown(LONGER, columns=80, rows=24)
    assert not rows(told) and LONGER in told.replace("\r\n", "")
    wanted = re.search(r"its QR code needs a terminal of (\d+) columns and (\d+) rows", told)
    assert 'authctl login --browser' in told
    columns, lines = map(int, wanted.groups())
    assert decode(picture(shown(LONGER, columns=columns, rows=lines), 255, 0), 0) == [LONGER]
    assert not rows(shown(LONGER, columns=columns, rows=lines - 1))
