"""What the values that the engine hands out print as: their members by name, but for those that are 0 or empty."""

from typing import Any

from . import _firn

# Of longer lists the number of entries says more than they do.
_MOST_ENTRIES = 16


def _written(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, (list, tuple)):
        if len(value) > _MOST_ENTRIES:
            return f"<{len(value)} entries>"
        return "[" + ", ".join(_written(entry) for entry in value) + "]"
    return repr(value)


def _is_nothing(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(_is_nothing(entry) for entry in value)
    if type(value).__repr__ is _as_call:
        return all(_is_nothing(getattr(value, name)) for name in _members(type(value)))
    return not value


def _members(kind: type) -> list[str]:
    """Those of its bases first, as C++ declares them."""
    names: dict[str, None] = {}
    for base in reversed(kind.__mro__):
        names.update(dict.fromkeys(name for name, member in vars(base).items() if isinstance(member, property)))
    return list(names)


def _as_call(self: Any) -> str:
    kind = type(self)
    members = ((name, getattr(self, name)) for name in _members(kind))
    said = ", ".join(f"{name}={_written(value)}" for name, value in members if not _is_nothing(value))
    return f"{kind.__name__}({said})"


def _snapshot(self: _firn.Snapshot) -> str:
    return f"<firn.Snapshot of {len(self)} particles in {self.dimension}D>"


def _step(self: _firn.ForceStep | _firn.BoundaryStep) -> str:
    return f"<firn.{type(self).__name__} at t = {self.time:g} s, dt = {self.dt:g} s>"


def _is_record(kind: type) -> bool:
    """Whether it holds values and nothing else."""
    own = [member for name, member in vars(kind).items() if not name.startswith("_")]
    return bool(own) and all(isinstance(member, property) for member in own)


# These have arrays.
_firn.Snapshot.__repr__ = _snapshot
_firn.ForceStep.__repr__ = _firn.BoundaryStep.__repr__ = _step
for _kind in list(vars(_firn).values()):
    if isinstance(_kind, type) and "__repr__" not in vars(_kind) and _is_record(_kind):
        _kind.__repr__ = _as_call
