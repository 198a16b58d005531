"""Arrays that notebooks show as pictures; a module of its own, since it needs NumPy."""

from __future__ import annotations

import numpy as np

from .pictures import png


class Picture(np.ndarray):
    """uint8, shape (height, width, 3), sRGB: an array like any other."""

    def _repr_png_(self) -> bytes | None:
        # None where it is no picture any more, as of one channel of it; notebooks then show numbers.
        return png(self) if self.dtype == np.uint8 and self.ndim == 3 and self.shape[2] == 3 and self.size else None
