"""The page of `firn view` in a headless Chromium: that it shows the particles, and that its buttons, keys and fields do
what they say. Exits with 77 where there is no browser to be driven."""

import sys
import unittest

import browser
from page import PIXELS, PageTest
from viewer import Viewer

# Two blocks, red and green, that fall apart.
SCENE = """
title = "Two blocks"
[simulation]
frames = 12
fps = 48
[grid]
dx = 0.1
[material.red]
model = "fixed_corotated"
density = 1000.0
youngs_modulus = 1.0e5
poisson_ratio = 0.3
color = [0.9, 0.1, 0.1]
[material.green]
model = "fixed_corotated"
density = 1000.0
youngs_modulus = 1.0e5
poisson_ratio = 0.3
color = [0.1, 0.9, 0.1]
[[body]]
material = "red"
shape = { type = "box", min = [0.0, 0.3, 0.0], max = [0.8, 1.1, 0.8] }
velocity = [-1.0, 0.0, 0.0]
[[body]]
material = "green"
shape = { type = "box", min = [1.2, 0.3, 0.0], max = [2.0, 1.1, 0.8] }
velocity = [2.0, 0.0, 0.0]
[[collider]]
name = "floor"
shape = { type = "half_space", point = [0.0, 0.2, 0.0], normal = [0.0, 1.0, 0.0] }
[[collider]]
name = "block"
shape = { type = "box", min = [0.9, 0.2, 0.0], max = [1.1, 0.4, 0.8] }
[output]
image = false
video = false
particles = ["npz"]
channels = ["velocity", "material", "body"]
checkpoint_every = 4
"""

class Live(PageTest):
    SCENE = SCENE

    def test_it_shows_the_particles_and_what_is_done_with_them(self):
        viewer = self.show(self.scene, "--paused", "--threads", "1")
        self.wait("document.body.dataset.phase === 'paused'")
        first = self.at_rest()
        self.assertGreater(first["red"], 0.01 * first["all"])
        self.assertGreater(first["green"], 0.01 * first["all"])
        self.assertEqual(self.browser.run(PIXELS), first)

        self.turn_and_zoom(first)
        self.single_steps(viewer)
        self.play_to_the_end(viewer)
        self.scrub(first)
        self.surfaces()
        self.colours()
        self.end(viewer)

    def turn_and_zoom(self, first):
        self.browser.press("+", "+", "+")
        near = self.at_rest()
        self.assertGreater(near["red"], 1.3 * first["red"])
        self.browser.press("r")
        self.assertEqual(self.at_rest(), first)
        drag = [{"type": "pointerMove", "x": 400, "y": 300, "duration": 0}, {"type": "pointerDown", "button": 0},
                {"type": "pointerMove", "x": 520, "y": 340, "duration": 50}, {"type": "pointerUp", "button": 0}]
        self.browser.here("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": drag}]})
        self.assertNotEqual(self.at_rest()["sum"], first["sum"])
        self.browser.press("r")
        self.browser.press("o")
        self.assertLess(self.at_rest()["other"], first["other"])
        self.browser.press("o")
        self.assertEqual(self.at_rest(), first)

    def single_steps(self, viewer):
        self.browser.press(".")
        self.wait("firn.state.steps === 1 && firn.state.phase === 'paused'")
        self.click("step")
        self.wait("firn.state.steps === 2 && firn.state.phase === 'paused'")
        self.wait("firn.drawing.shown.header.time > 0")
        self.assertEqual(viewer.state()["steps"], 2)

    def play_to_the_end(self, viewer):
        self.browser.press(" ")
        self.wait("document.body.dataset.phase === 'ended' && document.body.dataset.frame === '12'")
        self.assertEqual(viewer.state()["phase"], "ended")
        # Every plot has a line of its ledger.
        drawn = self.browser.run("""
          return [...document.querySelectorAll("#plots canvas")].map((canvas) => {
            const p = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
            return p.filter((c, i) => i % 4 === 0 && c > 200).length;
          });""")
        self.assertEqual(len(drawn), 3)
        self.assertTrue(all(count > 20 for count in drawn), drawn)

    def scrub(self, first):
        last = self.at_rest()
        self.assertNotEqual(last["sum"], first["sum"])
        self.browser.press("\ue011")  # Home
        self.wait("document.body.dataset.frame === '0'")
        self.assertEqual(self.at_rest()["sum"], first["sum"])
        self.browser.press("\ue014")  # the right arrow
        self.wait("document.body.dataset.frame === '1'")
        self.browser.run("const t = document.getElementById('time'); t.value = 7; t.dispatchEvent(new Event('input'))")
        self.wait("document.body.dataset.frame === '7'")
        self.browser.press("\ue010")  # End
        self.wait("document.body.dataset.frame === '12'")
        self.assertEqual(self.at_rest()["sum"], last["sum"])

    def surfaces(self):
        if self.browser.run("return !firn.scene.surfaces"):  # built without OpenVDB
            return
        discs = self.at_rest()
        self.browser.press("s")
        self.wait("firn.drawing.mesh.header && firn.drawing.mesh.header.number === firn.wanted")
        shown = self.at_rest()
        self.assertNotEqual(shown["sum"], discs["sum"])
        for color in ("red", "green"):
            self.assertLess(abs(shown[color] - discs[color]), 0.15 * discs[color], color)
        self.assertEqual(self.browser.run("return firn.drawing.shown.seen.length"), 0)
        self.browser.press("\ue011")  # Home
        self.wait("document.body.dataset.frame === '0' && firn.drawing.mesh.header.number === firn.wanted")
        self.assertNotEqual(self.at_rest()["sum"], shown["sum"])
        self.browser.press("\ue010")  # End
        self.wait("document.body.dataset.frame === '12'")
        self.assertEqual(self.at_rest(), shown)
        self.browser.press("s")
        self.wait("!firn.drawing.mesh.header")
        self.assertEqual(self.at_rest(), discs)

    def colours(self):
        names = self.browser.run("return [...document.getElementById('channel').options].map((o) => o.value)")
        self.assertEqual(names[:2], ["material", "body"])
        self.assertIn("speed", names)
        self.assertIn("volume_ratio", names)
        before = self.at_rest()["sum"]
        self.browser.run("const c = document.getElementById('channel'); c.value = 'speed'; c.dispatchEvent(new Event('change'))")
        shown = self.at_rest()
        self.assertNotEqual(shown["sum"], before)
        self.assertLess(shown["red"], 100)
        ends = self.browser.run("return [...document.querySelectorAll('#legend span')].map((s) => s.textContent)")
        self.assertEqual(ends[1], "m/s")
        self.assertEqual(float(ends[0]), 0)
        self.assertGreater(float(ends[2]), 1)
        self.browser.press("c")
        self.assertNotEqual(self.browser.run("return firn.channel.name"), "speed")

    def test_keys_of_the_scene(self):
        viewer = self.show(self.scene, "--paused", "--threads", "1")
        self.wait("document.body.dataset.phase === 'paused'")

        def put(text, button):
            self.browser.run("document.getElementById('assignment').value = arguments[0]", text)
            self.click(button)

        put("grid.dx=0.05", "set")
        words = "a run cannot go on with another 'grid.dx': it was 0.1, and is 0.05"
        self.wait(f"document.getElementById('answer').textContent.includes(\"{words}\")")
        put("simulation.frames=5", "set")
        self.wait("firn.scene.frames === 5")
        self.wait("document.body.dataset.phase === 'paused'")
        before = self.browser.run("return Number(firn.state.particles)")
        put("grid.dx=0.08", "again")
        self.wait(f"firn.scene.dx === 0.08 && firn.drawing.shown.header.particles > {before}")
        self.wait("document.body.dataset.phase === 'paused'")
        self.click("play")
        self.wait("document.body.dataset.phase === 'ended' && document.body.dataset.frame === '5'")
        self.end(viewer, ["422"])

    def test_a_run_that_fails(self):
        viewer = self.show(self.scene, "--threads", "1", "--set", "time.dt_min=5e-4", "--set", "time.dt_max=6e-4",
                           "--set", "time.cfl_material=0.01")
        self.wait("document.body.dataset.phase === 'failed'")
        self.wait("document.getElementById('notice').textContent.includes('dt_min')")
        self.end(viewer)


class Plotted(PageTest):
    SCENE = SCENE

    def test_rows_of_the_run_before_go_where_it_begins_again(self):
        viewer = self.show(self.scene, "--threads", "1")
        self.wait("document.body.dataset.phase === 'ended' && firn.plots.rows.length === 13")
        self.browser.run("firn.take = async () => {}")  # as of a page in the background: it looks again at the end
        self.assertEqual(viewer.post("set", {"set": ["body.0.velocity=[-9.0, 0.0, 0.0]"], "again": True}), (200, {}))
        while viewer.state()["beginning"] != 2:
            pass
        viewer.wait_for("ended")
        rows = viewer.state()["rows"]
        self.browser.run("delete firn.take")
        self.wait(f"firn.plots.rows.length === 13 && firn.plots.rows[0].join() === [{','.join(map(str, rows[0]))}].join()")
        self.end(viewer)

    def test_more_rows_than_a_function_takes_arguments(self):
        viewer = self.show(self.scene, "--paused", "--threads", "1")
        self.assertEqual(self.browser.run("""
            const p = firn.plots;
            p.add(0, Array.from({length: 200000}, (_, i) => p.columns.map(() => i)));
            p.draw(1);
            return p.rows.length;"""), 200000)
        self.end(viewer)


class Address(PageTest):
    SCENE = SCENE

    def test_another_one_in_the_same_tab_is_gone_to(self):
        viewer = self.show(self.scene, "--paused", "--threads", "1")
        self.browser.run("window.before = true; location.hash = arguments[0]", "0" * 32)
        self.wait("!window.before && document.getElementById('notice').textContent.includes('open the address')")
        self.browser.run("window.before = true; location.hash = arguments[0]", viewer.token)
        self.wait("!window.before && document.body.dataset.points > 0")
        self.end(viewer, ["401"])

    def test_the_token_is_kept_out_of_it_and_a_reload_finds_it(self):
        viewer = self.show(self.scene, "--paused", "--threads", "1")
        self.assertEqual(self.browser.run("return location.href"), f"http://127.0.0.1:{viewer.port}/")
        self.browser.here("POST", "/refresh", {})
        self.wait("document.body.dataset.points > 0")
        self.end(viewer)

    def test_without_the_token_it_says_what_to_do(self):
        viewer = Viewer(self, self.scene, "--paused", "--threads", "1")
        self.browser.open(f"http://127.0.0.1:{viewer.port}/")
        self.wait("document.getElementById('notice').textContent.includes('open the address')")
        self.end(viewer, ["401"])

    def test_another_page_can_do_nothing(self):
        viewer = self.show(self.scene, "--paused", "--threads", "1")
        # Of another origin: another port.
        other = Viewer(self, self.scene, "--paused", "--threads", "1")
        self.browser.open(other.address)
        self.wait("document.body.dataset.points > 0")
        script = """
          const [port, token] = arguments;
          const answer = (options) => fetch(`http://127.0.0.1:${port}/api/play`, options).then(() => "answered", () => "refused");
          return Promise.all([
            answer({method: "POST", mode: "no-cors", body: "{}"}),
            answer({method: "POST", body: "{}", headers: {"X-Firn-Token": token, "Content-Type": "application/json"}}),
          ]).then((all) => all.join());"""
        self.browser.run(script, viewer.port, viewer.token)
        self.assertEqual(viewer.state()["phase"], "paused")
        self.leave()
        other.end()
        viewer.end()

    def test_the_end_of_the_program_is_told(self):
        viewer = self.show(self.scene, "--paused", "--threads", "1")
        viewer.end()
        self.wait("document.getElementById('notice').textContent.includes('has ended')")
        self.leave()


class Kept(PageTest):
    SCENE = SCENE

    def test_a_run_that_is_over(self):
        self.succeed("run", self.scene, "-o", "out")
        viewer = self.show("out")
        self.wait("document.body.dataset.phase === 'ended' && document.body.dataset.frame === '12'")
        last = self.at_rest()
        self.assertGreater(last["red"], 0.01 * last["all"])
        self.assertTrue(self.browser.run("return document.getElementById('step').hidden"))
        self.click("play")  # from the beginning, since it stands at the end
        self.wait("document.body.dataset.frame < 6")
        self.wait("!firn.replaying && document.body.dataset.frame === '12'")
        self.assertEqual(self.at_rest()["sum"], last["sum"])
        self.end(viewer)

    def test_more_particles_than_are_drawn_while_they_move(self):
        dense = ("--set", "grid.dx=0.025", "--set", "simulation.frames=1")  # some 500 000
        viewer = self.show(self.scene, *dense, "--paused", "--threads", "1")
        self.wait("document.body.dataset.phase === 'paused'")
        everything = self.at_rest()
        self.assertGreater(self.browser.run("return firn.drawing.shown.loaded"), 200000)
        self.browser.run("firn.most = 20000; firn.moved()")
        fewer = self.browser.run(PIXELS)
        for colour in ("red", "green"):  # discs that are larger fill as much
            self.assertGreater(fewer[colour], 0.6 * everything[colour])
            self.assertLess(fewer[colour], 1.6 * everything[colour])
        self.assertEqual(self.at_rest(), everything)
        self.end(viewer)


if __name__ == "__main__":
    if not browser.is_there():
        print("no chromium with chromedriver: scripts/setup chromium chromium-driver", file=sys.stderr)
        sys.exit(77)
    unittest.main()
