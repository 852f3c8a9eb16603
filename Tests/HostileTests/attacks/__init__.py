"""Attacks by users of the machine or authors of sign-on pages that try to delay other owners.

Each attack is a function of a stage. It returns when all its requests have ended. Tests run each attack while other
owners request passcodes. `run --measure` prints the results as the table of Reliability.md.
"""

from . import pages, platforms, requests, stores, surroundings, writes
from .registry import ATTACKS, SETTINGS, SHORT, Outcome, attacked, most_memory

__all__ = ["ATTACKS", "SETTINGS", "SHORT", "Outcome", "attacked", "most_memory", "pages", "platforms", "requests", "stores",
           "surroundings", "writes"]
