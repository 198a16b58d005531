"""USD files of what runs have written, opened by OpenUSD itself: every attribute against the run's own files."""

import numpy as np
import pytest

import firn
import firn.usd
from usd_reader import DIAMETER, codes, colors, encoded, opened, points, primvar, sampled, text, value
from usd_runs import SCENE, check, columns_of, command, run  # noqa: F401


@pytest.mark.parametrize("extension", ["npz", "ply"])
@pytest.mark.parametrize("dimension", [2, 3])
def test_every_channel(run, extension, dimension):
    tree = SCENE
    if dimension == 2:
        flat = [
            {**body, "shape": {key: v[:2] if isinstance(v, list) else v for key, v in body["shape"].items()}}
            for body in SCENE["body"]
        ]
        tree = {**SCENE, "simulation": {**SCENE["simulation"], "dimension": 2}, "body": flat, "collider": []}
    folder = run(tree=tree, extension=extension)
    path = firn.usd.export(folder)
    assert path == folder / "run.usdc"
    stage = opened(path)
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode(), stage.GetTimeCodesPerSecond()) == (0, 4, 24)
    jelly, wax = points(stage).values()
    assert codes(jelly.GetPointsAttr()) == [0, 1, 2, 3, 4]
    for frame in range(5):
        columns = columns_of(frame, dimension)
        for index, prim in enumerate((jelly, wax)):
            rows = columns["material"] == index
            check(prim, {name: values[rows] for name, values in columns.items()}, frame)
            expected = DIAMETER[dimension](columns["volume"][rows].astype(float))
            np.testing.assert_allclose(value(prim.GetWidthsAttr(), frame), expected, rtol=1e-7)
    assert primvar(jelly, "phase").GetAttr().GetTypeName() == "int[]"
    assert primvar(jelly, "stress_2").GetAttr().GetTypeName() == "float3[]"


def test_text_says_the_same(run, tmp_path):
    folder = run()
    binary, readable = (opened(firn.usd.export(folder, tmp_path / f"scene.{ending}")) for ending in ("usdc", "usda"))
    assert (tmp_path / "scene.usda").read_bytes().startswith(b"#usda 1.0")
    assert (tmp_path / "scene.usdc").read_bytes().startswith(b"PXR-USDC")
    assert text(binary) == text(readable)


def test_chosen_frames_and_channels(run):
    stage = opened(firn.usd.export(run(), frames=(1, 3), channels=["pressure"], by="all"))
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (1, 3)
    ((path, prim),) = points(stage).items()
    assert path == "particles" and codes(prim.GetPointsAttr()) == [1, 2, 3]
    columns = columns_of(2)
    check(prim, {name: columns[name] for name in ("position", "velocity", "id", "pressure")}, 2, ())
    expected = np.where(columns["material"][:, None] == 0, [0.5, 0.25, 1.0], [0.25, 0.5, 0.75])
    np.testing.assert_allclose(encoded(colors(prim, 2)), expected, atol=1e-6)


def test_ids_as_a_primvar(run):
    """Besides USD's own, which Blender does not read; of 32 bits, since it gives up at 64."""
    (prim,) = points(opened(firn.usd.export(run(), channels=["id"], by="all"))).values()
    ids = columns_of(2)["id"]
    np.testing.assert_array_equal(value(prim.GetIdsAttr(), 2), ids.astype(np.int64))
    kept = primvar(prim, "id").GetAttr()
    assert kept.GetTypeName() == "int[]"
    np.testing.assert_array_equal(value(kept, 2), ids.astype(np.int32))


def test_positions_alone(run):
    """Of sizes that follow from the grid, and without colours: nothing tells which of two materials it is."""
    folder = run(change=lambda columns: [columns.pop(name) for name in list(columns) if name != "position"])
    ((path, prim),) = points(opened(firn.usd.export(folder))).items()
    assert path == "particles"
    check(prim, {"position": columns_of(3)["position"]}, 3)
    np.testing.assert_allclose(value(prim.GetWidthsAttr(), 3), DIAMETER[3](0.05**3), rtol=1e-6)
    assert not prim.GetDisplayColorPrimvar().HasValue()
    with pytest.raises(firn.FileError, match=r"need the channel body.*they hold position\)"):
        firn.usd.export(folder, by="body")


def test_tracers(run):
    folder = run()
    tree = {
        **SCENE,
        "simulation": {**SCENE["simulation"], "integrator": "incompressible"},
        "material": {"water": {"preset": "water"}},
        "body": [{"material": "water", "shape": {"type": "box", "min": [0, 0, 0], "max": [0.4, 0.4, 0.4]}}],
        "tracers": {"per_cell": 27},
    }
    folder = run(tree=tree, change=lambda columns: columns.pop("material"))
    for frame in (1, 2, 4):  # a frame without any has no file
        of_frame = {"position": columns_of(frame)["position"], "body": np.zeros(20 + 3 * frame, "u2")}
        np.savez(folder / f"particles/tracers_{frame:06}.npz", **of_frame)
    stage = opened(firn.usd.export(folder))
    assert list(points(stage)) == ["particles/water", "tracers"]
    tracers = points(stage)["tracers"]
    for frame in range(5):
        n = 20 + 3 * frame if frame in (1, 2, 4) else 0
        np.testing.assert_array_equal(
            value(tracers.GetPointsAttr(), frame).reshape(-1, 3), columns_of(frame)["position"][:n]
        )
        np.testing.assert_allclose(
            value(tracers.GetWidthsAttr(), frame), np.full(n, DIAMETER[3](0.1**3 / 27)), rtol=1e-6
        )


def test_what_is_refused(run, tmp_path):
    with pytest.raises(firn.FileError, match="no run in this folder"):
        firn.usd.export(tmp_path / "nowhere")
    folder = run([])
    with pytest.raises(firn.FileError, match=r"keeps no particle files.*output\.particles"):
        firn.usd.export(folder)
    run([0, 1, 2, 4])
    before = sorted(folder.rglob("*"))
    for frames, told in [
        ((3, 3), "frame 3; kept: 0 to 2, 4$"),
        ((1, 4), "frame 3"),
        ((7, None), "frame 7"),
        ((None, 9), "frame 9"),
    ]:
        with pytest.raises(firn.FileError, match=told):
            firn.usd.export(folder, frames=frames)
    with pytest.raises(firn.SceneError, match="no 'presure'.*did you mean 'pressure'"):
        firn.usd.export(folder, channels=["presure"])
    with pytest.raises(firn.FileError, match="need the channel body"):
        firn.usd.export(folder, by="body")
    with pytest.raises(firn.SceneError, match="particles, surfaces"):
        firn.usd.export(folder, only="volumes")
    assert codes(points(opened(firn.usd.export(folder)))["particles/jelly"].GetPointsAttr()) == [0, 1, 2, 4]
    (folder / "run.usdc").unlink()
    assert sorted(folder.rglob("*")) == before


def damaged(files, extension):
    """Ways to spoil the third file, and what is said."""
    whole = files[2].read_bytes()
    yield whole[: len(whole) // 2], "cannot read this particle file"
    yield b"", "cannot read this particle file"
    yield b"no file of Firn", "cannot read this particle file"
    if extension == "npz":
        middle = len(whole) // 2
        yield whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :], "cannot read this particle file"
    else:
        yield whole + b"more", "its size is not that of its particles"


@pytest.mark.parametrize("extension", ["npz", "ply"])
def test_damaged_files_are_named(run, extension):
    folder = run(extension=extension)
    files = sorted((folder / "particles").iterdir())
    for spoilt, told in damaged(files, extension):
        files[2].write_bytes(spoilt)
        with pytest.raises(firn.FileError, match=f"particles_000002.{extension}: .*{told}"):
            firn.usd.export(folder)
        assert sorted(path.name for path in folder.iterdir()) == ["particles", "scene.toml"]
    run([2], extension=extension, change=lambda columns: columns.pop("pressure"))
    with pytest.raises(firn.FileError, match=f"particles_000002.{extension}: it holds no pressure"):
        firn.usd.export(folder)
    run([2], extension=extension, change=lambda columns: columns["material"].__setitem__(3, 2))
    with pytest.raises(firn.FileError, match=f"particles_000002.{extension}: its material 2 is none of the scene's"):
        firn.usd.export(folder)
    run([2], extension=extension, change=lambda columns: columns.update(position=columns["position"][:, :2]))
    if extension == "npz":
        with pytest.raises(firn.FileError, match="2 dimensions, the scene 3"):
            firn.usd.export(folder)
    files[2].unlink()
    files[2].mkdir()
    with pytest.raises(firn.FileError, match=f"particles_000002.{extension}"):
        firn.usd.export(folder)


def test_the_command(run, tmp_path):
    folder = run()
    done = command(
        folder, "-o", tmp_path / "some.usda", "--frames", "1:2", "--channels", "pressure,phase", "--by", "all"
    )
    assert (done.returncode, done.stderr) == (0, "") and "some.usda" in done.stdout
    ((_, prim),) = points(opened(tmp_path / "some.usda")).items()
    assert codes(prim.GetPointsAttr()) == [1, 2]
    assert sampled(prim) >= {"primvars:pressure", "primvars:phase"} and "primvars:stress" not in sampled(prim)
    for frames, expected in (("3", [3]), ("3:", [3, 4]), (":1", [0, 1])):
        assert command(folder, f"--frames={frames}").returncode == 0
        assert codes(points(opened(folder / "run.usdc"))["particles/jelly"].GetPointsAttr()) == expected
    for frames in ("x", "3:1", "-1", "", ":x"):
        refused = command(folder, f"--frames={frames}")
        assert refused.returncode == 2 and "--frames" in refused.stderr
    refused = command(tmp_path / "nowhere")
    assert refused.returncode == 3 and "Traceback" not in refused.stderr and "nowhere" in refused.stderr


def test_what_is_made_of_a_run_elsewhere(run):
    """By firn convert and firn mesh, which leave a copy of its scene."""
    folder = run()
    expected = text(opened(firn.usd.export(folder)))
    (folder / "scene.toml").rename(folder / "exported-scene.toml")
    (folder / "run.usdc").unlink()
    assert text(opened(firn.usd.export(folder))) == expected
