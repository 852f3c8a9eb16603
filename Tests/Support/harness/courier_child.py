"""The real `mfad-courier` as a child process, with a test instead of its daemon."""

import socket
import threading

from .peer import Peer
from .process import Process
from .programs import COURIER, PATIENCE, environment


class CourierChild(Peer):
    """A courier that runs as a child process."""

    def __init__(self, configuration, **variables):
        ours, theirs = socket.socketpair()
        super().__init__(ours)
        with theirs:
            command = [COURIER, "--config", configuration, "--child", theirs.fileno()]
            self.process = Process(command, pass_fds=[theirs.fileno()], env=environment(**variables))

    def end(self, reader: threading.Thread | None = None):
        self.hang_up()
        assert self.process.wait() == 0
        # The reader may still deliver a message. It must find the end of the stream, not a closed stream.
        if reader:
            reader.join(PATIENCE)
        self.stream.close()
