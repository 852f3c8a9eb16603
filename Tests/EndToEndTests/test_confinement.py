"""What both programs have given up for themselves once they run, as the kernel says it, and what they still do."""

import pytest

from harness import flows
from harness.courier import Courier
from harness.process import Process


def kernel_status(pid):
    """The fields of /proc/PID/status."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file)


def assert_confined(pid):
    fields = kernel_status(pid)
    assert (fields["Seccomp"], fields["NoNewPrivs"]) == ("2", "1")
    assert fields["Threads"] == "1"


def child(daemon):
    (pid,) = daemon.process.children
    return pid


def test_a_daemon_and_its_child_confine_themselves_and_work(daemon, client, sandbox):
    flows.pair(client, sandbox)
    assert_confined(daemon.process.pid)
    assert_confined(child(daemon))
    confinement = client.call("service.status")["protection"]["confinement"]
    assert {"no-new-privileges", "seccomp", "no-dump"} <= set(confinement)
    daemon.journal.wait("<6>confined by=")


def test_a_courier_behind_a_socket_confines_itself(make_daemon, directory, sandbox):
    outside = directory / "courier.sock"
    daemon = make_daemon(courier_socket=outside)
    courier = Courier(daemon.file, outside, ["--socket", outside])
    daemon.start()
    assert flows.pair(daemon.client(), sandbox)
    assert_confined(daemon.process.pid)
    assert_confined(courier.process.pid)
    assert daemon.process.children == []
    daemon.stop()
    courier.stop()
    assert not outside.exists(), "its own socket goes with it"


def test_what_is_missing_of_the_kernel_is_said_once_and_nothing_else_ends(make_daemon, sandbox):
    """An older kernel is had by calls that fail as they do there."""
    calls = "inject=landlock_create_ruleset,seccomp:error=ENOSYS"
    strace = ["strace", "-D", "--quiet=all", "-o", "/dev/null", "-e", "trace=landlock_create_ruleset,seccomp", "-e", calls]
    daemon = make_daemon(wrapper=strace)
    daemon.start()
    client = daemon.client()
    assert client.call("service.status")["protection"]["confinement"] == ["no-new-privileges", "no-dump"]
    lines = [line for line in daemon.journal if "the kernel offers no confinement of a kind" in line]
    assert [line.startswith("<4>") for line in lines] == [True, True]
    assert "landlock" in lines[0] and "seccomp" in lines[1]


def replace(file, text):
    """Puts a new file in the place of another, as editors and package managers do."""
    new = file.with_suffix(".new")
    new.write_text(text)
    new.replace(file)


@pytest.mark.parametrize("way", ["written over", "replaced"])
def test_a_reload_reads_what_was_changed_in_either_way(daemon, client, sandbox, way):
    client.call("device.configure", geo=flows.GEO)
    before = child(daemon)
    text = daemon.file.read_text().replace("log_level = debug", "log_level = info")
    since = daemon.journal.count
    if way == "replaced":
        replace(daemon.file, text)
    else:
        daemon.file.write_text(text)
    daemon.process.signal(1)
    daemon.journal.wait("the configuration was read again", since)
    if way == "replaced":
        # Rights that were given up do not come back: another courier reads the new file.
        daemon.journal.wait("ending, for the next courier to read what is new", since)
    else:
        daemon.journal.wait("<6>configuration read again", since)
    assert flows.pair(client, sandbox)
    assert (child(daemon) == before) == (way == "written over")
