"""Connections of users without permission, and of very many users."""

import contextlib
import socket
import threading

from .registry import attack


@attack("connections of a refused user while the journal is not read", is_short=True)
def refused_users(stage):
    with stage.daemon.journal.unread():
        for _ in range(5000):
            with contextlib.suppress(OSError), stage.connect(65_534) as client:
                client.line()
    # The pipe is full. The daemon reports the number of lost lines with the next line that fits.
    while "lines were lost" not in str(stage.daemon.journal):
        stage.connect(65_534).close()


@attack("connections of 4,000 unknown users")
def strangers(stage):
    for uid in range(300_000, 304_000):
        with contextlib.suppress(OSError), stage.connect(uid) as client:
            if uid % 16 == 0:
                client.line()


@attack("connections that arrive faster than they are accepted")
def many_connections(stage):
    def connect():
        for _ in range(3000):
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as one:
                one.connect(str(stage.daemon.socket))
    threads = [threading.Thread(target=connect) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
