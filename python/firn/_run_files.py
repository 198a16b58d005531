"""What `firn run` and `firn mesh` leave in a run's folder, read back: particles (NPZ, PLY) and surfaces (PLY, OBJ). Nothing
else is tried: a file that is not what Firn writes is named and refused."""

from __future__ import annotations

import json
import re
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import numpy as np

from .errors import FileError

# Of PLY, in the byte order that Firn writes.
_TYPES = {"float": "<f4", "uchar": "u1", "ushort": "<u2", "uint": "<u4"}
# Of vertices of surfaces, where files have them.
_SURFACE_CHANNELS = ("body", "temperature", "nearest_id")
_TENSOR = re.compile(r"(.+)_([0-2])([0-2])")
_VECTOR = re.compile(r"(.+)_([xyz])")


@dataclass
class Surface:
    """Of one material in one frame: all its surfaces as one mesh of triangles, in single precision."""

    name: str
    positions: np.ndarray  # (n, 3), m
    normals: np.ndarray  # (n, 3)
    color: np.ndarray  # (n, 3), sRGB in [0, 1]
    velocity: np.ndarray | None  # (n, 3), m/s; OBJ has none
    triangles: np.ndarray  # (m, 3)
    channels: dict[str, np.ndarray] = field(default_factory=dict)  # what else vertices have: (n) each


def ranges_of(frames: list[int]) -> str:
    """As "0 to 8, 24"."""
    ranges: list[list[int]] = []
    for frame in sorted(frames):
        if ranges and frame == ranges[-1][1] + 1:
            ranges[-1][1] = frame
        else:
            ranges.append([frame, frame])
    return ", ".join(str(a) if a == b else f"{a} to {b}" for a, b in ranges)


def frames_in(folder: Path, prefix: str, extensions: tuple[str, ...]) -> dict[int, Path]:
    """Numbered files by frame; of one that is there several times the extension that is named first."""
    found = {}
    for extension in reversed(extensions):
        for path in folder.glob(f"{prefix}_*.{extension}"):
            digits = path.name[len(prefix) + 1 : -len(extension) - 1]
            if re.fullmatch(r"\d{6,}", digits):
                found[int(digits)] = path
    return dict(sorted(found.items()))


def _refuse(path: Path, reason: str, kind: str = "particle") -> NoReturn:
    raise FileError(f"{path}: cannot read this {kind} file: {reason}")


def _bytes_of(path: Path, kind: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        _refuse(path, error.strerror or str(error), kind)


def read_bodies(path: Path) -> dict[int, dict[str, tuple[np.ndarray, np.ndarray]]]:
    """Of a run's stats.jsonl, by frame and name, where bodies that material moves are: a point x of one at rest is at
    rotation x + offset. Lines that a killed run has not finished, and a file that is not there, say nothing."""
    frames: dict[int, dict[str, tuple[np.ndarray, np.ndarray]]] = {}
    began: dict[str, np.ndarray] = {}  # their centres of mass in the scene
    if not path.is_file():
        return frames
    for text in _bytes_of(path, "statistics").splitlines():
        try:
            line = json.loads(text)
            bodies = {body["collider"]: (body["rotation"], body["center_of_mass"]) for body in line["bodies"]}
            for name, (rows, center) in bodies.items():
                rotation, now = np.reshape(np.array(rows, np.float64), (3, 3)), np.array(center, np.float64)
                offset = now - rotation @ began.setdefault(name, now)
                frames.setdefault(int(line["frame"]), {})[name] = (rotation, offset)
        except (ValueError, KeyError, TypeError):
            continue
    return frames


def read_particles(path: Path, dimension: int) -> dict[str, np.ndarray]:
    """Channels by name, of n particles: (n), (n, d) or (n, d, d)."""
    try:
        channels = _read_npz(path) if path.suffix == ".npz" else _read_ply(path, dimension)
    except (ValueError, IndexError):
        _refuse(path, "Firn did not write it")
    positions = channels.get("position")
    if positions is None or positions.ndim != 2:
        _refuse(path, "it has no positions")
    if positions.shape[1] != dimension:
        _refuse(path, f"it has {positions.shape[1]} dimensions, the scene {dimension}")
    for name, values in channels.items():
        if len(values) != len(positions):
            _refuse(path, f"its {name} has another number of particles")
        if values.shape[1:] not in ((), (dimension,), (dimension, dimension)):
            _refuse(path, f"its {name} is of shape {values.shape}")
    return channels


def _read_npz(path: Path) -> dict[str, np.ndarray]:
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except (OSError, EOFError, AttributeError, zipfile.BadZipFile) as error:
        _refuse(path, str(error))


def _split_header(path: Path, data: bytes, kind: str) -> tuple[list[str], int]:
    """Lines of a PLY file's header, and where it ends."""
    start, end = b"ply\nformat binary_little_endian 1.0\n", b"\nend_header\n"
    at = data.find(end)
    if not data.startswith(start) or at < 0:
        _refuse(path, "Firn did not write it", kind)
    return data[:at].decode("latin-1").split("\n"), at + len(end)


def _vertices(path: Path, kind: str) -> tuple[np.ndarray, list[str], bytes]:
    """The vertices of a PLY file as a structured array, all lines of its header, and what comes behind the vertices."""
    data = _bytes_of(path, kind)
    lines, at = _split_header(path, data, kind)
    element, count, row = "", 0, []
    for line in lines:
        words = line.split()
        if words[:1] == ["element"]:
            element = words[1]
            count = int(words[2]) if element == "vertex" else count
        elif words[:1] == ["property"] and element == "vertex":
            if words[1] not in _TYPES:
                _refuse(path, "Firn did not write it", kind)
            row.append((words[2], _TYPES[words[1]]))
    dtype = np.dtype(row)
    if len(data) < at + count * dtype.itemsize:
        _refuse(path, "it is truncated", kind)
    return np.frombuffer(data, dtype, count, at), lines, data[at + count * dtype.itemsize :]


def _columns(rows: np.ndarray, names: list[str]) -> np.ndarray:
    return np.stack([rows[name] for name in names], axis=-1)


def _read_ply(path: Path, dimension: int) -> dict[str, np.ndarray]:
    rows, _, rest = _vertices(path, "particle")
    if rest:
        _refuse(path, "its size is not that of its particles")
    names = rows.dtype.names or ()
    if not {"x", "y", "z"} <= set(names):
        return {}
    # Vectors have three components, also in the plane.
    axes = "xyz"[:dimension]
    channels = {"position": _columns(rows, list(axes))}
    for name in names:
        if name in ("x", "y", "z", "vy", "vz"):
            continue
        if name == "vx":
            channels["velocity"] = _columns(rows, ["v" + axis for axis in axes])
        elif tensor := _TENSOR.fullmatch(name):
            if tensor[2] == tensor[3] == "0":
                all_of = [f"{tensor[1]}_{i}{j}" for i in range(dimension) for j in range(dimension)]
                channels[tensor[1]] = _columns(rows, all_of).reshape(-1, dimension, dimension)
        elif vector := _VECTOR.fullmatch(name):
            if vector[2] == "x":
                channels[vector[1]] = _columns(rows, [f"{vector[1]}_{axis}" for axis in axes])
        else:
            channels[name] = np.ascontiguousarray(rows[name])
    return channels


def read_surfaces(path: Path, materials: list[str]) -> list[Surface]:
    """One of each of `materials`, the scene's, of no vertices where a material has no surface in this frame."""
    try:
        return _read_surface_ply(path, materials) if path.suffix == ".ply" else _read_obj(path, materials)
    except (ValueError, IndexError):
        _refuse(path, "it is truncated, or Firn did not write it", "surface")


def _read_surface_ply(path: Path, materials: list[str]) -> list[Surface]:
    rows, lines, rest = _vertices(path, "surface")
    count = next((int(line.split()[2]) for line in lines if line.startswith("element face ")), -1)
    face = np.dtype([("corners", "u1"), ("vertices", "<u4", 3)])
    if len(rest) != count * face.itemsize or "material" not in (rows.dtype.names or ()):
        _refuse(path, "it is truncated, or Firn did not write it", "surface")
    triangles = np.frombuffer(rest, face)["vertices"].astype(np.int64)
    if triangles.size and triangles.max() >= len(rows):
        _refuse(path, "its triangles have vertices that are not there", "surface")
    others = [channel for channel in _SURFACE_CHANNELS if channel in (rows.dtype.names or ())]
    if rows["material"].max(initial=0) >= len(materials):
        _refuse(path, f"it has a material {rows['material'].max()}, the scene {len(materials)}", "surface")
    surfaces = []
    for index, name in enumerate(materials):
        chosen = np.flatnonzero(rows["material"] == index)
        place = np.zeros(len(rows), np.int64)
        place[chosen] = np.arange(len(chosen))
        own = rows[chosen]
        of_material = rows["material"][triangles[:, 0]] == index
        surfaces.append(
            Surface(
                name,
                _columns(own, ["x", "y", "z"]),
                _columns(own, ["nx", "ny", "nz"]),
                _columns(own, ["red", "green", "blue"]).astype(np.float32) / np.float32(255),
                _columns(own, ["vx", "vy", "vz"]),
                place[triangles[of_material]],
                {channel: np.ascontiguousarray(own[channel]) for channel in others},
            )
        )
    return surfaces


def _material_of(name: str, materials: list[str]) -> str | None:
    """Several surfaces of one material are MATERIAL_1, MATERIAL_2, ..."""
    stem = re.sub(r"_\d+$", "", name)
    return name if name in materials else stem if stem in materials else None


def _read_obj(path: Path, materials: list[str]) -> list[Surface]:
    # Of each object its vertices, normals and faces as text, numbers of vertices running on through the file.
    objects: list[tuple[str, dict[str, list[str]]]] = []
    for line in _bytes_of(path, "surface").decode("utf-8", "replace").splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "o":
            objects.append((rest, {"v": [], "vn": [], "f": []}))
        elif kind in ("v", "vn", "f") and objects:
            objects[-1][1][kind].append(rest)
    none = np.zeros((0, 3), np.float32)
    nothing = np.zeros((0, 3), np.int64)
    parts = {name: [Surface(name, none, none, none, None, nothing)] for name in materials}
    first = 1
    for name, texts in objects:
        material = _material_of(name, materials)
        if material is None:
            _refuse(path, f"it has an object '{name}', and the scene no such material", "surface")
        vertices = np.array(" ".join(texts["v"]).split(), np.float32).reshape(-1, 6)
        normals = np.array(" ".join(texts["vn"]).split(), np.float32).reshape(-1, 3)
        corners = np.array(" ".join(texts["f"]).replace("//", " ").split(), np.int64).reshape(-1, 6)
        triangles = corners[:, ::2] - first
        if len(normals) != len(vertices) or (
            triangles.size and not 0 <= triangles.min() <= triangles.max() < len(vertices)
        ):
            _refuse(path, "it is truncated, or Firn did not write it", "surface")
        first += len(vertices)
        mesh = Surface(material, vertices[:, :3], normals, vertices[:, 3:], None, triangles)
        parts[material].append(mesh)
    return [_joined(parts[name]) for name in materials]


def _joined(meshes: list[Surface]) -> Surface:
    offsets = np.cumsum([0, *(len(mesh.positions) for mesh in meshes)])
    return Surface(
        meshes[0].name,
        np.concatenate([mesh.positions for mesh in meshes]),
        np.concatenate([mesh.normals for mesh in meshes]),
        np.concatenate([mesh.color for mesh in meshes]),
        None,
        np.concatenate([mesh.triangles + offset for mesh, offset in zip(meshes, offsets)]),
    )
