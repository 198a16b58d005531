"""Pictures as PNG files."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


def png(picture: np.ndarray) -> bytes:
    """The bytes of a PNG file of a picture: uint8, shape (height, width, 3)."""
    import numpy as np

    array = np.asarray(picture)
    if array.dtype != np.uint8 or array.ndim != 3 or array.shape[2] != 3:
        raise ValueError(f"a picture is uint8 of shape (height, width, 3), found {array.dtype} of {array.shape}")
    height, width, _ = array.shape
    # Each row begins with the number of its filter, 0: none.
    rows = np.zeros((height, 1 + 3 * width), np.uint8)
    rows[:, 1:] = array.reshape(height, 3 * width)

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows.tobytes(), 6))
        + chunk(b"IEND", b"")
    )
