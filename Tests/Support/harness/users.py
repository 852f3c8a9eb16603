"""Connections and programs of other users of this machine. Tests that need them run as root."""

import os
import shutil
import socket
from contextlib import contextmanager

from .client import Client
from .directories import new_directory
from .programs import COURIER, MFAD

GROUP = "users"
GROUP_ID = 100
ANN_UID, BOB_UID = 1001, 1002


def sockets_of(uid, path, count=1, groups=(GROUP_ID,)):
    """Returns sockets that a process of a user has connected. The kernel reports this user to the server."""
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setgroups(list(groups))
            os.setgid(uid)
            os.setuid(uid)
            made = []
            for _ in range(count):
                one = socket.socket(socket.AF_UNIX)
                one.connect(str(path))
                made.append(one)
            socket.send_fds(theirs, [b"x"], [one.fileno() for one in made])
            status = 0
        except PermissionError:
            status = 13
        finally:
            os._exit(status)
    theirs.close()
    _, descriptors, _, _ = socket.recv_fds(ours, 1, count)
    ours.close()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == 13:
        raise PermissionError(f"user {uid} may not connect")
    assert status == 0 and len(descriptors) == count, f"user {uid} could not connect"
    return [socket.socket(fileno=descriptor) for descriptor in descriptors]


@contextmanager
def acting_as(uid):
    """Changes the effective user of this process during the block; no change for None."""
    if uid is None:
        yield
        return
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)


def client_as(uid, path):
    """Returns an unchecked client of a user, made without a separate process, so that there can be thousands."""
    with acting_as(uid):
        return Client(path, is_checked=False)


def client_of(uid, path):
    """Returns a client of a user."""
    return Client(sockets_of(uid, path)[0])


@contextmanager
def open_directory():
    """Yields a directory that every user can traverse, like /run, but only its owner can write."""
    path = new_directory()
    path.chmod(0o755)
    try:
        yield path
    finally:
        shutil.rmtree(path)


def user_installation(path):
    """Copies the programs to a directory that every user can access, and creates a home directory. Returns both."""
    programs, home = path / "programs", path / "home"
    programs.mkdir(mode=0o755)
    for program in (MFAD, COURIER):
        shutil.copy(program, programs)
    home.mkdir(mode=0o755)
    os.chown(home, ANN_UID, ANN_UID)
    return programs, home
