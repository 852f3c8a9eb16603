"""`data.cause`: local faults of the key, the disk or the clock, as authctl reports them."""

import os
import re
import subprocess

import pytest

from harness import flows
from harness.authctl import Authctl
from harness.clock import MovableClock
from harness.process import Process
from harness.programs import MFAD, PATIENCE
from harness.tracer import Tracer

URI = "otpauth://totp/ACME:ann?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=ACME"
KEY_IS_LOST = ["the key-encryption key is unavailable", "work of the previous run cannot be resumed"]
STATE_FAILS = "the state cannot be read or written"
STATE_FAILURES = [STATE_FAILS, "changes could not be stored", "an entry of the audit could not be written"]


def check_journal(daemon, error):
    """Checks that the journal contains the failed call and its cause."""
    line = daemon.journal.wait(f"code={error['code']} cause={error['data']['cause']} at=- ")
    assert line.startswith("<6>a call failed method=")


def told(daemon, *arguments, input=""):
    """Returns the exit code, the error object and the hint of a failing command."""
    authctl = Authctl(daemon.socket)
    done = authctl.run("--json", *arguments, input=input)
    error = done.json["error"]
    words = authctl.run(*arguments, input=input)
    assert words.status == done.status and words.output == ""
    sentence, hint = words.errors.splitlines()
    # The clock offset may differ by a second in the second reply.
    said, meant = (re.sub(r"\b\d+ s\b", "N s", each) for each in (sentence, f"authctl: error: {error['message']}"))
    assert said == meant and hint.startswith("authctl: hint: ")
    return done.status, error, hint.removeprefix("authctl: hint: ")


@pytest.mark.parametrize(
    "spoil, cause, sentence, step",
    [
        (lambda key: key.unlink(), "key-missing", "there is neither a credential nor a key file", "mfad --recover"),
        (lambda key: key.chmod(0o644), "key-exposed", "other users can read the key file", "chmod 600"),
        (lambda key: key.write_bytes(b"k" * 32), "another-key", "not the one that sealed the state", "mfad --recover"),
        (lambda key: key.write_bytes(b"k"), "key-unreadable", "cannot be read", "mfad --recover"),
    ],
    ids=["missing", "mode", "another", "short"],
)
def test_unusable_key_file_is_reported_with_cause_and_remedy(daemon, paired, directory, spoil, cause, sentence, step):
    daemon.stop()
    spoil(directory / "state" / "key")
    daemon.start()
    status, error, hint = told(daemon, "otp")
    assert (status, error["code"], error["data"]["cause"]) == (9, 11018, cause)
    check_journal(daemon, error)
    assert sentence in error["message"] and step in hint and str(directory) not in error["message"]
    authctl = Authctl(daemon.socket)
    shown = authctl.run("status")
    assert shown.status == 0 and "unavailable" in shown.output
    assert shown.output.splitlines()[-1] == "next: authctl doctor (the key is unavailable)"
    diagnosis = authctl.run("--json", "doctor")
    (check,) = [check for check in diagnosis.json["checks"] if check["name"] == "key"]
    assert diagnosis.status == 9 and (check["result"], check["cause"]) == ("fail", cause)
    # For a wrong file mode, root needs the path of the file.
    assert step in check["remedy"] and (str(directory / "state" / "key") in check["message"]) == (cause == "key-exposed")
    daemon.stop(expecting=KEY_IS_LOST)


def test_key_file_is_used_again_once_its_mode_is_fixed(daemon, paired, directory):
    daemon.stop()
    key = directory / "state" / "key"
    key.chmod(0o644)
    daemon.start()
    assert Authctl(daemon.socket).run("otp").status == 9
    key.chmod(0o600)
    assert Authctl(daemon.socket).run("otp").status == 0
    daemon.stop(expecting=KEY_IS_LOST)


@pytest.fixture
def on_small_disk(make_daemon, directory):
    """A daemon with its state on a separate small disk, and the path of that disk."""
    script = f"mkdir -p {directory}/state && mount -t tmpfs -o size=2m,mode=700 none {directory}/state && exec \"$@\""
    daemon = make_daemon(wrapper=["unshare", "-m", "sh", "-c", script, "sh"]).start()
    return daemon, f"/proc/{daemon.process.pid}/root{directory}/state"


def fill(place):
    """Fills the disk."""
    with open(f"{place}/filler", "wb", buffering=0) as file:
        for size in (4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue


def check_state(daemon, cause, kind, sentence, step, status_of_doctor=1):
    """Checks the errors for a state that cannot be written. The doctor's exit code may come from an earlier check."""
    status, error, hint = told(daemon, "enrol", input=URI + "\n")
    assert (status, error["code"], error["data"]["cause"]) == (1, 11010, cause)
    assert error["data"]["details"] == {"kind": kind} and error["data"]["retry"]
    assert sentence in error["message"] and step in hint
    assert daemon.journal.wait(f"{STATE_FAILS} error=").startswith("<3>")
    diagnosis = Authctl(daemon.socket).run("--json", "doctor")
    (check,) = [check for check in diagnosis.json["checks"] if check["name"] == "database"]
    assert (diagnosis.status, check["result"], check["cause"]) == (status_of_doctor, "fail", cause)
    assert sentence in check["message"] and step in check["remedy"]


@pytest.mark.parametrize("is_new", [True, False], ids=["new", "used"])
def test_full_disk_is_reported_and_works_again_after_cleanup(on_small_disk, is_new):
    daemon, place = on_small_disk
    other = URI.replace("ann", "bob")
    if not is_new:
        daemon.client().call("passcode.import", uri=other)
    fill(place)
    # In a new state the key cannot be stored either, and the doctor checks the key before the database.
    check_state(daemon, "full", "full", "the disk is full", "df -h", 9 if is_new else 1)
    os.unlink(f"{place}/filler")
    authctl = Authctl(daemon.socket)
    assert authctl.run("enrol", input=URI + "\n").status == 0 and authctl.run("otp", "ann").status == 0
    daemon.stop(expecting=STATE_FAILURES)


@pytest.mark.parametrize(
    "error, cause, kind, sentence, step",
    [("EROFS", "read-only", "readOnly", "not writable", "findmnt"),
     ("EIO", "disk-error", "corrupt", "the disk reported an error", "journalctl -k")],
    ids=["read-only", "failing"],
)
def test_read_only_or_failing_disk_is_reported_and_recovers(daemon, directory, error, cause, kind, sentence, step):
    daemon.client().call("passcode.import", uri=URI.replace("ann", "bob"))
    files = [option for file in ("mfad.db", "mfad.db-wal") for option in ("-P", directory / "state" / file)]
    tracer = Tracer(daemon.process.pid, directory / "trace", *files, "-e", f"inject=pwrite64:error={error}")
    check_state(daemon, cause, kind, sentence, step)
    # A repeated check within a minute does not log the failure again.
    count = str(daemon.journal).count(STATE_FAILS)
    again = Authctl(daemon.socket).run("--json", "doctor")
    assert [check["cause"] for check in again.json["checks"] if check["name"] == "database"] == [cause]
    assert str(daemon.journal).count(STATE_FAILS) == count
    tracer.stop()
    assert Authctl(daemon.socket).run("enrol", input=URI + "\n").status == 0
    daemon.stop(expecting=STATE_FAILURES)


@pytest.mark.parametrize("is_killed", [False, True], ids=["stopped", "killed"])
def test_passcodes_work_on_a_read_only_file_system(make_daemon, directory, is_killed):
    daemon = make_daemon(is_checked=False).start()
    assert Authctl(daemon.socket).run("enrol", input=URI + "\n").status == 0
    daemon.kill() if is_killed else daemon.stop()
    state = directory / "state"
    script = f"mount --bind {state} {state} && mount -o remount,bind,ro {state} && exec \"$@\""
    daemon.wrapper = ["unshare", "-m", "sh", "-c", script, "sh"]
    daemon.start()
    assert Authctl(daemon.socket).run("otp").status == 0
    status, error, _ = told(daemon, "accounts", "rename", "ann", "new")
    assert (status, error["code"], error["data"]["details"]["kind"]) == (1, 11010, "readOnly")
    assert Authctl(daemon.socket).run("otp").status == 0


def test_passcodes_work_if_the_state_directory_is_not_writable(make_daemon, directory):
    daemon = make_daemon(is_checked=False, user=1)
    directory.chmod(0o777)
    account = daemon.start().client(1).call("passcode.import", uri=URI)["id"]
    daemon.stop()
    for file in (directory / "state").iterdir():
        file.chmod(0o500 if file.is_dir() else 0o400)
    (directory / "state").chmod(0o500)
    client = daemon.start().client(1)
    assert client.call("passcode.get")["account"] == account
    error = client.refusal("account.rename", account=account, nickname="new")
    assert (error.code, error.details["kind"]) == (11010, "readOnly")


def test_daemon_creates_the_directories_of_a_new_user(directory):
    home = directory / "home"
    home.mkdir()
    os.chown(home, 65534, 65534)
    directory.chmod(0o755)
    variables = {"PATH": os.environ["PATH"], "HOME": str(home)}
    identity = {"user": 65534, "group": 65534, "extra_groups": []}
    # A terminal shows no priorities.
    terminal, errors = os.openpty()
    done = subprocess.run([MFAD], env=variables, stderr=errors, timeout=PATIENCE, **identity)
    shown = os.read(terminal, 10_000).decode()
    for descriptor in (terminal, errors):
        os.close(descriptor)
    assert done.returncode == 1 and shown.startswith("the daemon cannot start reason=")
    assert "there is no XDG_RUNTIME_DIR for the socket; use --socket PATH" in shown
    assert (home / ".local/state/mfad").stat().st_mode & 0o777 == 0o700
    daemon = Process([MFAD, "--socket", home / "run/a/mfad.sock"], env=variables, **identity)
    daemon.journal.wait("serving")
    assert [(home / path).stat().st_mode & 0o777 for path in ("run", "run/a")] == [0o700, 0o700]
    daemon.kill()


def test_clock_an_hour_ahead_is_reported_as_clock_skew(make_daemon, directory):
    clock = MovableClock(directory)
    daemon = make_daemon(clock=clock).start()
    clock.set(3600)
    status, error, hint = told(daemon, "configure", flows.GEO)
    assert (status, error["code"], error["data"]["cause"]) == (1, 11015, "clock-skew")
    check_journal(daemon, error)
    seconds = re.fullmatch(r"the clock of this machine is (\d+) s ahead of the platform's", error["message"])[1]
    # The duration of the request adds to the measured offset.
    assert 0 <= int(seconds) - 3600 <= PATIENCE and error["data"]["details"] == {"offset": -int(seconds)}
    assert "timedatectl" in hint
    diagnosis = Authctl(daemon.socket).run("--json", "doctor")
    (check,) = [check for check in diagnosis.json["checks"] if check["name"] == "clock"]
    assert (diagnosis.status, check["result"], check["cause"]) == (1, "fail", "clock-skew")
    assert "s ahead of those of the servers" in check["message"] and "timedatectl" in check["remedy"]
    clock.set(0)
    assert Authctl(daemon.socket).run("configure", flows.GEO).status == 0
