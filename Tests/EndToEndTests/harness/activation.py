"""Sockets that a service manager opens for the daemon."""

import fcntl
import os
import socket

from .notify import NotifySocket
from .process import Process
from .programs import environment


def activated(daemon, *descriptors):
    """Starts it as a service manager would that has opened these for it."""
    moved = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, 20) for descriptor in descriptors]
    places = " ".join(f"{3 + place}<&{number}" for place, number in enumerate(moved))
    script = f'exec {places}; LISTEN_FDS={len(moved)} LISTEN_PID=$$ exec "$@"'
    place = daemon.directory / "activated.sock"
    place.unlink(missing_ok=True)
    notifications = NotifySocket(place)
    variables = environment(NOTIFY_SOCKET=str(notifications.path))
    process = Process(["bash", "-c", script, "bash", *daemon.command], env=variables, pass_fds=moved)
    for number in moved:
        os.close(number)
    return process, notifications


def listener(path):
    one = socket.socket(socket.AF_UNIX)
    one.bind(str(path))
    one.listen()
    return one
