"""What goes wrong in Firn, as exceptions: one class for each category of the library, all of them a firn.Error."""

from __future__ import annotations


class Error(Exception):
    """The text says what is wrong, where, and how to mend it, in a line for each finding.

    Attributes
    ----------
    category : str
        "scene", "file", "device" or "diverged".
    exit_code : int
        Of the program `firn` for this category: 2, 3, 4 or 5.
    step, time, particle, position, material
        Where a simulation diverged, as far as it is known, else None: the step that failed (from 1), the time at its
        end (s), and of the particle that is wrong its id, its position ([x, y, z], m) and its material.
    """

    category = "scene"
    exit_code = 2

    def __init__(
        self,
        message: str = "",
        step: int | None = None,
        time: float | None = None,
        particle: int | None = None,
        position: list[float] | None = None,
        material: str | None = None,
    ) -> None:
        super().__init__(message)
        self.step = step
        self.time = time
        self.particle = particle
        self.position = position
        self.material = material

    def __reduce__(self) -> tuple[type[Error], tuple[object, ...]]:
        # Pools of processes hand errors on by pickling them.
        return (type(self), (str(self), self.step, self.time, self.particle, self.position, self.material))


class SceneWarning(UserWarning):
    """What a scene says that is allowed and seldom meant."""


class SceneError(Error, ValueError):
    """Bad usage, or a scene that cannot mean anything; every finding names its key."""


class ViewError(SceneError, BufferError):
    """Arrays still show a simulation's memory, so that it must not go on. Delete them, or copy what is to stay."""


class PackageError(SceneError, ImportError):
    """A package that a part of Firn needs is not installed."""


class FileError(Error, OSError):
    """A file that cannot be read or written."""

    category = "file"
    exit_code = 3


class DeviceError(Error, RuntimeError):
    """No such device, a failing device, or too little memory."""

    category = "device"
    exit_code = 4


class DivergedError(Error, ArithmeticError):
    """The simulation left the physical range. What it was before is kept by whoever saved it."""

    category = "diverged"
    exit_code = 5


# By which the bindings find the class of an error.
OF_EXIT_CODE: dict[int, type[Error]] = {kind.exit_code: kind for kind in (SceneError, FileError, DeviceError, DivergedError)}
