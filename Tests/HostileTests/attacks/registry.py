"""The list of attacks, and the measurement of other owners and of the daemon during an attack."""

import contextlib
import typing

from harness.hostile.bystander import Bystander
from harness.hostile.issuer import Issuer

SETTINGS = Issuer.SETTINGS | {"journey_server": f"{Issuer.ORIGIN}/am"}
"""Settings of the stage of an attack."""

ATTACKS: dict = {}
"""The attack functions by their descriptions."""

PREPARATIONS: dict = {}
"""Preparations of some attacks by the same descriptions. They run before the measurement."""

SHORT: set = set()
"""The attacks that each test run executes; together they take about ten seconds with a debug build."""


DERIVING: set = set()
"""The attacks during which the daemon derives keys."""

MOST_MEMORY = 64 << 20
"""Maximum memory of the daemon in bytes, without a key derivation."""

DERIVATION = 32 << 20
"""Memory in bytes that key derivations may take in addition; only one at a time takes it."""


def most_memory(name: str) -> int:
    return MOST_MEMORY + (DERIVATION if name in DERIVING else 0)


def attack(name: str, *, is_short=False, derives=False, over=None):
    """Adds an attack. `over` prepares the stage before it."""
    def add(function):
        assert name not in ATTACKS
        ATTACKS[name] = function
        if over:
            PREPARATIONS[name] = over
        if is_short:
            SHORT.add(name)
        if derives:
            DERIVING.add(name)
        return function
    return add


class Outcome(typing.NamedTuple):
    """The result of an attack."""

    reading: float
    """Longest wait of another owner for a passcode, in seconds."""
    writing: float
    """The same for a passcode that increments a stored counter."""
    memory: int
    """Peak memory of the daemon in bytes."""


def attacked(stage, name: str) -> Outcome:
    stage.add_issuer()
    stage.configure().pair()
    if name in PREPARATIONS:
        PREPARATIONS[name](stage)
    stage.daemon.socket.chmod(0o666)
    with contextlib.ExitStack() as leaving:
        bystanders = [Bystander(stage.daemon.socket, kind) for kind in (Bystander.READER, Bystander.WRITER)]
        for bystander in bystanders:
            leaving.callback(bystander.leave)
            # Excludes the start-up delays of the bystander's process.
            bystander.longest_wait()
        ATTACKS[name](stage)
        longest = [bystander.longest_wait() for bystander in bystanders]
    return Outcome(*longest, stage.daemon.process.peak_bytes())
