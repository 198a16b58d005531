"""`firn view` without its page: what its server tells and refuses. view_page_test.py has the page, view_garbage_test.py
what no page would ask for."""

import json
import os
import pathlib
import socket
import struct
import time
import unittest
import zipfile

from resume_test import grey_png
from support import CliTest
from viewer import Viewer

LONGER = ("--threads", "1", "--set", "simulation.frames=20", "--set", "output.image=false")


class ViewTest(CliTest):
    def view(self, *arguments, **keywords):
        return Viewer(self, *arguments, **keywords)


class Live(ViewTest):
    def test_pictures_have_the_particles_that_files_have(self):
        viewer = self.view(self.scene, *LONGER, "-o", "out")
        state = viewer.wait_for("ended")
        self.assertEqual([frame for _, frame, _, _ in state["pictures"]], list(range(21)))
        number, frame = state["pictures"][-1][:2]
        header, points = viewer.points(number, "speed")
        with zipfile.ZipFile(self.folder / f"out/particles/particles_{frame:06}.npz") as arrays:
            position = arrays.read("position.npy")
        n = header["particles"]
        self.assertEqual((header["points"], len(points)), (n, n))
        floats = struct.unpack(f"<{2 * n}f", position[-8 * n:])
        for axis in range(2):
            # Half a level, and the rounding of floats.
            step = header["extent"][axis] / 65535
            shown = sorted(header["origin"][axis] + point[axis] * step for point in points)
            for a, b in zip(shown, sorted(floats[axis::2])):
                self.assertLessEqual(abs(a - b), 0.5 * step + 1e-7 * abs(b))
        self.assertTrue(all(point[2] == 0 for point in points))
        self.assertGreater(header["high"], 0)
        viewer.end()

    def test_parts_of_a_picture_make_the_whole(self):
        viewer = self.view(self.scene, "--paused", "--max-points", "150")
        state = viewer.wait_for("paused")
        number = state["pictures"][0][0]
        header, whole = viewer.points(number, "body")
        self.assertEqual(header["points"], 150)
        self.assertGreater(header["particles"], 150)
        parts = [point for first in range(0, 150, 40) for point in viewer.points(number, "body", first, 40)[1]]
        self.assertEqual(parts, whole)
        self.assertEqual(viewer.points(number, "nothing")[0]["kept"], False)
        self.assertEqual(viewer.ask("/api/points?picture=999&channel=body&first=0&count=1")[0], 204)
        self.assertEqual(viewer.ask("/api/surfaces?picture=999&channel=body")[0], 204)
        self.assertEqual(viewer.ask("/api/surfaces?picture=x&channel=body")[0], 400)
        for wrong in ("picture=x&first=0&count=1", "picture=1&first=0&count=262145", "picture=1&first=-1&count=1", ""):
            self.assertEqual(viewer.ask(f"/api/points?channel=body&{wrong}")[0], 400, wrong)
        viewer.end()

    def test_pause_step_and_play(self):
        viewer = self.view(self.scene, "--paused", *LONGER)
        viewer.wait_for("paused")
        for steps in (1, 2, 3):
            self.assertEqual(viewer.post("step"), (200, {}))
            until = time.monotonic() + 20
            while viewer.state()["steps"] < steps:
                self.assertLess(time.monotonic(), until)
            state = viewer.wait_for("paused")
            self.assertEqual(state["steps"], steps)
        picture = state["pictures"][-1]
        self.assertTrue(picture[3])
        self.assertGreater(picture[2], 0)
        viewer.post("play")
        self.assertEqual(len(viewer.wait_for("ended")["rows"]), 21)
        viewer.end()

    def test_a_channel_that_is_costly_is_made_when_it_is_asked_for(self):
        viewer = self.view(self.scene, "--paused", *LONGER)
        state = viewer.wait_for("paused")
        number = state["pictures"][0][0]
        self.assertFalse(viewer.points(number, "vorticity")[0]["kept"])
        until = time.monotonic() + 20
        while state["pictures"][0][0] == number:  # by another one of the same moment
            self.assertLess(time.monotonic(), until)
            state = viewer.state(state["version"])
        self.assertTrue(viewer.points(state["pictures"][0][0], "vorticity")[0]["kept"])
        viewer.post("play")
        state = viewer.wait_for("ended")
        self.assertEqual(len(state["pictures"]), 21)
        self.assertTrue(viewer.points(state["pictures"][-1][0], "vorticity")[0]["kept"])
        viewer.end()

    def test_keys_that_a_run_goes_on_with(self):
        viewer = self.view(self.scene, "-o", "out", *LONGER)
        first = viewer.wait_for("ended")
        self.assertEqual(viewer.post("set", {"set": ["simulation.frames=25"]}), (200, {}))
        until = time.monotonic() + 60
        while len(viewer.state()["rows"]) < 26:
            self.assertLess(time.monotonic(), until)
        last = viewer.wait_for("ended")
        self.assertEqual(last["rows"][:21], first["rows"])
        viewer.end()
        plain = self.succeed("run", self.scene, *LONGER, "--set", "simulation.frames=25", "-o", "plain")
        self.assertIn("25", plain.stdout)
        self.same_particles("plain", "out")

    def test_keys_that_it_does_not_take_are_refused_in_its_own_words(self):
        viewer = self.view(self.scene, "--paused")
        before = viewer.wait_for("paused")
        for key, words in [("grid.dx=0.04", "a run cannot go on with another 'grid.dx': it was 0.05, and is 0.04"),
                           ("material.jelly.density=-1", "density"), ("grid.dxx=1", "unknown key"),
                           ("grid", "has no 'key=value' form"), ("=1", "has no 'key=value' form")]:
            status, answer = viewer.post("set", {"set": [key]})
            self.assertEqual(status, 422, answer)
            self.assertIn(words, answer["error"])
        for content in ({}, [], {"set": 3}, {"set": [3]}, "x"):
            self.assertEqual(viewer.post("set", content)[0], 400, content)
        self.assertEqual(viewer.state()["version"], before["version"])
        viewer.end()

    def test_any_key_for_a_run_that_begins_again(self):
        viewer = self.view(self.scene, "-o", "out", *LONGER)
        first = viewer.wait_for("ended")
        self.assertEqual(viewer.post("set", {"set": ["grid.dx=0.04"], "again": True}), (200, {}))
        until = time.monotonic() + 60
        while viewer.state()["epoch"] == first["epoch"]:
            self.assertLess(time.monotonic(), until)
        last = viewer.wait_for("ended")
        self.assertEqual(len(last["rows"]), 21)
        self.assertNotEqual(last["rows"][0], first["rows"][0])
        self.assertEqual(viewer.get("/api/scene")["dx"], 0.04)
        viewer.end()
        self.succeed("run", self.scene, *LONGER, "--set", "grid.dx=0.04", "-o", "plain")
        self.same_particles("plain", "out")

    def test_a_run_that_fails_says_so_and_begins_again(self):
        viewer = self.view(self.scene, *LONGER, "--set", "time.dt_min=5e-4", "--set", "time.dt_max=6e-4",
                           "--set", "time.cfl_material=0.01")
        until = time.monotonic() + 60
        while viewer.state()["phase"] != "failed":
            self.assertLess(time.monotonic(), until)
        self.assertIn("dt_min", viewer.state()["message"])
        self.assertEqual(viewer.post("set", {"set": ["simulation.frames=9"]})[0], 422)
        keys = ["time.dt_min=1e-9", "time.cfl_material=0.5"]
        self.assertEqual(viewer.post("set", {"set": keys, "again": True}), (200, {}))
        until = time.monotonic() + 60
        while viewer.state()["phase"] != "ended":
            self.assertLess(time.monotonic(), until)
        viewer.end()

    def test_what_cannot_go_on_is_refused_at_once(self):
        hill = self.folder / "hill.png"
        hill.write_bytes(grey_png(8, 8, 40))
        self.scene.write_text(self.scene.read_text() + """
[[collider]]
name = "hill"
shape = { type = "height_field", file = "hill.png", low = -1.0, high = 1.0, min = -1.0, max = 2.0 }
""")
        viewer = self.view(self.scene, "--threads", "1", "-o", "watched", *LONGER)
        until = time.monotonic() + 60
        while not viewer.state()["pictures"] or viewer.state()["pictures"][-1][1] < 3:
            self.assertLess(time.monotonic(), until)
        viewer.post("pause")
        viewer.wait_for("paused")
        status, text = viewer.post("set", {"set": ["simulation.frames=1"]})
        self.assertEqual(status, 422)
        self.assertIn("already at frame", json.dumps(text))
        hill.write_bytes(grey_png(8, 8, 41))
        status, text = viewer.post("set", {"set": ["output.legend=\"always\""]})
        self.assertEqual(status, 422)
        self.assertIn("hill.png", json.dumps(text))
        viewer.end()

    def test_leaves_all_that_a_run_leaves(self):
        self.put_gauge()
        viewer = self.view(self.scene, "--threads", "1", "-o", "watched")
        viewer.wait_for("ended")
        self.assertIn("plots: watched", viewer.end())
        self.succeed("run", self.scene, "--threads", "1", "-o", "plain")
        self.same_run("plain", "watched")
        summary = json.loads((self.folder / "watched/summary.json").read_text())
        self.assertTrue(summary["completed"])
        self.assertGreater(summary["seconds"]["total"], 0)

    def test_goes_on_where_it_was_stopped(self):
        self.put_gauge()
        viewer = self.view(self.scene, "--threads", "1", "--paused", "-o", "watched")
        viewer.wait_for("paused")
        for steps in (1, 2, 3):  # the gauge reads within a frame as well, and in the next part of the run
            viewer.post("step")
            until = time.monotonic() + 20
            while viewer.state()["steps"] < steps:
                self.assertLess(time.monotonic(), until)
            viewer.wait_for("paused")
        self.assertIn("firn resume watched", viewer.end())
        summary = json.loads((self.folder / "watched/summary.json").read_text())
        self.assertEqual((summary["completed"], summary["message"]), (False, "interrupted by a signal"))
        self.succeed("resume", "watched", "--threads", "1")
        self.succeed("run", self.scene, "--threads", "1", "-o", "plain")
        self.same_run("plain", "watched")

    def test_steps_end_where_sensors_read_without_files_too(self):
        self.put_gauge()
        viewer = self.view(self.scene, "--threads", "1")
        rows = viewer.wait_for("ended")["rows"]
        viewer.end()
        viewer = self.view(self.scene, "--threads", "1", "-o", "watched")
        self.assertEqual(viewer.wait_for("ended")["rows"], rows)
        viewer.end()

    def put_gauge(self):
        # 200 readings per second, 48 frames: steps end where no frame does.
        self.scene.write_text(self.scene.read_text() + '''
[[sensor]]
name = "gauge"
type = "collider"
collider = "floor"
rate = 200
''')

    def same_run(self, one, other):
        """The same files, and but for what has times of a clock the same bytes."""
        files = {run: {str(path.relative_to(self.folder / run)): path for path in (self.folder / run).rglob("*")
                       if path.is_file()} for run in (one, other)}
        self.assertEqual(sorted(files[one]), sorted(files[other]))
        compared = 0
        for name, path in files[one].items():
            if name.endswith((".csv", ".npz", ".ply")) or name.startswith("frames/") or name == "scene.toml":
                self.assertEqual(path.read_bytes(), files[other][name].read_bytes(), name)
                compared += 1
        self.assertGreaterEqual(compared, 2 + 3 * 7)

    def same_particles(self, one, other):
        a, b = self.files(f"{one}/particles/*.npz"), self.files(f"{other}/particles/*.npz")
        self.assertEqual([name.split("/")[-1] for name in a], [name.split("/")[-1] for name in b])
        self.assertEqual(list(a.values()), list(b.values()))


class Kept(ViewTest):
    def test_frames_of_particle_files(self):
        self.succeed("run", self.scene, "-o", "out")
        viewer = self.view("out")
        state = viewer.wait_for("ended")
        self.assertEqual([frame for _, frame, _, _ in state["pictures"]], list(range(7)))
        self.assertEqual(len(state["rows"]), 7)
        header, points = viewer.points(state["pictures"][3][0], "speed")
        self.assertTrue(header["kept"])
        self.assertEqual(header["frame"], 3)
        self.assertEqual(len(points), header["particles"])
        self.assertFalse(viewer.get("/api/scene")["live"])
        self.assertEqual(viewer.post("step")[0], 422)
        self.assertIn("firn resume", viewer.post("set", {"set": ["simulation.frames=9"]})[1]["error"])
        viewer.end()

    def test_vorticity_is_made_of_every_frame(self):
        self.succeed("run", self.scene, "-o", "out", "--frames", 2, "--set", 'output.channels=["velocity"]')
        viewer = self.view("out")
        for number, *_ in viewer.wait_for("ended")["pictures"]:
            header = viewer.points(number, "vorticity")[0]
            self.assertTrue(header["kept"])
            self.assertEqual(header["values_of"], header["frame"])
        viewer.end()

    def test_frames_of_checkpoints(self):
        self.succeed("run", self.scene, "-o", "out", "--set", "output.particles=[]")
        viewer = self.view("out")
        state = viewer.wait_for("ended")
        self.assertEqual([frame for _, frame, _, _ in state["pictures"]], [4, 6])
        for channel in ("speed", "pressure", "volume_ratio", "body"):
            self.assertTrue(viewer.points(state["pictures"][1][0], channel)[0]["kept"], channel)
        viewer.end()

    def test_what_is_no_run(self):
        (self.folder / "empty").mkdir()
        self.assertIn("scene.toml", self.fail_with(3, "view", "empty"))
        self.succeed("run", self.scene, "-o", "out")
        self.assertIn("--frames", self.fail_with(2, "view", "out", "--frames", "3"))
        self.assertIn("grid.dx", self.fail_with(2, "view", "out", "--set", "grid.dx=0.2"))


class CommandLine(ViewTest):
    def test_what_it_does_not_understand(self):
        self.assertIn("nowhere.toml", self.fail_with(3, "view", "nowhere.toml"))
        for flag, value in [("--port", "x"), ("--port", "-1"), ("--port", "65536"), ("--max-points", "0")]:
            self.assertIn(flag, self.fail_with(2, "view", self.scene, flag, value))

    def test_a_port_that_is_taken(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            port = other.getsockname()[1]
            self.assertIn(str(port), self.fail_with(3, "view", self.scene, "--port", port))
        one = Viewer(self, self.scene, "--paused")
        self.assertIn(str(one.port), self.fail_with(3, "view", self.scene, "--port", one.port))

    def test_the_browser_gets_the_address_from_a_file_of_its_user(self):
        opener = self.folder / "bin/xdg-open"
        opener.parent.mkdir()
        opener.write_text('#!/bin/sh\ncp -p "$1" got.html\nstat -c %a "$(dirname "$1")" >mode\n')
        opener.chmod(0o755)
        viewer = self.view(self.scene, "--paused", "--open", env={**os.environ, "PATH": f"{opener.parent}:{os.environ['PATH']}"})
        viewer.wait_for("paused")
        until = time.monotonic() + 20
        while not (self.folder / "mode").exists() or not (self.folder / "mode").read_text():
            self.assertLess(time.monotonic(), until)
        self.assertIn(viewer.address, (self.folder / "got.html").read_text())
        self.assertEqual((self.folder / "mode").read_text(), "700\n")
        viewer.end()

    def test_a_scene_that_cannot_begin(self):
        self.assertIn("error: ", self.fail_with(4, "view", self.scene, "--device", "cuda:7"))

    def test_ctrl_c_leaves_what_resume_goes_on_with(self):
        viewer = self.view(self.scene, "--paused", "-o", "out", *LONGER)
        viewer.wait_for("paused")
        for _ in range(2):
            viewer.post("step")
            viewer.wait_for("paused")
        self.assertIn("firn resume out", viewer.end())
        self.succeed("resume", "out")
        self.succeed("run", self.scene, *LONGER, "-o", "plain")
        a, b = self.files("plain/particles/*.npz"), self.files("out/particles/*.npz")
        self.assertEqual(list(a.values()), list(b.values()))


class Refusals(ViewTest):
    def setUp(self):
        super().setUp()
        self.viewer = self.view(self.scene, "--paused")
        self.viewer.wait_for("paused")

    def test_it_listens_on_the_loopback_address_alone(self):
        port = f":{self.viewer.port:04X}"
        listening = []
        for table in ("/proc/net/tcp", "/proc/net/tcp6"):
            rows = [line.split() for line in pathlib.Path(table).read_text().splitlines()[1:]]
            listening += [row[1] for row in rows if row[3] == "0A" and row[1].endswith(port)]
        self.assertEqual(listening, ["0100007F" + port])

    def test_the_token_is_needed_and_is_not_in_the_page(self):
        for token in (None, "", "0" * 32, self.viewer.token[:-1]):
            self.assertEqual(self.viewer.ask("/api/state?version=0&rows=0", X_Firn_Token=token)[0], 401)
            self.assertEqual(self.viewer.ask("/api/play", "POST", "{}", X_Firn_Token=token)[0], 401)
        self.assertEqual(self.viewer.ask(f"/api/scene?token={self.viewer.token}", X_Firn_Token=None)[0], 401)
        for name in ("", "index.html", "main.js", "link.js", "view.css"):
            status, content = self.viewer.ask("/" + name, X_Firn_Token=None)
            self.assertEqual(status, 200)
            self.assertNotIn(self.viewer.token.encode(), content)

    def test_other_names_and_origins_are_refused(self):
        ask, port = self.viewer.ask, self.viewer.port
        self.assertEqual(ask("/api/scene", Host=f"localhost:{port}")[0], 200)
        self.assertEqual(ask("/api/scene", Origin=f"http://127.0.0.1:{port}")[0], 200)
        for host in (f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port}.evil.example", ""):
            self.assertEqual(ask("/api/scene", Host=host)[0], 403, host)
            self.assertEqual(ask("/", Host=host)[0], 403, host)
        for origin in ("null", "http://evil.example", f"https://127.0.0.1:{port}", "http://127.0.0.1:1"):
            self.assertEqual(ask("/api/play", "POST", "{}", Origin=origin)[0], 403, origin)
        self.assertEqual(ask("/api/scene", Sec_Fetch_Site="cross-site")[0], 403)
        self.assertEqual(ask("/api/play", "OPTIONS", Origin="http://evil.example")[0], 403)
        self.assertEqual(self.viewer.state()["phase"], "paused")

    def test_other_forms_are_refused(self):
        ask = self.viewer.ask
        self.assertEqual(ask("/api/play", "POST", "{}", Content_Type="text/plain")[0], 415)
        self.assertEqual(ask("/api/set", "POST", " " * 8193)[0], 413)
        self.assertEqual(ask("/api/set", "POST", "{}", Content_Encoding="br")[0], 415)
        self.assertEqual(ask("/api/set", "POST", "{}", Transfer_Encoding="chunked")[0], 415)
        self.assertEqual(ask("/api/play", "DELETE")[0], 405)
        self.assertEqual(ask("/nothing")[0], 404)
        self.assertEqual(ask("/../etc/passwd")[0], 404)
        self.assertEqual(self.viewer.state()["phase"], "paused")

    def tearDown(self):
        self.viewer.end()


if __name__ == "__main__":
    unittest.main()
