"""What a foreign reader, OpenUSD's own, finds in a file: for tests of firn.usd."""

import numpy as np
from pxr import Sdf, Usd, UsdGeom, UsdValidation

# Of widths in the plane and in space, from volumes: discs and balls.
DIAMETER = {2: lambda area: np.sqrt(4 * area / np.pi), 3: lambda volume: np.cbrt(6 * volume / np.pi)}

_stages = []  # prims do not keep theirs


def opened(path):
    """Its stage, in which OpenUSD's own validators find nothing."""
    # Anonymous: a file of that name may be another one the next time.
    stage = Usd.Stage.Open(Sdf.Layer.OpenAsAnonymous(str(path)))
    _stages.append(stage)
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    assert len(validators) > 20
    errors = UsdValidation.ValidationContext(validators).Validate(stage)
    assert not errors, [error.GetErrorAsString() for error in errors]
    return stage


def text(stage):
    """All that is in its file."""
    return stage.GetRootLayer().ExportToString()


def prims(stage, kind):
    """By path below the default prim."""
    root = stage.GetDefaultPrim().GetPath()
    found = {str(prim.GetPath().MakeRelativePath(root)): prim for prim in stage.Traverse() if prim.IsA(kind)}
    return {path: kind(prim) for path, prim in found.items()}


def points(stage):
    return prims(stage, UsdGeom.Points)


def meshes(stage):
    """Of material."""
    return {path: mesh for path, mesh in prims(stage, UsdGeom.Mesh).items() if not path.startswith("colliders/")}


def colliders(stage):
    return {path: mesh for path, mesh in prims(stage, UsdGeom.Mesh).items() if path.startswith("colliders/")}


def codes(attribute):
    return attribute.GetTimeSamples()


def value(attribute, code):
    """As a NumPy array; the sample must stand at exactly that time code."""
    assert code in attribute.GetTimeSamples(), (attribute.GetName(), code)
    return np.array(attribute.Get(code))


def primvar(prim, name):
    return UsdGeom.PrimvarsAPI(prim).GetPrimvar(name)


def primvar_names(name, rank):
    """Of tensors one for each row."""
    return [f"{name}_{i}" for i in range(3)] if rank == 3 else [name]


def channel(prim, name, rank, code):
    """What the primvars of a channel hold: (n), (n, 3) or (n, 3, 3)."""
    values = [value(primvar(prim, own).GetAttr(), code) for own in primvar_names(name, rank)]
    return np.stack(values, 1) if rank == 3 else values[0]


def colors(prim, code):
    return np.array(UsdGeom.Gprim(prim).GetDisplayColorPrimvar().ComputeFlattened(code))


def sampled(prim):
    """Names of all attributes that change with time."""
    return {attribute.GetName() for attribute in prim.GetPrim().GetAttributes() if attribute.GetNumTimeSamples() > 0}


def encoded(color):
    """In sRGB."""
    c = np.asarray(color, float)
    return np.where(c <= 0.0031308, 12.92 * c, 1.055 * c ** (1 / 2.4) - 0.055)


def in_space(values):
    """Vectors and tensors of the plane with zeros."""
    return np.pad(values, [(0, 0)] + [(0, 3 - n) for n in values.shape[1:]])
