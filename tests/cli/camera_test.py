"""Cameras that move: a run that is stopped, resumed or drawn anew has the pictures of one that never was."""

import unittest

from resume_test import SameResults

# A block that falls, seen by a camera that goes round it.
SCENE = """
[simulation]
fps = 24
frames = 8
[grid]
dx = 0.1
[material.jelly]
preset = "jello"
[[body]]
material = "jelly"
shape = { type = "box", min = [0.3, 0.3, 0.3], max = [0.7, 0.7, 0.7] }
[output]
camera = { eye = [0.5, 1.0, 3.0], target = [0.5, 0.5, 0.5], orbit = 90 }
particles = ["npz"]
resolution = [160, 90]
video = false
checkpoint_every = 4
"""


class MovingCamera(SameResults):
    def setUp(self):
        super().setUp()
        self.scene.write_text(SCENE)
        self.succeed("run", self.scene, "-o", "run", "--quiet")

    def picture(self, folder, frame):
        return (self.folder / folder / f"frames/frame_{frame:06}.png").read_bytes()

    def test_goes_on_where_a_run_goes_on(self):
        self.succeed("run", self.scene, "-o", "again")
        self.succeed("resume", "again", "--from", 4)
        self.assert_same_results("run", "again")
        # From there on it may be another one.
        self.succeed("resume", "again", "--from", 4, "--set", "output.camera.orbit=-90")
        self.assertEqual(self.picture("again", 4), self.picture("run", 4))
        self.assertNotEqual(self.picture("again", 8), self.picture("run", 8))

    def test_pictures_anew_are_of_its_times(self):
        self.succeed("render", "run", "-o", "all")
        self.succeed("render", "run", "-o", "last", "--frames", "8")
        for frame in range(9):
            self.assertEqual(self.picture("all", frame), self.picture("run", frame))
        self.assertEqual(self.picture("last", 8), self.picture("run", 8))
        self.succeed("render", "run", "-o", "still", "--set", "output.camera.orbit=0")
        self.assertEqual(self.picture("still", 0), self.picture("run", 0))
        self.assertNotEqual(self.picture("still", 8), self.picture("run", 8))

    def test_key_frames_can_be_set_for_pictures_anew(self):
        self.succeed("render", "run", "-o", "keys", "--frames", "0:8", "--set", "output.camera.orbit=0", "--set",
                     'output.camera.motion={type="keyframes",times=[0.0,0.2],eye=[[0.5,1.0,3.0],[0.5,1.0,4.0]],'
                     "target=[[0.5,0.5,0.5],[0.6,0.5,0.5]]}")
        self.assertEqual(self.picture("keys", 0), self.picture("run", 0))
        self.assertNotEqual(self.picture("keys", 4), self.picture("run", 4))
        error = self.fail_with(2, "render", "run", "-o", "wrong", "--set",
                               'output.camera.motion={type="keyframes",times=[0.0,0.0]}')
        self.assertIn("'times' must increase strictly, but 0 follows 0", error)


if __name__ == "__main__":
    unittest.main()
