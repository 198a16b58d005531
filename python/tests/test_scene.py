"""Scenes from files, text and dictionaries meet the same checks."""

import copy
import enum
import pathlib
import pickle
import re

import numpy as np
import pytest

import firn

SCENES = pathlib.Path(__file__).resolve().parents[2] / "scenes"


def test_a_dictionary_is_what_its_text_says(scene):
    again = firn.Scene.from_toml(scene.to_toml(), name="square")
    assert again == scene
    assert firn.Scene.from_dict(scene.to_dict(), name="square") == scene
    assert pickle.loads(pickle.dumps(scene)) == scene


def reordered(tree):
    if isinstance(tree, dict):
        return {key: reordered(tree[key]) for key in reversed(tree)}
    return [reordered(item) for item in tree] if isinstance(tree, list) else tree


def test_scenes_are_equal_where_they_say_the_same(tmp_path, tree, scene):
    path = tmp_path / "other.toml"
    path.write_text("# a comment\n" + scene.to_toml())
    file = firn.load(path)
    defaults = copy.deepcopy(tree)
    defaults["transfer"] = {"type": "apic", "kernel": "quadratic"}
    defaults["simulation"]["seed"] = 1
    defaults["body"][0]["particles_per_cell"] = 4
    numbers = copy.deepcopy(tree)
    numbers["material"]["jelly"]["youngs_modulus"] = 1000000
    numbers["simulation"]["gravity"] = [-0.0, -9.81]
    same = [
        file,
        firn.load(path, overrides={"grid.dx": 0.05}),
        firn.Scene.from_dict(tree, name="another"),
        firn.Scene.from_dict(reordered(tree)),
        firn.Scene.from_dict(defaults),
        firn.Scene.from_dict(numbers),
    ]
    for other in [*same, *(pickle.loads(pickle.dumps(other)) for other in same), copy.deepcopy(file)]:
        assert other == scene and hash(other) == hash(scene)
    assert len({scene, *same}) == 1


@pytest.mark.parametrize(
    "overrides",
    [
        {"grid.dx": 0.06},
        {"title": "Another"},
        {"body.0.velocity": [0.5, -1.1]},
        {"material.jelly.poisson_ratio": 0.31},
        {"output.resolution": [160, 122]},
        {"collider.0.friction": 0.3},
    ],
)
def test_scenes_that_say_something_else(scene, overrides):
    other = scene.with_overrides(overrides)
    assert other != scene
    assert len({other, scene}) == 2
    assert scene != 3 and scene != scene.to_toml()


def test_pickled_files_of_all_kinds():
    """Meshes by relative paths, heat, sensors, tracers."""
    for name in ("mesh-drop", "lava-flow", "dam-gauges", "ink-drop"):
        scene = firn.load(SCENES / f"{name}.toml")
        again = pickle.loads(pickle.dumps(scene))
        assert again == scene and hash(again) == hash(scene)


def test_a_file(tmp_path, scene):
    path = tmp_path / "square.toml"
    path.write_text(scene.to_toml() + "[variants.fine]\ngrid.dx = 0.025\n")
    loaded = firn.load(path)
    assert loaded.path == str(path)
    assert loaded.name == "square"
    assert loaded.grid.dx == 0.05
    assert firn.load(path, variant="fine").grid.dx == 0.025
    assert firn.load(str(path), variant="fine", overrides={"grid.dx": 0.1}).grid.dx == 0.1
    with pytest.raises(firn.SceneError, match="coarse"):
        firn.load(path, variant="coarse")


def test_scenes_that_come_with_it(tmp_path, monkeypatch, scene):
    """By name, as on the command line; here is no folder of scenes, in which they would be found."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FIRN_SCENES", raising=False)
    assert set(firn.scene_files()) == {path.stem for path in SCENES.glob("*.toml")}
    coarse = {"grid.dx": 0.1}
    assert firn.load("jello-drop", overrides=coarse) == firn.load(SCENES / "jello-drop.toml", overrides=coarse)
    for part in firn.load("mesh-drop").bodies:  # what a scene names comes along
        assert part.shape.type != "mesh" or pathlib.Path(part.shape.file).is_file()
    with pytest.raises(firn.FileError, match="^jelo-drop: no such scene file; did you mean 'jello-drop'.*scene_files"):
        firn.load("jelo-drop")
    with pytest.raises(firn.FileError, match="did you mean 'jello-drop'"):
        firn.load("nowhere/jello-drops.toml")
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "jello-drop.toml").write_text(scene.to_toml())
    monkeypatch.setenv("FIRN_SCENES", f"{tmp_path}:{mine}")
    assert firn.load("jello-drop") == scene
    (tmp_path / "mesh-drop").write_text(scene.to_toml())
    assert firn.load("mesh-drop") == scene, "a file that is there comes first"


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(firn.FileError, match="nowhere.toml") as caught:
        firn.load(tmp_path / "nowhere.toml")
    assert isinstance(caught.value, OSError)
    assert (caught.value.category, caught.value.exit_code) == ("file", 3)


def test_what_can_be_looked_at(scene):
    assert scene.simulation.dimension == 2
    assert scene.simulation.integrator == "explicit"
    assert scene.simulation.gravity == [0, -9.81, 0]
    assert scene.transfer.type == "apic"  # a default
    assert [material.name for material in scene.materials] == ["jelly"]
    assert scene.materials[0].model == "fixed_corotated"
    assert scene.bodies[0].shape.type == "box"
    assert scene.bodies[0].shape.max == [0.7, 0.6, 0]
    assert scene.colliders[0].boundary == "separate"
    assert scene.colliders[0].motion is None
    assert scene.grid.domain is None
    assert "square" in repr(scene)


def test_cameras_tell_where_they_are():
    scene = firn.load(SCENES / "letters.toml")
    motion = {"type": "keyframes", "times": [0, 2], "fov": [30, 60]}
    camera = {"eye": [1.0, 2.0, 5.0], "target": [1.0, 0.0, 1.0], "orbit": 90.0, "motion": motion}
    camera = scene.with_overrides({"output.camera": camera}).output.camera
    assert camera.orbit == pytest.approx(np.pi / 2)
    assert camera.motion.times == [0, 2] and camera.motion.eye == []
    there = camera.at(1.0)
    assert there.eye == pytest.approx([5, 2, 1]) and there.target == [1, 0, 1]
    assert there.fov == pytest.approx(np.pi / 4) and there.motion is None


def test_what_parts_say_that_few_scenes_have(tree):
    tree["sensor"] = [{"name": "gauge", "type": "plane", "position": [0.5, 0.3], "normal": [0, 3.0], "rate": 96.0}]
    scene = firn.Scene.from_dict({**tree, "diagnostics": {"energy_growth": 0.1}})
    (sensor,) = scene.sensors
    assert (sensor.name, sensor.type, sensor.rate, sensor.radius) == ("gauge", "plane", 96, None)
    assert sensor.direction == [0, 1, 0]
    assert scene.diagnostics.energy_growth == 0.1
    assert scene.diagnostics.on_energy_growth == "warn"
    assert scene.output.keep_checkpoints == 2
    assert scene.bodies[0].phase is None
    assert scene.heat_sources == []
    assert scene.forces == []
    assert scene.tracers.per_cell == 0
    assert scene.thermal.forces == "explicit"
    assert scene.thermal.face_density == "material"
    assert scene.thermal.heat_solve.max_iterations == 500
    assert scene.fluid.free_surface == "ghost_fluid"
    implicit = scene.implicit
    assert (implicit.preconditioner, implicit.plasticity, implicit.positions) == ("blocks", "inside", "forward_euler")
    assert scene.colliders[0].dynamics is None
    assert scene.materials[0].heat.melting_point is None
    assert scene.bodies[0].shape.solid == "winding"


def test_heat_sources_and_phases():
    wax = {"model": "corotated_deviatoric", "density": 900, "youngs_modulus": 1e5, "poisson_ratio": 0.3}
    wax |= {"heat_capacity": 2500, "conductivity": 0.25, "melting_point": 330}
    scene = firn.Scene.from_dict(
        {
            "simulation": {"dimension": 2, "integrator": "thermal"},
            "grid": {"dx": 0.1},
            "material": {"wax": wax},
            "body": [
                {
                    "material": "wax",
                    "phase": "liquid",
                    "temperature": 340,
                    "shape": {"type": "box", "min": [0, 0], "max": [1, 1]},
                }
            ],
            "heat_source": [{"name": "fire", "power": 10.0, "shape": {"type": "sphere", "center": [0, 0], "radius": 0.5}}],
        }
    )
    assert scene.bodies[0].phase == "liquid"
    assert scene.heat_sources[0].power.constant == 10
    assert scene.materials[0].heat.melting_point == 330


def test_parts_outlive_their_scene(tree):
    material = firn.Scene.from_dict(tree).materials[0]
    assert material.name == "jelly"


@pytest.mark.parametrize(
    "change, key",
    [
        (lambda tree: tree["body"][0]["shape"].update(type="sphere", radius=-1), "body.0.shape"),
        (lambda tree: tree["grid"].update(dx=-1.0), "grid.dx: "),
        (lambda tree: tree["grid"].update(dx="wide"), "grid.dx: "),
        (lambda tree: tree["material"]["jelly"].update(density=0), "material.jelly.density: "),
        (lambda tree: tree["body"][0].update(material="stone"), "body.0.material: "),
        (lambda tree: tree["body"][0].update(velocity=[1]), "body.0.velocity: "),
        (lambda tree: tree.update(boddy=[]), "boddy: "),
        (lambda tree: tree["collider"].append({"shape": {"type": "ball"}}), "collider.1.shape.type: "),
        (lambda tree: tree["grid"].pop("dx"), "grid: "),
    ],
)
def test_findings_name_the_key(tree, change, key):
    change(tree)
    with pytest.raises(firn.SceneError) as caught:
        firn.Scene.from_dict(tree)
    assert re.search(rf"^{re.escape(key)}", str(caught.value), re.MULTILINE), str(caught.value)
    assert "scene.toml" not in str(caught.value)
    assert isinstance(caught.value, ValueError)
    assert (caught.value.category, caught.value.exit_code) == ("scene", 2)


def test_all_findings_at_once(tree):
    tree["grid"]["dx"] = -1
    tree["simulation"]["dimension"] = 4
    with pytest.raises(firn.SceneError) as caught:
        firn.Scene.from_dict(tree)
    assert len(str(caught.value).splitlines()) >= 2


def test_numpy_values_and_awkward_text(tree):
    tree["grid"]["dx"] = np.float32(0.0625)
    tree["simulation"]["frames"] = np.int64(7)
    tree["body"][0]["velocity"] = np.array([0.5, -1.0])
    tree["title"] = 'quotes " and \\ and \x7f and\nlines, é'
    tree["material"]["two words"] = tree["material"]["jelly"]
    scene = firn.Scene.from_dict(tree)
    assert scene.grid.dx == 0.0625
    assert scene.simulation.frames == 7
    assert scene.title == tree["title"]
    assert {material.name for material in scene.materials} == {"jelly", "two words"}


def test_numbers_of_derived_classes(tree):
    class Count(enum.IntEnum):
        FRAMES = 7

    class Metres(float):
        def __repr__(self):
            return f"{float(self)} m"

    tree["simulation"]["frames"] = Count.FRAMES
    tree["grid"]["dx"] = Metres(0.0625)
    tree["material"]["jelly"]["density"] = np.longdouble(500)
    tree["body"][0]["velocity"] = np.array([0.5, -1.0], dtype=np.longdouble)
    scene = firn.Scene.from_dict(tree)
    assert scene.simulation.frames == 7
    assert scene.grid.dx == 0.0625
    assert scene.materials[0].density == 500
    assert [c.constant for c in scene.bodies[0].velocity.component] == [0.5, -1, 0]
    assert scene.with_overrides({"grid.dx": Metres(0.125), "simulation.frames": Count.FRAMES}).grid.dx == 0.125


@pytest.mark.parametrize("value", [None, object(), 1j, {1: 2}])
def test_what_no_scene_holds(tree, value):
    tree["grid"]["dx"] = value
    with pytest.raises(TypeError, match="grid"):
        firn.Scene.from_dict(tree)


def test_overrides(scene):
    stiff = scene.with_overrides({"material.jelly.youngs_modulus": 2e6, "body.0.sampling": "random"})
    assert stiff.materials[0].youngs_modulus == 2e6
    assert stiff.bodies[0].sampling == "random"
    assert scene.materials[0].youngs_modulus == 1e6
    assert stiff != scene
    with pytest.raises(firn.SceneError, match="^grid.dy: "):
        scene.with_overrides({"grid.dy": 1})
    with pytest.raises(TypeError, match="dictionary"):
        scene.with_overrides(["grid.dx=1"])


def test_where_relative_paths_start(tree, tmp_path, monkeypatch):
    """Those of a file at its folder, those of overrides at the working directory."""
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
        (folder / "ball.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    monkeypatch.chdir(here)
    tree["simulation"] = {"dimension": 3}
    tree["body"][0].update(shape={"type": "mesh", "file": "ball.obj"}, velocity=[0, 0, 0])
    del tree["collider"]
    scene = firn.Scene.from_dict(tree, directory=there)
    assert scene.bodies[0].shape.file == str(there / "ball.obj")
    assert scene.with_overrides({"grid.dx": 0.1}).bodies[0].shape.file == str(there / "ball.obj")
    change = {"body.0.shape.file": "ball.obj"}
    assert firn.Scene.from_dict(tree, directory=there, overrides=change).bodies[0].shape.file == str(here / "ball.obj")
    assert scene.with_overrides(change).bodies[0].shape.file == str(here / "ball.obj")


def test_presets_and_estimates(scene):
    assert "snow_dry" in {preset.material.name for preset in firn.material_presets()}
    estimate = firn.estimate(scene)
    assert estimate.particles == firn.Simulation(scene, device="cpu", threads=1).stats().particles
    assert estimate.dt_limit > 0


def test_warnings(tree, recwarn):
    assert firn.scene_warnings(firn.Scene.from_dict(tree)) == []
    firn.Simulation(firn.Scene.from_dict(tree), device="cpu", threads=1)
    assert not recwarn.list
    tree["collider"][0]["boundary"] = "slip"
    scene = firn.Scene.from_dict(tree)
    (warning,) = firn.scene_warnings(scene)
    assert warning.startswith('collider "floor": its friction has no effect')
    with pytest.warns(firn.SceneWarning, match="friction has no effect") as caught:
        firn.Simulation(scene, device="cpu", threads=1)
    assert caught[0].filename == __file__
