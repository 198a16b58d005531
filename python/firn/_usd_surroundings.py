"""What of a scene goes into a stage of USD beside its material: colliders and the camera."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _firn
from ._usd_stage import Rigid, Stage, View
from .errors import FileError, SceneWarning
from .scene import Scene

# A point x of a collider at rest is at rotation x + offset.
Pose = tuple[np.ndarray, np.ndarray]


def pose_of(state: _firn.ColliderState) -> Pose:
    rotation = np.reshape(np.array(state.rotation, np.float64), (3, 3))
    pivot = np.array(state.pivot, np.float64)
    return rotation, pivot + np.array(state.translation, np.float64) - rotation @ pivot


def _changes(shape: Any) -> bool:
    return shape.type == "mesh_sequence" or any(_changes(child) for child in shape.children)


class Colliders:
    """A mesh for each, which stands, follows the scene's key frames, or is where poses say."""

    def __init__(self, stage: Stage, scene: Scene, posed: set[int]) -> None:
        """`posed` are those that poses are given of. Dynamic ones of which there are none are left out, with a warning,
        and those whose files are gone."""
        self._scene = scene
        self._changing: list[int] = []
        self._moving: list[int] = []
        self._meshes: dict[int, Rigid] = {}
        lost = []
        for i, collider in enumerate(scene.colliders):
            try:
                mesh = _firn.collider_mesh(scene, i)
            except FileError as error:
                lost.append(f"{collider.name} ({error})")
                continue
            if collider.is_dynamic and i not in posed:
                lost.append(f"{collider.name} (nothing tells where it is)")
                continue
            path = stage.place("colliders", collider.name)
            self._meshes[i] = Rigid(stage, path, collider.name, collider.color, collider.visible)
            if collider.motion is not None or i in posed:
                self._moving.append(i)
            if _changes(collider.shape):
                self._changing.append(i)
            else:
                self._meshes[i].shape(*mesh)
        if lost:
            warnings.warn(f"colliders that are left out: {'; '.join(lost)}", SceneWarning, stacklevel=2)

    def add(self, time: float, poses: Mapping[int, Pose]) -> None:
        """A frame. `poses` go before key frames; one that is missing stays out, for readers to find between others."""
        scripted = _firn.scripted_colliders(self._scene, time) if self._moving else []
        for i in self._moving:
            if i in poses or self._scene.colliders[i].motion is not None:
                self._meshes[i].place(*(poses[i] if i in poses else pose_of(scripted[i])))
        for i in self._changing:
            self._meshes[i].shape(*_firn.collider_mesh(self._scene, i, time), changes=True)


class Surroundings:
    """Of scenes in space: in a plane there is nothing of it."""

    def __init__(self, stage: Stage, scene: Scene, posed: set[int]) -> None:
        self._camera, self._view = scene.output.camera, None
        self._colliders = None
        if scene.simulation.dimension != 3:
            return
        self._colliders = Colliders(stage, scene, posed)
        if self._camera is not None:
            width, height = scene.output.resolution
            moves = self._camera.orbit != 0 or self._camera.motion is not None
            self._view = View(stage, stage.place("", "camera"), width / height, moves)

    def add(self, time: float, poses: Mapping[int, Pose]) -> None:
        """A frame at a time, s, behind the stage's begin()."""
        if self._colliders is not None:
            self._colliders.add(time, poses)
        if self._view is not None:
            now = self._camera.at(time)
            self._view.place(*(np.array(x, np.float64) for x in (now.eye, now.target, now.up)), now.fov)
