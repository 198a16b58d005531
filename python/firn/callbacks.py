"""Forces that see particles as rows, for those who prefer them to chunks and lanes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from ._firn import ForceStep


def per_particle(force: Callable[[float, np.ndarray, np.ndarray], np.ndarray]) -> Callable[[ForceStep], None]:
    """A force for `Simulation.set_force` from one of time (s), positions (m) and velocities (m/s), copies of shape
    (n, d), that returns accelerations (m/s^2) which NumPy broadcasts to that shape.

    The order of the particles changes from step to step.
    """

    import numpy as np

    def of_step(step: ForceStep) -> None:
        rows = step.occupied
        positions = step.position[:, rows].T
        accelerations = force(step.time, positions, step.velocity[:, rows].T)
        if accelerations is None:
            raise TypeError("a force of firn.per_particle returned None; accelerations are expected")
        step.acceleration[:, rows] = np.broadcast_to(accelerations, positions.shape).T

    return of_step
