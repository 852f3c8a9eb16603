"""Frames of the courier's connections: a length of four bytes, most significant first, then the content."""

import struct


def frame(data):
    return struct.pack(">I", len(data)) + data


def read_frame(stream):
    """Returns the content of the next frame; `None` at the end of the stream."""
    head = stream.read(4)
    return stream.read(struct.unpack(">I", head)[0]) if len(head) == 4 else None
