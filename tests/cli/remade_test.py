"""What `firn convert`, `mesh` and `render` leave in which folder, and what they leave alone."""

import unittest

from support import CliTest

SOLID = """
[simulation]
frames = 1
[grid]
dx = 0.1
[material.jelly]
preset = "jello"
[[body]]
name = "ball"
material = "jelly"
shape = { type = "sphere", center = [0.0, 0.5, 0.0], radius = 0.2 }
[output]
particles = ["npz"]
image = false
video = false
"""


class Remade(CliTest):
    COMMANDS = (("convert", "run", "--to", "vtp"), ("render", "run"))

    def setUp(self):
        super().setUp()
        self.succeed("run", self.scene, "-o", "run", "--frames", 2)

    def solid(self):
        """A run in 3D; whether this build can mesh it."""
        self.scene.write_text(SOLID)
        self.succeed("run", self.scene, "-o", "solid")
        result = self.firn("mesh", "solid", "-o", "meshes")
        if "built without OpenVDB" in result.stderr:
            self.succeed("convert", "solid", "--to", "vtp", "-o", "meshes")
            return False
        self.assertEqual(result.returncode, 0, result.stderr)
        return True

    def everything(self, folder):
        return sorted(str(path.relative_to(self.folder / folder)) for path in (self.folder / folder).rglob("*"))

    def test_files_that_no_run_wrote_are_not_replaced(self):
        for name in ("frames/frame_000001.png", "particles/particles_000001.vtp", "video.mp4"):
            path = self.folder / "mine" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("mine")
        before = self.everything("mine")
        for command in self.COMMANDS:
            for more in ((), ("--overwrite",)):
                error = self.fail_with(3, *command, "-o", "mine", *more)
                self.assertIn("did not write", error)
        self.assertEqual(self.everything("mine"), before)
        self.assertEqual(set(self.files("mine/**/*").values()), {b"mine"})

    def test_the_own_folder_may_be_named(self):
        for command in self.COMMANDS:
            self.succeed(*command, "-o", "./run/")
            self.assertIn("--overwrite: is for -o", self.fail_with(2, *command, "--overwrite"))
        self.assertTrue((self.folder / "run/particles/particles_000002.vtp").exists())
        if self.solid():
            self.succeed("mesh", "solid", "-o", "./solid/")
            self.assertTrue((self.folder / "solid/surfaces/surface_000001.obj").exists())

    def test_no_empty_folders(self):
        if self.solid():
            self.assertEqual(self.everything("meshes"),
                             [".firn-run", "exported-scene.toml", "surfaces", "surfaces/surface_000000.obj", "surfaces/surface_000001.obj"])
        self.assertNotIn("frames", self.everything("solid"))
        self.succeed("convert", "run", "--to", "vtp", "-o", "vtk/for/paraview", "--frames", 1)
        self.assertEqual(self.everything("vtk/for/paraview"),
                         [".firn-run", "exported-scene.toml", "particles", "particles.pvd", "particles/particles_000001.vtp"])

    def test_what_fails_leaves_nothing_and_destroys_nothing(self):
        self.fail_with(2, "mesh", "run", "-o", "a/b")  # flat
        self.assertFalse((self.folder / "a").exists())
        self.solid()
        (self.folder / "empty").mkdir()
        self.fail_with(2, "mesh", "run", "-o", "empty")
        self.assertEqual(self.everything("empty"), [])
        before = self.files("meshes/**/*")
        self.fail_with(2, "mesh", "run", "-o", "meshes", "--overwrite")
        for path in (self.folder / "run/particles").iterdir():
            path.write_bytes(path.read_bytes()[:100])
        for command in self.COMMANDS:
            self.fail_with(3, *command, "-o", "meshes", "--overwrite")
        self.assertEqual(self.files("meshes/**/*"), before)

    def test_frames_that_are_missing_are_named(self):
        self.succeed("resume", "run", "--frames", 6)
        for frame in (3, 5):
            for kind in ("npz", "ply"):
                (self.folder / f"run/particles/particles_{frame:06}.{kind}").unlink()
        for path in (self.folder / "run/checkpoints").iterdir():
            path.unlink()
        for command in self.COMMANDS:
            error = self.succeed(*command, "-o", "other").stderr
            self.assertIn("run: of frames 0 to 6 all but these are kept, in particle files (npz, ply) or checkpoints: 3, 5", error)
            self.assertEqual(self.succeed(*command, "-o", "other", "--frames", ":2").stderr, "")
        for frame in (1, 4, 6):
            for kind in ("npz", "ply"):
                (self.folder / f"run/particles/particles_{frame:06}.{kind}").unlink()
        error = self.succeed(*self.COMMANDS[0], "-o", "other").stderr
        self.assertIn("of frames 0 to 6 only these are kept, in particle files (npz, ply) or checkpoints: 0, 2", error)


if __name__ == "__main__":
    unittest.main()
