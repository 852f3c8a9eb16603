"""Other owners, which only request passcodes repeatedly and measure the time."""

import os
import select
import subprocess
import sys
import time

from ..programs import PATIENCE
from ..users import client_as


class Bystander:
    """A separate process, so that the attacker's work in this one does not delay its measurement."""

    READER = (47_000, "otpauth://totp/bystander?secret=" + "A" * 52, 0.001)
    """An owner with passcodes that need no storage: user, account, and seconds between two passcodes."""

    WRITER = (47_001, "otpauth://hotp/bystander?counter=0&secret=" + "A" * 52, 0.06)
    """An owner with HOTP passcodes, each committed to disk before the reply. This rate is never limited."""

    def __init__(self, socket, kind=READER):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "harness.hostile.bystander", str(socket), *map(str, kind)], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout.readline() == "watching\n"

    def longest_wait(self) -> float:
        """Returns the seconds of the slowest reply since the last call, after one more request."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def leave(self):
        self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0


def watch(socket: str, uid: int, account: str, pause: float):
    client = client_as(uid, socket)
    client.call("passcode.import", uri=account)
    longest, asked = 0.0, 0
    print("watching", flush=True)
    while True:
        before = time.monotonic()
        client.call("passcode.get")
        longest = max(longest, time.monotonic() - before)
        if asked:
            print(longest, flush=True)
            longest, asked = 0.0, asked - 1
        # If the command arrives between two replies, the next request is the first that began afterwards.
        if select.select([sys.stdin], [], [], pause)[0]:
            if not os.read(sys.stdin.fileno(), 1):
                return
            asked += 1


if __name__ == "__main__":
    watch(sys.argv[1], int(sys.argv[2]), sys.argv[3], float(sys.argv[4]))
