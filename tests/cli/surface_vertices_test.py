"""What vertices of surfaces have in PLY files: velocities, bodies, temperatures and who is nearest to them."""

import unittest

import numpy

from support import CliTest
from surfaces_test import SCENE


def vertices(path, *more):
    """Rows of a PLY file's vertices, `x` with normals and velocities behind it; `more`: behind those of all files."""
    header, body = path.read_bytes().split(b"end_header\n", 1)
    row = [("x", "<f4", 9), ("rgb", "u1", 3), ("material", "<u2"), ("body", "<u2"), *more]
    names = [line.split()[-1].decode() for line in header.split(b"element face")[0].splitlines() if b"property" in line]
    assert names[12:] == [name for name, *_ in row[2:]], names
    return numpy.frombuffer(body, numpy.dtype(row), int(header.split(b"element vertex ")[1].split()[0]))


NEAREST = ("nearest_id", "<u4")


class Vertices(CliTest):
    def test_velocities(self):
        """The ball falls, the block drifts to the right."""
        (self.folder / "surf.toml").write_text(SCENE)
        self.succeed("run", "surf.toml", "-o", "run", "--quiet", "--frames", 1, "--set", 'output.surface=["ply"]')
        rows = vertices(self.folder / "run/surfaces/surface_000001.ply", NEAREST)
        count = len(rows)
        ball = rows["x"][rows["x"][:, 0] < 0.75]
        block = rows["x"][rows["x"][:, 0] > 0.85]
        self.assertEqual(len(ball) + len(block), count)
        self.assertTrue((abs(ball[:, 7] + 1.2) < 0.3).all())
        self.assertTrue((abs(block[:, 6] - 1) < 0.1).all())

    def test_velocities_are_those_of_the_surface(self):
        """Not of the particles within, which are slower: the spin of a ball is that of its vertices, to a hundredth."""
        spin = [3.0, 10.0, -6.0]
        (self.folder / "surf.toml").write_text(
            SCENE.replace("velocity = [0.0, -1.0, 0.0]", f"angular_velocity = {spin}", 1))
        self.succeed("run", "surf.toml", "-o", "run", "--quiet", "--frames", 1, "--set", 'output.surface=["ply"]')
        rows = vertices(self.folder / "run/surfaces/surface_000000.ply", NEAREST)["x"].astype(float)
        ball = rows[rows[:, 0] < 0.75]
        expected = numpy.cross(spin, ball[:, :3] - [0.5, 0.6, 0.5])
        self.assertLess(numpy.linalg.norm(ball[:, 6:] - expected), 0.01 * numpy.linalg.norm(expected))
        self.assertAlmostEqual((ball[:, 6:] * expected).sum() / (expected**2).sum(), 1, delta=0.01)

    def test_vertices_have_what_their_particles_have(self):
        (self.folder / "surf.toml").write_text(SCENE)
        self.succeed("run", "surf.toml", "-o", "run", "--quiet", "--set", 'output.surface=["ply"]', "--set",
                     'output.channels=["velocity", "id", "body"]')
        name = "surfaces/surface_000002.ply"
        rows = vertices(self.folder / "run" / name, NEAREST)
        particles = numpy.load(self.folder / "run/particles/particles_000002.npz")
        self.assertEqual(set(rows["body"]), {0, 1})
        for body, row in zip(rows["body"][::20], rows[::20]):
            own = numpy.flatnonzero(particles["body"] == body)  # solids have surfaces of their own
            away = numpy.linalg.norm(particles["position"][own].astype(float) - row["x"][:3], axis=1)
            of_nearest = away[particles["id"][own] == row["nearest_id"]]
            self.assertAlmostEqual(of_nearest[0], away.min(), delta=1e-5)
        # What cannot be told is left out: who the particles of files without ids are, where some may have left.
        self.succeed("mesh", "run", "--to", "ply", "-o", "same", "--frames", "2")
        self.assertEqual((self.folder / "same" / name).read_bytes(), (self.folder / "run" / name).read_bytes())
        (self.folder / "surf.toml").write_text(SCENE + """
[[sink]]
shape = { type = "half_space", point = [0, -9, 0], normal = [0, 1, 0] }
""")
        self.succeed("run", "surf.toml", "-o", "leaving", "--quiet")
        self.succeed("mesh", "leaving", "--to", "ply", "-o", "nameless", "--frames", "1")
        self.assertEqual(set(vertices(self.folder / "nameless/surfaces/surface_000001.ply")["body"]), {0, 1})

    def test_vertices_have_temperatures(self):
        (self.folder / "hot.toml").write_text("""
[simulation]
frames = 1
fps = 96
integrator = "thermal"
gravity = [0.0, 0.0, 0.0]
[grid]
dx = 0.05
[material.butter]
preset = "butter"
[[body]]
material = "butter"
shape = { type = "box", min = [0.0, 0.0, 0.0], max = [0.4, 0.4, 0.4] }
temperature = "280 + 20 * x"
[output]
image = false
particles = ["npz"]
channels = ["velocity", "temperature"]
surface = ["ply"]
""")
        self.succeed("run", "hot.toml", "-o", "run", "--quiet")
        name = "surfaces/surface_000001.ply"
        rows = vertices(self.folder / "run" / name, ("temperature", "<f4"), NEAREST)
        # Means of the particles within three spacings, of which half lie on one side.
        difference = rows["temperature"] - (280 + 20 * rows["x"][:, 0])
        self.assertLess(abs(difference).max(), 20 * 3 * 0.025)
        self.assertGreater(numpy.corrcoef(rows["temperature"], rows["x"][:, 0])[0, 1], 0.99)
        self.succeed("mesh", "run", "--to", "ply", "-o", "same", "--frames", "1")
        self.assertEqual((self.folder / "same" / name).read_bytes(), (self.folder / "run" / name).read_bytes())


if __name__ == "__main__":
    unittest.main()
