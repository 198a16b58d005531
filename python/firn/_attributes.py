"""What setting an attribute says that is not there or not to be set."""

from __future__ import annotations

import difflib
from typing import Any

from . import _firn

_SCENES = "scene.with_overrides({key: value}) makes a scene that says something else"
_WAYS = {
    "Simulation": f'a simulation goes by its scene: {_SCENES}, {{"time.dt_max": 1e-4}} one of shorter steps',
    "Scene": _SCENES,
}


def refusing(self: Any, name: str, value: object) -> None:
    """A `__setattr__`. Subclasses may have attributes of their own."""
    try:
        object.__setattr__(self, name, value)
    except AttributeError:
        raise AttributeError(_refusal(type(self), name), name=name, obj=self) from None


def _refusal(kind: type, name: str) -> str:
    known = [member for member in dir(kind) if not member.startswith("_")]
    way = next((_WAYS[base.__name__] for base in kind.__mro__ if base.__name__ in _WAYS), _SCENES)
    if name in known:
        return f"'{name}' of a firn.{kind.__name__} is not to be set; {way}"
    close = difflib.get_close_matches(name, known, 1)
    hint = f"; did you mean '{close[0]}'?" if close else f"; {way}"
    return f"a firn.{kind.__name__} has no '{name}'{hint}"


# Those of the bindings, which have no attributes but their own.
for _kind in list(vars(_firn).values()):
    if isinstance(_kind, type):
        _kind.__setattr__ = refusing
