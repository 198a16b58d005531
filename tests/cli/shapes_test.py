"""Shapes out of files, by the command line: what is wrong with them is said before a run starts, and a run with a
collider that changes its shape goes on to the bit, and not with other files."""

import json
import unittest

from support import CliTest

FACES = "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n"

SCENE = """
[simulation]
frames = 6
fps = 48

[grid]
dx = 0.1

[material.jelly]
preset = "jello"

[[body]]
material = "jelly"
shape = { type = "box", min = [-0.2, 0.05, -0.2], max = [0.2, 0.3, 0.2] }
velocity = [0, -1, 0]

[[collider]]
name = "floor"
shape = { type = "mesh_sequence", file = "floor_%02d.obj", first = 1, last = 4, fps = 30 }

[output]
particles = ["npz"]
resolution = [160, 120]
video = false
checkpoint_every = 2
"""


class MeshSequences(CliTest):
    def setUp(self):
        super().setUp()
        self.scene = self.folder / "floor.toml"
        self.scene.write_text(SCENE)
        for number in range(1, 5):
            self.write(number, 0.05 * (number - 1))

    def write(self, number, height, faces=FACES):
        """A box whose upper side is at that height."""
        lines = [f"v {x} {y} {z}" for x in (-0.5, 0.5) for y in (-0.5, height) for z in (-0.5, 0.5)]
        path = self.folder / f"floor_{number:02}.obj"
        path.write_text("\n".join(lines) + "\n" + faces)
        return path

    def test_runs_and_goes_on_to_the_bit(self):
        self.succeed("run", self.scene, "-o", "whole")
        self.succeed("run", self.scene, "-o", "parts", "--frames", 4)
        self.succeed("resume", "parts", "--frames", 6)
        # Pictures are framed for four frames and for six.
        for pattern in ("particles/*", "ledger.csv"):
            self.assertEqual(list(self.files(f"whole/{pattern}").values()), list(self.files(f"parts/{pattern}").values()))
        pictures = self.files("whole/frames/*")
        self.assertEqual(len(pictures), 7)
        self.assertEqual(len(set(pictures.values())), 7)
        summary = json.loads((self.folder / "whole/summary.json").read_text())
        self.assertLess(summary["energy_growth"], 0.05)

    def test_another_file_of_the_sequence_is_refused_by_name(self):
        self.succeed("run", self.scene, "-o", "parts", "--frames", 4)
        path = self.write(3, 0.4)
        self.assertRegex(self.fail_with(2, "resume", "parts", "--frames", 6),
                         rf"{path.name}: a run cannot go on with another file")

    def test_missing_files_are_named_before_the_run(self):
        (self.folder / "floor_02.obj").unlink()
        (self.folder / "floor_04.obj").unlink()
        for command in (("run", self.scene, "-o", "out"), ("info", self.scene)):
            error = self.fail_with(3, *command)
            self.assertRegex(error, r"floor.toml:19:\d+: .*lacks 2 of its 4 files: .*floor_02.obj")
        self.assertFalse((self.folder / "out").exists())

    def test_meshes_that_do_not_fit_are_named_before_the_run(self):
        self.write(3, 0.1, FACES.replace("f 5 6 8 7", "f 5 6 8"))
        error = self.fail_with(3, "run", self.scene, "-o", "out")
        self.assertRegex(error, r"floor.toml:19:\d+: \[\[collider\]\] \"floor\": .*floor_03.obj: it has 11 triangles")
        self.write(3, 0.1, FACES + "v 0 0 0\n")
        self.assertIn("floor_03.obj: it has 9 vertices", self.fail_with(3, "run", self.scene, "-o", "out"))
        self.write(3, 0.1).write_text("no mesh")
        self.assertIn("floor_03.obj", self.fail_with(3, "run", self.scene, "-o", "out"))


class Others(CliTest):
    def test_volumes_and_fonts_are_named_before_the_run(self):
        self.scene.write_text(SCENE)
        (self.folder / "broken.vdb").write_text("this is no volume, though it has a name")
        (self.folder / "broken.ttf").write_text("this is no font")
        for shape, words in ((
                '{ type = "vdb", file = "broken.vdb" }', "broken.vdb: cannot be read as an OpenVDB file"),
                ('{ type = "vdb", file = "none.vdb" }', "none.vdb"),
                ('{ type = "text", text = "a", size = 1, depth = 1, font = "broken.ttf" }', "broken.ttf: cannot be read"),
                ('{ type = "text", text = "a", size = 1, depth = 1, font = "none.ttf" }', "none.ttf")):
            with self.subTest(shape=shape):
                error = self.fail_with(3, "info", self.scene, "--set", f"collider.0.shape={shape}")
                self.assertIn(words, error)
                self.assertIn("--set collider.0.shape", error)

    def test_a_letter_that_the_font_lacks(self):
        self.scene.write_text(SCENE)
        shape = '{ type = "text", text = "\u4e2d", size = 1, depth = 1 }'
        self.assertIn("U+4E2D", self.fail_with(2, "info", self.scene, "--set", f"collider.0.shape={shape}"))

    def test_texts_without_a_letter_are_said_once(self):
        self.scene.write_text(SCENE.replace('type = "mesh_sequence", file = "floor_%02d.obj", first = 1, last = 4, fps = 30',
                                            'type = "half_space", point = [0, 0, 0], normal = [0, 1, 0]'))
        for text, words in ((r"a\u0000b", r'no letter "\x00" (U+0000)'), ("", "'text' must not be empty"),
                            (" ", "it has no letters, only spaces")):
            for place in ((), ("--set", 'body.0.place="ground"')):
                with self.subTest(text=text, place=place):
                    shape = f'{{ type = "text", text = "{text}", size = 1, depth = 1 }}'
                    error = self.fail_with(2, "info", self.scene, "--set", f"body.0.shape={shape}", *place)
                    self.assertIn(words, error)
                    self.assertEqual(len(error.splitlines()), 1, error)


if __name__ == "__main__":
    unittest.main()
