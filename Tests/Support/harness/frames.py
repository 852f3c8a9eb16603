"""Frames of the courier's connections: four bytes of length, the most significant first, and so many bytes."""

import struct


def frame(data):
    return struct.pack(">I", len(data)) + data


def read_frame(stream):
    """Returns the content of the next frame; `None` at the end of the stream."""
    head = stream.read(4)
    return stream.read(struct.unpack(">I", head)[0]) if len(head) == 4 else None
