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
    """Programs have the signals of a terminal, also where these tests run in the background, which may ignore them."""
    for number in (signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items):
    """Slow tests begin first, so that the rest runs beside them; MFAD_TEST_PART=1/4 takes every fourth test."""
    number, parts = map(int, os.environ.get("MFAD_TEST_PART", "1/1").split("/"))
    items[:] = items[number - 1 :: parts]
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_terminal_summary(terminalreporter):
    """How many faults were tried, where there were any."""
    # A stage counts them when its test is over, and what is over well is listed under no word.
    reports = [report for key in ("", "error") for report in terminalreporter.stats.get(key, [])]
    tried = sum(dict(report.user_properties).get("faults", 0) for report in reports if report.when == "teardown")
    if tried:
        terminalreporter.write_line(f"{tried} faults tried")


@pytest.fixture(scope="session")
def hosts(tmp_path_factory):
    """Hosts that are made once, by what their owners have."""
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
    """What one operation is tried on."""
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
    """A fresh PingOne; for tests marked `flows` with the flows of the sandbox's folder, which take most of its start."""
    sandbox = Sandbox(flows=FLOWS if request.node.get_closest_marker("flows") else None)
    yield sandbox
    if sandbox.process.is_running:
        sandbox.stop()


@pytest.fixture
def pingone():
    """A PingOne tenant that nobody prepared for this authenticator, with devices of its users."""
    with ForeignPingOne() as pingone:
        yield pingone


@pytest.fixture
def am():
    """A PingAM server that nobody prepared for this authenticator."""
    server = PingAM()
    yield server
    server.close()


@pytest.fixture
def relay():
    """A server at which others leave pushes."""
    with Ntfy() as relay:
        yield relay


@pytest.fixture
def make_daemon(directory, sandbox):
    """Makes daemons over the test's directory; they are stopped at its end, which has to go well."""
    made = []

    def make(**options):
        made.append(Daemon(directory, options.pop("sandbox", sandbox), **options))
        return made[-1]

    yield make
    for daemon in made:
        daemon.end()


@pytest.fixture
def make_relayed(directory, make_daemon):
    """Makes daemons whose courier is behind a relay; each comes with the relay and is started."""
    with contextlib.ExitStack() as ends:

        def make(**options):
            inside, outside = directory / "relay.sock", directory / "courier.sock"
            relay = Relay(inside, outside)
            ends.callback(relay.close)
            daemon = make_daemon(courier_socket=inside, **options)
            ends.callback(Courier(daemon.file, outside, ["--socket", outside]).stop)
            # The daemon ends first, and whatever is wrong with its end, the others do too.
            ends.callback(daemon.end)
            return daemon.start(), relay

        yield make


@pytest.fixture
def daemon(make_daemon):
    """A daemon that serves and knows nobody yet."""
    return make_daemon().start()


@pytest.fixture
def client(daemon):
    """A connection to it."""
    return daemon.client()


@pytest.fixture
def authctl(daemon):
    """The command line against it."""
    return Authctl(daemon.socket)


@pytest.fixture
def console(sandbox):
    """The console of the sandbox, as whoever has entered it sees it."""
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
    """A daemon that answers as the test says."""
    daemon = ScriptedDaemon(directory / "s")
    yield daemon
    daemon.close()


@pytest.fixture
def paired(client, sandbox):
    """A connection that hears of pushes, of a daemon that is paired with ann."""
    flows.pair(client, sandbox)
    client.subscribe("notification")
    return client


@pytest.fixture
def shared(make_daemon):
    """A daemon that serves a group, and what makes a client of a user."""
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
    """Two users with a pairing of their own each: one has ann's, the other bob's."""
    _, connect = shared
    first, second = connect(users.ANN_UID), connect(users.BOB_UID)
    for client, user in ((first, "ann"), (second, "bob")):
        flows.pair(client, sandbox, user)
        client.subscribe()
    return first, second


@pytest.fixture
def place():
    """A directory as /run/mfad is, which others can pass through."""
    with users.open_directory() as path:
        (path / "mfad").mkdir(mode=0o755)
        yield path / "mfad"


@pytest.fixture
def listener():
    """A socket that nobody listens on yet."""
    with socket.socket(socket.AF_UNIX) as listener:
        yield listener


@pytest.fixture
def listen(place, listener):
    """Lets a user listen in that directory, and returns where."""

    def listen(uid):
        listener.bind(str(place / "mfad.sock"))
        # Who listens counts, not who made the socket.
        with users.acting_as(uid):
            listener.listen()
        return place / "mfad.sock"

    return listen


@pytest.fixture
def brought(directory, make_daemon):
    """Pushes of a platform that is out of reach, and the platform when it comes back."""
    bringer = Bringer(directory, make_daemon)
    yield bringer
    bringer.daemon.end()
    if bringer.sandbox.process.is_running:
        bringer.sandbox.stop()
