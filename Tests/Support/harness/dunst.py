"""The real `dunst` on a virtual X server."""

import json
import os
import subprocess
import time

from .process import Process
from .programs import PATIENCE, environment

CONFIGURATION = """[global]
    monitor = 0
    follow = none
    width = 420
    origin = top-right
    offset = 10x10
    font = Monospace 10
    markup = full
    format = "<b>%s</b>\\n%b"
    dmenu = {chooser}
"""

# dunst runs a chooser program with the buttons as input lines.
CHOOSER = """#!/bin/sh
exec grep -m1 "$(cat {choice})"
"""


class Dunst:
    """A notification server with buttons that are pressed by `dunstctl`."""

    def __init__(self, bus, directory):
        self._choice, chooser = directory / "choice", directory / "chooser"
        chooser.write_text(CHOOSER.format(choice=self._choice))
        chooser.chmod(0o755)
        file = directory / "dunstrc"
        file.write_text(CONFIGURATION.format(chooser=chooser))
        # The X server chooses a free display number and writes it to this descriptor.
        reader, writer = os.pipe()
        size = ["-screen", "0", "640x240x24"]
        self._screen = Process(["Xvfb", "-displayfd", writer, *size, "-nolisten", "tcp"], env=environment(), pass_fds=[writer])
        os.close(writer)
        with os.fdopen(reader) as lines:
            display = lines.readline().strip()
        self._variables = environment(DISPLAY=f":{display}", HOME=str(directory), **bus.variables)
        self._dunst = Process(["dunst", "-config", file], env=self._variables)

    def _control(self, *words):
        command = ["dunstctl", *words]
        return subprocess.run(command, env=self._variables, capture_output=True, text=True, timeout=PATIENCE, check=False).stdout

    def wait_displayed(self, count):
        """Waits until this number of notifications is displayed."""
        deadline = time.monotonic() + PATIENCE
        while self._control("count", "displayed").strip() != str(count):
            assert time.monotonic() < deadline, f"not {count} but {self._control('count')}"
            time.sleep(0.05)

    def press(self, button):
        """Presses a button of the first notification."""
        self._choice.write_text(button)
        self._control("action", "0")

    @property
    def history(self):
        """Returns the closed notifications from dunst's history, newest first."""
        return [{name: field["data"] for name, field in one.items()} for one in json.loads(self._control("history"))["data"][0]]

    def picture(self, file):
        """Writes a screenshot."""
        subprocess.run(["import", "-window", "root", file], env=self._variables, timeout=PATIENCE, check=True)

    def close(self):
        for process in (self._dunst, self._screen):
            if process.is_running:
                process.kill()
