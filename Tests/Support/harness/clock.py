"""Simulated clocks for daemons by libfaketime. The monotonic clock stays correct."""

import glob
import time
from pathlib import Path


class Clock:
    """A clock that starts at another time."""

    def __init__(self, **settings):
        (library,) = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")
        self.environment = {"LD_PRELOAD": library, "FAKETIME_DONT_FAKE_MONOTONIC": "1", "TZ": "UTC", **settings}

    @staticmethod
    def forget(pid):
        """Removes files that the library leaves behind after its process was killed."""
        for name in (f"faketime_shm_{pid}", f"sem.faketime_sem_{pid}"):
            Path("/dev/shm", name).unlink(missing_ok=True)


def starting_at(instant):
    """A clock that shows this Unix time when a program is started with it."""
    return Clock(FAKETIME=time.strftime("@%F %T", time.gmtime(instant)))


def slowed(factor):
    """A clock that runs slower by this factor. Everything takes less time by this clock, including waits."""
    return paced(1 / factor)


def paced(factor):
    """A clock that runs faster by this factor, so that waits take less time."""
    clock = Clock(FAKETIME=f"+0 x{factor}")
    del clock.environment["FAKETIME_DONT_FAKE_MONOTONIC"]
    return clock


class MovableClock(Clock):
    """A clock that can be set while a program runs with it."""

    def __init__(self, directory):
        self._file = directory / "clock"
        self.set(0)
        super().__init__(FAKETIME_TIMESTAMP_FILE=str(self._file), FAKETIME_NO_CACHE="1")

    def set(self, seconds):
        """Sets it this many seconds off the correct time."""
        new = self._file.with_suffix(".new")
        new.write_text(f"{seconds:+d}\n")
        new.replace(self._file)
