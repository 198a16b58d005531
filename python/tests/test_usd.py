"""USD files of simulations, opened by OpenUSD itself: every attribute, exactly."""

import pathlib

import numpy as np
import pytest
from pxr import Gf, Usd, UsdGeom

import firn
import firn.usd
from usd_reader import (
    DIAMETER,
    channel,
    codes,
    colors,
    encoded,
    in_space,
    opened,
    points,
    primvar,
    primvar_names,
    sampled,
    value,
)

ROOT_SCENES = pathlib.Path(__file__).resolve().parents[2] / "scenes"
CUBES = {
    "title": "Two cubes",
    "simulation": {"frames": 3, "fps": 24},
    "grid": {"dx": 0.1},
    "material": {
        "jelly": {"model": "fixed_corotated", "density": 1000, "youngs_modulus": 1e5, "poisson_ratio": 0.3},
        "green jelly": {
            "model": "fixed_corotated",
            "density": 500,
            "youngs_modulus": 1e5,
            "poisson_ratio": 0.3,
            "color": [0.1, 0.8, 0.02],
        },
    },
    "body": [
        {"name": "left", "material": "jelly", "shape": {"type": "box", "min": [0, 0, 0], "max": [0.3, 0.3, 0.3]}},
        {
            "name": "right",
            "material": "jelly",
            "color": [1.0, 0.5, 0.25],
            "shape": {"type": "box", "min": [0.6, 0, 0], "max": [0.8, 0.2, 0.2]},
        },
        {
            "name": "top",
            "material": "green jelly",
            "velocity": [0, -1, 0],
            "shape": {"type": "box", "min": [0, 0.5, 0], "max": [0.2, 0.7, 0.2]},
        },
    ],
    "output": {"image": False},
}
ALL = [
    "velocity",
    "id",
    "material",
    "body",
    "mass",
    "volume",
    "deformation_gradient",
    "stress",
    "pressure",
]


@pytest.fixture
def cubes():
    return firn.Scene.from_dict(CUBES, name="two cubes")


def of(simulation):
    """All that a simulation has, by the names of particle files."""
    snapshot = simulation.snapshot()
    columns = {name: getattr(snapshot, "kirchhoff_stress" if name == "stress" else name) for name in ["position", *ALL]}
    columns["speed"] = np.sqrt((snapshot.velocity.astype(float) ** 2).sum(1)).astype("f4")
    return {name: values.copy() for name, values in columns.items()}


def record(path, scene, frames, change=lambda simulation: None, **options):
    """A file of frames 0 to `frames`, and what the simulation had at each."""
    simulation = firn.Simulation(scene, device="cpu", threads=1)
    kept = []
    with firn.usd.Writer(path, scene, **options) as file:
        for frame in range(frames + 1):
            file.add(simulation)
            kept.append(of(simulation))
            assert not path.exists()  # a file has its name when it is whole
            change(simulation)
            if frame < frames:
                simulation.advance_frame()
    return opened(path), kept


def check(prim, columns, code, dimension, channels=()):
    """All of one prim at one frame, against columns of its particles."""
    own = [one for name in channels for one in primvar_names(name, columns[name].ndim)]
    assert {*own, "points", "widths", "velocities", "ids", "extent"} >= {
        name.removeprefix("primvars:") for name in sampled(prim)
    } - {"displayColor:indices"}
    np.testing.assert_array_equal(value(prim.GetPointsAttr(), code).reshape(-1, 3), in_space(columns["position"]))
    np.testing.assert_array_equal(value(prim.GetVelocitiesAttr(), code).reshape(-1, 3), in_space(columns["velocity"]))
    np.testing.assert_array_equal(value(prim.GetIdsAttr(), code), columns["id"])
    widths = value(prim.GetWidthsAttr(), code)
    np.testing.assert_allclose(widths, DIAMETER[dimension](columns["volume"].astype(float)), rtol=1e-7)
    for name in channels:
        rank = columns[name].ndim
        for one in primvar_names(name, rank):
            attribute = primvar(prim, one)
            assert attribute.GetInterpolation() == UsdGeom.Tokens.vertex and attribute.GetElementSize() == 1
        values = in_space(columns[name])
        found = channel(prim, name, rank, code)
        assert found.dtype.kind == ("f" if values.dtype.kind == "f" else "i")
        np.testing.assert_array_equal(found.reshape(values.shape), values, name)
    low, high = value(prim.GetExtentAttr(), code)
    if len(widths) > 0:
        x, half = in_space(columns["position"]), widths[:, None] / 2
        np.testing.assert_allclose(low, (x - half).min(0), atol=1e-6)
        np.testing.assert_allclose(high, (x + half).max(0), atol=1e-6)


def chosen(columns, rows):
    return {name: values[rows] for name, values in columns.items()}


@pytest.mark.parametrize("ending", ["usdc", "usda", "usd"])
def test_every_attribute_in_space(cubes, tmp_path, ending):
    names = [*ALL, "speed"]
    stage, kept = record(tmp_path / f"cubes.{ending}", cubes, 3, channels=names)
    assert stage.GetDefaultPrim().GetPath() == "/two_cubes"
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0, 3)
    assert stage.GetTimeCodesPerSecond() == stage.GetFramesPerSecond() == 24
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1
    assert UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.y
    about = stage.GetRootLayer().customLayerData["firn"]
    assert (about["title"], about["version"], about["up_axis"]) == ("Two cubes", firn.__version__, "y")
    found = points(stage)
    assert list(found) == ["particles/jelly", "particles/green_jelly"]
    primvars = set(names) - {"velocity"}
    for index, prim in enumerate(found.values()):
        assert prim.GetPrim().GetCustomDataByKey("firn:name") == cubes.materials[index].name
        assert codes(prim.GetPointsAttr()) == [0, 1, 2, 3]
        for frame, columns in enumerate(kept):
            check(prim, chosen(columns, columns["material"] == index), frame, 3, primvars)
    assert (kept[0]["position"] != kept[3]["position"]).any()
    assert (kept[3]["stress"] != 0).any()
    # The box of the whole stage, as a viewer asks for it.
    box = UsdGeom.BBoxCache(3, ["default"]).ComputeWorldBound(stage.GetDefaultPrim()).ComputeAlignedRange()
    np.testing.assert_allclose(box.GetMin()[0], kept[3]["position"][:, 0].min(), atol=0.1)


def test_every_attribute_in_the_plane(scene, tmp_path):
    stage, kept = record(tmp_path / "square.usdc", scene, 6, channels=["stress", "deformation_gradient"])
    (prim,) = points(stage).values()
    for frame, columns in enumerate(kept):
        check(prim, columns, frame, 2, {"stress", "deformation_gradient"})
    assert stage.GetTimeCodesPerSecond() == 48


def test_colors(cubes, tmp_path):
    """Linear, as USD has them; bodies with a colour of their own keep it."""
    stage, kept = record(tmp_path / "cubes.usdc", cubes, 1)
    jelly, green = points(stage).values()
    assert green.GetDisplayColorPrimvar().GetInterpolation() == UsdGeom.Tokens.constant
    np.testing.assert_allclose(encoded(colors(green, 0)), [[0.1, 0.8, 0.02]], atol=1e-6)
    assert jelly.GetDisplayColorPrimvar().GetInterpolation() == UsdGeom.Tokens.vertex
    body = kept[1]["body"][kept[1]["material"] == 0]
    expected = np.where(body[:, None] == 1, [1.0, 0.5, 0.25], cubes.materials[0].color)
    assert len(np.unique(expected, axis=0)) == 2
    np.testing.assert_allclose(encoded(colors(jelly, 1)), expected, atol=1e-6)


def test_prims_by_body_and_for_all(cubes, tmp_path):
    stage, kept = record(tmp_path / "bodies.usdc", cubes, 1, by="body")
    found = points(stage)
    assert list(found) == ["particles/left", "particles/right", "particles/top"]
    for index, prim in enumerate(found.values()):
        check(prim, chosen(kept[1], kept[1]["body"] == index), 1, 3)
        color = cubes.bodies[index].color or cubes.materials[cubes.bodies[index].material].color
        np.testing.assert_allclose(encoded(colors(prim, 1)), [color], atol=1e-6)
    stage, kept = record(tmp_path / "all.usdc", cubes, 1, by="all")
    ((path, prim),) = points(stage).items()
    assert path == "particles"
    check(prim, kept[1], 1, 3)
    assert len(np.unique(colors(prim, 1), axis=0)) == 3


def test_particles_come_and_go(cubes, tmp_path):
    def change(simulation):
        if simulation.frame == 0:
            material, ids = simulation.field("material"), simulation.field("id")
            simulation.remove_particles(ids[material == 1])
        elif simulation.frame == 1:
            simulation.add_particles("green jelly", [[2, 2, 2], [2.1, 2, 2]], velocity=[[0, 1, 0], [0, 2, 0]])

    stage, kept = record(tmp_path / "cubes.usdc", cubes, 3, change)
    jelly, green = points(stage).values()
    counts = [np.count_nonzero(columns["material"] == 1) for columns in kept]
    assert counts[0] > 2 and counts[1:] == [0, 2, 2]
    for frame, columns in enumerate(kept):
        check(jelly, chosen(columns, columns["material"] == 0), frame, 3)
        check(green, chosen(columns, columns["material"] == 1), frame, 3)
    assert Gf.Range3f(*(Gf.Vec3f(*map(float, row)) for row in value(green.GetExtentAttr(), 1))).IsEmpty()


def test_particles_that_a_program_has_added_by_body(cubes, tmp_path):
    """They are of none of the scene's bodies, and have a prim of their own, without points before they came."""

    def change(simulation):
        if simulation.frame == 1:
            simulation.add_particles("green jelly", [[2, 2, 2], [2.1, 2, 2]])

    stage, kept = record(tmp_path / "cubes.usdc", cubes, 3, change, by="body")
    added = points(stage)["particles/added"]
    assert codes(added.GetPointsAttr()) == [0, 2, 3]
    assert len(value(added.GetPointsAttr(), 0)) == len(added.GetPointsAttr().Get(1)) == 0
    check(added, chosen(kept[3], kept[3]["body"] == 3), 3, 3)
    np.testing.assert_allclose(encoded(colors(added, 3)), [[0.1, 0.8, 0.02]] * 2, atol=1e-6)


@pytest.mark.parametrize(
    ("gravity", "up", "axis"),
    [
        ([0, -9.8, 0], [0, 1, 0], "Y"),
        ([0, 9.8, 0], [0, -1, 0], "Y"),
        ([-9.8, 0.1, 0], [1, 0, 0], "Y"),
        ([9.8, 0, 0], [-1, 0, 0], "Y"),
        ([0, 0, -9.8], [0, 0, 1], "Z"),
        ([0, 0, 9.8], [0, 0, -1], "Z"),
        ([0, 0, 0], [0, 1, 0], "Y"),
    ],
)
def test_up_is_up(cubes, tmp_path, gravity, up, axis):
    """Coordinates are the scene's; where its up is none of USD's, the root prim is turned."""
    scene = cubes.with_overrides({"simulation.gravity": gravity})
    stage, kept = record(tmp_path / "cubes.usdc", scene, 0)
    assert UsdGeom.GetStageUpAxis(stage) == axis
    jelly = points(stage)["particles/jelly"]
    check(jelly, chosen(kept[0], kept[0]["material"] == 0), 0, 3)
    to_world = jelly.ComputeLocalToWorldTransform(Usd.TimeCode.Default())
    np.testing.assert_allclose(to_world.TransformDir(Gf.Vec3d(*up)), [0, axis == "Y", axis == "Z"], atol=1e-12)
    assert to_world.GetDeterminant() == pytest.approx(1)


def test_heat_and_tracers(tmp_path):
    heat = {
        "simulation": {"dimension": 2, "frames": 1, "fps": 24, "integrator": "incompressible"},
        "grid": {"dx": 0.1, "domain": {"min": [0, 0], "max": [1, 1], "boundary": "slip"}},
        "material": {"water": {"preset": "water"}},
        "body": [{"material": "water", "color": [0, 0, 1], "shape": {"type": "box", "min": [0, 0], "max": [0.5, 0.5]}}],
        "tracers": {"per_cell": 9},
    }
    scene = firn.Scene.from_dict(heat, name="pool")
    simulation = firn.Simulation(scene, device="cpu", threads=1)
    kept = []
    with firn.usd.Writer(tmp_path / "pool.usdc", scene) as file:
        for _ in range(2):
            file.add(simulation)
            kept.append(simulation.tracers().position.copy())
            simulation.advance_frame()
    stage = opened(tmp_path / "pool.usdc")
    assert list(points(stage)) == ["particles/water", "tracers"]
    tracers = points(stage)["tracers"]
    for frame, positions in enumerate(kept):
        assert len(positions) > 200
        np.testing.assert_array_equal(value(tracers.GetPointsAttr(), frame), in_space(positions))
        np.testing.assert_allclose(value(tracers.GetWidthsAttr(), frame), DIAMETER[2](0.1**2 / 9), rtol=1e-6)
    np.testing.assert_allclose(encoded(np.unique(colors(tracers, 0), axis=0)), [[0, 0, 1]], atol=1e-6)


def test_temperatures(tmp_path):
    scene = firn.load(ROOT_SCENES / "heat-slab.toml", overrides={"grid.dx": 0.1, "output.image": False})
    assert scene.solves_heat
    simulation = firn.Simulation(scene, device="cpu", threads=1)
    with firn.usd.Writer(tmp_path / "slab.usdc", scene) as file:
        simulation.advance_frame()
        file.add(simulation)
    (prim,) = points(opened(tmp_path / "slab.usdc")).values()
    temperature = value(primvar(prim, "temperature").GetAttr(), 1)
    np.testing.assert_array_equal(temperature, simulation.snapshot().temperature)
    assert temperature.std() > 0


def test_between_frames(scene, tmp_path):
    """Frames stand at whole time codes, also where 1 / 49 s are not 1 / 49."""
    assert 1 / 49 * 49 != 1
    scene = scene.with_overrides({"simulation.fps": 49})
    simulation = firn.Simulation(scene, device="cpu", threads=1)
    with firn.usd.Writer(tmp_path / "square.usdc", scene) as file:
        simulation.advance_until(0.25 / 49)
        file.add(simulation)
        with pytest.raises(firn.SceneError, match="frame 0.25 is not later than frame 0.25"):
            file.add(simulation)
        simulation.run(2, on_frame=lambda _: file.add(simulation))
    (prim,) = points(opened(tmp_path / "square.usdc")).values()
    np.testing.assert_allclose(codes(prim.GetPointsAttr()), [0.25, 1, 2], atol=1e-12)
    assert codes(prim.GetPointsAttr())[1:] == [1, 2]


def test_a_simulation_of_another_scene_is_refused(scene, simulation, tmp_path):
    path = tmp_path / "square.usdc"
    with firn.usd.Writer(path, firn.Scene.from_toml(scene.to_toml())) as file:
        file.add(simulation)  # which says the same
    other = scene.with_overrides({"grid.dx": 0.04})
    with pytest.raises(firn.SceneError, match="another scene"), firn.usd.Writer(path, other) as file:
        file.add(simulation)


def test_what_is_refused(scene, simulation, tmp_path):
    for name in ("square.abc", "square", "square.usdz"):
        with pytest.raises(firn.SceneError, match=r"end in \.usdc, \.usda, \.usd"):
            firn.usd.Writer(tmp_path / name, scene)
    path = tmp_path / "square.usdc"
    with pytest.raises(firn.SceneError, match="no 'presure'.*did you mean 'pressure'"):
        firn.usd.Writer(path, scene, channels=["presure"])
    with pytest.raises(firn.SceneError, match="no 'vorticity'"):
        firn.usd.Writer(path, scene, channels=["vorticity"])
    with pytest.raises(firn.SceneError, match="material, body, all"):
        firn.usd.Writer(path, scene, by="colour")
    with pytest.raises(TypeError, match="list of names"):
        firn.usd.Writer(path, scene, channels="pressure")
    with (
        pytest.raises(firn.SceneError, match="no temperature"),
        firn.usd.Writer(path, scene, channels=["temperature"]) as file,
    ):
        file.add(simulation)
    assert list(tmp_path.iterdir()) == []
