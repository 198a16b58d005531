"""USD files of runs and of simulations, for what reads OpenUSD: Houdini, Blender, Omniverse, usdview.

    python -m firn.usd out/dam-break    # particle files and surfaces of a run, colliders and camera, in its folder

    with firn.usd.Writer("drop.usdc", scene) as file:      # a simulation, frame by frame
        file.add(simulation)
        simulation.run(on_frame=lambda _: file.add(simulation))

It needs the package usd-core, which `pip install '.[usd]'` brings along. docs/exports.md says what is in the files.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _run_files
from .errors import Error, FileError, PackageError, SceneError
from .scene import Scene, load

if TYPE_CHECKING:
    from . import _usd_parts, _usd_stage, _usd_surroundings
    from .simulation import Simulation

__all__ = ["Writer", "export"]

_ENDINGS = (".usdc", ".usda", ".usd")
_SORTS = ("material", "body", "all")
# Channels of particle files that firn.Snapshot has, most of them by the same name.
_SAME = "velocity id material body mass volume deformation_gradient plastic_state pressure temperature phase"
_OF_SNAPSHOT = {**{name: name for name in _SAME.split()}, "stress": "kirchhoff_stress"}
_OF_SIMULATION = [*_OF_SNAPSHOT, "speed"]

Frames = tuple[int | None, int | None]


def _parts() -> Any:
    """The module that needs OpenUSD, when it is needed."""
    try:
        from . import _usd_parts
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "pxr":
            raise
        raise PackageError(
            "firn.usd needs OpenUSD for Python, which is not installed: pip install usd-core "
            "(or, in Firn's repository, pip install '.[usd]')"
        ) from None
    return _usd_parts


def _checked_path(path: str | os.PathLike[str]) -> Path:
    checked = Path(path)
    if checked.suffix not in _ENDINGS:
        raise SceneError(f"{checked}: the names of USD files end in {', '.join(_ENDINGS)}")
    return checked


def _checked(name: str, value: str | None, choices: Sequence[str]) -> None:
    if value is not None and value not in choices:
        raise SceneError(f"{name}: one of {', '.join(choices)} is expected, found {value!r}")


def _checked_channels(channels: Sequence[str] | None) -> list[str] | None:
    if isinstance(channels, str):
        raise TypeError(f"channels: a list of names is expected, found {channels!r}")
    return None if channels is None else list(channels)


def _tracers_per_cell(scene: Scene) -> float:
    """0 where there are none."""
    return scene.tracers.per_cell


class Writer:
    """Writes a simulation to one USD file, frame by frame; memory holds no more than a few of them.

    Parameters
    ----------
    path
        Ends in .usdc, .usd (binary both) or .usda (text). Until `close` the frames are in a file of another name.
    scene
        Of the simulation.
    channels
        Of particle files: which become primvars, beside velocities and ids. By default the temperature, where there
        is heat.
    by
        "material", "body" or "all": what the particles of a prim have in common.
    start
        The time code of frame 0.

    As a context it closes the file at the end, and discards it where an exception leaves the context.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        scene: Scene,
        channels: Sequence[str] | None = None,
        by: str = "material",
        start: float = 0,
    ) -> None:
        _checked("by", by, _SORTS)
        checked = _checked_path(path)
        parts = _parts()
        chosen = _checked_channels(channels)
        self._channels = (["temperature"] if scene.solves_heat else []) if chosen is None else chosen
        for name in self._channels:
            if name not in _OF_SIMULATION:
                raise parts.unknown_channel(name, _OF_SIMULATION)
        self._scene, self._by = scene, by
        self._last = -1.0
        self._particles: _usd_parts.Particles | None = None
        self._tracers: _usd_parts.Particles | None = None
        self._stage: _usd_stage.Stage | None = parts.Stage(checked, scene, scene.name, start)
        self._surroundings: _usd_surroundings.Surroundings | None = None

    def add(self, simulation: Simulation) -> None:
        """The simulation as it is now, which is one of the file's scene. Time codes are times in frames; each is later
        than the one before."""
        if self._stage is None:
            raise SceneError("this USD file is closed")
        if simulation.scene is not self._scene and simulation.scene != self._scene:
            raise SceneError("this simulation is of another scene than the USD file; give Writer the scene it was made of")
        code = simulation.time * self._scene.simulation.fps
        if abs(code - round(code)) < 1e-6:  # a frame ends at its time to rounding
            code = float(round(code))
        if not code > self._last:
            raise SceneError(f"frame {code:g} is not later than frame {self._last:g}, which the USD file has already")
        columns = self._columns_of(simulation)
        per_cell = _tracers_per_cell(self._scene)
        if self._particles is None:
            self._particles = _parts().Particles(self._stage, self._scene, columns, self._channels, self._by)
        self._stage.begin(code)
        self._last = code
        self._particles.add(columns, "the simulation")
        if per_cell > 0:
            tracers = simulation.tracers()
            of_tracers = {"position": tracers.position, "id": tracers.id, "body": tracers.body}
            if self._tracers is None:
                self._tracers = _parts().tracers(self._stage, self._scene, of_tracers, per_cell)
            self._tracers.add(of_tracers, "the simulation")
        # A program may move any of them.
        poses = {i: _parts().pose_of(state) for i, state in enumerate(simulation.colliders())}
        if self._surroundings is None:
            self._surroundings = _parts().Surroundings(self._stage, self._scene, set(poses))
        self._surroundings.add(simulation.time, poses)
        self._stage.end()

    def _columns_of(self, simulation: Simulation) -> dict[str, np.ndarray]:
        wanted = self._channels
        snapshot = simulation.snapshot(
            deformation_gradient="deformation_gradient" in wanted,
            kirchhoff_stress="stress" in wanted,
            pressure="pressure" in wanted,
        )
        columns = {"position": snapshot.position}
        for name in dict.fromkeys(["velocity", "id", "material", "body", "volume", *wanted]):
            if name == "speed":
                values = np.sqrt((snapshot.velocity.astype(np.float64) ** 2).sum(1)).astype(np.float32)
            else:
                values = getattr(snapshot, _OF_SNAPSHOT[name])
            if values is None:
                raise SceneError(f"channels: this simulation has no {name}")
            columns[name] = values
        return columns

    def close(self) -> None:
        """Gives the file its name, if it is not closed already. A file without frames is refused."""
        stage, self._stage = self._stage, None
        if stage is None:
            return
        try:
            if self._particles is None:
                raise SceneError(f"{stage.path}: no frame was added to this USD file")
            stage.commit()
        finally:
            stage.discard()

    def discard(self) -> None:
        """Removes what was written; a file of that name from before stays."""
        stage, self._stage = self._stage, None
        if stage is not None:
            stage.discard()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()


class _Run:
    """What a run's folder keeps, by frame."""

    def __init__(self, path: Path, only: str | None) -> None:
        # Of a run, or what is made of one elsewhere leaves a copy.
        scenes = [path / name for name in ("scene.toml", "exported-scene.toml") if (path / name).is_file()]
        if not scenes:
            raise FileError(f"{path}: there is no run in this folder (no scene.toml), and nothing made of one")
        self.path = path
        self.scene = load(scenes[0])
        self.particles = _run_files.frames_in(path / "particles", "particles", ("npz", "ply"))
        self.tracers = _run_files.frames_in(path / "particles", "tracers", ("npz", "ply"))
        self.surfaces = _run_files.frames_in(path / "surfaces", "surface", ("ply", "obj"))
        index = {collider.name: i for i, collider in enumerate(self.scene.colliders)}
        bodies = _run_files.read_bodies(path / "stats.jsonl")
        self.poses = {
            frame: {index[name]: pose for name, pose in at.items() if name in index} for frame, at in bodies.items()
        }
        if only == "surfaces":
            self.particles, self.tracers = {}, {}
        elif only == "particles":
            self.surfaces = {}
        if not self.particles and not self.surfaces:
            what = only or "particle files (npz, ply) or surfaces (ply, obj)"
            raise FileError(
                f"{path}: this run keeps no {what}; run it again with --set 'output.particles=[\"npz\"]', or make them by "
                "firn convert --to npz, firn mesh --to ply"
            )

    def frames(self, first: int | None, last: int | None) -> list[int]:
        """Those in the range, ascending. Both ends, and between two ends all, must be there with all that others have."""
        kept = {**self.particles, **self.surfaces}
        wanted = sorted(frame for frame in kept if (first or 0) <= frame and (last is None or frame <= last))
        required = {frame for frame in (first, last) if frame is not None}
        if first is not None and last is not None:
            required.update(range(first, last + 1))
        particles, surfaces = ("particle", self.particles), ("surface", self.surfaces)
        for (kind, files), (other, more) in ((particles, surfaces), (surfaces, particles)):
            if not files or (wanted and files.keys().isdisjoint(wanted)):
                continue
            missing = sorted((required | set(wanted)) - files.keys())
            if missing:
                there = _run_files.ranges_of(list(files))
                hint = f"; choose other frames, or only {other}s" if missing[0] in more else ""
                raise FileError(f"{self.path}: there is no {kind} file of frame {missing[0]}; kept: {there}{hint}")
        return wanted


def export(
    run: str | os.PathLike[str],
    path: str | os.PathLike[str] | None = None,
    frames: Frames = (None, None),
    channels: Sequence[str] | None = None,
    by: str | None = None,
    only: str | None = None,
    start: float = 0,
) -> Path:
    """Writes a run's particle files and surfaces, its colliders and its camera to one USD file, and returns its path.

    Parameters
    ----------
    run
        The folder of a run of `firn run`, or one that `firn convert` or `firn mesh` has written to.
    path
        Ends in .usdc, .usd (binary both) or .usda (text); by default NAME.usdc in the run's folder NAME.
    frames
        The first and the last one, None: from the first, or to the last, that is kept.
    channels
        Which become primvars, beside velocities and ids; by default all that the files hold. "id" makes one of the ids,
        which Blender reads as it does not USD's own: 32 bits with a sign.
    by
        "material", "body" or "all": what the particles of a prim have in common. By default the material, where the
        files tell it.
    only
        "particles" or "surfaces", without all else.
    start
        The time code of frame 0; pipelines that begin at frame 1001 want 1001.

    Raises FileError for files that are not there, that cannot be read or that lack a channel, and SceneError for names
    that nothing has. The file is written whole or not at all.
    """
    _checked("by", by, _SORTS)
    _checked("only", only, ("particles", "surfaces"))
    parts = _parts()
    kept = _Run(Path(run), only)
    scene, d = kept.scene, kept.scene.simulation.dimension
    name = kept.path.resolve().name  # that of the scene is lost: a run's scene is scene.toml
    target = _checked_path(kept.path / f"{name}.usdc" if path is None else path)
    wanted, chosen = kept.frames(*frames), _checked_channels(channels)
    stage = parts.Stage(target, scene, name, start)
    try:
        particles = tracers = None
        surfaces = parts.Surfaces(stage, scene)
        posed = {i for at in kept.poses.values() for i in at}
        around = parts.Surroundings(stage, scene, posed) if only is None else None
        for frame in wanted:
            if frame in kept.particles:
                columns = _run_files.read_particles(kept.particles[frame], d)
                particles = particles or parts.Particles(stage, scene, columns, chosen, by)
            stage.begin(float(frame))
            if frame in kept.particles:
                particles.add(columns, kept.particles[frame])
            if any(frame in kept.tracers for frame in wanted):
                none = {"position": np.zeros((0, d), np.float32), "body": np.zeros(0, np.uint16)}
                columns = _run_files.read_particles(kept.tracers[frame], d) if frame in kept.tracers else none
                tracers = tracers or parts.tracers(stage, scene, columns, _tracers_per_cell(scene))
                tracers.add(columns, kept.tracers.get(frame))
            if frame in kept.surfaces:
                surfaces.add(kept.surfaces[frame])
            if around is not None:
                around.add(frame / scene.simulation.fps, kept.poses.get(frame, {}))
            stage.end()
        stage.commit()
    finally:
        stage.discard()
    return target


def _frames_of(text: str) -> Frames:
    found = re.fullmatch(r"(\d*)(:?)(\d*)", text)
    if not text or not found or (not found[2] and not found[1]):
        raise SceneError(f"--frames: '{text}' is no range of frames, such as 12, 0:24, 24: or :24")
    first = int(found[1]) if found[1] else None
    last = (int(found[3]) if found[3] else None) if found[2] else first
    if first is not None and last is not None and last < first:
        raise SceneError(f"--frames: '{text}' ends before it begins")
    return first, last


def main(arguments: Sequence[str] | None = None) -> int:
    """Of `python -m firn.usd`; returns the exit code, as the program `firn` has them."""
    parser = argparse.ArgumentParser(
        prog="python -m firn.usd", description="Writes a run's particles, surfaces, colliders and camera as USD."
    )
    parser.add_argument("run", metavar="RUN", help="folder of a run")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help=".usdc, .usda or .usd (default: RUN/NAME.usdc, after the folder's name)"
    )
    parser.add_argument("--frames", metavar="A:B", help="these frames only, A and B among them (also A:, :B, A)")
    parser.add_argument("--channels", metavar="NAME,...", help="primvars (default: all channels that the files hold)")
    parser.add_argument("--by", choices=_SORTS, help="what particles of a prim have in common (default: the material)")
    parser.add_argument("--only", choices=("particles", "surfaces"), help="without the others")
    parser.add_argument("--start", metavar="CODE", type=float, default=0, help="time code of frame 0 (default: 0)")
    given = parser.parse_args(arguments)
    try:
        frames = _frames_of(given.frames) if given.frames is not None else (None, None)
        channels = given.channels.split(",") if given.channels is not None else None
        path = export(given.run, given.output, frames, channels, given.by, given.only, given.start)
    except Error as error:
        print(f"firn.usd: {error}", file=sys.stderr)
        return error.exit_code
    print(f"{path}: {path.stat().st_size / 2**20:.1f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
