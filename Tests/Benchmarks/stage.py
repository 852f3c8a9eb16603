"""The measured daemon, paired with its sandbox, and the servers for comparison."""

import contextlib
import json
import os
import subprocess

from harness import flows
from harness.daemon import Daemon
from harness.programs import DIRECTORY, wait_until
from harness.sandbox import Sandbox
from harness.users import GROUP, client_of, open_directory
from tools import SERVER, built_peers, output, pinned


class Stage:
    """Programs and directories of the whole run."""

    def __init__(self, resources):
        self._resources = resources
        self._kept = {}
        self.directory = resources.enter_context(open_directory())
        self.peers = self.directory / "peers"
        self.peers.mkdir()
        built_peers(self.peers)
        self.sandbox = Sandbox()
        resources.callback(self.sandbox.stop)

    def kept(self, name, make):
        """Returns an object shared by rows. It is created on first use and kept until the end of the run."""
        if name not in self._kept:
            self._kept[name] = make(self._resources)
        return self._kept[name]

    def running(self, resources, *command, until, **options):
        """Starts a server and waits until a path exists."""
        process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
        resources.callback(process.wait)
        resources.callback(process.terminate)
        wait_until(until.exists)
        return process

    def new_daemon(self, resources, name, sandbox=None, is_pinned=True, **settings):
        """A daemon with its own state, not started yet. If `is_pinned`, it runs on the processor for servers."""
        place = self.directory / name
        place.mkdir(exist_ok=True)
        place.chmod(0o755)
        daemon = Daemon(
            place, sandbox or self.sandbox, wrapper=pinned(SERVER) if is_pinned else (),
            socket=place / "control" / "mfad.sock", socket_group=GROUP,
            log_level="error", **settings
        )
        resources.callback(daemon.end)
        return daemon

    def paired_daemon(self, resources, name):
        """A started daemon with one owner, paired with a user of the sandbox."""
        daemon = self.new_daemon(resources, name).start()
        with contextlib.closing(client_of(os.geteuid(), daemon.socket)) as client:
            flows.pair(client, self.sandbox, self.sandbox.user(name))
        return daemon

    def ssh_agent(self, resources, name):
        """Starts an ssh-agent with one key. Returns the process and its socket."""
        place = self.directory / name
        place.mkdir()
        path, key = place / "agent.sock", place / "key"
        agent = self.running(resources, *pinned(SERVER, "ssh-agent", "-D", "-a", path), until=path)
        output("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
        subprocess.run(["ssh-add", "-q", key], env={**os.environ, "SSH_AUTH_SOCK": str(path)}, check=True, stderr=subprocess.DEVNULL)
        return agent, path

    def echo(self, resources, name):
        path = self.directory / f"{name}.sock"
        self.running(resources, *pinned(SERVER, self.peers / "echo", path), until=path)
        return path

    def replies(self, resources, name, *stored, program="replies", length=760):
        """A server with a prepared reply of `length` bytes. `stored`: a file and the pages to write to it before each reply."""
        return self._ready(resources, name, [self.peers / program], length, stored)

    def own_replies(self, resources, name, length):
        """The same with the event loop and the connections of the daemon."""
        return self._ready(resources, name, [DIRECTORY / "mfad-bench", "replies"], length)

    def _ready(self, resources, name, server, length, stored=()):
        path = self.directory / f"{name}.sock"
        reply = json.dumps({"jsonrpc": "2.0", "id": 1, "result": "x" * length}, separators=(",", ":"))
        self.running(resources, *pinned(SERVER, *server, path, reply, *stored), until=path)
        return path

    def redis(self, resources, name):
        """Starts a redis without persistence. Returns the process and its socket."""
        path = self.directory / f"{name}.sock"
        options = ["--port", "0", "--unixsocket", path, "--save", "", "--appendonly", "no"]
        return self.running(resources, *pinned(SERVER, "redis-server", *options), until=path), path
