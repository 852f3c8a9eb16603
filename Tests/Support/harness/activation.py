"""Sockets that a service manager opens for a program."""

import fcntl
import os
import socket

from .notify import NotifySocket
from .process import Process
from .programs import environment


def handed(command, *descriptors, **variables):
    """Starts a program with these descriptors, like a service manager with socket activation."""
    moved = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, 20) for descriptor in descriptors]
    places = " ".join(f"{3 + place}<&{number}" for place, number in enumerate(moved))
    script = f'exec {places}; LISTEN_FDS={len(moved)} LISTEN_PID=$$ exec "$@"'
    process = Process(["bash", "-c", script, "bash", *command], env=environment(**variables), pass_fds=moved)
    for number in moved:
        os.close(number)
    return process


def activated(daemon, *descriptors):
    """Starts a daemon with socket activation, and receives its notifications to the service manager."""
    place = daemon.directory / "activated.sock"
    place.unlink(missing_ok=True)
    notifications = NotifySocket(place)
    return handed(daemon.command, *descriptors, NOTIFY_SOCKET=str(notifications.path)), notifications


def listener(path):
    one = socket.socket(socket.AF_UNIX)
    one.bind(str(path))
    one.listen()
    return one
