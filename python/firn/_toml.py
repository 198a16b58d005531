"""Writes a tree of Python values as the text of a scene file, so that scenes from dictionaries are read and checked by the
code that reads files. Every value has a line of its own: a finding's line tells its key."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def _key(name: Any, path: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"{path or 'scene'}: keys are strings, found {name!r}")
    return name if _BARE_KEY.fullmatch(name) else _string(name)


def _string(text: str) -> str:
    # JSON escapes what TOML does, but for one character.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _plain(value: Any) -> Any:
    """NumPy's arrays and numbers as Python's, paths as text."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if getattr(getattr(value, "dtype", None), "kind", "") == "f":  # longdouble, of which Python has none
        value = float(value)
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    return list(value) if isinstance(value, tuple) else value


def inline(value: Any, path: str = "value") -> str:
    """One value on one line."""
    value = _plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    # Classes derived from these, as IntEnum, may have a repr of their own.
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return float.__repr__(value)
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, list):
        return "[" + ", ".join(inline(item, f"{path}.{i}") for i, item in enumerate(value)) + "]"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(k, path)} = {inline(v, f'{path}.{k}')}" for k, v in value.items()) + " }"
    hint = "; leave the key out" if value is None else ""
    raise TypeError(f"{path}: a scene holds numbers, strings, booleans, lists and dictionaries, found {value!r}{hint}")


class Document:
    """The text of a tree, and by line which key stands there."""

    def __init__(self, tree: Mapping[str, Any]) -> None:
        if not isinstance(tree, Mapping):
            raise TypeError(f"a scene is a dictionary, found {type(tree).__name__}")
        self._lines: list[str] = []
        self._paths: list[str] = []
        self._table(tree, "", "")
        self.text = "\n".join(self._lines) + "\n"

    def path_of(self, line: int) -> str:
        return (self._paths[line - 1] if 0 < line <= len(self._paths) else "") or "scene"

    def _add(self, line: str, path: str) -> None:
        self._lines.append(line)
        self._paths.append(path)

    def _table(self, table: Mapping[str, Any], path: str, header: str) -> None:
        """`path` as overrides take it, `header` as TOML does. Values come before tables, which would end theirs."""
        tables = []
        for name, given in table.items():
            value = _plain(given)
            here, key = f"{path}{name}", _key(name, path.rstrip("."))
            is_array_of_tables = isinstance(value, list) and bool(value) and all(isinstance(v, Mapping) for v in value)
            if isinstance(value, Mapping) or is_array_of_tables:
                tables.append((here, header + key, value))
            else:
                self._add(f"{key} = {inline(value, here)}", here)
        for here, below, value in tables:
            if isinstance(value, Mapping):
                self._add(f"[{below}]", here)
                self._table(value, here + ".", below + ".")
                continue
            for i, item in enumerate(value):
                self._add(f"[[{below}]]", f"{here}.{i}")
                self._table(item, f"{here}.{i}.", below + ".")


def overrides(given: Mapping[str, Any] | None) -> list[str]:
    """As the command line takes them: "grid.dx=0.01"."""
    if given is None:
        return []
    if not isinstance(given, Mapping):
        raise TypeError(f'overrides are a dictionary such as {{"grid.dx": 0.01}}, found {given!r}')
    for path in given:
        if not isinstance(path, str):
            raise TypeError(f"overrides: keys are strings, found {path!r}")
    return [f"{path}={inline(value, path)}" for path, value in given.items()]
