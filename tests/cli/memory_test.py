"""`firn info` tells the peak of a run's memory to within a tenth, from 200 MB on."""

import json
import os
import subprocess
import time
import unittest

from support import FIRN, CliTest


def scene(dimension, side, precision="single", liquid=False, thermal=False, output="image = false"):
    """A block of 1 m, `side` cells to an edge, that has just begun to fall."""
    box = "min = {0}, max = {1}".format([0] * dimension, [1] * dimension)
    domain = "domain = {{ min = {0}, max = {1}, boundary = \"slip\" }}".format([-0.5] * dimension, [1.5] * dimension)
    return f"""
[simulation]
dimension = {dimension}
precision = "{precision}"
frames = 1
fps = 1000
{'integrator = "incompressible"' if liquid else 'integrator = "thermal"' if thermal else ""}
[grid]
dx = {1 / side}
{domain if liquid or thermal else ""}
[material.jelly]
preset = "{"water" if liquid else "butter" if thermal else "jello"}"
[[body]]
material = "jelly"
name = "block"
shape = {{ type = "box", {box} }}
{"temperature = 290" if thermal else ""}
{"[tracers]" if liquid else ""}
{"per_cell = 4" if liquid else ""}
[output]
resolution = [320, 240]
video = false
{output}
"""


class PeakMemory(CliTest):
    def taken(self, *arguments):
        # wait4 tells the peak of this one process.
        with subprocess.Popen([FIRN, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            error = process.stderr.read().decode()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0, error)
        return 1024 * usage.ru_maxrss

    def said_and_taken(self, text, *more):
        self.scene.write_text(text)
        said = json.loads(self.succeed("info", self.scene, "--json").stdout)["memory_bytes"]["peak"]
        return said, self.taken("run", self.scene, "--device", "cpu", *more)

    def test_of_a_run_that_is_resumed(self):
        self.scene.write_text(scene(3, 46, output="image = true"))
        self.succeed("run", self.scene, "--device", "cpu", "-o", "run", "--frames", 1)
        said = json.loads(self.succeed("info", self.scene, "--json").stdout)["memory_bytes"]
        self.assertAlmostEqual(said["peak_resumed"] / self.taken("resume", "run", "--device", "cpu", "--frames", "2"), 1, delta=0.1)

    def check(self, text, *more):
        said, taken = self.said_and_taken(text, *more)
        self.assertGreater(taken, 200e6, "the scene is too small for its peak to be that of particles and grid")
        self.assertAlmostEqual(said / taken, 1, delta=0.1)

    def test_large_scenes_are_told_of_without_sampling_them(self):
        self.scene.write_text(scene(3, 161))
        told = json.loads(self.succeed("info", self.scene, "--json").stdout)
        self.assertFalse(told["exact"])
        self.assertAlmostEqual(told["particles"] / (8 * 161**3), 1, delta=0.01)
        small = self.folder / "small.toml"
        small.write_text(scene(3, 4))
        started = time.monotonic()
        self.assertLess(self.taken("info", self.scene) - self.taken("info", small), 30e6)
        self.assertLess(time.monotonic() - started, 5)

    def test_a_mesh_thousands_of_cells_across_is_told_of_by_its_triangles(self):
        corners = [[s * (a == i) for i in range(3)] for a in range(3) for s in (1, -1)]
        faces = [(1, 3, 5), (3, 2, 5), (2, 4, 5), (4, 1, 5), (3, 1, 6), (2, 3, 6), (4, 2, 6), (1, 4, 6)]
        (self.folder / "octahedron.obj").write_text("".join("v {} {} {}\n".format(*x) for x in corners) +
                                                    "".join("f {} {} {}\n".format(*f) for f in faces))
        block = 'type = "box", min = [0, 0, 0], max = [1, 1, 1]'
        whole = scene(3, 4)
        self.assertIn(block, whole)
        # Two metres across.
        self.scene.write_text(whole.replace(block, 'type = "mesh", file = "octahedron.obj"'))
        small = self.taken("info", self.scene)
        result = self.firn("info", self.scene, "--json", "--set", "grid.dx=1e-3")
        if "FIRN_WITH_OPENVDB" in result.stderr:
            self.skipTest("meshes need OpenVDB")
        self.assertAlmostEqual(json.loads(result.stdout)["particles"] / (8 * 4 / 3 * 1e9), 1, delta=1e-6)
        started = time.monotonic()
        self.assertLess(self.taken("info", self.scene, "--set", "grid.dx=1e-3") - small, 30e6)
        self.assertLess(time.monotonic() - started, 5)
        error = self.fail_with(2, "info", self.scene, "--set", "grid.dx=1e-4")
        self.assertIn("octahedron.obj: the mesh is 40000 voxels across, more than 4096; check its units", error)

    def test_pictures(self):
        self.check(scene(3, 42, output="image = true"))

    def test_surfaces(self):
        self.check(scene(3, 46, output='image = false\nsurface = ["ply"]'))
        self.check(scene(3, 42, output='image = true\nsurface_kernel = "anisotropic"'), "-o", "ellipsoids")

    def test_particle_files(self):
        self.check(scene(3, 40, output='image = false\nparticles = ["npz"]\nchannels = ["velocity", "stress"]'))

    def test_exports(self):
        with_stress = 'image = false\nchannels = ["velocity", "stress"]\n'
        self.check(scene(3, 46, output=with_stress + 'particles = ["vtp"]'))
        if self.firn("run", self.scene, "-o", "vdb", "--set", 'output.particles=["vdb"]').returncode == 0:
            self.check(scene(3, 46, output=with_stress + 'particles = ["vdb"]\nvolumes = ["vdb"]'), "-o", "both")

    def test_double_precision_in_the_plane(self):
        self.check(scene(2, 360, precision="double"))

    def test_liquid_with_tracers(self):
        self.check(scene(3, 46, liquid=True, output="image = true"))

    def test_glowing_melt(self):
        self.check(scene(3, 40, thermal=True, output='image = true\ncolor = "glow"'))


if __name__ == "__main__":
    unittest.main()
