"""Connections of processes in their own user namespaces, with mapped user IDs."""

import ctypes
import os
import pathlib
import socket

NEW_USERS = 0x10000000
"""CLONE_NEWUSER of unshare(2)."""


def connected_from(path, ids: dict[int, int], uid: int = 0) -> socket.socket:
    """Returns a socket that a user connected in a namespace with this ID mapping (inside: outside)."""
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            if ctypes.CDLL(None, use_errno=True).unshare(NEW_USERS) == 0:
                theirs.send(b"u")
                theirs.recv(1)
                os.setresgid(uid, uid, uid)
                os.setresuid(uid, uid, uid)
                assert os.getresuid() == (uid, uid, uid)
                one = socket.socket(socket.AF_UNIX)
                one.connect(str(path))
                socket.send_fds(theirs, [b"x"], [one.fileno()])
                status = 0
        finally:
            os._exit(status)
    theirs.close()
    with ours:
        assert ours.recv(1) == b"u", "this kernel makes no user namespaces"
        lines = "".join(f"{inside} {outside} 1\n" for inside, outside in ids.items())
        for table in ("uid_map", "gid_map"):
            pathlib.Path(f"/proc/{child}/{table}").write_text(lines)
        ours.send(b"m")
        descriptors = socket.recv_fds(ours, 1, 1)[1]
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0 and len(descriptors) == 1
    return socket.socket(fileno=descriptors[0])
