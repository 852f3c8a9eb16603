"""Another owner, who does nothing but ask for a passcode again and again, and notes how long that takes."""

import os
import pathlib
import select
import subprocess
import sys
import time

from .control import Client
from .patience import PATIENCE

HERE = pathlib.Path(__file__).parent


class Bystander:
    """A process of its own, so that what the attacker does in this one does not slow its watch."""

    UID = 47_000

    def __init__(self, socket):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "harness.bystander", str(socket), str(self.UID)], text=True,
            cwd=HERE.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout.readline() == "watching\n"

    def longest_wait(self) -> float:
        """Seconds that the slowest answer took since this was asked last; one more is asked for first."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def leave(self):
        self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0


def watch(socket: str, uid: int):
    client = Client(socket, uid)
    client.call("passcode.import", uri="otpauth://totp/bystander?secret=" + "A" * 52)
    longest, asked = 0.0, 0
    print("watching", flush=True)
    while True:
        before = time.monotonic()
        client.call("passcode.get")
        longest = max(longest, time.monotonic() - before)
        if asked:
            print(longest, flush=True)
            longest, asked = 0.0, asked - 1
        # Asked for between two answers: the next one is the first that was begun afterwards.
        if select.select([sys.stdin], [], [], 0.001)[0]:
            if not os.read(sys.stdin.fileno(), 1):
                return
            asked += 1


if __name__ == "__main__":
    watch(sys.argv[1], int(sys.argv[2]))
