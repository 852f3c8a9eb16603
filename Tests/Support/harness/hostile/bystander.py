"""Other owners, who do nothing but ask for a passcode again and again, and note how long that takes."""

import os
import select
import subprocess
import sys
import time

from ..programs import PATIENCE
from ..users import client_as


class Bystander:
    """A process of its own, so that what the attacker does in this one does not slow its watch."""

    READER = (47_000, "otpauth://totp/bystander?secret=" + "A" * 52, 0.001)
    """Whose passcodes are computed alone: the user, the account, and the seconds between one passcode and the next."""

    WRITER = (47_001, "otpauth://hotp/bystander?counter=0&secret=" + "A" * 52, 0.06)
    """Whose passcodes each use up a count, which is on the disk before it is told; so many a second nobody is refused."""

    def __init__(self, socket, kind=READER):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "harness.hostile.bystander", str(socket), *map(str, kind)], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout.readline() == "watching\n"

    def longest_wait(self) -> float:
        """Seconds that the slowest answer took since this was asked last; one more is asked for first."""
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
        # Asked for between two answers: the next one is the first that was begun afterwards.
        if select.select([sys.stdin], [], [], pause)[0]:
            if not os.read(sys.stdin.fileno(), 1):
                return
            asked += 1


if __name__ == "__main__":
    watch(sys.argv[1], int(sys.argv[2]), sys.argv[3], float(sys.argv[4]))
