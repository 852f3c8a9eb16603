"""The console of the sandbox in Chromium, with and without scripts, by mouse and by keyboard.

`MFAD_PICTURES=DIRECTORY` keeps the screenshots for the documentation.
"""

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from harness import flows
from harness.chromium import Chromium
from harness.programs import PATIENCE, environment
from harness.servers import answering

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(shutil.which(name, path=environment()["PATH"]) for name in ("chromium", "chromedriver")),
        reason="this system has no Chromium",
    ),
]

TAB, ENTER = "\ue004", "\ue007"
PHONE = (360, 740)
SCRIPT = b"<!doctype html><title>Scripts</title><p>off</p><script>document.querySelector('p').textContent = 'on'</script>"
PAGES = ["users", "devices", "sign-ons", "sign-ons/new", "codes", "settings", "messages", "clock"]


@pytest.fixture(params=[True, False], ids=["with scripts", "without scripts"])
def browser(request, directory, sandbox):
    """A browser that has entered with a ticket. Sign-ons stay open for 150 seconds."""
    sandbox.wait_for_answers(150)
    browser = Chromium(directory, scripts=request.param)
    try:
        with answering(lambda _: (200, SCRIPT)) as address:
            browser.open(address)
            assert browser.text("//p") == ("on" if request.param else "off")
        browser.open(sandbox.request("POST", "/sandbox/console")["address"])
        yield browser
        # The console log would contain policy violations and missing resources.
        assert browser.complaints() == []
    finally:
        browser.close()


@pytest.fixture
def pictures(directory):
    return Path(os.environ.get("MFAD_PICTURES", directory))


def read_codes(picture):
    """Returns the contents of the QR codes in a picture."""
    # zbarimg sometimes reads letters next to a QR code as a bar code.
    command = ["zbarimg", "-q", "--raw", "-Sdisable", "-Sqrcode.enable", picture]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout.split()


def wait_for(browser, text):
    """Waits until the page, which refreshes itself, shows the text; returns the text of the page."""
    deadline = time.monotonic() + PATIENCE
    while text not in (shown := browser.text()):
        assert time.monotonic() < deadline, shown
        time.sleep(0.1)
    return shown


def test_browser_user_can_create_a_user_pair_and_watch_a_sign_on(browser, client, sandbox, pictures):
    assert browser.address == f"{sandbox.url}/console/users"
    browser.fill("User name", "carol")
    browser.fill("Password", "Quite-Long-7")
    browser.press("Add")
    browser.press("Make a key")
    wait_for(browser, "valid until")
    # The code is read from the screenshot, as a phone does.
    browser.resize(900, 1060)
    browser.picture(pictures / "console-user.png")
    (code,) = read_codes(pictures / "console-user.png")
    assert code in browser.text()
    client.call("device.configure", geo=flows.GEO)
    client.subscribe("notification")
    client.call("pairing.pair", pairingKey=code)
    browser.follow("Sign-ons")
    browser.follow("Ask for a sign-on")
    browser.choose("User", "carol")
    browser.choose("Number", "with a number")
    browser.fill("Title", "Payroll")
    browser.press("Ask")
    push = client.event("notification", state="pending")
    number = re.search(r"shows the number (\d\d)", wait_for(browser, "shows the number"))[1]
    client.call("notification.approve", notification=push["id"], number=int(number))
    wait_for(browser, "completed")
    browser.follow("Devices")
    wait_for(browser, "active")


def test_number_to_match_is_shown_until_the_request_is_answered(browser, paired, sandbox, pictures):
    paired.call("notification.list")
    started = sandbox.authenticate("ann", {"numberMatching": True, "template": {"variables": {"title": "Sign on to Payroll"}}})
    number = str(started["numberMatching"]["number"])
    browser.open(f"{sandbox.url}/console/sign-ons/{started['id']}")
    assert browser.text("//strong[@class='number']") == number
    browser.resize(900, 500)
    browser.picture(pictures / "console-sign-on.png")
    browser.prefer("dark")
    browser.picture(pictures / "console-dark.png")
    assert (pictures / "console-dark.png").read_bytes() != (pictures / "console-sign-on.png").read_bytes()
    push = paired.event("notification", state="pending")
    paired.call("notification.deny", notification=push["id"])
    assert "shows the number" not in wait_for(browser, "failed")


def test_authentication_code_is_readable_as_a_qr_code(browser, paired, directory):
    browser.follow("Codes")
    browser.press("Make a code")
    wait_for(browser, "not entered yet")
    browser.picture(directory / "codes.png")
    (address,) = read_codes(directory / "codes.png")
    started = paired.call("authentication.start", code=address.split("=")[1])
    paired.call("authentication.approve", authentication=started["id"])
    browser.follow("Codes")
    wait_for(browser, "completed")


def test_every_page_fits_a_phone_screen(browser, paired, sandbox):
    sandbox.pairing_key("ann")
    sandbox.code()
    sandbox.authenticate("ann")
    browser.resize(*PHONE)
    for page in [*PAGES, f"users/{sandbox.users['ann']['id']}"]:
        browser.open(f"{sandbox.url}/console/{page}")
        assert browser.overflow() <= 0, page


def test_console_works_by_keyboard(browser, sandbox):
    browser.type([TAB])
    assert browser.focused() == "To the content"
    links = ["Users", "Devices", "Sign-ons", "Codes", "Settings", "Messages", "Clock and faults", "Leave"]
    for link in links:
        browser.type([TAB])
        assert browser.focused() == link
    browser.type([ENTER])
    browser.fill("Administrator's token", sandbox.announcement["adminToken"])
    browser.type([ENTER])
    wait_for(browser, "Add a user")
    assert browser.address == f"{sandbox.url}/console/users"
