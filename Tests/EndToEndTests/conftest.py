"""Fixtures: every test has its own sandbox, daemon and directory, and leaves nothing behind."""

import contextlib
import os
import shutil
import signal
import socket

import pytest

from harness import flows, users
from harness.authctl import Authctl
from harness.bringer import Bringer
from harness.console import Console
from harness.courier import Courier
from harness.daemon import Daemon
from harness.desktop import Desktop, NotificationServer
from harness.directories import new_directory
from harness.faults import Stage
from harness.foreign_pingone import ForeignPingOne
from harness.host import Host
from harness.ntfy import Ntfy
from harness.operations import OPERATIONS
from harness.pingam import PingAM
from harness.programs import FLOWS
from harness.relay import Relay
from harness.sandbox import Sandbox
from harness.scripted import ScriptedDaemon


def pytest_configure():
    """Restores default signal handlers. Programs would inherit ignored signals from tests in the background."""
    for number in (signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items):
    """Starts slow tests first, so that the others run in parallel. MFAD_TEST_PART=1/4 selects every fourth test."""
    number, parts = map(int, os.environ.get("MFAD_TEST_PART", "1/1").split("/"))
    items[:] = items[number - 1 :: parts]
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_terminal_summary(terminalreporter):
    """Writes the number of injected faults, if there were any."""
    # A stage records its count at teardown. The reporter lists teardowns that passed under the empty key.
    reports = [report for key in ("", "error") for report in terminalreporter.stats.get(key, [])]
    tried = sum(dict(report.user_properties).get("faults", 0) for report in reports if report.when == "teardown")
    if tried:
        terminalreporter.write_line(f"{tried} faults tried")


@pytest.fixture(scope="session")
def hosts(tmp_path_factory):
    """Returns hosts; makes one host per preparation function and reuses it."""
    with contextlib.ExitStack() as ends:
        made = {}

        def host(before):
            if before not in made:
                path = ends.enter_context(users.open_directory())
                made[before] = Host(tmp_path_factory.mktemp("h"), path)
                ends.callback(made[before].close)
                before(made[before])
                made[before].save()
            return made[before]

        yield host


@pytest.fixture
def stage(hosts, directory, record_property):
    """Makes the stage for the faults of one operation."""
    made = []

    def make(name, kind=Stage):
        made.append(kind(hosts(OPERATIONS[name].before), OPERATIONS[name], directory / "trace"))
        return made[-1]

    yield make
    for stage in made:
        stage.host.crash()
        record_property("faults", stage.tried)


@pytest.fixture
def directory():
    """A directory for one test."""
    path = new_directory()
    yield path
    shutil.rmtree(path)


@pytest.fixture
def sandbox(request):
    """A fresh sandbox. Only tests marked `flows` load the flows, which take most of its start."""
    sandbox = Sandbox(flows=FLOWS if request.node.get_closest_marker("flows") else None)
    yield sandbox
    if sandbox.process.is_running:
        sandbox.stop()


@pytest.fixture
def pingone():
    """A PingOne tenant with devices of its users and without configuration for this authenticator."""
    with ForeignPingOne() as pingone:
        yield pingone


@pytest.fixture
def am():
    """A PingAM server without configuration for this authenticator."""
    server = PingAM()
    yield server
    server.close()


@pytest.fixture
def relay():
    """An ntfy server to which push senders publish."""
    with Ntfy() as relay:
        yield relay


@pytest.fixture
def make_daemon(directory, sandbox):
    """Makes daemons in the test's directory. They must stop cleanly at the end of the test."""
    made = []

    def make(**options):
        made.append(Daemon(directory, options.pop("sandbox", sandbox), **options))
        return made[-1]

    yield make
    for daemon in made:
        daemon.end()


@pytest.fixture
def make_relayed(directory, make_daemon):
    """Returns started daemons, each with the relay between it and its courier."""
    with contextlib.ExitStack() as ends:

        def make(**options):
            inside, outside = directory / "relay.sock", directory / "courier.sock"
            relay = Relay(inside, outside)
            ends.callback(relay.close)
            daemon = make_daemon(courier_socket=inside, **options)
            ends.callback(Courier(daemon.file, outside, ["--socket", outside]).stop)
            # The daemon ends first. The relay and the courier end even if the daemon fails to.
            ends.callback(daemon.end)
            return daemon.start(), relay

        yield make


@pytest.fixture
def daemon(make_daemon):
    """A started daemon without any owner."""
    return make_daemon().start()


@pytest.fixture
def client(daemon):
    """A connection to the daemon."""
    return daemon.client()


@pytest.fixture
def authctl(daemon):
    """The command line, connected to the daemon."""
    return Authctl(daemon.socket)


@pytest.fixture
def console(sandbox):
    """The console of the sandbox, signed in."""
    return Console(sandbox).enter()


@pytest.fixture
def desktop(directory, daemon):
    desktop = Desktop(directory, daemon.socket)
    yield desktop
    desktop.close()


@pytest.fixture
def server(desktop):
    """The notification server of a desktop on which an agent was started."""
    server = desktop.add(NotificationServer)
    desktop.start()
    return server


@pytest.fixture
def scripted(directory):
    """A fake daemon with replies scripted by the test."""
    daemon = ScriptedDaemon(directory / "s")
    yield daemon
    daemon.close()


@pytest.fixture
def paired(client, sandbox):
    """A connection subscribed to notifications, to a daemon that is paired with ann."""
    flows.pair(client, sandbox)
    client.subscribe("notification")
    return client


@pytest.fixture
def shared(make_daemon):
    """A daemon that serves a group, and a function that connects a user to it."""
    with users.open_directory() as path:
        daemon = make_daemon(socket=path / "control" / "mfad.sock", socket_group=users.GROUP)
        daemon.start()
        clients = []

        def connect(uid):
            clients.append(users.client_of(uid, daemon.socket))
            return clients[-1]

        yield daemon, connect
        for client in clients:
            client.close()
        daemon.end()


@pytest.fixture
def two(shared, sandbox):
    """Two users, one paired with ann, the other with bob."""
    _, connect = shared
    first, second = connect(users.ANN_UID), connect(users.BOB_UID)
    for client, user in ((first, "ann"), (second, "bob")):
        flows.pair(client, sandbox, user)
        client.subscribe()
    return first, second


@pytest.fixture
def place():
    """A directory like /run/mfad, which other users can traverse."""
    with users.open_directory() as path:
        (path / "mfad").mkdir(mode=0o755)
        yield path / "mfad"


@pytest.fixture
def listener():
    """A socket that is not yet bound or listening."""
    with socket.socket(socket.AF_UNIX) as listener:
        yield listener


@pytest.fixture
def listen(place, listener):
    """Makes a user listen on a socket in that directory, and returns its path."""

    def listen(uid):
        listener.bind(str(place / "mfad.sock"))
        # SO_PEERCRED reports the process that called listen(2), not the creator of the socket.
        with users.acting_as(uid):
            listener.listen()
        return place / "mfad.sock"

    return listen


@pytest.fixture
def brought(directory, make_daemon):
    """Pushes of an unreachable platform, and the platform once it is reachable again."""
    bringer = Bringer(directory, make_daemon)
    yield bringer
    bringer.daemon.end()
    if bringer.sandbox.process.is_running:
        bringer.sandbox.stop()
