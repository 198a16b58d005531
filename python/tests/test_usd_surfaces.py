"""Surfaces of runs in USD files, and files of the program itself, opened by OpenUSD."""

import json
import os
import subprocess

import numpy as np
import pytest
from pxr import UsdGeom

import firn
import firn.usd
from usd_reader import colors, encoded, meshes, opened, points, primvar, text, value
from usd_runs import SCENE, check, command, run  # noqa: F401


def triangle_fan(vertices, first=0):
    return np.array([[first, first + i, first + i + 1] for i in range(1, vertices - 1)])


def surface_of(material, frame):
    """Positions, normals, colours of 8 bits, velocities, and triangles."""
    random, n = np.random.default_rng([material, frame]), 4 + material + frame
    x, normals, velocity = (random.random((n, 3)).astype("f4") for _ in range(3))
    return x, normals, random.integers(0, 256, (n, 3)).astype("u1"), velocity, triangle_fan(n)


def more_of(material, frame):
    """What vertices have besides, in the order of the file."""
    n = 4 + material + frame
    random = np.random.default_rng([material, frame, 1])
    body, identity = random.integers(0, 9, n).astype("<u2"), (2**31 + np.arange(n)).astype("<u4")
    return {"body": body, "temperature": random.random(n).astype("<f4"), "nearest_id": identity}


def write_surface_ply(path, frame, materials=(0, 1), more=False):
    names = [("x", "f4"), ("nx", "f4"), ("vx", "f4")]
    row = [(prefix[0][:-1] + axis, "f4") for prefix in names for axis in "xyz"]
    row += [(name, "u1") for name in ("red", "green", "blue")] + [("material", "<u2")]
    row += [(name, values.dtype.str) for name, values in more_of(0, 0).items() if more]
    rows, faces, first = [], [], 0
    for material in materials:
        x, normals, color, velocity, triangles = surface_of(material, frame)
        for i in range(len(x)):
            others = [values[i] for values in more_of(material, frame).values() if more]
            rows.append((*x[i], *normals[i], *velocity[i], *color[i], material, *others))
        faces += [(3, triangle + first) for triangle in triangles]
        first += len(x)
    kinds = {"f4": "float", "<f4": "float", "u1": "uchar", "<u2": "ushort", "<u4": "uint"}
    header = ["ply", "format binary_little_endian 1.0", "comment surfaces", f"element vertex {len(rows)}"]
    header += [f"property {kinds[kind]} {name}" for name, kind in row]
    header += [f"element face {len(faces)}", "property list uchar uint vertex_indices", "end_header", ""]
    packed = np.array(rows, row).tobytes() + np.array(faces, [("n", "u1"), ("v", "<u4", 3)]).tobytes()
    path.write_bytes("\n".join(header).encode() + packed)


def write_obj(path, frame):
    lines, first = ["# Surfaces"], 1
    for material, name in ((0, "jelly_1"), (1, "jelly_2"), (2, "wax_2")):
        x, normals, color, _, triangles = surface_of(material, frame)
        lines.append(f"o {name}")
        lines += [
            f"v {' '.join(map(repr, map(float, a)))} {' '.join(f'{c / 255:.4g}' for c in b)}" for a, b in zip(x, color)
        ]
        lines += ["vn " + " ".join(map(repr, map(float, a))) for a in normals]
        lines += ["f " + " ".join(f"{first + i}//{first + i}" for i in triangle) for triangle in triangles]
        first += len(x)
    path.write_text("\n".join(lines) + "\n")


def check_mesh(mesh, expected, code, color_bits=1e-6):
    x, normals, color, velocity, triangles = expected
    np.testing.assert_array_equal(value(mesh.GetPointsAttr(), code).reshape(-1, 3), x)
    np.testing.assert_array_equal(value(mesh.GetNormalsAttr(), code).reshape(-1, 3), normals)
    np.testing.assert_allclose(encoded(colors(mesh, code).reshape(-1, 3)), color / 255, atol=color_bits)
    np.testing.assert_array_equal(value(mesh.GetFaceVertexIndicesAttr(), code).reshape(-1, 3), triangles)
    np.testing.assert_array_equal(value(mesh.GetFaceVertexCountsAttr(), code), np.full(len(triangles), 3))
    assert mesh.GetSubdivisionSchemeAttr().Get() == UsdGeom.Tokens.none
    assert mesh.GetOrientationAttr().Get() == UsdGeom.Tokens.rightHanded
    assert mesh.GetNormalsInterpolation() == UsdGeom.Tokens.vertex
    assert UsdGeom.Mesh.ValidateTopology(
        mesh.GetFaceVertexIndicesAttr().Get(code), mesh.GetFaceVertexCountsAttr().Get(code), len(x)
    )
    if velocity is not None:
        np.testing.assert_array_equal(value(mesh.GetVelocitiesAttr(), code).reshape(-1, 3), velocity)
    if len(x) > 0:
        np.testing.assert_array_equal(value(mesh.GetExtentAttr(), code), [x.min(0), x.max(0)])


def test_surfaces_with_velocities(run):
    folder = run()
    (folder / "surfaces").mkdir()
    for frame in range(5):
        write_surface_ply(folder / f"surfaces/surface_{frame:06}.ply", frame, (0,) if frame == 2 else (0, 1))
    stage = opened(firn.usd.export(folder))
    assert list(points(stage)) == ["particles/jelly", "particles/wax_2"]
    assert list(meshes(stage)) == ["surfaces/jelly", "surfaces/wax_2"]
    for frame in range(5):
        for material, mesh in enumerate(meshes(stage).values()):
            expected = surface_of(material, frame)
            if frame == 2 and material == 1:  # is not there
                expected = tuple(part[:0] for part in expected)
            check_mesh(mesh, expected, frame)
    assert not points(opened(firn.usd.export(folder, only="surfaces")))
    assert not meshes(opened(firn.usd.export(folder, only="particles")))
    (folder / "surfaces/surface_000003.ply").unlink()
    with pytest.raises(
        firn.FileError, match="no surface file of frame 3; kept: 0 to 2, 4; choose other frames, or only particles"
    ):
        firn.usd.export(folder)


def test_surfaces_with_what_particles_have(run):
    folder = run([])
    (folder / "surfaces").mkdir()
    for frame, materials in enumerate(((), (0, 1), (1,))):
        write_surface_ply(folder / f"surfaces/surface_{frame:06}.ply", frame, materials, more=True)
    stage = opened(firn.usd.export(folder))
    for frame, materials in enumerate(((), (0, 1), (1,))):
        for material, mesh in enumerate(meshes(stage).values()):
            for name, values in more_of(material, frame).items():
                found = primvar(mesh, name)
                assert found.GetInterpolation() == UsdGeom.Tokens.vertex
                expected = values if material in materials else values[:0]
                expected = expected if name == "temperature" else expected.astype("i4")  # Blender reads no others
                np.testing.assert_array_equal(value(found.GetAttr(), frame), expected)
    write_surface_ply(folder / "surfaces/surface_000002.ply", 2)
    with pytest.raises(firn.FileError, match="only some have body, nearest_id, temperature; make all anew by firn mesh"):
        firn.usd.export(folder)


def test_surfaces_of_obj(run):
    """Several bodies of one material are one mesh, as they are in PLY."""
    folder = run([])
    (folder / "surfaces").mkdir()
    for frame in (0, 1):
        write_obj(folder / f"surfaces/surface_{frame:06}.obj", frame)
    stage = opened(firn.usd.export(folder))
    jelly, wax = meshes(stage).values()
    for frame in (0, 1):
        a, b = surface_of(0, frame), surface_of(1, frame)
        joined = [np.concatenate(pair) for pair in zip(a[:3], b[:3])]
        check_mesh(jelly, (*joined, None, np.concatenate([a[4], b[4] + len(a[0])])), frame, 1e-4)
        expected = surface_of(2, frame)
        check_mesh(wax, (*expected[:3], None, expected[4]), frame, 1e-4)
    assert not jelly.GetVelocitiesAttr().HasAuthoredValue()


def test_damaged_surfaces_are_named(run):
    folder = run([])
    (folder / "surfaces").mkdir()
    for write, extension in ((write_surface_ply, "ply"), (write_obj, "obj")):
        path = folder / f"surfaces/surface_000000.{extension}"
        write(path, 0)
        whole = path.read_bytes()
        for spoilt in (
            whole[:-5],
            b"o nothing\nv 1 2",
            whole.replace(b"jelly_1", b"jam_1").replace(b"ushort material", b"ushort m"),
        ):
            path.write_bytes(spoilt)
            with pytest.raises(firn.FileError, match=f"surface_000000.{extension}: cannot read this surface file"):
                firn.usd.export(folder)
        path.unlink()


@pytest.mark.skipif("FIRN" not in os.environ, reason="FIRN names no program")
def test_a_run_of_the_program(tmp_path):
    """Files of `firn run` itself, with surfaces. Particles are the same of NPZ and PLY, and surfaces of PLY and OBJ."""
    program = os.environ["FIRN"]
    (tmp_path / "mine.toml").write_text(firn.Scene.from_dict(SCENE).to_toml())
    channels = ["velocity", "material", "body", "id", "volume", "stress", "vorticity"]
    settings = {"output.particles": ["npz", "ply"], "output.channels": channels, "output.surface": ["ply", "obj"]}
    sets = [word for key, words in settings.items() for word in ("--set", f"{key}={json.dumps(words)}")]
    subprocess.run([program, "run", "mine.toml", "-o", "run", "--quiet", *sets], cwd=tmp_path, check=True)
    assert command("run", cwd=tmp_path).returncode == 0
    stage = opened(tmp_path / "run/run.usdc")
    jelly, wax = points(stage).values()
    for frame in range(5):
        with np.load(tmp_path / f"run/particles/particles_{frame:06}.npz") as file:
            columns = {name: file[name] for name in file}
        assert set(columns) == {"position", *channels}
        for index, prim in enumerate((jelly, wax)):
            rows = columns["material"] == index
            check(prim, {name: values[rows] for name, values in columns.items()}, frame)
        for index, mesh in enumerate(meshes(stage).values()):
            x, low, high = value(mesh.GetPointsAttr(), frame), *value(mesh.GetExtentAttr(), frame)
            own = columns["position"][columns["material"] == index]
            assert len(x) > 50 and (low < own.min(0)).all() and (high > own.max(0)).all()
            nearest = value(primvar(mesh, "nearest_id").GetAttr(), frame)
            assert set(nearest) <= set(columns["id"][columns["material"] == index])
            assert set(value(primvar(mesh, "body").GetAttr(), frame)) == {index}
            corners = x[value(mesh.GetFaceVertexIndicesAttr(), frame).reshape(-1, 3)].astype(float)
            enclosed = np.einsum("ti,ti->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6
            assert (
                enclosed > 0.9 * columns["volume"][columns["material"] == index].sum()
            )  # positive: they face outwards
    for words, found in ((("mesh", "run", "--to", "ply"), meshes), (("convert", "run", "--to", "npz"), points)):
        subprocess.run([program, *words, "-o", words[0], "--frames", "2:3"], cwd=tmp_path, check=True)
        assert command(words[0], cwd=tmp_path).returncode == 0
        assert len(found(opened(tmp_path / words[0] / f"{words[0]}.usdc"))) == 2
    binary = text(opened(tmp_path / "run/run.usdc"))
    for file in (tmp_path / "run/particles").glob("*.npz"):
        file.unlink()
    assert command("run", "-o", "of-ply.usdc", cwd=tmp_path).returncode == 0
    assert text(opened(tmp_path / "of-ply.usdc")) == binary
    for file in (tmp_path / "run/surfaces").glob("*.ply"):
        file.unlink()
    assert command("run", "-o", "of-obj.usdc", cwd=tmp_path).returncode == 0
    of_obj = meshes(opened(tmp_path / "of-obj.usdc"))
    for path, mesh in meshes(stage).items():
        np.testing.assert_array_equal(value(of_obj[path].GetPointsAttr(), 4), value(mesh.GetPointsAttr(), 4))
        np.testing.assert_array_equal(
            value(of_obj[path].GetFaceVertexIndicesAttr(), 4), value(mesh.GetFaceVertexIndicesAttr(), 4)
        )
