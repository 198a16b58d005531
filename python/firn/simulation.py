"""Simulations. The methods that advance and read one are those of SimulationCore; what takes arrays is here."""

from __future__ import annotations

import contextlib
import itertools
import os
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from . import _firn
from .errors import FileError, SceneError, SceneWarning
from .scene import Scene

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike

    from ._picture import Picture

_parts = itertools.count()  # of names of files that are being written


def _numbers(name: str, value: Any, shape: tuple[int | None, ...]) -> np.ndarray:
    """As doubles; None in `shape` is any length. Raises TypeError or ValueError with the name."""
    import numpy as np

    array = np.asarray(value)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name}: numbers are expected, found an array of {array.dtype}")
    fits = array.ndim == len(shape) and all(want in (None, got) for want, got in zip(shape, array.shape))
    if not fits:
        wanted = ", ".join("any" if want is None else str(want) for want in shape)
        raise ValueError(f"{name}: an array of shape ({wanted}) is expected, found {array.shape}")
    return np.ascontiguousarray(array, dtype=np.float64)


def _padded(array: np.ndarray, width: int) -> np.ndarray:
    """Rows of three entries from those of two."""
    import numpy as np

    missing = width - array.shape[1]
    return np.ascontiguousarray(np.pad(array, ((0, 0), (0, missing)))) if missing > 0 else array


@contextlib.contextmanager
def _as_file_error(path: str | os.PathLike[str], done: str) -> Iterator[None]:
    """What the system says of a file, as Firn's own error."""
    try:
        yield
    except OSError as error:
        raise FileError(f"{os.fspath(path)}: cannot be {done}: {error.strerror or error}") from error


class Simulation(_firn.SimulationCore):
    """Particles and grid of a scene on the CPU or on CUDA.

    Parameters
    ----------
    scene
        From `firn.load`, `firn.Scene.from_toml` or `firn.Scene.from_dict`.
    device
        "auto" (a GPU where there is one), "cpu" or "cuda".
    threads
        Of the CPU; 0: all cores. Results do not depend on it.
    device_index
        Which of `firn.cuda_devices()`.
    on_filling
        Called with a `Filling` time and again while bodies are filled with particles.

    Steps run without the interpreter's lock, so that simulations on different threads run at once; one simulation
    belongs to one thread at a time. Ctrl-C ends a call at the end of a step with KeyboardInterrupt, from where it can
    go on; a second one ends a force or a boundary that does not return, and the state then means nothing. Where it, or a
    callback, has stopped a call, velocities and stresses may lie on the grid: `step()` brings them back to the particles.
    """

    # What it does not have cannot be set, where a subclass does not bring a dictionary along.
    __slots__ = ("__weakref__", "_renderer", "_scene", "_sensors")

    # Of the process that has made a simulation first: threads of OpenMP do not come along into a fork.
    _process: int | None = None

    def __init__(
        self,
        scene: Scene,
        device: str = "auto",
        threads: int = 0,
        device_index: int = 0,
        on_filling: Callable[[_firn.Filling], object] | None = None,
    ) -> None:
        if Simulation._process not in (None, os.getpid()):
            raise SceneError(
                "this process was forked off one that has made simulations, whose threads did not come along; "
                'start processes by multiprocessing.get_context("spawn")'
            )
        if not isinstance(scene, _firn.SceneData):
            raise TypeError(
                f"scene: a firn.Scene is expected, found {type(scene).__name__}; firn.load, firn.Scene.from_toml and "
                "firn.Scene.from_dict make one"
            )
        Simulation._process = os.getpid()
        for text in _firn.scene_warnings(scene):
            warnings.warn(text, SceneWarning, stacklevel=2)
        super().__init__(scene, device, threads, device_index, on_filling)
        self._scene = scene
        self._renderer: _firn.Renderer | None = None
        self._sensors: _firn.Sensors | None = None

    @property
    def scene(self) -> Scene:
        """What it was made of."""
        return self._scene

    @property
    def frame(self) -> int:
        """Frames completed."""
        return self.stats().frame

    def run(
        self,
        frames: int | None = None,
        on_step: Callable[[_firn.StepInfo], object] | None = None,
        on_frame: Callable[[_firn.FrameStats], object] | None = None,
    ) -> bool:
        """Advances to the end of frame `frames`, by default of the scene's last one, at once where that has ended; see
        `step` for the callbacks.

        It writes no files: pictures, particle files, ledger and checkpoints of a scene's `[output]` are what the program
        `firn run` makes.
        """
        settings = self._scene.simulation
        last = settings.frames if frames is None else frames
        end = max(last / settings.fps, self.time)
        return self.advance_until(end, on_step=on_step, on_frame=on_frame)

    def read_sensors(self) -> dict[str, dict[str, float]]:
        """What the scene's sensors read now, by name and column; NaN where nothing is. `sensor_units` has the units.

        Colliders have the mean since the last call of this, as long as no more than one frame, or call of `step`, has
        ended since; else, and at first, the mean of the frame or call that has ended last and of what came after.
        """
        sensors = self._sensors_of_scene()
        return {
            sensors.name(reading.sensor): {
                column: value for (column, _), value in zip(sensors.columns(reading.sensor), reading.values)
            }
            for reading in sensors.read(self)
        }

    def sensor_units(self) -> dict[str, dict[str, str]]:
        """Units of the columns of all sensors, by name and column."""
        sensors = self._sensors_of_scene()
        return {sensors.name(i): dict(sensors.columns(i)) for i in range(len(sensors))}

    def record(
        self,
        frames: int | None = None,
        on_step: Callable[[_firn.StepInfo], object] | None = None,
        on_frame: Callable[[_firn.FrameStats], object] | None = None,
    ) -> dict[str, dict[str, np.ndarray]]:
        """Advances as `run`, and returns what the scene's sensors read on the way, each at its own rate.

        By sensor and column, one-dimensional arrays of one length, "time" (s) among them. Where a callback stops the
        simulation they end there.
        """
        import numpy as np

        sensors = self._sensors_of_scene()
        last = self._scene.simulation.frames if frames is None else frames
        rows: list[list[list[float]]] = [[] for _ in range(len(sensors))]
        goes_on = True

        def at_frame(stats: _firn.FrameStats) -> None:
            nonlocal goes_on
            answer = on_frame(stats) if on_frame is not None else None
            goes_on = answer is None or bool(answer)

        while goes_on and self.frame < last:
            arrived, readings = sensors.advance_frame(self, on_step=on_step, on_frame=at_frame)
            goes_on = goes_on and arrived
            for reading in readings:
                rows[reading.sensor].append([reading.time, *reading.values])
        series = {}
        for i, table in enumerate(rows):
            names = ["time", *(name for name, _ in sensors.columns(i))]
            columns = np.array(table, dtype=np.float64).reshape(-1, len(names)).T
            series[sensors.name(i)] = dict(zip(names, columns))
        return series

    def _sensors_of_scene(self) -> _firn.Sensors:
        if self._sensors is None:
            self._sensors = _firn.Sensors(self._scene)
        return self._sensors

    def add_particles(
        self,
        material: str,
        position: ArrayLike,
        velocity: ArrayLike | None = None,
        velocity_gradient: ArrayLike | None = None,
        temperature: ArrayLike | None = None,
        phase: str | None = None,
        volume: float | None = None,
        mass: float | None = None,
    ) -> np.ndarray:
        """Adds n particles of a material, at rest in it, and returns their ids (uint32, shape (n)).

        Parameters
        ----------
        material
            A name of the scene's.
        position
            m, shape (n, d), within the domain.
        velocity
            m/s, shape (n, d); by default at rest.
        velocity_gradient
            1/s, shape (n, d, d), d velocity_a / d x_b at [:, a, b]; by default 0.
        temperature, phase
            K, shape (n), where the scene solves heat; "solid" or "liquid", by default by temperature.
        volume, mass
            Of each particle: m^d at rest, by default that of 2^d in a cell; kg, by default by density.

        Raises SceneError, and has changed nothing, for what the scene cannot have.
        """
        import numpy as np

        if not isinstance(material, str):
            raise TypeError(f"material: a name of the scene's is expected, found {type(material).__name__}")
        d = self._scene.simulation.dimension
        position = _numbers("position", position, (None, d))
        n = len(position)
        gradient = None
        if velocity_gradient is not None:
            padded = np.zeros((n, 3, 3))
            padded[:, :d, :d] = _numbers("velocity_gradient", velocity_gradient, (n, d, d))
            gradient = padded.reshape(n, 9)
        return self._add_particles(
            material,
            _padded(position, 3),
            None if velocity is None else _padded(_numbers("velocity", velocity, (n, d)), 3),
            gradient,
            None if temperature is None else _numbers("temperature", temperature, (n,)),
            phase,
            None if volume is None else float(volume),
            None if mass is None else float(mass),
        )

    def remove_particles(self, ids: ArrayLike) -> None:
        """Takes particles out by their ids, integers of shape (n). Raises SceneError for one that no particle has."""
        import numpy as np

        array = np.asarray(ids)
        if array.size == 0 and array.ndim == 1:
            return
        if array.dtype.kind not in "iu":
            raise TypeError(f"ids: integers are expected, found an array of {array.dtype}")
        if array.ndim != 1:
            raise ValueError(f"ids: an array of shape (n) is expected, found {array.shape}")
        if array.min() < 0 or array.max() > 0xFFFFFFFF:
            raise SceneError("ids: no particle has an id below 0, or of more than 32 bits")
        self._remove_particles(np.ascontiguousarray(array, dtype=np.uint32))

    def set_collider_motion(
        self,
        collider: int | str,
        times: ArrayLike,
        translation: ArrayLike | None = None,
        rotation: ArrayLike | None = None,
        pivot: ArrayLike | None = None,
    ) -> None:
        """Has a collider, by its index or name, follow key frames from the next step on, linear in between.

        Also from `on_step`. Nothing smooths the change: the new key frames should begin where the collider is. One that is
        put elsewhere at once may hold material within it.

        Parameters
        ----------
        times
            s, absolute and increasing, shape (n).
        translation
            m, shape (n, d), of where the scene has it.
        rotation
            Euler angles in radians, x then y then z: shape (n, 3), or (n) in 2D, about z.
        pivot
            m, d numbers: what the rotation is about, by default the origin.

        Raises SceneError for a collider that is not there or that material moves, and for key frames that no scene file
        may have; ValueError for arrays of another shape.
        """
        import numpy as np

        d = self._scene.simulation.dimension
        seconds = _numbers("times", times, (None,))
        n = len(seconds)
        moved = np.zeros((n, 3)) if translation is None else _numbers("translation", translation, (n, d))
        turned = np.zeros((n, 3))
        if rotation is not None and d == 2 and np.ndim(rotation) == 1:
            turned[:, 2] = _numbers("rotation", rotation, (n,))
        elif rotation is not None:
            turned = _numbers("rotation", rotation, (n, 3))
        center = np.zeros(3)
        if pivot is not None:
            center[:d] = _numbers("pivot", pivot, (d,))
        self._set_collider_motion(collider, seconds, _padded(moved, 3), turned, center)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the complete state to a file, by way of another name, so that there is never half a file. A link's target
        is replaced, not the link, and what is no file, a pipe say, is written to as it is.

        Raises FileError where it cannot be written, and SceneError, before a file is touched, for a state that means
        nothing any more.
        """
        state = self.save_state()
        with _as_file_error(path, "written"):
            target = os.path.realpath(path)
            if os.path.exists(target) and not os.path.isfile(target):
                with open(target, "wb") as file:
                    file.write(state)
                return
            # Of each writer its own, also of other processes'.
            part = f"{target}.{os.getpid()}-{next(_parts)}.part"
            try:
                with open(part, "xb") as file:
                    file.write(state)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(part, target)
            except OSError:
                with contextlib.suppress(OSError):
                    os.remove(part)
                raise

    def restore(self, path: str | os.PathLike[str]) -> None:
        """Brings back what `save` of a simulation of the same scene has written. Raises FileError where it cannot."""
        with _as_file_error(path, "read"), open(path, "rb") as file:
            state = file.read()
        self.load_state(state)

    def picture(self) -> Picture:
        """The simulation as it is, drawn by the scene's `[output]`: uint8, shape (height, width, 3), sRGB.

        It is a NumPy array that notebooks show as a picture. The first one fixes the camera and the range of colours, so
        that all of a simulation's fit together.
        """
        from ._picture import Picture

        if self._renderer is None:
            self._renderer = _firn.Renderer(self._scene)
        return self._renderer.render(self).view(Picture)

    def _repr_png_(self) -> bytes | None:
        return self.picture()._repr_png_()

    def __repr__(self) -> str:
        return f"<firn.Simulation of {self._scene.name!r}: t = {self.time:g} s, {self.device_name}>"
