"""Firn, a Material Point Method engine for CUDA and the CPU.

    import firn

    scene = firn.load("scenes/jello-drop.toml", overrides={"grid.dx": 0.02})
    simulation = firn.Simulation(scene)
    while simulation.frame < scene.simulation.frames:
        simulation.advance_frame()
        positions = simulation.field("position")  # (particles, 3), by id

docs/python.md has the rest.
"""

import os as _os

# OpenMP's threads spin while they wait, by default for longer than a step takes: beside anything else that has work to do
# they take the cores from each other. libgomp reads this once, when it is loaded.
_spins = not {"GOMP_SPINCOUNT", "OMP_WAIT_POLICY"} & _os.environ.keys()
if _spins:
    _os.environ["GOMP_SPINCOUNT"] = "2000"
from ._firn import VERSION as __version__

if _spins:
    del _os.environ["GOMP_SPINCOUNT"]
from ._firn import (
    BoundaryStep,
    ColliderImpulse,
    ColliderReaction,
    ColliderState,
    DeviceArray,
    EnergyBalance,
    FieldInfo,
    Filling,
    ForceStep,
    FrameStats,
    Snapshot,
    StepInfo,
    Totals,
    built_with_cuda,
    collider_mesh,
    cuda_devices,
    estimate,
    material_presets,
    scene_warnings,
    scripted_colliders,
    why_no_cuda_device,
)
from . import _attributes as _attributes
from . import _reprs as _reprs
from ._scene_files import scene_files
from .callbacks import per_particle
from .errors import DeviceError, DivergedError, Error, FileError, PackageError, SceneError, SceneWarning, ViewError
from .pictures import png
from .scene import Scene, load
from .simulation import Simulation

__all__ = [
    "BoundaryStep",
    "ColliderImpulse",
    "ColliderReaction",
    "ColliderState",
    "DeviceArray",
    "DeviceError",
    "DivergedError",
    "EnergyBalance",
    "Error",
    "FieldInfo",
    "FileError",
    "Filling",
    "ForceStep",
    "FrameStats",
    "PackageError",
    "Scene",
    "SceneError",
    "SceneWarning",
    "Simulation",
    "Snapshot",
    "StepInfo",
    "Totals",
    "ViewError",
    "__version__",
    "built_with_cuda",
    "collider_mesh",
    "cuda_devices",
    "estimate",
    "load",
    "material_presets",
    "per_particle",
    "png",
    "scene_files",
    "scene_warnings",
    "scripted_colliders",
    "why_no_cuda_device",
]
