"""A full-screen terminal program, as seen by users."""

import contextlib
import shlex
import subprocess
import time

from .programs import PATIENCE, wait_until


class Screen:
    """The contents of a tmux window, and its keyboard."""

    def __init__(self, socket):
        self._socket = str(socket)

    def _tmux(self, *arguments):
        return subprocess.run(
            ["tmux", "-S", self._socket, *arguments], check=True, capture_output=True, text=True, timeout=PATIENCE
        ).stdout

    def start(self, command, variables):
        """Runs a command in a window of 100 columns and 60 lines, which stays open after the command."""
        assignments = [f"{name}={shlex.quote(value)}" for name, value in variables.items()]
        line = " ".join(["env", "-i", *assignments, shlex.join(command)])
        # An interrupt affects only the command. The shell prints the exit status.
        shell = f"trap : INT; {line}; echo ended with $?; exec sleep 3600"
        self._tmux("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "60", shell)

    @property
    def text(self):
        """Returns the nonempty lines of the screen."""
        lines = self._tmux("capture-pane", "-p").splitlines()
        return "\n".join(line.rstrip() for line in lines if line.strip())

    def wait(self, ending):
        """Waits until the screen ends with a text, and returns the screen."""
        deadline = time.monotonic() + PATIENCE
        while not (text := self.text).endswith(ending):
            assert time.monotonic() < deadline, f"no {ending!r} at the end of:\n{text}"
            time.sleep(0.02)
        return text

    def type(self, text):
        """Types a line."""
        if text:
            self._tmux("send-keys", "-l", "--", text)
        self._tmux("send-keys", "Enter")

    def answer(self, prompt, text):
        """Waits for a prompt, types a line, and waits until the screen has changed, as the next prompt may be equal."""
        shown = self.wait(prompt)
        self.type(text)
        wait_until(lambda: self.text != shown)
        return shown

    def interrupt(self):
        """Types Ctrl-C."""
        self._tmux("send-keys", "C-c")

    def end(self):
        """Closes the window and the program."""
        with contextlib.suppress(subprocess.CalledProcessError):
            self._tmux("kill-server")
