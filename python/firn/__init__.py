"""Firn, a Material Point Method engine for CUDA and the CPU.

    import firn

    scene = firn.load("scenes/jello-drop.toml", overrides={"grid.dx": 0.02})
    simulation = firn.Simulation(scene)
    while simulation.frame < scene.simulation.frames:
        simulation.advance_frame()
        positions = simulation.field("position")  # (particles, 3), by id

docs/python.md has the rest.
"""

from ._firn import VERSION as __version__
from ._firn import (
    BoundaryStep,
    ColliderState,
    DeviceArray,
    FieldInfo,
    Filling,
    ForceStep,
    FrameStats,
    Snapshot,
    StepInfo,
    Totals,
    built_with_cuda,
    cuda_devices,
    estimate,
    material_presets,
    scene_warnings,
    why_no_cuda_device,
)
from . import _reprs as _reprs
from .callbacks import per_particle
from .errors import DeviceError, DivergedError, Error, FileError, PackageError, SceneError, SceneWarning, ViewError
from .pictures import png
from .scene import Scene, load
from .simulation import Simulation

__all__ = [
    "BoundaryStep",
    "ColliderState",
    "DeviceArray",
    "DeviceError",
    "DivergedError",
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
    "cuda_devices",
    "estimate",
    "load",
    "material_presets",
    "per_particle",
    "png",
    "scene_warnings",
    "why_no_cuda_device",
]
