"""The daemon as a child, with its journal and the moment from which it serves."""

import contextlib
import os
import pathlib
import re
import signal
import socket
import subprocess
import threading

from ..programs import PATIENCE
from ..users import client_as
from ..client import Client

PROGRAMS = pathlib.Path(os.environ["MFAD_PROGRAMS"])
class Journal:
    """What a program writes to standard error, read as it comes."""

    def __init__(self, stream):
        self.lines: list[str] = []
        self.changed = threading.Condition()
        self.ended = False
        self.reading = threading.Event()
        self.reading.set()
        self.thread = threading.Thread(target=self._read, args=[stream], daemon=True)
        self.thread.start()

    def _read(self, stream):
        with stream:
            for line in stream:
                self.reading.wait()
                with self.changed:
                    self.lines.append(line.decode("ascii").rstrip("\n"))
                    self.changed.notify_all()
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    @contextlib.contextmanager
    def unread(self):
        """Meanwhile nobody takes what the program writes."""
        self.reading.clear()
        try:
            yield
        finally:
            self.reading.set()

    @property
    def text(self) -> str:
        with self.changed:
            return "\n".join(self.lines)

    def wait_for(self, pattern: str, after: int = 0) -> str:
        """The first line from that number on that the pattern matches."""
        def found():
            return next((line for line in self.lines[after:] if re.search(pattern, line)), None)
        with self.changed:
            self.changed.wait_for(lambda: found() or self.ended, PATIENCE)
            assert found(), f"the journal never said {pattern!r}:\n" + "\n".join(self.lines)
            return found()


class Daemon:
    """One running `mfad`; ended, and checked to have ended well, by `stop`."""

    def __init__(self, directory: pathlib.Path, settings: list[str], *, state=None, environment=None, umask=0o022,
                 prefix=(), programs=PROGRAMS):
        self.prefix, self.programs = prefix, programs
        self.directory = directory
        self.state = state or directory / "state"
        self.socket = directory / "mfad.sock"
        self.configuration = directory / "mfad.conf"
        self.configuration.write_text("".join(f"{line}\n" for line in settings))
        self.environment = environment or {}
        self.umask = umask
        self.start()

    def start(self):
        notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        notices.settimeout(PATIENCE)
        path = self.directory / "notify"
        path.unlink(missing_ok=True)
        notices.bind(str(path))
        path.chmod(0o666)
        environment = {"PATH": "/usr/bin:/bin", "NOTIFY_SOCKET": str(path), "SWIFT_BACKTRACE": "enable=no"}
        self.process = subprocess.Popen(
            [*self.prefix, self.programs / "mfad", "--config", self.configuration, "--socket", self.socket,
             "--state-directory", self.state],
            env=environment | self.environment, umask=self.umask,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.journal = Journal(self.process.stderr)
        with notices:
            try:
                while b"READY=1" not in notices.recv(4096):
                    pass
            except TimeoutError:
                self.kill()
                raise AssertionError(f"the daemon never served:\n{self.journal.text}") from None

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    def connect(self, uid: int | None = None) -> Client:
        return client_as(uid, self.socket)

    def resident_bytes(self) -> int:
        return self._memory("VmRSS")

    def peak_bytes(self) -> int:
        """The most that it ever held."""
        return self._memory("VmHWM")

    def _memory(self, name: str) -> int:
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(rf"{name}:\s+(\d+) kB", status)[1]) * 1024

    def stop(self):
        """Asks it to end; a daemon that had died before or does not end by itself fails the test."""
        assert self.is_running, f"the daemon died with {self.process.returncode}:\n{self.journal.text[-3000:]}"
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        self.journal.thread.join(PATIENCE)
        assert status == 0, f"the daemon ended with {status}:\n{self.journal.text[-3000:]}"

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.journal.thread.join(PATIENCE)
