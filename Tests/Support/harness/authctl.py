"""The real `authctl`, used by scripts and by users."""

import contextlib
import json
import os
import subprocess

import pexpect

from .programs import AUTHCTL, PATIENCE, environment


def become(user):
    """Changes the user of this process."""
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)


class Outcome:
    """The outcome of a run."""

    def __init__(self, finished):
        self.status, self.output, self.errors = finished.returncode, finished.stdout, finished.stderr

    @property
    def json(self):
        return json.loads(self.output)


class Authctl:
    """Runs commands against one socket."""

    def __init__(self, socket, program=AUTHCTL):
        self.socket, self.program = socket, program

    def _command(self, arguments):
        return [str(self.program), *(str(argument) for argument in arguments)]

    def _environment(self, **more):
        return environment(MFAD_SOCKET=str(self.socket), **more)

    def run(self, *arguments, input="", **options):
        """Runs a command without a terminal."""
        return Outcome(
            subprocess.run(
                self._command(arguments),
                env=self._environment(),
                input=input,
                capture_output=True,
                text=True,
                timeout=3 * PATIENCE,
                check=False,
                **options,
            )
        )

    def start(self, *arguments):
        """Starts a command that runs in parallel to the test."""
        return subprocess.Popen(
            self._command(arguments),
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    @contextlib.contextmanager
    def terminal(self, *arguments, columns=160, rows=40, shell=None, user=None, **variables):
        """Runs a command, or a shell with it as `"$@"`, in a terminal that the test types into."""
        command = self._command(arguments)
        if shell:
            command = ["/bin/sh", "-c", shell, "sh", *command]
        child = pexpect.spawn(
            command[0],
            command[1:],
            env=self._environment(**{"TERM": "xterm", **variables}),
            encoding="utf-8",
            timeout=PATIENCE,
            dimensions=(rows, columns),
            preexec_fn=(lambda: become(user)) if user is not None else None,
        )
        # Input is read when the program requests it, so no delay before typing is needed.
        child.delaybeforesend = None
        try:
            yield child
        finally:
            child.close(force=True)
