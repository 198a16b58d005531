"""What the page of `firn view` draws of tracers and of clear materials, by pixels of a headless Chromium. Exits with 77 where
there is no browser to be driven."""

import json
import struct
import sys
import unittest
import zipfile

import browser
from page import PageTest
from viewer import Viewer

# Two blocks of green liquid that fall into a box; the left one has red tracers.
TRACED = """
title = "Tracers"
[simulation]
frames = 6
fps = 24
integrator = "incompressible"
[grid]
dx = 0.1
domain = { min = [0.0, 0.0, 0.0], max = [3.2, 1.6, 0.8], boundary = "slip" }
[material.water]
preset = "water"
color = [0.1, 0.9, 0.1]
[[body]]
name = "left"
material = "water"
color = [0.9, 0.1, 0.1]
shape = { type = "box", min = [0.0, 0.4, 0.0], max = [0.8, 1.2, 0.8] }
[[body]]
name = "right"
material = "water"
shape = { type = "box", min = [2.4, 0.4, 0.0], max = [3.2, 1.2, 0.8] }
[tracers]
per_cell = 27
bodies = ["left"]
[output]
camera = { eye = [1.6, 1.0, 6.0], target = [1.6, 0.8, 0.4], fov = 34 }
image = false
video = false
particles = ["npz"]
channels = ["velocity", "material", "body"]
"""

# A block of blue liquid, in which a heap of red sand and a red block lie, and another one that stands before it.
CLEAR = """
title = "In clear water"
[simulation]
frames = 2
[grid]
dx = 0.05
[material.water]
preset = "water"
color = [0.25, 0.52, 0.86]
[material.sand]
preset = "sand"
color = [0.9, 0.1, 0.1]
[material.wax]
model = "fixed_corotated"
density = 1000.0
youngs_modulus = 1.0e5
poisson_ratio = 0.3
color = [0.9, 0.1, 0.1]
[[body]]
name = "pool"
material = "water"
shape = { type = "difference", children = [
  { type = "box", min = [0.0, 0.0, 0.0], max = [1.6, 0.8, 0.8] },
  { type = "box", min = [0.2, 0.2, 0.2], max = [0.6, 0.6, 0.6] },
  { type = "box", min = [1.0, 0.2, 0.2], max = [1.4, 0.6, 0.6] } ] }
[[body]]
name = "sunk"
material = "sand"
shape = { type = "box", min = [0.2, 0.2, 0.2], max = [0.6, 0.6, 0.6] }
[[body]]
name = "frozen"
material = "wax"
shape = { type = "box", min = [1.0, 0.2, 0.2], max = [1.4, 0.6, 0.6] }
[[body]]
name = "before"
material = "wax"
shape = { type = "box", min = [0.75, 0.3, 1.0], max = [0.85, 0.5, 1.1] }
[output]
camera = { eye = [0.8, 0.5, 4.0], target = [0.8, 0.4, 0.4], fov = 30 }
"""

# A cube by a camera that goes round it: after a second it is on the right.
ORBIT = """
title = "Turntable"
[simulation]
frames = 4
fps = 4
gravity = [0.0, 0.0, 0.0]
[grid]
dx = 0.1
[material.jelly]
preset = "jello"
[[body]]
name = "cube"
material = "jelly"
shape = { type = "box", min = [0.0, 0.0, 0.0], max = [1.0, 1.0, 1.0] }
[output]
camera = { eye = [0.5, 0.5, 4.5], target = [0.5, 0.5, 0.5], orbit = 90 }
image = false
video = false
particles = ["npz"]
"""

# The mean colour of the pixels about where this place lies.
COLOR_AT = """
  const place = arguments, {gl, canvas} = firn.drawing;
  firn.draw();
  const {clip} = firn.camera.matrices(canvas.width, canvas.height);
  const [x, y, , w] = [0, 1, 2, 3].map((i) => clip[i] * place[0] + clip[4 + i] * place[1] + clip[8 + i] * place[2] + clip[12 + i]);
  const p = new Uint8Array(4 * 81);
  gl.readPixels(Math.round((x / w + 1) / 2 * canvas.width) - 4, Math.round((y / w + 1) / 2 * canvas.height) - 4, 9, 9, gl.RGBA,
                gl.UNSIGNED_BYTE, p);
  return [0, 1, 2].map((c) => p.filter((_, i) => i % 4 === c).reduce((a, b) => a + b) / 81);
"""

OF_TRACERS = "[...document.querySelectorAll('.of-tracers')]"


class MovingCamera(PageTest):
    SCENE = ORBIT

    def expect_eye(self, *expected):
        self.at_rest()
        eye = self.browser.run("const {camera} = firn, back = camera.back(); "
                               "return camera.target.map((x, i) => x + camera.distance * back[i])")
        for found, there in zip(eye, expected, strict=True):
            self.assertAlmostEqual(found, there, places=5)

    def show_frame(self, index):
        self.browser.run("firn.follow = false; firn.show(firn.state.pictures.at(arguments[0])[0])", index)

    def test_frames_are_seen_as_the_camera_has_them_until_the_view_is_turned(self):
        self.succeed("run", self.scene, "-o", "run", "--quiet")
        viewer = self.show("run")
        self.wait("firn.state.pictures.length === 5")
        self.expect_eye(4.5, 0.5, 0.5)
        self.show_frame(0)
        self.expect_eye(0.5, 0.5, 4.5)
        self.browser.run("firn.camera.turn(Math.PI, 0); firn.moved()")
        self.expect_eye(0.5, 0.5, -3.5)
        self.show_frame(-1)
        self.expect_eye(0.5, 0.5, -3.5)
        self.browser.press("r")
        self.expect_eye(4.5, 0.5, 0.5)
        self.end(viewer)


class Tracers(PageTest):
    SCENE = TRACED

    def begin(self, *arguments):
        viewer = self.show(self.scene, "--paused", "--threads", "1", *arguments)
        self.wait("document.body.dataset.phase === 'paused'")
        return viewer, self.at_rest()

    def show_color(self, name):
        self.browser.run("const c = document.getElementById('channel'); c.value = arguments[0]; "
                         "c.dispatchEvent(new Event('change'))", name)
        return self.at_rest()

    def names_of_legend(self):
        return self.browser.run("return [...document.querySelectorAll('#legend li')].map((li) => li.textContent)")

    def test_they_stand_for_the_particles_of_their_bodies(self):
        viewer, shown = self.begin()
        expected = 27 * 8 ** 3  # strewn at random
        self.assertLess(abs(self.browser.run("return firn.drawing.tracers.loaded") - expected), 4 * expected ** 0.5)
        self.assertGreater(shown["red"], 0.02 * shown["all"])
        self.assertEqual(self.browser.run(f"return {OF_TRACERS}.map((e) => e.hidden)"), [False] * 3)
        self.assertEqual(self.names_of_legend(), ["water", "tracers of left"])

        self.browser.press("t")
        particles = self.at_rest()
        self.assertEqual(particles["red"], 0)
        self.assertGreater(particles["green"], 1.8 * shown["green"])
        self.assertEqual(self.names_of_legend(), ["water"])
        self.click("tracers")
        self.assertEqual(self.at_rest(), shown)

        # Of the two bodies one colour each; particles alone have speeds.
        self.assertNotEqual(self.show_color("body")["sum"], shown["sum"])
        self.show_color("speed")
        self.assertEqual(self.browser.run("return [firn.drawing.tracers.loaded, document.getElementById('tracers').disabled]"),
                         [0, True])
        self.assertEqual(self.show_color("material"), shown)

        self.browser.run("firn.most = 5000; firn.moved()")  # fewer, which are larger
        fewer = self.browser.run("firn.draw(); return firn.drawing.total")
        self.assertGreater(fewer, 5000)
        self.assertEqual(self.at_rest(), shown)
        self.end(viewer)

    def test_they_move_with_the_run_and_with_the_slider(self):
        viewer, first = self.begin()
        self.click("play")
        self.wait("document.body.dataset.phase === 'ended' && document.body.dataset.frame === '6'")
        last = self.at_rest()
        self.assertGreater(last["red"], 0.01 * last["all"])
        self.assertNotEqual(last["sum"], first["sum"])
        fallen = self.browser.run("return firn.drawing.tracers.header.origin[1]")
        self.assertLess(fallen, 0.1)
        self.browser.press("\ue011")  # Home
        self.wait("document.body.dataset.frame === '0'")
        self.assertEqual(self.at_rest(), first)
        self.assertGreater(self.browser.run("return firn.drawing.tracers.header.origin[1]"), 0.4)
        self.end(viewer)

    def test_alone_they_are_all_that_is_drawn(self):
        viewer, shown = self.begin("--set", "tracers.alone=true")
        self.assertEqual(shown["green"], 0)
        self.assertGreater(shown["red"], 0.02 * shown["all"])
        self.browser.press("t")
        self.assertGreater(self.at_rest()["green"], 0)
        self.end(viewer)

    def test_surfaces_are_of_what_they_do_not_stand_for(self):
        viewer, _ = self.begin()
        if self.browser.run("return !firn.scene.surfaces"):  # built without OpenVDB
            return self.end(viewer)
        # In 16 bits over the surfaces' own box.
        left = "firn.drawing.mesh.header.origin[0]"
        self.browser.press("s")
        self.wait("firn.drawing.mesh.header")
        self.assertGreater(self.browser.run(f"return {left}"), 2)
        self.browser.press("t")
        self.wait("!firn.drawing.tracers.loaded")
        self.at_rest()
        self.assertLess(self.browser.run(f"return {left}"), 0.1)
        self.end(viewer)

    def test_a_run_shows_those_that_it_has_kept(self):
        self.succeed("run", self.scene, "--threads", "1", "-o", "out")
        viewer = self.show("out")
        self.wait("document.body.dataset.phase === 'ended' && document.body.dataset.frame === '6'")
        last = self.at_rest()
        self.assertGreater(last["red"], 0.01 * last["all"])
        self.tracers_are_those_of_files(viewer)
        self.end(viewer)

        for path in (self.folder / "out/particles").glob("tracers_*"):
            path.unlink()
        for path in (self.folder / "out/checkpoints").glob("*"):  # which have them
            path.unlink()
        viewer = self.show("out")
        self.wait("document.body.dataset.phase === 'ended' && document.body.dataset.frame === '6'")
        without = self.at_rest()
        self.assertEqual(without["red"], 0)
        self.assertGreater(without["green"], last["green"])
        self.assertEqual(self.browser.run(f"return {OF_TRACERS}.map((e) => e.hidden)"), [True] * 3)
        self.assertEqual(self.names_of_legend(), ["water"])
        self.end(viewer)

    def tracers_are_those_of_files(self, viewer):
        with zipfile.ZipFile(self.folder / "out/particles/tracers_000006.npz") as arrays:
            data = arrays.read("position.npy")
        floats = [x for x, in struct.iter_unpack("<f", data[10 + struct.unpack_from("<H", data, 8)[0]:])]
        number = viewer.state()["pictures"][-1][0]
        status, content = viewer.ask(f"/api/tracers?picture={number}&first=0&count=100000")
        self.assertEqual(status, 200)
        length = struct.unpack_from("<I", content)[0]
        header, packed = json.loads(content[4:4 + length]), content[4 + length:]
        count = len(floats) // 3
        self.assertEqual((header["count"], header["points"], header["tracers"]), (count, count, count))
        points = list(struct.iter_unpack("<4H", packed[:8 * count]))
        self.assertEqual({point[3] for point in points}, {0})
        for axis in range(3):
            step = header["extent"][axis] / 65535
            shown = sorted(header["origin"][axis] + point[axis] * step for point in points)
            for a, b in zip(shown, sorted(floats[axis::3])):
                self.assertLessEqual(abs(a - b), 0.5 * step + 1e-7 * abs(b))
        parts = b"".join(self.part(viewer, number, first) for first in range(0, count, 5000))
        self.assertEqual(parts, packed[:8 * count])
        self.assertEqual(viewer.ask("/api/tracers?picture=999&first=0&count=1")[0], 204)
        for wrong in ("picture=x&first=0&count=1", "picture=1&first=0&count=262145", "picture=1&first=-1&count=1", ""):
            self.assertEqual(viewer.ask(f"/api/tracers?{wrong}")[0], 400, wrong)

    def part(self, viewer, number, first):
        content = viewer.ask(f"/api/tracers?picture={number}&first={first}&count=5000")[1]
        length = struct.unpack_from("<I", content)[0]
        count = json.loads(content[4:4 + length])["count"]
        return content[4 + length:4 + length + 8 * count]


class Clear(PageTest):
    SCENE = CLEAR
    SUNK, FROZEN, BEFORE, WATER = (0.4, 0.4, 0.4), (1.2, 0.4, 0.4), (0.8, 0.4, 1.05), (0.8, 0.7, 0.4)

    def begin(self, *arguments):
        viewer = self.show(self.scene, "--paused", "--threads", "1", *arguments)
        self.wait("document.body.dataset.phase === 'paused'")
        self.at_rest()
        if self.browser.run("return !firn.scene.surfaces"):  # built without OpenVDB
            self.end(viewer)
            self.skipTest("no surfaces")
        self.browser.press("s")
        self.wait("firn.drawing.mesh.header && firn.drawing.mesh.header.number === firn.wanted")
        self.at_rest()
        return viewer

    def color_at(self, place):
        return self.browser.run(COLOR_AT, *place)

    def is_red(self, place):
        """More so than blue, which is the water's colour."""
        red, green, blue = self.color_at(place)
        return red > max(green, blue)

    def test_what_lies_in_water_is_seen_through_it(self):
        viewer = self.begin()
        ground = self.color_at((0.8, 1.2, 0.4))
        for turned in (0, 3.14):  # also from behind, where triangles have another order
            self.browser.run("firn.camera.turn(arguments[0], 0); firn.moved()", turned)
            self.at_rest()
            for place in (self.SUNK, self.FROZEN):
                self.assertTrue(self.is_red(place), (turned, place, self.color_at(place)))
            red, green, blue = self.color_at(self.WATER)
            self.assertGreater(blue, max(red, ground[2]))  # which is there, and not red
            self.assertLess(blue, 200)                     # and lets the ground through
        # Nothing is before what stands before it: it has its own colour, as without the water.
        self.browser.press("r")
        self.at_rest()
        self.assertTrue(self.is_red(self.BEFORE))
        clear, before = self.color_at(self.FROZEN), self.color_at(self.BEFORE)
        self.assertGreater(clear[2], before[2] + 10)  # water has tinted the one that lies in it
        self.end(viewer)

    def test_what_is_not_clear_hides_it(self):
        viewer = self.begin("--set", "material.water.finish=\"glossy\"")
        for place in (self.SUNK, self.FROZEN):
            self.assertFalse(self.is_red(place), place)
        self.assertTrue(self.is_red(self.BEFORE))
        self.assertEqual(self.browser.run("const h = firn.drawing.mesh.header; return h.opaque - h.triangles"), 0)
        self.end(viewer)

    def test_colours_of_channels_are_read_where_they_are(self):
        viewer = self.begin()
        self.assertLess(self.browser.run("const h = firn.drawing.mesh.header; return h.opaque - h.triangles"), 0)
        self.browser.run("const c = document.getElementById('channel'); c.value = 'speed'; c.dispatchEvent(new Event('change'))")
        self.at_rest()
        self.assertEqual(self.browser.run("const h = firn.drawing.mesh.header; return h.opaque - h.triangles"), 0)
        self.end(viewer)

    def test_colliders_before_it_are_drawn_over_it(self):
        def block(z):
            return f'''
[[collider]]
name = "bar"
color = [1.0, 1.0, 1.0]
shape = {{ type = "box", min = [0.7, 0.64, {z}], max = [0.9, 0.76, {z + 0.06}] }}
'''
        colors = {}
        for where, z in (("before", 0.9), ("behind", -0.2)):
            self.scene.write_text(CLEAR + block(z))
            viewer = self.begin()
            colors[where] = self.color_at((0.8, 0.7, z))
            self.end(viewer)
        self.assertGreater(sum(colors["before"]), sum(colors["behind"]) + 30)


if __name__ == "__main__":
    if not browser.is_there():
        print("no chromium with chromedriver: scripts/setup chromium chromium-driver", file=sys.stderr)
        sys.exit(77)
    unittest.main()
