"""Scenes: from files, from text, from dictionaries. All are read and checked by the same code."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from . import _firn, _scene_files, _toml
from .errors import FileError, SceneError


class Scene(_firn.SceneData):
    """A scene after every default is filled in and every value is checked. It does not change: `with_overrides` makes
    another one.

    Its attributes are those of scene files (docs/scene-reference.md), in SI units, with angles in radians; vectors have
    three entries, of which the third is 0 in 2D.

    Two scenes are equal where they say the same, whichever files they come from: written-out defaults, the order of
    keys, and 100000 in place of 1e5 make no difference. The order of materials does, which have their indices by it.
    """

    __slots__ = ()  # what it does not have cannot be set either

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], variant: str | None = None, overrides: Mapping[str, Any] | None = None
    ) -> Scene:
        """Reads a scene file (TOML), given by its path, or one that comes with Firn, by its name: `load("jello-drop")`.

        `variant` names one of its `[variants.NAME]`. `overrides` maps keys to values, as `--set` of the program does:
        `{"grid.dx": 0.01, "body.0.velocity": [1, 0, 0]}`. Relative paths in the file start at its folder, those in
        `overrides` at the working directory, as on the command line.

        Raises FileError where the file cannot be read, and SceneError with every finding where it makes no sense.
        """
        return cls._read(
            None, path=_scene_files.find(path), variant=variant or "", overrides=_toml.overrides(overrides)
        )

    @classmethod
    def from_toml(
        cls,
        text: str,
        name: str = "scene",
        directory: str | os.PathLike[str] = "",
        variant: str | None = None,
        overrides: Mapping[str, Any] | None = None,
    ) -> Scene:
        """As `load`, from the text of a scene file. Relative paths in it start at `directory`, by default the working
        directory; those in `overrides` at the working directory."""
        return cls._from_text(text, name, directory, variant, overrides, None)

    @classmethod
    def from_dict(
        cls,
        tree: Mapping[str, Any],
        name: str = "scene",
        directory: str | os.PathLike[str] = "",
        variant: str | None = None,
        overrides: Mapping[str, Any] | None = None,
    ) -> Scene:
        """As `from_toml`, from the tree that such a text stands for; values may be NumPy's.

        Errors name the key: "body.0.shape.radius: 'radius' must be > 0, found -1".
        """
        document = _toml.Document(tree)
        return cls._from_text(document.text, name, directory, variant, overrides, document)

    @classmethod
    def _from_text(
        cls,
        text: str,
        name: str,
        directory: str | os.PathLike[str],
        variant: str | None,
        overrides: Mapping[str, Any] | None,
        document: _toml.Document | None,
    ) -> Scene:
        return cls._read(
            document,
            text=text,
            origin=f"{name}.toml",
            directory=os.fspath(directory),
            variant=variant or "",
            overrides=_toml.overrides(overrides),
        )

    @classmethod
    def _read(cls, document: _toml.Document | None, **arguments: Any) -> Scene:
        """Findings of a `document` get keys for lines, and those of overrides lose what the command line calls them."""
        try:
            return cls(**arguments)
        except (SceneError, FileError) as error:
            message = re.sub(r"^--set ", "", str(error), flags=re.MULTILINE)
            if document is not None:
                place = rf"^{re.escape(arguments['origin'])}:(\d+):\d+(?=: )"
                message = re.sub(place, lambda at: document.path_of(int(at[1])), message, flags=re.MULTILINE)
            raise type(error)(message) from None

    def with_overrides(self, overrides: Mapping[str, Any]) -> Scene:
        """This scene with other values: `scene.with_overrides({"material.jelly.youngs_modulus": 1e6})`. Relative paths
        in them start at the working directory."""
        return type(self).from_toml(self.to_toml(), self.name, overrides=overrides)

    def to_dict(self) -> dict[str, Any]:
        """What the scene was made of, as `from_dict` takes it, without what is left to defaults."""
        import tomllib

        return tomllib.loads(self.to_toml())

    def __hash__(self) -> int:
        # Of a part of what is compared, which tells most scenes apart.
        s = self.simulation
        settings = (s.dimension, s.frames, s.fps, tuple(s.gravity), s.integrator, s.precision, s.seed, self.grid.dx)
        materials = tuple((m.name, m.model, m.density, m.youngs_modulus, m.viscosity) for m in self.materials)
        bodies = tuple((b.name, b.material, b.shape.type) for b in self.bodies)
        return hash((self.title, settings, materials, bodies, len(self.colliders), len(self.sources)))

    def __reduce__(self) -> tuple[Any, tuple[str, str]]:
        return (type(self).from_toml, (self.to_toml(), self.name))

    def __repr__(self) -> str:
        simulation = self.simulation
        return (
            f"<firn.Scene {self.name!r}: {simulation.dimension}D, {simulation.integrator}, dx = {self.grid.dx:g} m, "
            f"{simulation.frames} frames>"
        )


load = Scene.load
