"""Images of QR codes, like those of a screenshot or a printer."""

import struct
import zlib

import segno

SCALE = 4
QUIET = 4


def png(rows):
    """Returns a PNG of rows of pixels, each a brightness."""

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    lines = b"".join(b"\0" + bytes(row) for row in rows)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


def codes(*texts):
    """Returns a PNG with the codes of all texts, one below the other."""
    matrices = [segno.make_qr(text, error="m").matrix for text in texts]
    width = max((len(matrix) for matrix in matrices), default=21) + 2 * QUIET
    modules = [[0] * width] * QUIET
    for matrix in matrices:
        for row in matrix:
            modules.append([0] * QUIET + list(row) + [0] * (width - QUIET - len(row)))
        modules += [[0] * width] * 2 * QUIET
    return png([[0 if module else 255 for module in row for _ in range(SCALE)] for row in modules for _ in range(SCALE)])
