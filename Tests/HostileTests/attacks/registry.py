"""The list of attacks, and what becomes of others and of the daemon while one is made."""

import contextlib
import typing

from harness.hostile.bystander import Bystander
from harness.hostile.issuer import Issuer

SETTINGS = Issuer.SETTINGS | {"journey_server": f"{Issuer.ORIGIN}/am"}
"""What the stage of an attack is made with."""

ATTACKS: dict = {}
"""The functions by what they do."""

PREPARATIONS: dict = {}
"""What is made before some of them, and while nobody is kept waiting, by the same names."""

SHORT: set = set()
"""The names of those that each run of the tests plays; together they take some ten seconds with an ordinary build."""


def attack(name: str, *, is_short=False, over=None):
    """Adds an attack; `over` makes beforehand of a stage what it is made over."""
    def add(function):
        assert name not in ATTACKS
        ATTACKS[name] = function
        if over:
            PREPARATIONS[name] = over
        if is_short:
            SHORT.add(name)
        return function
    return add


class Outcome(typing.NamedTuple):
    """What an attack came to."""

    reading: float
    """The seconds that another owner waited at most for a passcode."""
    writing: float
    """The same of one whose passcode uses up a count."""
    memory: int
    """The most bytes that the daemon ever held."""


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
            # What a process waits for once, when it is young, is not the attack's.
            bystander.longest_wait()
        ATTACKS[name](stage)
        longest = [bystander.longest_wait() for bystander in bystanders]
    return Outcome(*longest, stage.daemon.process.peak_bytes())
