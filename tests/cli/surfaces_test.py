"""Surfaces of a run as files and in pictures: `output.surface`, `firn mesh` and `firn render`. OBJ and PLY are opened by VTK,
level sets by OpenVDB (FIRN_VDB_CONTENTS prints a VDB file as JSON)."""

import json
import math
import os
import re
import subprocess
import unittest

import numpy
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkFiltersCore import vtkFeatureEdges, vtkMassProperties
from vtkmodules.vtkIOGeometry import vtkOBJReader
from vtkmodules.vtkIOPLY import vtkPLYReader

from support import CliTest

VDB_CONTENTS = os.environ.get("FIRN_VDB_CONTENTS", "")
SCENE = """
[simulation]
frames = 2
fps = 48
[grid]
dx = 0.05
[material.jelly]
model = "fixed_corotated"
density = 1000.0
youngs_modulus = 1.0e5
poisson_ratio = 0.3
color = [0.9, 0.2, 0.1]
[[body]]
name = "ball"
material = "jelly"
shape = { type = "sphere", center = [0.5, 0.6, 0.5], radius = 0.2 }
velocity = [0.0, -1.0, 0.0]
[[body]]
name = "block"
material = "jelly"
shape = { type = "box", min = [0.9, 0.3, 0.3], max = [1.3, 0.7, 0.7] }
velocity = [1.0, 0.0, 0.0]
[[collider]]
shape = { type = "half_space", point = [0.0, 0.1, 0.0], normal = [0.0, 1.0, 0.0] }
boundary = "separate"
motion = { type = "keyframes", times = [0.0, 1.0], translation = [[0.0, 0.0, 0.0], [0.0, 0.5, 0.0]] }
[output]
resolution = [160, 90]
video = false
particles = ["npz"]
channels = ["velocity", "material", "body", "volume"]
"""
VOLUME = 4 / 3 * math.pi * 0.2**3 + 0.4**3


def polygons(reader, path):
    reader.SetFileName(str(path))
    reader.Update()
    return reader.GetOutput()


class Surfaces(CliTest):
    def check_mesh(self, mesh):
        edges = vtkFeatureEdges()
        edges.SetInputData(mesh)
        edges.BoundaryEdgesOn()
        edges.NonManifoldEdgesOn()
        edges.FeatureEdgesOff()
        edges.ManifoldEdgesOff()
        edges.Update()
        self.assertEqual(edges.GetOutput().GetNumberOfCells(), 0)
        mass = vtkMassProperties()
        mass.SetInputData(mesh)
        mass.Update()
        self.assertAlmostEqual(mass.GetVolume(), VOLUME, delta=0.03 * VOLUME)  # particles: within 1 % of the shapes'

    def test_grids_finer_than_voxels_of_openvdb(self):
        # All lengths over 10 000: dx = 5e-6 m.
        scene = re.sub(r"(dx = |center = |radius = |min = |max = |point = )(\[.*?\]|[0-9.]+)",
                       lambda m: m[1] + re.sub(r"[0-9.]+", lambda x: f"{float(x[0]) * 1e-4:.9g}", m[2]), SCENE)
        scene = scene.replace("fps = 48", "fps = 48e4").replace("velocity = ", "angular_velocity = ")
        (self.folder / "tiny.toml").write_text(scene)
        for key in ("particles", "volumes", "surface"):
            error = self.fail_with(2, "run", "tiny.toml", "-o", key, "--quiet", "--set", f'output.{key}=["vdb"]')
            self.assertIn(f"output.{key}", error)
            self.assertIn("OpenVDB has no voxels smaller than 1.44e-05 m", error)
            self.assertEqual(self.files(f"{key}/*/*"), {})
        self.succeed("run", "tiny.toml", "-o", "run", "--quiet", "--set", 'output.surface=["obj"]')
        self.assertEqual(len(list((self.folder / "run" / "frames").iterdir())), 3)
        mesh = polygons(vtkOBJReader(), self.folder / "run/surfaces/surface_000000.obj")
        mass = vtkMassProperties()
        mass.SetInputData(mesh)
        mass.Update()
        self.assertAlmostEqual(mass.GetVolume() * 1e12, VOLUME, delta=0.03 * VOLUME)

    def test_files_of_a_run(self):
        (self.folder / "surf.toml").write_text(SCENE)
        self.succeed("run", "surf.toml", "-o", "run", "--quiet", "--set", 'output.surface=["obj","ply","vdb"]')
        folder = self.folder / "run" / "surfaces"
        self.assertEqual(len(list(folder.iterdir())), 9)
        ply = polygons(vtkPLYReader(), folder / "surface_000001.ply")
        self.check_mesh(ply)
        obj = polygons(vtkOBJReader(), folder / "surface_000001.obj")
        self.assertEqual(obj.GetNumberOfPoints(), ply.GetNumberOfPoints())
        self.assertEqual(obj.GetNumberOfCells(), ply.GetNumberOfCells())
        difference = vtk_to_numpy(obj.GetPoints().GetData()) - vtk_to_numpy(ply.GetPoints().GetData())
        self.assertLess(abs(difference).max(), 1e-5)
        text = (folder / "surface_000001.obj").read_text()
        self.assertEqual([line for line in text.splitlines() if line.startswith("o ")], ["o jelly_1", "o jelly_2"])
        colors = vtk_to_numpy(ply.GetPointData().GetArray("RGB"))
        self.assertTrue((abs(colors - [230, 51, 26]) <= 1).all())

    def test_names_stay_when_bodies_go(self):
        """Each body has its name in all frames, and none that another material has."""
        (self.folder / "surf.toml").write_text(SCENE
                                               + '''
[material.jelly_2]
preset = "jello"
[[body]]
material = "jelly_2"
shape = { type = "sphere", center = [0.5, 2.0, 0.5], radius = 0.15 }
[[sink]]
shape = { type = "half_space", point = [0, 0.3, 0], normal = [0, 1, 0] }
''')
        self.succeed("run", "surf.toml", "-o", "run", "--quiet", "--frames", 12, "--set", 'output.surface=["obj"]')
        names = [[line[2:] for line in path.read_text().splitlines() if line.startswith("o ")]
                 for path in sorted((self.folder / "run/surfaces").glob("*.obj"))]
        self.assertEqual(names[0], ["jelly_1", "jelly_02", "jelly_2"])
        self.assertTrue(all(set(frame) < set(names[0]) or frame == names[0] for frame in names), names)
        self.assertLess(len(names[-1]), 3, "no body has gone")

    @unittest.skipUnless(VDB_CONTENTS, "a build without OpenVDB")
    def test_level_sets(self):
        (self.folder / "surf.toml").write_text(SCENE)
        self.succeed("run", "surf.toml", "-o", "run", "--quiet", "--frames", 1, "--set", 'output.surface=["vdb"]')
        contents = json.loads(subprocess.run([VDB_CONTENTS, self.folder / "run/surfaces/surface_000001.vdb"], check=True,
                                             capture_output=True, text=True).stdout)
        self.assertEqual([grid["name"] for grid in contents], ["jelly_1", "jelly_2"])
        inside = 0
        for grid in contents:
            self.assertEqual(grid["class"], "level set")
            self.assertEqual(grid["problems"], "")
            inside += grid["volume"]
        self.assertAlmostEqual(inside, VOLUME, delta=0.03 * VOLUME)  # as check_mesh

    @unittest.skipUnless(VDB_CONTENTS, "a build without OpenVDB")
    def test_level_sets_are_the_same_in_every_frame(self):
        """Empty where a material has nothing: before a source begins, and where a sink takes all."""
        (self.folder / "surf.toml").write_text(SCENE + """
[material.water]
preset = "water"
bulk_modulus = 1e5
[[source]]
material = "water"
shape = { type = "box", min = [0.4, 1.0, 0.4], max = [0.6, 1.1, 0.6] }
velocity = [0.0, -2.0, 0.0]
start = 0.03
[[sink]]
shape = { type = "box", min = [0.9, 0.0, 0.0], max = [2.0, 1.0, 1.0] }
""")
        self.succeed("run", "surf.toml", "-o", "run", "--quiet", "--frames", 3, "--set", 'output.surface=["vdb","ply","obj"]')
        self.succeed("mesh", "run", "--to", "vdb", "-o", "afterwards")
        filled = []
        for frame in range(4):
            name = f"surfaces/surface_{frame:06}.vdb"
            contents = json.loads(subprocess.run([VDB_CONTENTS, self.folder / "run" / name], check=True, capture_output=True,
                                                 text=True).stdout)
            self.assertEqual([grid["name"] for grid in contents], ["jelly_1", "jelly_2", "water"])
            self.assertEqual([grid["problems"] for grid in contents], ["", "", ""])
            filled.append([len(grid["voxels"]) > 0 for grid in contents])
            self.assertEqual((self.folder / "run" / name).read_bytes(), (self.folder / "afterwards" / name).read_bytes())
        self.assertEqual((filled[0], filled[3]), ([True, False, False], [True, False, True]))

    def test_colours_between_two_bytes_are_one(self):
        """0.1 is 25.5 of 255, and means over particles come out on either side of that."""
        (self.folder / "surf.toml").write_text(SCENE.replace("color = [0.9, 0.2, 0.1]", "color = [0.1, 0.3, 0.7]"))
        self.succeed("run", "surf.toml", "-o", "run", "--quiet", "--frames", 1, "--set", 'output.surface=["ply"]')
        for path in (self.folder / "run/surfaces").iterdir():
            colors = vtk_to_numpy(polygons(vtkPLYReader(), path).GetPointData().GetArray("RGB"))
            self.assertEqual(numpy.unique(colors, axis=0).tolist(), [[26, 77, 179]])

    def test_meshed_afterwards(self):
        (self.folder / "surf.toml").write_text(SCENE)
        self.succeed("run", "surf.toml", "-o", "run", "--quiet", "--set", 'output.surface=["ply"]')
        self.succeed("mesh", "run", "--to", "ply", "--frames", "1:2", "-o", "meshes")
        for frame in (1, 2):
            name = f"surfaces/surface_{frame:06}.ply"
            self.assertEqual((self.folder / "meshes" / name).read_bytes(), (self.folder / "run" / name).read_bytes())
        self.succeed("mesh", "run", "--frames", "2", "-o", "finer", "--set", "output.surface_voxel=0.4")
        self.check_mesh(polygons(vtkOBJReader(), self.folder / "finer/surfaces/surface_000002.obj"))
        self.succeed("mesh", "run", "--to", "ply", "--frames", "2", "-o", "flat", "--set",
                     "output.surface_kernel=anisotropic")
        self.assertNotEqual((self.folder / "flat" / name).read_bytes(), (self.folder / "run" / name).read_bytes())
        self.assertIn("frame 7", self.fail_with(3, "mesh", "run", "--frames", "7"))
        self.assertIn("stl", self.fail_with(2, "mesh", "run", "--to", "stl"))

    def test_afterwards_from_files_that_hold_little(self):
        """Bodies and volumes follow from who the particles are: by a checkpoint, and where there is none by the scene."""
        (self.folder / "surf.toml").write_text(SCENE)
        self.succeed("run", "surf.toml", "-o", "run", "--quiet", "--set", 'output.surface=["ply"]', "--set",
                     "output.camera={eye=[3,2,4],target=[0.8,0.4,0.5]}", "--set", 'output.channels=["velocity"]')
        for folder in ("by-checkpoint", "by-scene"):
            self.succeed("mesh", "run", "--to", "ply", "-o", folder)
            self.succeed("render", "run", "-o", folder)
            for name in ("surfaces/surface_000002.ply", "frames/frame_000002.png"):
                self.assertEqual((self.folder / folder / name).read_bytes(), (self.folder / "run" / name).read_bytes(), name)
            for path in (self.folder / "run/checkpoints").iterdir():
                path.unlink()
        # Of another scene nothing is believed.
        toml = self.folder / "run/scene.toml"
        toml.write_text(toml.read_text().replace("dx = 0.05", "dx = 0.04"))
        self.assertIn("the channel material", self.fail_with(3, "mesh", "run", "-o", "edited"))

    def test_pictures_anew_are_those_of_the_run(self):
        (self.folder / "surf.toml").write_text(SCENE)
        self.succeed("run", "surf.toml", "-o", "run", "--quiet", "--set",
                     "output.camera={eye=[3,2,4],target=[0.8,0.4,0.5]}")
        self.succeed("render", "run", "-o", "again")
        for frame in range(3):
            name = f"frames/frame_{frame:06}.png"
            self.assertEqual((self.folder / "again" / name).read_bytes(), (self.folder / "run" / name).read_bytes())
        self.succeed("render", "run", "-o", "grains", "--set", 'output.look="particles"', "--frames", "2")
        self.assertNotEqual((self.folder / "grains/frames/frame_000002.png").read_bytes(),
                            (self.folder / "run/frames/frame_000002.png").read_bytes())

    def test_pictures_anew_are_not_mixed_with_old_ones(self):
        (self.folder / "surf.toml").write_text(SCENE)
        self.succeed("run", "surf.toml", "-o", "run", "--quiet", "--set", "output.particles=[]")
        before = [path.read_bytes() for path in sorted((self.folder / "run/frames").iterdir())]
        error = self.fail_with(3, "render", "run", "--set", 'output.look="particles"')
        self.assertIn("of 2 of its 3 pictures, frame 0 the first, no particles are kept", error)
        self.assertEqual([path.read_bytes() for path in sorted((self.folder / "run/frames").iterdir())], before)
        self.succeed("render", "run", "--set", 'output.look="particles"', "--frames", "2")
        after = [path.read_bytes() for path in sorted((self.folder / "run/frames").iterdir())]
        self.assertEqual(after[:2], before[:2])
        self.assertNotEqual(after[2], before[2])

    def test_what_moved_the_material_is_done(self):
        (self.folder / "surf.toml").write_text(SCENE)
        self.succeed("run", "surf.toml", "-o", "run", "--quiet")
        for command in ("render", "mesh"):
            error = self.fail_with(2, command, "run", "-o", "other", "--set", "simulation.gravity=[0, 9.81, 0]")
            self.assertIn("cannot be shown with another 'simulation.gravity'", error)
            self.succeed(command, "run", "-o", command, "--set", 'material.jelly.look="particles"',
                         "--set", "material.jelly.color=[0, 1, 0]")

    def test_the_camera_of_pictures_anew_knows_all_frames(self):
        (self.folder / "surf.toml").write_text(SCENE.replace("velocity = [1.0,", "velocity = [30.0,"))
        self.succeed("run", "surf.toml", "-o", "run", "--quiet", "--frames", "6")
        self.succeed("render", "run", "-o", "all")
        self.succeed("render", "run", "-o", "last", "--frames", "6")
        name = "frames/frame_000006.png"
        last = (self.folder / "last" / name).read_bytes()
        self.assertEqual((self.folder / "all" / name).read_bytes(), last)
        # It is another one than that of a run which ends where this one is cut off.
        for path in (self.folder / "run/particles").glob("*00000[0-5]*"):
            path.unlink()
        self.succeed("render", "run", "-o", "alone")
        self.assertNotEqual((self.folder / "alone" / name).read_bytes(), last)

    def test_pictures_anew_have_bodies_where_material_has_moved_them(self):
        (self.folder / "surf.toml").write_text(SCENE.replace("[[body]]", """[[collider]]
name = "plank"
shape = { type = "box", min = [0.4, 0.9, 0.3], max = [0.9, 1.0, 0.7] }
density = 500
velocity = [0.0, -3.0, 0.0]
angular_velocity = [0.0, 0.0, 20.0]
[[body]]""", 1).replace("[output]", "[output]\ncamera = { eye = [0.9, 1.2, 3.2], target = [0.8, 0.6, 0.5] }"))
        self.succeed("run", "surf.toml", "-o", "run", "--quiet", "--frames", "4", "--set", "output.image=true")
        self.assertNotIn("where they began", self.succeed("render", "run", "-o", "again").stderr)
        for frame in (0, 4):
            name = f"frames/frame_{frame:06}.png"
            self.assertEqual((self.folder / "again" / name).read_bytes(), (self.folder / "run" / name).read_bytes())
        # Without what has been recorded they can only be shown at the start, and that is said.
        (self.folder / "run/stats.jsonl").write_text("no JSON\n{}\n[1]\n")
        self.assertIn("where they began", self.succeed("render", "run", "-o", "lost").stderr)
        self.assertNotEqual((self.folder / "lost" / name).read_bytes(), (self.folder / "run" / name).read_bytes())

    def test_blur_needs_velocities(self):
        (self.folder / "surf.toml").write_text(SCENE)
        self.succeed("run", "surf.toml", "-o", "run", "--quiet")
        self.succeed("render", "run", "-o", "sharp")
        self.succeed("render", "run", "-o", "blurred", "--set", "output.motion_blur=1")
        name = "frames/frame_000002.png"
        self.assertNotEqual((self.folder / "sharp" / name).read_bytes(), (self.folder / "blurred" / name).read_bytes())
        self.succeed("run", "surf.toml", "-o", "still", "--quiet", "--set",
                     'output.channels=["material","body","volume"]')
        for path in (self.folder / "still/checkpoints").iterdir():
            path.unlink()
        self.assertIn("velocity", self.fail_with(3, "render", "still", "--set", "output.motion_blur=1"))

    def test_what_makes_no_sense_is_said_before_the_run(self):
        (self.folder / "surf.toml").write_text(SCENE)
        message = self.fail_with(2, "run", "surf.toml", "-o", "run", "--set", 'output.surface=["stl"]')
        self.assertIn("obj", message)
        (self.folder / "flat.toml").write_text("""
[simulation]
dimension = 2
[grid]
dx = 0.1
[material.jelly]
preset = "jelly"
[[body]]
material = "jelly"
shape = { type = "box", min = [0.3, 0.3], max = [0.7, 0.7] }
[output]
surface = ["obj"]
""")
        self.assertIn("dimension = 3", self.fail_with(2, "run", "flat.toml", "-o", "flat"))


if __name__ == "__main__":
    unittest.main()
