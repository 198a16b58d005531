"""Where scene files are looked for: the folders named by FIRN_SCENES (separated by colons), those of the package, and
./scenes."""

from __future__ import annotations

import difflib
import os
import stat
from pathlib import Path

from .errors import FileError


def scene_files() -> dict[str, Path]:
    """The scenes that `firn.load` finds by name: those in the folders of FIRN_SCENES, those that come with Firn, and
    those in ./scenes. Of several with one name the first folder's counts."""
    folders = [Path(folder) for folder in os.environ.get("FIRN_SCENES", "").split(":") if folder]
    files: dict[str, Path] = {}
    for folder in [*folders, Path(__file__).parent / "scenes", Path("scenes")]:
        for path in folder.glob("*.toml"):
            files.setdefault(path.stem, path)
    return dict(sorted(files.items()))


def find(path: str | os.PathLike[str]) -> str:
    """The path of a scene given as a path, or as a name of `scene_files`. Raises FileError where there is neither."""
    given = os.fspath(path)
    try:
        if stat.S_ISREG(os.stat(given).st_mode):
            return given
    except PermissionError:
        return given  # whoever reads it says so
    except OSError:
        pass
    files = scene_files()
    if given in files:
        return os.fspath(files[given])
    close = difflib.get_close_matches(Path(given).stem, files, 1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    raise FileError(f"{given}: no such scene file{hint}; firn.scene_files() lists those that come with firn")
