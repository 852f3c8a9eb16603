"""What a member of the machine, or the author of a sign-on page, may try in order to keep others waiting.

Each attack is a function of a stage, which returns when there is nothing left of it to wait for. Tests run each of them
while somebody else asks for passcodes; `run --measure` prints what that came to as the table of Reliability.md.
"""

from . import pages, platforms, requests, stores, surroundings, writes
from .registry import ATTACKS, SETTINGS, SHORT, Outcome, attacked

__all__ = ["ATTACKS", "SETTINGS", "SHORT", "Outcome", "attacked", "pages", "platforms", "requests", "stores", "surroundings", "writes"]
