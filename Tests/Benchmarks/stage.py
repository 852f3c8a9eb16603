"""The daemon that is measured, paired and alone with its sandbox, and the servers beside it."""

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
    """Programs and directories that last for the whole run."""

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
        """What several rows use: made for the first, kept until the end of the run."""
        if name not in self._kept:
            self._kept[name] = make(self._resources)
        return self._kept[name]

    def running(self, resources, *command, until, **options):
        """A server that is there once a path is."""
        process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
        resources.callback(process.wait)
        resources.callback(process.terminate)
        wait_until(until.exists)
        return process

    def new_daemon(self, resources, name, sandbox=None, is_pinned=True, **settings):
        """A daemon with a state of its own, on the processor of servers unless it may use all; not started yet."""
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
        """One whose owner is a user of the sandbox."""
        daemon = self.new_daemon(resources, name).start()
        with contextlib.closing(client_of(os.geteuid(), daemon.socket)) as client:
            flows.pair(client, self.sandbox, self.sandbox.user(name))
        return daemon

    def ssh_agent(self, resources, name):
        """An ssh-agent with one key, and its socket."""
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
        """What has its reply ready, as long as a status unless it is told, and stores so many pages in a file before it."""
        return self._ready(resources, name, [self.peers / program], length, stored)

    def own_replies(self, resources, name, length):
        """The same by the loop and the connections of the daemon."""
        return self._ready(resources, name, [DIRECTORY / "mfad-bench", "replies"], length)

    def _ready(self, resources, name, server, length, stored=()):
        path = self.directory / f"{name}.sock"
        reply = json.dumps({"jsonrpc": "2.0", "id": 1, "result": "x" * length}, separators=(",", ":"))
        self.running(resources, *pinned(SERVER, *server, path, reply, *stored), until=path)
        return path

    def redis(self, resources, name):
        """A redis that stores nothing, and its socket."""
        path = self.directory / f"{name}.sock"
        options = ["--port", "0", "--unixsocket", path, "--save", "", "--appendonly", "no"]
        return self.running(resources, *pinned(SERVER, "redis-server", *options), until=path), path
