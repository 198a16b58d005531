"""Colliders and cameras in USD files, opened by OpenUSD."""

import json

import numpy as np
import pytest
from pxr import Gf, UsdGeom

import firn
import firn.usd
from usd_reader import colliders, encoded, opened, prims, value
from usd_runs import SCENE, run  # noqa: F401

TURN = {
    "type": "keyframes",
    "times": [0, 1],
    "translation": [[0, 0, 0], [0, 0.5, 0]],
    "rotation": [[0, 0, 0], [0, 0, 90]],
    "pivot": [2, 0, 0],
}
CAMERA = {"eye": [0.9, 1.3, 2.6], "target": [0, 0.5, 0], "fov": 40}
WITH_MORE = SCENE | {
    "collider": [
        *SCENE["collider"],
        {"name": "paddle", "shape": {"type": "box", "min": [1.9, -0.1, -0.2], "max": [2.5, 0.1, 0.2]}, "motion": TURN},
        {"name": "rock", "shape": {"type": "sphere", "center": [3, 1, 0], "radius": 0.25}, "density": 500},
        {
            "name": "hidden",
            "visible": False,
            "color": [0.5, 0.25, 1.0],
            "shape": {"type": "cylinder", "from": [-1, 0, 0], "to": [-1, 1, 0], "radius": 0.2},
        },
    ],
    "output": {"image": False, "camera": CAMERA, "resolution": [960, 540]},
}
QUARTER = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])


def write_bodies(folder, name="rock", frames=range(5)):
    """The rock rises and has turned by a quarter from frame 1 on."""
    lines = []
    for frame in frames:
        turned = (np.eye(3) if frame == 0 else QUARTER).ravel().tolist()
        body = {"collider": name, "center_of_mass": [3, 1 + 0.1 * frame, 0], "rotation": turned}
        lines.append(json.dumps({"frame": frame, "bodies": [body]}))
    (folder / "stats.jsonl").write_text("\n".join(lines) + "\n{\"frame\": 9, \"bo")


def corners(mesh, code):
    """Points as they are in the world."""
    to_world = np.array(UsdGeom.Xformable(mesh).ComputeLocalToWorldTransform(code))
    x = np.array(mesh.GetPointsAttr().Get(code), float)
    return x @ to_world[:3, :3] + to_world[3, :3]


def enclosed(x, mesh):
    triangles = x[np.array(mesh.GetFaceVertexIndicesAttr().Get(0)).reshape(-1, 3)]
    return np.einsum("ti,ti->", triangles[:, 0], np.cross(triangles[:, 1], triangles[:, 2])) / 6


def test_colliders_of_a_run(run):
    folder = run(tree=WITH_MORE)
    write_bodies(folder)
    stage = opened(firn.usd.export(folder))
    found = colliders(stage)
    assert list(found) == [f"colliders/{name}" for name in ("collider0", "paddle", "rock", "hidden")]
    ground, paddle, rock, hidden = found.values()
    assert ground.GetPrim().GetCustomDataByKey("firn:name") == "collider0"
    for mesh in found.values():
        assert mesh.GetSubdivisionSchemeAttr().Get() == UsdGeom.Tokens.none
        triangles = mesh.GetFaceVertexIndicesAttr().Get(0)
        assert UsdGeom.Mesh.ValidateTopology(
            triangles, mesh.GetFaceVertexCountsAttr().Get(0), len(mesh.GetPointsAttr().Get(0))
        )
    # The ground is a square beneath all; nothing of it moves.
    x = corners(ground, 3)
    assert np.allclose(x[:, 1], -0.2) and (x.min(0)[[0, 2]] < -2).all() and (x.max(0)[[0, 2]] > 4).all()
    assert np.allclose(ground.GetNormalsAttr().Get(), [0, 1, 0])
    assert not any(attribute.GetNumTimeSamples() for attribute in ground.GetPrim().GetAttributes())
    # A box, facing outwards: its volume is positive, and that of the box.
    assert enclosed(corners(paddle, 0), paddle) == pytest.approx(0.6 * 0.2 * 0.4, rel=1e-5)
    for frame in range(5):
        # As the scene's key frames have it at that time.
        state = firn.scripted_colliders(firn.load(folder / "scene.toml"), frame / 24)[1]
        rotation = np.reshape(state.rotation, (3, 3))
        at_rest = np.array(paddle.GetPointsAttr().Get(), float)
        expected = (at_rest - state.pivot) @ rotation.T + np.array(state.pivot) + state.translation
        np.testing.assert_allclose(corners(paddle, frame), expected, atol=1e-6)
        center = corners(rock, frame)
        np.testing.assert_allclose((center.min(0) + center.max(0)) / 2, [3, 1 + 0.1 * frame, 0], atol=1e-3)
    # About its centre of mass, which is that of the first line.
    top = np.array([3, 1.25, 0])
    turned = np.array(UsdGeom.Xformable(rock).ComputeLocalToWorldTransform(2))
    np.testing.assert_allclose(top @ turned[:3, :3] + turned[3, :3], [3 - 0.25, 1.2, 0], atol=1e-9)
    assert enclosed(corners(rock, 4), rock) == pytest.approx(4 / 3 * np.pi * 0.25**3, rel=0.01)
    assert UsdGeom.Imageable(hidden).ComputeVisibility(0) == UsdGeom.Tokens.invisible
    assert UsdGeom.Imageable(rock).ComputeVisibility(0) == UsdGeom.Tokens.inherited
    color = np.array(UsdGeom.Gprim(hidden).GetDisplayColorPrimvar().Get())
    np.testing.assert_allclose(encoded(color), [[0.5, 0.25, 1.0]], atol=1e-6)
    assert not colliders(opened(firn.usd.export(folder, only="particles")))


def test_bodies_that_nothing_tells_of_are_left_out(run):
    folder = run(tree=WITH_MORE)
    with pytest.warns(firn.SceneWarning, match="left out: rock"):
        stage = opened(firn.usd.export(folder))
    assert list(colliders(stage)) == [f"colliders/{name}" for name in ("collider0", "paddle", "hidden")]


def test_the_camera(run):
    """As a foreign reader projects by it: the target in the middle, what is at the rim of the picture at its rim."""
    folder = run(tree=WITH_MORE)
    write_bodies(folder)
    stage = opened(firn.usd.export(folder))
    (camera,) = prims(stage, UsdGeom.Camera).values()
    seen = camera.GetCamera(2.0)
    frustum = seen.frustum
    eye, target = np.array(CAMERA["eye"]), np.array(CAMERA["target"])
    np.testing.assert_allclose(np.array(frustum.position), eye, atol=1e-9)
    forward = (target - eye) / np.linalg.norm(target - eye)
    np.testing.assert_allclose(np.array(frustum.ComputeViewDirection()), forward, atol=1e-7)
    right = np.cross(forward, [0, 1, 0])
    right /= np.linalg.norm(right)
    np.testing.assert_allclose(np.array(frustum.ComputeUpVector()), np.cross(right, forward), atol=1e-7)
    assert seen.GetFieldOfView(Gf.Camera.FOVVertical) == pytest.approx(CAMERA["fov"], abs=1e-4)
    assert seen.aspectRatio == pytest.approx(960 / 540, rel=1e-6)
    # 36 mm of film, in tenths of the stage's unit, whatever that is.
    film = seen.horizontalAperture / 10 * UsdGeom.GetStageMetersPerUnit(stage)
    assert film == pytest.approx(0.036, rel=1e-6)
    assert seen.focusDistance == pytest.approx(np.linalg.norm(target - eye), rel=1e-6)
    near, far = seen.clippingRange.min, seen.clippingRange.max
    assert near < 0.1 and far > 100
    assert not any(attribute.GetNumTimeSamples() for attribute in camera.GetPrim().GetAttributes())


def test_a_camera_that_moves_and_another_up_axis(run):
    keys = {"type": "keyframes", "times": [0, 0.1], "fov": [40, 20]}
    camera = {"eye": [0.5, -3, 1], "target": [0, 0, 0.5], "up": [0, 0, 1], "orbit": 90, "motion": keys}
    tree = SCENE | {"output": {"image": False, "camera": camera}}
    tree = tree | {"simulation": SCENE["simulation"] | {"gravity": [0, 0, -9.81]}}
    stage = opened(firn.usd.export(run(tree=tree)))
    assert UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.z
    (prim,) = prims(stage, UsdGeom.Camera).values()
    scene = firn.Scene.from_dict(tree)
    for frame in range(5):
        now = scene.output.camera.at(frame / 24)
        seen = prim.GetCamera(frame)
        np.testing.assert_allclose(np.array(seen.frustum.position), now.eye, atol=1e-9)
        assert seen.GetFieldOfView(Gf.Camera.FOVVertical) == pytest.approx(np.degrees(now.fov), abs=1e-4)
        assert np.array(seen.frustum.ComputeUpVector())[2] > 0.9
    assert prim.GetFocalLengthAttr().GetNumTimeSamples() == 5


def test_frames_may_begin_elsewhere(run):
    folder = run(tree=WITH_MORE)
    write_bodies(folder)
    stage = opened(firn.usd.export(folder, start=1001, frames=(1, 3)))
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (1002, 1004)
    rock = colliders(stage)["colliders/rock"]
    assert UsdGeom.Xformable(rock).GetTimeSamples() == [1002, 1003, 1004]
    for prim in stage.Traverse():
        for attribute in prim.GetAttributes():
            assert set(attribute.GetTimeSamples()) <= {1002, 1003, 1004}, attribute.GetPath()


def test_a_simulation_with_colliders(tmp_path):
    tree = WITH_MORE | {"simulation": {"frames": 2, "fps": 48, "gravity": [0, -9.81, 0]}}
    scene = firn.Scene.from_dict(tree)
    simulation = firn.Simulation(scene)
    states = {}
    with firn.usd.Writer(tmp_path / "all.usdc", scene) as file:
        file.add(simulation)
        simulation.run(on_frame=lambda stats: (file.add(simulation), states.update({stats.frame: simulation.colliders()})))
    stage = opened(tmp_path / "all.usdc")
    assert len(colliders(stage)) == 4 and len(prims(stage, UsdGeom.Camera)) == 1
    for frame, now in states.items():
        for state, mesh in zip(now, colliders(stage).values()):
            at_rest = np.array(mesh.GetPointsAttr().Get(), float)
            rotation = np.reshape(state.rotation, (3, 3))
            expected = (at_rest - state.pivot) @ rotation.T + np.array(state.pivot) + state.translation
            np.testing.assert_allclose(corners(mesh, frame), expected, atol=1e-5)
    fallen = value(UsdGeom.Xformable(colliders(stage)["colliders/rock"]).GetOrderedXformOps()[0].GetAttr(), 2)
    assert fallen[3, 1] == pytest.approx(-0.5 * 9.81 * (2 / 48) ** 2, rel=0.1)


def test_meshes_of_colliders():
    scene = firn.Scene.from_dict(WITH_MORE)
    x, normals, triangles = firn.collider_mesh(scene, 2)
    assert x.shape == normals.shape and triangles.max() < len(x)
    np.testing.assert_allclose(np.linalg.norm(x - [3, 1, 0], axis=1), 0.25, rtol=1e-5)
    np.testing.assert_allclose(normals, (x - [3, 1, 0]) / 0.25, atol=1e-4)
    with pytest.raises(firn.SceneError, match="no collider 4: the scene has 4"):
        firn.collider_mesh(scene, 4)
    flat = {
        "simulation": {"dimension": 2},
        "grid": {"dx": 0.1},
        "material": SCENE["material"],
        "body": [{"material": "jelly", "shape": {"type": "box", "min": [0, 0], "max": [1, 1]}}],
        "collider": [{"shape": {"type": "half_space", "point": [0, 0], "normal": [0, 1]}}],
    }
    with pytest.raises(firn.SceneError, match="dimension = 3"):
        firn.collider_mesh(firn.Scene.from_dict(flat), 0)
