"""A running program, and its output lines."""

import contextlib
import os
import select
import subprocess
import threading
import time

from .programs import PATIENCE


class Lines:
    """The lines of a stream. A wait returns when its line arrives.

    Reading returns everything written so far: once a test has seen an action, the output before it is available.
    """

    def __init__(self, stream):
        os.set_blocking(stream.fileno(), False)
        self._stream = stream
        self._lines = []
        self._begun = b""
        self._ended = False
        self._changed = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        coming = select.poll()
        coming.register(self._stream, select.POLLIN)
        while not self._ended:
            coming.poll()
            with self._changed:
                self._take()
        self._stream.close()

    def _take(self):
        """Reads available data without blocking, with the lock held."""
        while not self._ended:
            try:
                data = os.read(self._stream.fileno(), 1 << 16)
            except BlockingIOError:
                return
            *lines, self._begun = (self._begun + data).split(b"\n")
            if not data:
                self._ended = True
                lines += filter(None, [self._begun])
            self._lines += [line.decode() for line in lines]
            self._changed.notify_all()

    def __iter__(self):
        with self._changed:
            self._take()
            return iter(list(self._lines))

    def __str__(self):
        return "\n".join(self)

    @property
    def count(self):
        """Number of lines so far, as start position for `wait`."""
        with self._changed:
            self._take()
            return len(self._lines)

    def wait(self, text, since=0, timeout=PATIENCE):
        """Waits for a line with a text, from a position on, and returns it."""
        deadline = time.monotonic() + timeout
        with self._changed:
            while True:
                for line in self._lines[since:]:
                    if text in line:
                        return line
                left = deadline - time.monotonic()
                if self._ended or left <= 0:
                    raise AssertionError(f"no line with {text!r} came, only:\n" + "\n".join(self._lines[since:]))
                self._changed.wait(left)

    @contextlib.contextmanager
    def unread(self):
        """Stops reading the stream during the block."""
        with self._changed:
            yield

    def wait_end(self, timeout=PATIENCE):
        """Waits for the end of the stream."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._ended, timeout), "the stream did not end"


class Process:
    """A program under test."""

    def __init__(self, command, **options):
        self.command = [str(word) for word in command]
        self._process = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
        )
        self.pid = self._process.pid
        self.output = Lines(self._process.stdout)
        self.journal = Lines(self._process.stderr)

    @property
    def is_running(self):
        return self._process.poll() is None

    def signal(self, number):
        self._process.send_signal(number)

    def wait(self, timeout=PATIENCE):
        """Waits for its end and returns its exit status. Fails on a timeout."""
        try:
            status = self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"{self.command[0]} did not end in {timeout} s:\n{self.journal}") from None
        self.output.wait_end()
        self.journal.wait_end()
        return status

    def kill(self):
        """Kills it without a clean shutdown."""
        self._process.kill()
        self._process.wait()

    def status_field(self, name):
        """A field of /proc/PID/status."""
        with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith(name + ":"))

    def resident_bytes(self):
        """Resident memory in bytes."""
        return int(self.status_field("VmRSS").split()[0]) * 1024

    def peak_bytes(self):
        """Maximum resident memory in bytes."""
        return int(self.status_field("VmHWM").split()[0]) * 1024

    @property
    def children(self):
        """The IDs of its child processes."""
        with open(f"/proc/{self.pid}/task/{self.pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
