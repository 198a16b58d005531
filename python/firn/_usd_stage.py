"""A stage of USD that grows by frames. Only this file knows `pxr`.

All time samples are in one file, which every reader takes, and which may be moved. It is a crate file that is saved piece
by piece while it grows: what is saved lies in the file alone, so that memory holds a few frames however many there are.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Gf, Kind, Sdf, Tf, Usd, UsdGeom, Vt

from . import _firn
from .errors import FileError
from .scene import Scene

# Bytes of time samples that memory may hold before they are saved.
_PIECE = 64 * 2**20
# A temporary that a killed run leaves behind has an ending by which `firn run` knows and removes it.
_TEMPORARY = ".firn-tmp"
_counter = itertools.count()


def up_axis(gravity: list[float], dimension: int) -> str:
    """As the other exports tell it: against gravity's largest component, +y without gravity."""
    axis = 1
    for i in range(dimension):
        if abs(gravity[i]) > abs(gravity[axis]):
            axis = i
    return ("-" if gravity[axis] > 0 else "") + "xyz"[axis]


# USD knows +Y and +Z only. Otherwise the root prim is turned about an axis (degrees), and what is below it stays as it was.
_UP = {
    "y": ("Y", None, 0),
    "z": ("Z", None, 0),
    "-y": ("Y", "RotateZ", 180),
    "x": ("Y", "RotateZ", 90),
    "-x": ("Y", "RotateZ", -90),
    "-z": ("Z", "RotateX", 180),
}

# By the type of a primvar, its type in USD, that of its array, and NumPy's.
_KINDS = {
    "float": (Sdf.ValueTypeNames.FloatArray, Vt.FloatArray, np.float32),
    "int": (Sdf.ValueTypeNames.IntArray, Vt.IntArray, np.int32),
    "vector": (Sdf.ValueTypeNames.Vector3fArray, Vt.Vec3fArray, np.float32),
    "row": (Sdf.ValueTypeNames.Float3Array, Vt.Vec3fArray, np.float32),
}


def _array(kind: Any, values: np.ndarray, dtype: Any) -> Any:
    return kind.FromNumpy(np.ascontiguousarray(values, dtype))


def _vec3f(values: np.ndarray) -> Any:
    return _array(Vt.Vec3fArray, values, np.float32)


def in_space(values: np.ndarray) -> np.ndarray:
    """Vectors and tensors of the plane with zeros, tensors as rows of nine."""
    padded = np.pad(values, [(0, 0)] + [(0, 3 - n) for n in values.shape[1:]]) if values.ndim > 1 else values
    return padded.reshape(len(padded), 9) if padded.ndim == 3 else padded


def linear(srgb: np.ndarray) -> np.ndarray:
    """What USD means by a colour: without the transfer function of sRGB (IEC 61966-2-1)."""
    c = np.asarray(srgb, np.float64)
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4).astype(np.float32)


class Stage:
    """A file `path` that is there when `commit` returns, whole, and not before."""

    def __init__(self, path: Path, scene: Scene, name: str, start: float = 0) -> None:
        """`name` is that of the root prim, as far as USD takes it; `start` the time code of frame 0."""
        self.path, self._start = path, start
        stem = f".{path.name}.{os.getpid()}-{next(_counter)}"
        self._part, self._text = path.with_name(stem + _TEMPORARY), path.with_name(stem + ".usda")
        self._pending = 0
        try:
            self._part.write_bytes(b"")  # proves the folder writable before anything is computed
        except OSError as error:
            raise FileError(f"{path}: cannot write: {error.strerror}") from None
        self._part.unlink()
        self._layer = Sdf.Layer.New(Sdf.FileFormat.FindById("usdc"), str(self._part))
        self._stage = Usd.Stage.Open(self._layer)
        self._first: float | None = None
        self._code = 0.0
        self._describe(scene, name)

    def _describe(self, scene: Scene, name: str) -> None:
        settings = scene.simulation
        up = up_axis(settings.gravity, settings.dimension)
        axis, turn, degrees = _UP[up]
        UsdGeom.SetStageUpAxis(self._stage, axis)
        UsdGeom.SetStageMetersPerUnit(self._stage, 1.0)
        self._stage.SetTimeCodesPerSecond(settings.fps)
        self._stage.SetFramesPerSecond(settings.fps)
        self._layer.documentation = f"Written by Firn {_firn.VERSION}. Time codes are frames; units are m, kg, s, K."
        about = {
            "version": _firn.VERSION,
            "title": scene.title,
            "source": scene.source,
            "up_axis": up,
            "dx": scene.grid.dx,
        }
        self._layer.customLayerData = {"firn": about}
        root = UsdGeom.Xform.Define(self._stage, "/" + Tf.MakeValidIdentifier(name or "scene"))
        if turn:
            getattr(root, f"Add{turn}Op")().Set(float(degrees))
        Usd.ModelAPI(root).SetKind(Kind.Tokens.component)
        self._stage.SetDefaultPrim(root.GetPrim())
        self.root = str(root.GetPath())

    def place(self, folder: str, name: str) -> str:
        """A path below the root, in a scope if `folder` names one; names that USD refuses or that are taken change."""
        below = f"{self.root}/{folder}" if folder else self.root
        if folder:
            UsdGeom.Scope.Define(self._stage, below)
        valid = Tf.MakeValidIdentifier(name)
        candidates = (valid if i == 0 else f"{valid}_{i}" for i in itertools.count())
        return next(path for path in (f"{below}/{name}" for name in candidates) if not self._stage.GetPrimAtPath(path))

    def define(self, kind: Any, path: str, label: str) -> Any:
        prim = kind.Define(self._stage, path)
        prim.GetPrim().SetCustomDataByKey("firn:name", label)
        return prim

    def begin(self, code: float) -> None:
        """Of the next frame, later than all before."""
        code += self._start
        self._first = code if self._first is None else self._first
        self._code = code
        self._stage.SetStartTimeCode(self._first)
        self._stage.SetEndTimeCode(code)

    @contextmanager
    def rewound(self) -> Iterator[None]:
        """What is set within is of the first frame."""
        code = self._code
        self._code = code if self._first is None else self._first
        try:
            yield
        finally:
            self._code = code

    def set(self, attribute: Any, values: Any) -> None:
        """An array of this frame."""
        attribute.Set(values, self._code)
        self._pending += np.asarray(values).nbytes

    def end(self) -> None:
        if self._pending >= _PIECE:
            self._save()

    def _save(self) -> None:
        self._checked(self._layer.Save)
        self._pending = 0

    def _checked(self, write: Callable[[], bool]) -> None:
        try:
            if write():
                return
            words = "it says no more"
        except Tf.ErrorException as error:
            # In quotation marks, behind a place in USD's sources; a full disk is told as what could not be read back.
            words = (re.findall(r"'([^']*)'\s*$", str(error)) or [str(error)])[0]
        raise FileError(f"{self.path}: OpenUSD cannot write it ({words.strip()}); is there room on the disk?")

    def commit(self) -> None:
        """Gives the file its name. `discard` is still to follow."""
        self._save()
        part = self._part
        if self.path.suffix == ".usda":
            part = self._text
            self._checked(lambda: self._layer.Export(str(part)))
        self._close()
        try:
            with open(part, "rb") as file:
                os.fsync(file.fileno())
            os.replace(part, self.path)
        except OSError as error:
            raise FileError(f"{self.path}: cannot write: {error.strerror}") from None

    def _close(self) -> None:
        self._stage = self._layer = None

    def discard(self) -> None:
        """Removes what has no name yet."""
        self._close()
        for part in (self._part, self._text):
            part.unlink(missing_ok=True)


class Points:
    """UsdGeomPoints of one group of particles."""

    def __init__(self, stage: Stage, path: str, label: str, palette: np.ndarray) -> None:
        """`palette` has the colours (sRGB) that `add` chooses from: one for all particles if it has one row, or none."""
        self._stage = stage
        self._points = stage.define(UsdGeom.Points, path, label)
        self._primvars = UsdGeom.PrimvarsAPI(self._points)
        self._indices: Any = None
        if len(palette) > 0:
            many = len(palette) > 1
            color = self._points.CreateDisplayColorPrimvar(UsdGeom.Tokens.vertex if many else UsdGeom.Tokens.constant)
            color.Set(_vec3f(linear(palette)))
            self._indices = color.CreateIndicesAttr() if many else None

    def add(
        self,
        position: np.ndarray,
        widths: np.ndarray,
        velocity: np.ndarray | None,
        ids: np.ndarray | None,
        colors: np.ndarray | None,
        channels: dict[str, np.ndarray],
    ) -> None:
        """A frame of n particles, which may be another number than before: arrays of shape (n, ...) in d dimensions."""
        points, put = self._points, self._stage.set
        x, w = _vec3f(in_space(position)), _array(Vt.FloatArray, widths, np.float32)
        put(points.CreatePointsAttr(), x)
        put(points.CreateWidthsAttr(), w)
        put(points.CreateExtentAttr(), UsdGeom.Points.ComputeExtent(x, w))
        if velocity is not None:
            put(points.CreateVelocitiesAttr(), _vec3f(in_space(velocity)))
        if ids is not None:
            put(points.CreateIdsAttr(), _array(Vt.Int64Array, ids, np.int64))
        if self._indices is not None and colors is not None:
            put(self._indices, _array(Vt.IntArray, colors, np.int32))
        _add_primvars(self._stage, self._primvars, channels)


def _add_primvars(stage: Stage, primvars: UsdGeom.PrimvarsAPI, channels: dict[str, np.ndarray]) -> None:
    for name, values in channels.items():
        for own, kind, column in _primvars_of(name, values):
            type_name, array, dtype = _KINDS[kind]
            primvar = primvars.CreatePrimvar(own, type_name, UsdGeom.Tokens.vertex)
            stage.set(primvar.GetAttr(), _array(array, column, dtype))


def _primvars_of(name: str, values: np.ndarray) -> Iterator[tuple[str, str, np.ndarray]]:
    """Tensors row by row: Blender reads nine numbers for each particle as zeros, and of matrices nothing."""
    if values.ndim < 3:
        kind = "vector" if values.ndim == 2 else "int" if values.dtype.kind in "iu" else "float"
        yield name, kind, in_space(values)
        return
    rows = in_space(values).reshape(-1, 3, 3)
    for i in range(3):
        yield f"{name}_{i}", "row", rows[:, i]


class Mesh:
    """UsdGeomMesh of one material's surfaces, whose triangles are others in every frame."""

    def __init__(self, stage: Stage, path: str, label: str) -> None:
        self._stage = stage
        self._mesh = stage.define(UsdGeom.Mesh, path, label)
        self._mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
        self._mesh.SetNormalsInterpolation(UsdGeom.Tokens.vertex)
        self._primvars = UsdGeom.PrimvarsAPI(self._mesh)
        self._color = self._mesh.CreateDisplayColorPrimvar(UsdGeom.Tokens.vertex)
        self._indices = self._color.CreateIndicesAttr()

    def add(
        self,
        positions: np.ndarray,
        normals: np.ndarray,
        color: np.ndarray,
        velocity: np.ndarray | None,
        triangles: np.ndarray,
        channels: dict[str, np.ndarray],
    ) -> None:
        """A frame, of no vertices where the material has no surface."""
        mesh, put, x = self._mesh, self._stage.set, _vec3f(positions)
        put(mesh.CreatePointsAttr(), x)
        put(mesh.CreateExtentAttr(), UsdGeom.PointBased.ComputeExtent(x))
        put(mesh.CreateNormalsAttr(), _vec3f(normals))
        # Most surfaces have one colour, of which a sample then holds one.
        alike = len(color) > 0 and bool((color == color[0]).all())
        put(self._color.GetAttr(), _vec3f(linear(color[:1] if alike else color)))
        put(self._indices, _array(Vt.IntArray, np.zeros(len(color)) if alike else np.arange(len(color)), np.int32))
        put(mesh.CreateFaceVertexCountsAttr(), Vt.IntArray(len(triangles), 3))
        put(mesh.CreateFaceVertexIndicesAttr(), _array(Vt.IntArray, triangles.reshape(-1), np.int32))
        if velocity is not None:
            put(mesh.CreateVelocitiesAttr(), _vec3f(velocity))
        _add_primvars(self._stage, self._primvars, channels)


class Rigid:
    """UsdGeomMesh of what moves as a whole, if it does."""

    def __init__(self, stage: Stage, path: str, label: str, color: list[float], visible: bool) -> None:
        self._stage = stage
        self._mesh = stage.define(UsdGeom.Mesh, path, label)
        self._mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
        self._mesh.CreateDoubleSidedAttr(True)
        self._mesh.CreateDisplayColorPrimvar(UsdGeom.Tokens.constant).Set(_vec3f(linear(np.array([color]))))
        self._transform: Any = None
        if not visible:
            self._mesh.MakeInvisible()

    def shape(
        self, positions: np.ndarray, normals: np.ndarray | None, triangles: np.ndarray, changes: bool = False
    ) -> None:
        """Where it is at rest, once, or for what `changes` in every frame, with the same triangles."""
        mesh, x = self._mesh, _vec3f(positions)

        def put(attribute: Any, values: Any) -> None:
            self._stage.set(attribute, values) if changes else attribute.Set(values)

        put(mesh.CreatePointsAttr(), x)
        put(mesh.CreateExtentAttr(), UsdGeom.PointBased.ComputeExtent(x))
        if normals is not None:
            put(mesh.CreateNormalsAttr(), _vec3f(normals))
            mesh.SetNormalsInterpolation(UsdGeom.Tokens.vertex)
        mesh.CreateFaceVertexCountsAttr().Set(Vt.IntArray(len(triangles), 3))
        mesh.CreateFaceVertexIndicesAttr().Set(_array(Vt.IntArray, triangles.reshape(-1), np.int32))

    def place(self, rotation: np.ndarray, offset: np.ndarray) -> None:
        """A point x of it is at rotation x + offset in this frame."""
        self._transform = self._transform or self._mesh.MakeMatrixXform()
        self._stage.set(self._transform, _matrix(rotation, offset))


def _matrix(rotation: np.ndarray, offset: np.ndarray) -> Any:
    """As USD has it, which multiplies rows."""
    whole = np.eye(4)
    whole[:3, :3] = rotation.T
    whole[3, :3] = offset
    return Gf.Matrix4d(whole.tolist())


# Of film: a lens of 50 mm is a normal one. USD has them in tenths of the unit of the stage, which is a metre.
_FILM_WIDTH = 0.036 * 10
# How near and how far a camera sees, over the distance of what it looks at.
_CLIPPING = (1e-3, 1e3)


class View:
    """UsdGeomCamera of pictures, wide as many times as high as `aspect` says."""

    def __init__(self, stage: Stage, path: str, aspect: float, moves: bool) -> None:
        self._stage, self._moves = stage, moves
        self._height = _FILM_WIDTH / aspect
        self._camera = stage.define(UsdGeom.Camera, path, "camera")
        self._camera.CreateProjectionAttr(UsdGeom.Tokens.perspective)
        self._camera.CreateHorizontalApertureAttr(_FILM_WIDTH)
        self._camera.CreateVerticalApertureAttr(self._height)
        self._transform = self._camera.MakeMatrixXform()
        self._is_placed = False

    def place(self, eye: np.ndarray, target: np.ndarray, up: np.ndarray, fov: float) -> None:
        """In this frame; `fov` is the vertical angle of view, radians. A camera that does not move is placed once."""
        if self._is_placed and not self._moves:
            return
        put = self._stage.set if self._moves else lambda attribute, value: attribute.Set(value)
        distance = float(np.linalg.norm(target - eye))
        backward = (eye - target) / distance
        right = np.cross(up, backward)
        right /= np.linalg.norm(right)
        axes = np.stack([right, np.cross(backward, right), backward], axis=1)  # it looks along its -z
        put(self._transform, _matrix(axes, eye))
        put(self._camera.CreateFocalLengthAttr(), 0.5 * self._height / float(np.tan(0.5 * fov)))
        put(self._camera.CreateFocusDistanceAttr(), distance)
        if not self._is_placed:
            self._camera.CreateClippingRangeAttr(Gf.Vec2f(*(part * distance for part in _CLIPPING)))
        self._is_placed = True
