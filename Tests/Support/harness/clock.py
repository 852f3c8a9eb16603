"""Clocks for daemons that are not this machine's, by libfaketime; the monotonic clock stays right."""

import glob
import time
from pathlib import Path


class Clock:
    """A clock that shows another time and goes on from there."""

    def __init__(self, **settings):
        (library,) = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")
        self.environment = {"LD_PRELOAD": library, "FAKETIME_DONT_FAKE_MONOTONIC": "1", "TZ": "UTC", **settings}

    @staticmethod
    def forget(pid):
        """Removes what the library leaves behind when its process is ended."""
        for name in (f"faketime_shm_{pid}", f"sem.faketime_sem_{pid}"):
            Path("/dev/shm", name).unlink(missing_ok=True)


def starting_at(instant):
    """A clock that shows an instant, in Unix seconds, when a program is started by it."""
    return Clock(FAKETIME=time.strftime("@%F %T", time.gmtime(instant)))


def slowed(factor):
    """A clock by which everything takes so many times less time than by others, waiting included."""
    return paced(1 / factor)


def paced(factor):
    """A clock that goes so many times as fast as others; who waits by it waits so much less."""
    clock = Clock(FAKETIME=f"+0 x{factor}")
    del clock.environment["FAKETIME_DONT_FAKE_MONOTONIC"]
    return clock


class MovableClock(Clock):
    """A clock that is put forward and back while a program runs by it."""

    def __init__(self, directory):
        self._file = directory / "clock"
        self.set(0)
        super().__init__(FAKETIME_TIMESTAMP_FILE=str(self._file), FAKETIME_NO_CACHE="1")

    def set(self, seconds):
        """Puts it so many seconds before or after the right time."""
        new = self._file.with_suffix(".new")
        new.write_text(f"{seconds:+d}\n")
        new.replace(self._file)
