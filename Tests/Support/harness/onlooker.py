"""Data of a daemon and its courier that every user can see."""

import contextlib
import threading
from pathlib import Path


def tree(daemon):
    return [daemon.process.pid, *daemon.process.children]


class Onlooker:
    """Continuously reads the arguments and environment of processes, as any user could."""

    def __init__(self, daemon):
        self.daemon, self.seen, self.looks, self.ends = daemon, set(), 0, threading.Event()
        self.thread = threading.Thread(target=self.look)
        self.thread.start()

    def look(self):
        # Ignore processes that end meanwhile, and a daemon of a failed test.
        while not self.ends.wait(0.002) and self.daemon.process.is_running:
            with contextlib.suppress(OSError):
                for process in tree(self.daemon):
                    for name in ("cmdline", "environ"):
                        self.seen.add(Path(f"/proc/{process}/{name}").read_bytes())
            self.looks += 1

    def all(self):
        self.ends.set()
        self.thread.join()
        return b"\n".join(self.seen)
