"""What of particles and surfaces goes into a stage of USD: which prims, which attributes, which colours."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from . import _run_files
from ._usd_stage import Mesh, Points, Stage
from ._usd_surroundings import Surroundings, pose_of
from .errors import FileError, SceneError
from .scene import Scene

__all__ = ["Particles", "Stage", "Surfaces", "Surroundings", "pose_of", "tracers", "unknown_channel"]

Columns = dict[str, np.ndarray]  # by channel, of n particles: (n), (n, d) or (n, d, d)

# What USD has attributes for.
_ATTRIBUTES = ("position", "velocity", "id")


def unknown_channel(name: str, known: Iterable[str]) -> SceneError:
    names = sorted(set(known) - {"position"})
    close = difflib.get_close_matches(name, names, 1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    return SceneError(f"channels: there is no '{name}' (there are {', '.join(names)}){hint}")


class _Colors:
    """Those of materials, and behind them those of bodies that have one of their own: rows of a table."""

    def __init__(self, scene: Scene) -> None:
        bodies = [*scene.bodies, *scene.sources]  # as particles count them
        own = [i for i, body in enumerate(scene.bodies) if body.color is not None]
        materials = [material.color for material in scene.materials]
        self.table = np.array([*materials, *(scene.bodies[i].color for i in own)], np.float64)
        # Last the one that particles have which a program has added: nothing but their material tells their colour.
        self.material_of = np.array([*(body.material for body in bodies), 0], np.int32)
        self._own = {body: len(materials) + k for k, body in enumerate(own)}

    def of_body(self, body: int) -> int:
        return self._own.get(body, int(self.material_of[body]))

    def of_material(self, material: int, with_bodies: bool) -> list[int]:
        own = [row for body, row in self._own.items() if self.material_of[body] == material]
        return [material, *(own if with_bodies else [])]

    def of_particles(self, columns: Columns) -> np.ndarray | None:
        """The row of each; None where neither material nor body tells."""
        if "material" in columns:
            rows = columns["material"].astype(np.int32)
        elif "body" in columns:
            rows = self.material_of[columns["body"]]
        elif len(self.table) == 1:
            rows = np.zeros(len(columns["position"]), np.int32)
        else:
            return None
        for body, row in self._own.items() if "body" in columns else ():
            rows[columns["body"] == body] = row
        return rows


class _Group:
    """Particles with a prim of their own: those whose `kind` is `index`, or all."""

    def __init__(self, points: Points, index: int | None, chosen: list[int], colors: int) -> None:
        self.points = points
        self._index = index
        self._place = np.zeros(colors, np.int32)
        self._place[chosen] = np.arange(len(chosen))

    def rows(self, kinds: np.ndarray | None) -> slice | np.ndarray:
        return slice(None) if kinds is None or self._index is None else np.flatnonzero(kinds == self._index)

    def palette_rows(self, colors: np.ndarray) -> np.ndarray:
        return self._place[colors]


class Particles:
    """Frames of particles. `columns`, the first of them, decides which attributes there are."""

    def __init__(
        self,
        stage: Stage,
        scene: Scene,
        columns: Columns,
        channels: Sequence[str] | None = None,
        by: str | None = None,
        name: str = "particles",
        per_cell: float | None = None,
    ) -> None:
        """`per_cell` tells their size where `columns` has no volumes; by default 2^d."""
        self._scene = scene
        d = scene.simulation.dimension
        self._volume = scene.grid.dx**d / (per_cell or 2**d)
        self._colors = _Colors(scene)
        one_material = len(scene.materials) == 1
        self._by = by or ("material" if one_material or "material" in columns else "all")
        if not (self._by == "all" or self._by in columns or (self._by == "material" and one_material)):
            raise FileError(
                f"points by {self._by} need the channel {self._by}, which the files do not hold (they hold "
                f"{', '.join(columns)}); run again with it in output.channels"
            )
        for channel in channels or ():
            if channel not in columns:
                raise unknown_channel(channel, columns)
        # The index that all particles of a prim share says nothing. Not all readers know USD's own ids.
        left_out = {*_ATTRIBUTES, self._by} if channels is None else {*_ATTRIBUTES} - {"id"}
        chosen = columns if channels is None else channels
        self._channels = [channel for channel in dict.fromkeys(chosen) if channel not in left_out]
        self._needed = set(columns)
        self._stage, self._name = stage, name
        self._groups = list(self._make_groups(columns))
        self._bodies = len(scene.bodies) + len(scene.sources)
        self._has_added = False

    def _make_groups(self, columns: Columns) -> Iterable[_Group]:
        """Also of bodies and materials that have no particles yet."""
        colors, name, with_bodies = self._colors, self._name, "body" in columns
        if self._by == "all":
            known = colors.of_particles(columns) is not None
            sorts = [("", name, None, list(range(len(colors.table))) if known else [])]
        elif self._by == "body":
            bodies = [*self._scene.bodies, *self._scene.sources]
            sorts = [(name, body.name, i, [colors.of_body(i)]) for i, body in enumerate(bodies)]
        else:
            materials = enumerate(self._scene.materials)
            sorts = [(name, material.name, i, colors.of_material(i, with_bodies)) for i, material in materials]
        for folder, label, index, chosen in sorts:
            yield self._group(folder, label, index, chosen)

    def _group(self, folder: str, label: str, index: int | None, chosen: list[int]) -> _Group:
        table = self._colors.table
        points = Points(self._stage, self._stage.place(folder, label), label, table[chosen])
        return _Group(points, index, chosen, len(table))

    def add(self, columns: Columns, where: object) -> None:
        """A frame; `where` is the file it is from, for errors."""
        missing = self._needed - columns.keys()
        if missing:
            raise FileError(
                f"{where}: it holds no {', '.join(sorted(missing))}, as the frames before it do; choose other frames, "
                "or run again with the same output.channels throughout"
            )
        # Particles that a program has added count as a body behind all others.
        for channel, known in (("material", len(self._scene.materials)), ("body", self._bodies + 1)):
            if channel in columns and columns[channel].max(initial=0) >= known:
                raise FileError(f"{where}: its {channel} {columns[channel].max()} is none of the scene's")
        if self._by == "body" and not self._has_added and (columns["body"] == self._bodies).any():
            self._has_added = True
            materials = list(range(len(self._scene.materials)))
            self._groups.append(self._group(self._name, "added", self._bodies, materials))
            with self._stage.rewound():
                self._add_to(self._groups[-1], {name: values[:0] for name, values in columns.items()})
        for group in self._groups:
            rows = group.rows(columns.get(self._by))
            self._add_to(group, {name: values[rows] for name, values in columns.items()})

    def _add_to(self, group: _Group, columns: Columns) -> None:
        own = {name: values for name, values in columns.items() if name in self._needed}
        colors = self._colors.of_particles(own)
        group.points.add(
            own["position"],
            self._widths(own),
            own.get("velocity"),
            own.get("id"),
            None if colors is None else group.palette_rows(colors),
            {channel: own[channel] for channel in self._channels},
        )

    def _widths(self, columns: Columns) -> np.ndarray:
        """Diameters of balls, in the plane of discs, of the volume at rest."""
        d, n = self._scene.simulation.dimension, len(columns["position"])
        volume = columns.get("volume", np.full(n, self._volume))
        return np.power((2 * d / np.pi) * volume.astype(np.float64), 1 / d).astype(np.float32)


def tracers(stage: Stage, scene: Scene, columns: Columns, per_cell: float) -> Particles:
    """Massless points of a liquid: one prim for all, coloured by body."""
    return Particles(stage, scene, columns, by="all", name="tracers", per_cell=per_cell)


class Surfaces:
    """Frames of surfaces, a mesh for each material of the scene."""

    def __init__(self, stage: Stage, scene: Scene) -> None:
        self._stage = stage
        self._names = [material.name for material in scene.materials]
        self._meshes: list[Mesh] = []
        self._kind: tuple[str, set[str]] = ("", set())

    def add(self, path: Path) -> None:
        surfaces = _run_files.read_surfaces(path, self._names)
        kind = (path.suffix, set(surfaces[0].channels))  # OBJ has neither velocities nor channels
        if not self._meshes:
            self._meshes = [Mesh(self._stage, self._stage.place("surfaces", name), name) for name in self._names]
            self._kind = kind
        if kind[0] != self._kind[0]:
            raise FileError(f"{path}: the frames before it have surfaces of another format; keep one of them")
        if kind != self._kind:
            odd = ", ".join(sorted(kind[1] ^ self._kind[1]))
            raise FileError(
                f"{path}: of its vertices and those of the frames before it only some have {odd}; make all anew by firn mesh"
            )
        for mesh, s in zip(self._meshes, surfaces):
            mesh.add(s.positions, s.normals, s.color, s.velocity, s.triangles, s.channels)
