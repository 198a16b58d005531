"""Pictures without their background: `output.alpha` and `output.exr`.

FIRN_WITH_OPENEXR says that the build writes the latter."""

import os
import struct
import unittest
import zlib

from support import SCENE, CliTest

BALL = """
[simulation]
frames = 4
fps = 48
[grid]
dx = 0.1
[material.jelly]
preset = "jello"
[[body]]
material = "jelly"
shape = { type = "sphere", center = [0, 0, 0], radius = 0.3 }
[output]
resolution = [96, 64]
video = false
checkpoint_every = 1
particles = ["npz"]
camera = { eye = [0, 0, 3], target = [0, 0, 0] }
"""
EXR = b"\x76\x2f\x31\x01"


def png_rows(path):
    """Width, height and bytes of each pixel of a PNG file, and the bytes of its pixels; of filters those that Firn uses."""
    data = path.read_bytes()
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert depth == 8
    packed, at = b"", 8
    while at < len(data):
        (size,) = struct.unpack(">I", data[at:at + 4])
        packed += data[at + 8:at + 8 + size] if data[at + 4:at + 8] == b"IDAT" else b""
        at += 12 + size
    of_pixel = {2: 3, 6: 4}[kind]
    raw, rows, stride = zlib.decompress(packed), [], of_pixel * width
    for y in range(height):
        kind, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        assert kind in (0, 1, 2)
        for i in range(stride):
            before = (row[i - of_pixel] if i >= of_pixel else 0) if kind == 1 else (rows[-1][i] if rows and kind == 2 else 0)
            row[i] = (row[i] + before) % 256
        rows.append(row)
    return width, height, of_pixel, b"".join(map(bytes, rows))


class Compositing(CliTest):
    def setUp(self):
        super().setUp()
        (self.folder / "ball.toml").write_text(BALL)

    def light(self, folder):
        return [path.name for path in sorted((self.folder / folder / "frames").glob("*.exr"))]

    def test_pictures_with_alpha(self):
        self.succeed("run", "ball.toml", "-o", "run", "--quiet", "--frames", 1, "--set", "output.alpha=true",
                     "--set", "output.captions=false")
        width, height, of_pixel, pixels = png_rows(self.folder / "run/frames/frame_000000.png")
        self.assertEqual((width, height, of_pixel), (96, 64, 4))
        alpha = pixels[3::4]
        self.assertEqual(alpha[0], 0)
        self.assertEqual(alpha[height // 2 * width + width // 2], 255)
        self.assertEqual(self.light("run"), [])
        self.succeed("run", "ball.toml", "-o", "opaque", "--quiet", "--frames", 1, "--set", "output.captions=false")
        opaque = png_rows(self.folder / "opaque/frames/frame_000000.png")
        self.assertEqual(opaque[2], 3)
        for i in range(width * height):
            if alpha[i] == 0:  # the background is there still, for a video
                self.assertEqual(pixels[4 * i:4 * i + 3], opaque[3][3 * i:3 * i + 3])

    def test_flat_pictures_are_refused(self):
        (self.folder / "flat.toml").write_text(SCENE)
        for key in ("alpha", "exr"):
            if key == "exr" and "FIRN_WITH_OPENEXR" not in os.environ:
                continue
            error = self.fail_with(2, "run", "flat.toml", "-o", "flat", "--quiet", "--set", f"output.{key}=true")
            self.assertIn(f"output.{key}", error)
            self.assertIn("dimension = 3", error)
            self.assertFalse((self.folder / "flat").exists())

    @unittest.skipUnless("FIRN_WITH_OPENEXR" in os.environ, "a build without OpenEXR")
    def test_light_beside_pictures(self):
        self.succeed("run", "ball.toml", "-o", "run", "--quiet", "--set", "output.exr=true")
        names = [f"frame_{frame:06}.exr" for frame in range(5)]
        self.assertEqual(self.light("run"), names)
        for name in names:
            self.assertEqual((self.folder / "run/frames" / name).read_bytes()[:4], EXR)
        # Afterwards the same, and what is made anew after a resume.
        self.succeed("render", "run", "-o", "again")
        self.succeed("run", "ball.toml", "-o", "short", "--quiet", "--frames", 2, "--set", "output.exr=true")
        (self.folder / "short/frames/frame_000009.exr").write_bytes(EXR)
        self.succeed("resume", "short", "--frames", 4, "--quiet")
        for folder in ("again", "short"):
            self.assertEqual(self.light(folder), names)
            for name in names:
                self.assertEqual((self.folder / folder / "frames" / name).read_bytes(),
                                 (self.folder / "run/frames" / name).read_bytes(), (folder, name))
        # Another run leaves nothing of it.
        self.succeed("run", "ball.toml", "-o", "run", "--quiet", "--overwrite")
        self.assertEqual(self.light("run"), [])

    @unittest.skipIf("FIRN_WITH_OPENEXR" in os.environ, "a build with OpenEXR")
    def test_light_is_refused_without_openexr(self):
        error = self.fail_with(2, "run", "ball.toml", "-o", "run", "--quiet", "--set", "output.exr=true")
        self.assertIn("FIRN_WITH_OPENEXR", error)
        self.assertFalse((self.folder / "run").exists())


if __name__ == "__main__":
    unittest.main()
