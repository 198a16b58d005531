"""Scenes from files, text and dictionaries meet the same checks."""

import pickle
import re

import numpy as np
import pytest

import firn


def test_a_dictionary_is_what_its_text_says(scene):
    again = firn.Scene.from_toml(scene.to_toml(), name="square")
    assert again == scene
    assert firn.Scene.from_dict(scene.to_dict(), name="square") == scene
    assert pickle.loads(pickle.dumps(scene)) == scene


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


def test_presets_and_estimates(scene):
    assert "snow_dry" in {preset.material.name for preset in firn.material_presets()}
    estimate = firn.estimate(scene)
    assert estimate.particles == firn.Simulation(scene, device="cpu", threads=1).stats().particles
    assert estimate.dt_limit > 0
