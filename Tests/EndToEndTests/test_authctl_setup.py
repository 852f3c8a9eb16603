"""`authctl setup` on a terminal, from nothing to a passcode. It repeats wrong answers and keeps the existing file."""

import re
import shutil

import pytest

from harness import flows, users
from harness.authctl import Authctl
from harness.programs import AUTHCTL, environment
from harness.servers import deserted

SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"


def answer(terminal, prompt, text):
    terminal.expect_exact(prompt)
    terminal.sendline(text)


@pytest.fixture
def new(make_daemon, directory):
    """A daemon with only its paths configured, not started."""
    daemon = make_daemon(platform=None, platform_key=None, issuer=None, client_id=None, redirect_uri=None)
    return daemon, Authctl(daemon.socket)


def test_setup_checks_and_writes_a_gateway_and_pairs_with_it(new, sandbox):
    daemon, authctl = new
    before = daemon.file.read_text()
    settings = sandbox.settings
    with deserted() as nobody, authctl.terminal("setup", "--config", daemon.file) as terminal:
        answer(terminal, "which purpose? [1-4]: ", "4")
        answer(terminal, "platform: ", "ftp://x")
        terminal.expect("platform: ")
        # Setup repeats an invalid answer, and reports an unreachable server.
        answer(terminal, "platform: ", nobody)
        terminal.expect("platform-keys: ")
        answer(terminal, "use it anyway? [y/N]: ", "n")
        answer(terminal, "platform: ", settings["platform"])
        terminal.expect("the server responds")
        answer(terminal, "platform_key: ", settings["platform_key"])
        answer(terminal, "issuer: ", sandbox.url)
        terminal.expect("instead of 200")
        answer(terminal, "use it anyway? [y/N]: ", "")
        answer(terminal, "issuer: ", settings["issuer"])
        answer(terminal, "client_id: ", "")
        terminal.expect("a value is required")
        answer(terminal, "client_id: ", "foo")
        answer(terminal, "redirect_uri [http://127.0.0.1/callback]: ", "")
        # The issuer checks both values. Setup asks for them again.
        terminal.expect_exact("the issuer refuses client_id or redirect_uri: the client is not known")
        answer(terminal, "use them anyway? [y/N]: ", "n")
        answer(terminal, "client_id [foo]: ", settings["client_id"])
        answer(terminal, "redirect_uri [http://127.0.0.1/callback]: ", "")
        terminal.expect("the issuer accepts client_id and redirect_uri")
        terminal.expect("and still:")
        terminal.expect("state_directory = ")
        assert daemon.file.read_text() == before
        answer(terminal, "keep the old file as", "y")
        terminal.expect("press Enter when that is done")
        daemon.start()
        terminal.sendline("")
        terminal.expect("pass   .*platform")
        answer(terminal, "for which user? [root]: ", "")
        answer(terminal, "which geography is your PingOne in? [1-6]: ", "1")
        terminal.expect("configured for")
        answer(terminal, "Username: ", "ann")
        answer(terminal, f"Password for {sandbox.url}: ", sandbox.users["ann"]["password"])
        answer(terminal, "[y/N]: ", "y")
        terminal.expect("A first passcode:")
        terminal.expect(r"(\d{6})\r\n")
        passcode = terminal.match.group(1)
        terminal.expect("valid for")
        assert terminal.wait() == 0
    assert sandbox.check_passcode(sandbox.authenticate("ann"), passcode)["status"] == "COMPLETED"
    assert daemon.file.with_name("mfad.conf.before").read_text() == before
    text = daemon.file.read_text()
    assert re.search(rf"^platform = {settings['platform']}$", text, re.M) and "state_directory = " in text


def test_setup_offers_the_values_of_the_present_file(new, sandbox):
    daemon, authctl = new
    settings = sandbox.settings
    kept = daemon.file.read_text()
    values = [f"issuer = {settings['issuer']}", "client_id = one", "redirect_uri = http://127.0.0.1/two"]
    daemon.file.write_text("\n".join(values) + "\n" + kept)
    with authctl.terminal("setup", "--config", daemon.file) as terminal:
        answer(terminal, "which purpose? [1-4]: ", "7")
        terminal.expect_exact('"7" is not a number from 1 to 4')
        answer(terminal, "which purpose? [1-4]: ", "2")
        # An address without a scheme gets https://.
        answer(terminal, f"issuer [{settings['issuer']}]: ", "auth.pingone.invalid/x/as")
        terminal.expect_exact("https://auth.pingone.invalid/x/as/.well-known/openid-configuration: ")
        answer(terminal, "use it anyway? [y/N]: ", "n")
        answer(terminal, f"issuer [{settings['issuer']}]: ", "")
        answer(terminal, "client_id [one]: ", "")
        answer(terminal, "redirect_uri [http://127.0.0.1/two]: ", "")
        answer(terminal, "use them anyway? [y/N]: ", "y")
        answer(terminal, "keep the old file as", "y")
        terminal.expect("written")
        terminal.sendintr()
        terminal.wait()
    assert daemon.file.read_text().splitlines()[:3] == values


def test_setup_writes_nothing_without_confirmation(new, sandbox):
    daemon, authctl = new
    before = daemon.file.read_text()
    with authctl.terminal("setup", "--config", daemon.file) as terminal:
        answer(terminal, "which purpose? [1-4]: ", "2")
        answer(terminal, "issuer: ", sandbox.settings["issuer"])
        answer(terminal, "client_id: ", "x")
        answer(terminal, "redirect_uri [http://127.0.0.1/callback]: ", "")
        answer(terminal, "use them anyway? [y/N]: ", "y")
        answer(terminal, "keep the old file as", "")
        terminal.expect("nothing was changed")
        assert terminal.wait() == 1
    assert daemon.file.read_text() == before and [each.name for each in daemon.file.parent.glob("mfad.conf*")] == ["mfad.conf"]


def test_setup_wraps_its_text_at_the_width_of_the_terminal(new, sandbox):
    daemon, authctl = new
    with authctl.terminal("setup", "--config", daemon.file, columns=50) as terminal:
        answer(terminal, "which purpose? [1-4]: ", "4")
        introduction = terminal.before
        answer(terminal, "platform: ", sandbox.settings["platform"])
        sentences = introduction.partition("1 ")[0] + terminal.before
    lines = [line.strip("\r") for line in sentences.split("\n")]
    assert max(map(len, lines)) <= 50 and sum(len(line) > 30 for line in lines) >= 4, lines


def test_setup_imports_passcodes_of_other_sites_without_configuration(daemon, authctl):
    with authctl.terminal("setup") as terminal:
        answer(terminal, "which purpose? [1-4]: ", "1")
        answer(terminal, "for which user? [root]: ", "root")
        terminal.expect("otpauth:")
        terminal.expect("address.*: ")
        terminal.sendline(f"otpauth://totp/ACME:ann?secret={SECRET}&issuer=ACME")
        terminal.expect("A first passcode:")
        terminal.expect(r"\d{6}\r\n")
        terminal.expect("valid for")
        assert terminal.wait() == 0


def test_setup_run_by_sudo_creates_nothing_for_root(authctl, client):
    with authctl.terminal("setup", SUDO_USER="ann") as terminal:
        answer(terminal, "which purpose? [1-4]: ", "1")
        terminal.expect("If ann is new in the group mfad-users, sign in as ann again first.")
        terminal.expect("Then continue as ann:")
        assert terminal.wait() == 0
    assert client.call("account.list") == {"accounts": []}


def test_setup_as_root_asks_for_the_user_of_the_accounts(authctl, client):
    with authctl.terminal("setup") as terminal:
        answer(terminal, "which purpose? [1-4]: ", "1")
        answer(terminal, "for which user? [root]: ", "nobody-of-this-name")
        terminal.expect_exact('this machine has no user "nobody-of-this-name"')
        answer(terminal, "for which user? [root]: ", "daemon")
        terminal.expect('"usermod -aG mfad-users daemon"')
        terminal.expect("Then continue as daemon:")
        assert terminal.wait() == 0
    assert client.call("account.list") == {"accounts": []}


AS_USER = """
mount -t tmpfs -o mode=755 none /run
mkdir -m 755 /run/mfad
mount --bind "$1" /run/mfad
shift
exec setpriv --reuid="$1" --regid="$1" --groups="$2" env -u MFAD_SOCKET "$3" setup
"""
"""As root, mounts a directory at the system socket's path. Then runs `authctl setup` as a user."""


@pytest.mark.parametrize("plan", ["2", "4"])
def test_setup_sends_users_of_an_unconfigured_service_to_its_administrator(make_daemon, plan):
    with users.open_directory() as path:
        none = dict.fromkeys(("platform", "platform_key", "issuer", "client_id", "redirect_uri"))
        daemon = make_daemon(socket=path / "control" / "mfad.sock", socket_group=users.GROUP, **none).start()
        authctl = shutil.copy(AUTHCTL, path)
        words = f"{daemon.socket.parent} {users.ANN_UID} {users.GROUP_ID} {authctl}"
        with Authctl(daemon.socket).terminal(shell=f"exec unshare --mount sh -ec '{AS_USER}' sh {words}") as terminal:
            answer(terminal, "which purpose? [1-4]: ", plan)
            terminal.expect("not configured for this purpose")
            terminal.expect_exact('ask your administrator to run "sudo authctl setup"')
            assert terminal.wait() == 8


def test_setup_requires_a_terminal(authctl):
    done = authctl.run("setup")
    assert done.status == 2 and "terminal" in done.errors


def write_sign_on(terminal):
    """Accepts an unreachable issuer and writes the file."""
    answer(terminal, "issuer: ", "https://auth.pingone.invalid/x/as")
    answer(terminal, "use it anyway? [y/N]: ", "y")
    answer(terminal, "client_id: ", "client")
    answer(terminal, "redirect_uri [http://127.0.0.1/callback]: ", "")
    terminal.expect("client_id and redirect_uri were not checked")
    answer(terminal, "write it? [y/N]: ", "y")
    terminal.expect("written")


def test_setup_by_root_writes_a_readable_file_despite_a_strict_umask(new, directory):
    _, authctl = new
    file = directory / "etc" / "mfad" / "mfad.conf"
    with authctl.terminal("setup", "--config", file, shell='umask 077; exec "$@"') as terminal:
        answer(terminal, "which purpose? [1-4]: ", "2")
        write_sign_on(terminal)
        terminal.sendintr()
        terminal.wait()
    modes = [path.stat().st_mode & 0o777 for path in (file.parent.parent, file.parent, file)]
    assert modes == [0o755, 0o755, 0o644]


def test_setup_creates_the_configuration_file_of_a_user(new, sandbox, directory):
    """Setup creates the directory and the file."""
    _, authctl = new
    file = directory / "home" / "mfad.conf"
    with authctl.terminal("setup", "--config", file) as terminal:
        answer(terminal, "which purpose? [1-4]: ", "2")
        # The daemon rejects loopback URLs unless allow_loopback_http is set.
        answer(terminal, "issuer: ", sandbox.settings["issuer"])
        terminal.expect("allow_loopback_http")
        answer(terminal, "add this line? [y/N]: ", "")
        write_sign_on(terminal)
        terminal.sendintr()
        terminal.wait()
    assert file.read_text().splitlines() == [
        "issuer = https://auth.pingone.invalid/x/as", "client_id = client", "redirect_uri = http://127.0.0.1/callback",
    ]


def test_setup_can_allow_http_for_a_server_on_this_machine(new, sandbox, directory):
    _, authctl = new
    file, settings = directory / "mfad-of-ann.conf", sandbox.settings
    with authctl.terminal("setup", "--config", file) as terminal:
        answer(terminal, "which purpose? [1-4]: ", "2")
        answer(terminal, "issuer: ", settings["issuer"])
        answer(terminal, "add this line? [y/N]: ", "y")
        terminal.expect("the server responds")
        answer(terminal, "client_id: ", settings["client_id"])
        answer(terminal, "redirect_uri [http://127.0.0.1/callback]: ", "")
        terminal.expect("the issuer accepts client_id and redirect_uri")
        answer(terminal, "write it? [y/N]: ", "y")
        terminal.expect("written")
        terminal.sendintr()
        terminal.wait()
    assert file.read_text().splitlines() == [
        "allow_loopback_http = yes", f"issuer = {settings['issuer']}", f"client_id = {settings['client_id']}",
        "redirect_uri = http://127.0.0.1/callback",
    ]


def test_setup_checks_the_client_at_an_issuer_without_pushed_requests(new, pingone):
    daemon, authctl = new
    pingone.tenant.takes_pushed_requests = False
    with authctl.terminal("setup", "--config", daemon.file) as terminal:
        answer(terminal, "which purpose? [1-4]: ", "2")
        answer(terminal, "issuer: ", pingone.issuer)
        answer(terminal, "client_id: ", pingone.tenant.client)
        answer(terminal, "redirect_uri [http://127.0.0.1/callback]: ", "http://127.0.0.1/other")
        terminal.expect_exact("the issuer refuses client_id or redirect_uri: redirect_uri: ")
        answer(terminal, "use them anyway? [y/N]: ", "n")
        answer(terminal, f"client_id [{pingone.tenant.client}]: ", "")
        answer(terminal, "redirect_uri [http://127.0.0.1/other]: ", "http://127.0.0.1/callback")
        terminal.expect("the issuer accepts client_id and redirect_uri")


def test_setup_asks_for_the_geography_of_an_environment_id(new):
    daemon, authctl = new
    environment_id = "11111111-2222-3333-4444-55555555aaaa"
    with deserted() as nobody:
        daemon.file.write_text(daemon.file.read_text() + f"proxy = {nobody}\n")
        with authctl.terminal("setup", "--config", daemon.file) as terminal:
            answer(terminal, "which purpose? [1-4]: ", "2")
            answer(terminal, "issuer: ", environment_id)
            answer(terminal, "which geography is this environment in? [1-6]: ", "2")
            terminal.expect_exact(f"https://auth.pingone.eu/{environment_id}/as/.well-known/openid-configuration: ")


SYSTEMCTL = """#!/bin/sh
[ "$1" = --user ] || exit 9
case "$*" in
*show*) for unit in mfad.socket mfad.service; do echo "Id=$unit"; echo "LoadState=STATE"; echo; done ;;
*restart*) echo 'Job for mfad.service failed because it \x1b[2Jwould not: WHY' >&2; echo 'See "journalctl".' >&2; exit 1 ;;
esac
"""


@pytest.fixture
def setting_up(sandbox):
    """Starts `authctl setup` as an unprivileged user with a fake systemctl, and writes the default file."""
    with users.open_directory() as path:
        programs, home = users.user_installation(path)
        shutil.copy(AUTHCTL, programs)

        def begin(systemctl):
            (programs / "systemctl").write_text(systemctl)
            (programs / "systemctl").chmod(0o755)
            user = f"setpriv --reuid {users.ANN_UID} --regid {users.ANN_UID} --clear-groups"
            search = f"{programs}:{environment()['PATH']}"
            return Authctl(home / "mfad.sock").terminal(
                shell=f"exec {user} {programs / 'authctl'} setup", HOME=str(home), PATH=search
            )

        def write(terminal):
            answer(terminal, "which purpose? [1-4]: ", "2")
            write_sign_on(terminal)
            assert (home / ".config" / "mfad" / "mfad.conf").exists()
            terminal.expect_exact("systemctl --user restart mfad.socket mfad.service")

        yield begin, write


def test_setup_shows_the_message_of_systemctl_if_the_start_fails(setting_up):
    begin, write = setting_up
    with begin(SYSTEMCTL.replace("STATE", "loaded").replace("WHY", "x" * 3000)) as terminal:
        write(terminal)
        answer(terminal, "do that now? [y/N]: ", "y")
        terminal.expect("press Enter when that is done")
        shown = " ".join(terminal.before.split())
        assert "Job for mfad.service failed because it " in shown and "journalctl --user" in shown
        # One truncated line without control characters.
        assert "\x1b" not in shown and 'See "journalctl".' not in shown and 100 < shown.count("x") < 300


def test_setup_does_not_offer_to_start_a_unit_that_is_not_installed(setting_up):
    begin, write = setting_up
    with begin(SYSTEMCTL.replace("STATE", "not-found")) as terminal:
        write(terminal)
        terminal.expect("press Enter when that is done")
        assert "systemd has no mfad.service" in terminal.before and "do that now?" not in terminal.before
