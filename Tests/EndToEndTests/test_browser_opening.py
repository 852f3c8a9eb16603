"""`authctl login --browser` opens the URL in the user's browser, or reports that there is none."""

import os
import shutil

import pexpect
import pytest

from harness import users
from harness.authctl import Authctl
from harness.programs import AUTHCTL, environment, wait_until
from harness.scripted import ScriptedDaemon

pytestmark = pytest.mark.flows

assert os.geteuid() == 0, "these tests play another user, which only root can"

ADDRESS = "https://auth.example/as?x=$(id)&y=a;b"
DESKTOP = {"DISPLAY": ":7"}
SAVING = '#!/bin/sh\nprintf "%s\\n" "$@" >"$SEEN.new"; echo "display $DISPLAY, socket $MFAD_SOCKET" >>"$SEEN.new"\nmv "$SEEN.new" "$SEEN"\n'
FAILING = "#!/bin/sh\nexit 3\n"


class Desktop:
    """A user other than root, with fake programs first in PATH."""

    def __init__(self, path):
        self.path, self.seen = path, path / "home" / "seen"
        self._programs = path / "programs"
        self._programs.mkdir(mode=0o755)
        (path / "home").mkdir()
        shutil.copy(AUTHCTL, self._programs)
        self.daemon = ScriptedDaemon(path / "s")
        for mine in (path / "home", path / "s"):
            os.chown(mine, users.ANN_UID, users.ANN_UID)

    def install(self, name, script):
        file = self._programs / name
        file.write_text(script)
        file.chmod(0o755)
        return file

    def login(self, *arguments, user=users.ANN_UID, **variables):
        path = f"{self._programs}:{environment()['PATH']}"
        authctl = Authctl(self.daemon.socket, self._programs / AUTHCTL.name)
        return authctl.terminal("login", *arguments, user=user, PATH=path, SEEN=str(self.seen), **variables)

    def what_was_opened(self):
        wait_until(self.seen.exists)
        return self.seen.read_text().splitlines()


@pytest.fixture
def desktop():
    with users.open_directory() as path:
        made = Desktop(path)
        yield made
        made.daemon.close()


def step(address=ADDRESS, **members):
    node = {"login": "l1", "node": "continue", "method": "redirect", "browserUrl": address, "actions": []}
    return {**node, "collectors": [{"key": "redirect", "type": "PollingCollector"}], **members}


def finish(desktop, terminal):
    desktop.daemon.answer("login.next", step(node="failure", message="the end"))
    terminal.expect("the end")
    terminal.expect(pexpect.EOF)


def no_code(terminal):
    """Returns True if the step shows no QR code: the phone's browser could not return to this machine."""
    terminal.expect_exact("waiting, Ctrl-C ends it: ")
    return not set("▀▄█") & set(terminal.before)


@pytest.mark.parametrize(
    "variables, words",
    [(DESKTOP, [ADDRESS]), (DESKTOP | {"BROWSER": "missing:other --new %s end"}, ["--new", ADDRESS, "end"])],
    ids=["xdg-open", "BROWSER"],
)
def test_browser_gets_the_url_as_one_argument(desktop, variables, words):
    name = desktop.install("other" if "BROWSER" in variables else "xdg-open", SAVING).name
    with desktop.login("--browser", **variables) as terminal:
        desktop.daemon.answer("login.start", step())
        terminal.expect_exact(f"{name} is opening this address:\r\n  {ADDRESS}\r\n")
        assert no_code(terminal)
        assert desktop.what_was_opened() == [*words, "display :7, socket "]
        finish(desktop, terminal)


def test_failed_browser_is_reported_while_the_step_waits(desktop):
    desktop.install("xdg-open", FAILING)
    with desktop.login("--browser", **DESKTOP) as terminal:
        desktop.daemon.answer("login.start", step())
        terminal.expect_exact("xdg-open failed: open the address yourself")
        terminal.expect_exact("waiting, Ctrl-C ends it: ")
        finish(desktop, terminal)


@pytest.mark.parametrize(
    "address, variables, reason",
    [
        (ADDRESS, {}, "no desktop session, and BROWSER names no program"),
        (ADDRESS, {"BROWSER": "missing"}, "missing cannot be started"),
        ("http://auth.example/as", DESKTOP, "the address does not begin with https://"),
        ("file:///etc/passwd", DESKTOP, "the address does not begin with https://"),
        ("--help", DESKTOP, "the address does not begin with https://"),
    ],
    ids=["no desktop", "no such program", "http", "file", "an option"],
)
def test_url_and_reason_are_shown_if_no_browser_is_opened(desktop, address, variables, reason):
    desktop.install("xdg-open", SAVING)
    with desktop.login("--browser", **variables) as terminal:
        desktop.daemon.answer("login.start", step(address))
        terminal.expect_exact(f"no browser is opened: {reason}\r\nopen this address in a browser:\r\n  {address}\r\n")
        assert no_code(terminal)
        finish(desktop, terminal)
    assert not desktop.seen.exists()


def test_root_opens_no_browser(desktop):
    desktop.install("xdg-open", SAVING)
    with desktop.login("--browser", user=None, **DESKTOP) as terminal:
        desktop.daemon.answer("login.start", step())
        terminal.expect_exact("no browser is opened: root must not start one")
        finish(desktop, terminal)
    assert not desktop.seen.exists()


def test_page_of_an_identity_provider_is_opened_when_chosen(desktop):
    desktop.install("xdg-open", SAVING)
    provider = {"key": "idp", "type": "IdpCollector", "label": "Other", "value": ADDRESS}
    name = {"key": "name", "type": "TextCollector", "label": "Name"}
    with desktop.login("--davinci", **DESKTOP) as terminal:
        page = step(method="davinci", collectors=[name, provider], actions=[{"key": "go", "label": "Go", "kind": "submit"}])
        del page["browserUrl"]
        desktop.daemon.answer("login.start", page)
        terminal.expect_exact("Name: ")
        assert not desktop.seen.exists()
        terminal.sendline(":1")
        terminal.expect_exact("address that the browser ends at: ")
        assert desktop.what_was_opened()[0] == ADDRESS
