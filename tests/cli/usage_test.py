"""Help, listings, and everything that must be refused before anything is computed."""

import json
import re
import shutil
import subprocess
import unittest

from support import FIRN, CliTest

COMMANDS = ["run", "resume", "compare", "info", "bench", "scenes", "materials", "devices", "schema", "video", "view",
            "convert"]


class Help(CliTest):
    def test_overview_lists_every_command(self):
        for words in (["--help"], ["-h"], ["help"]):
            text = self.succeed(*words).stdout
            for command in COMMANDS:
                self.assertRegex(text, rf"(?m)^  {command} ")

    def test_every_command_has_help_with_examples(self):
        for command in COMMANDS:
            text = self.succeed(command, "--help").stdout
            self.assertIn(f"firn {command}", text.split("Examples:")[1])
            self.assertEqual(text, self.succeed("help", command).stdout)

    def test_help_has_all_its_words(self):
        text = self.succeed("run", "--help").stdout
        self.assertIn("after this much wall time; the exit code is 0", " ".join(text.split()))
        self.assertIn("output folder (default: the scene's, or out/<scene name>)", text)
        for command in COMMANDS:
            for line in self.succeed(command, "--help").stdout.split("Examples:")[0].splitlines()[1:]:
                self.assertLessEqual(len(line), 100)
                self.assertEqual(line, line.rstrip())

    def test_version(self):
        self.assertRegex(self.succeed("--version").stdout, r"^firn \d+\.\d+\.\d+ \(.+\)\n$")
        built = json.loads(self.succeed("--version", "--json").stdout)
        self.assertIn(built["version"], self.succeed("--version").stdout)
        self.assertIn("-O", built["flags"])
        self.assertEqual({type(built[part]) for part in ("cuda", "openvdb", "embree", "openexr", "text", "viewer")}, {bool})
        self.assertIn("--json", self.firn("--version", "--verbose").stderr)

    @unittest.skipUnless(shutil.which("qemu-x86_64"), "needs qemu-user")
    def test_an_older_processor_is_told(self):
        flags = json.loads(self.succeed("--version", "--json").stdout)["flags"]
        older = subprocess.run(["qemu-x86_64", "-cpu", "Nehalem", FIRN, "--version"], capture_output=True, text=True)
        if "-march=native" in flags or "-march=x86-64-v3" in flags:  # on machines of these years
            self.assertEqual(older.returncode, 4, older.stderr)
            self.assertRegex(older.stderr, r"built for a processor with AVX AVX2 FMA BMI2.*-DFIRN_MARCH=x86-64-v3")
        else:
            self.assertEqual(older.returncode, 0, older.stderr)

    def test_without_a_command_it_shows_the_usage_and_fails(self):
        result = self.firn()
        self.assertEqual(result.returncode, 2)
        self.assertIn("Usage", result.stderr)


class BadUsage(CliTest):
    def test_unknown_command_gets_a_suggestion(self):
        self.assertIn("'resume'", self.fail_with(2, "resmue", "x"))

    def test_unknown_flag_gets_a_suggestion(self):
        self.assertIn("'--frames'", self.fail_with(2, "run", self.scene, "--frame", "3"))
        self.assertIn("'--overwrite'", self.fail_with(2, "run", self.scene, "--overwrit=1"))
        self.assertIn("unknown flag '--x'", self.fail_with(2, "run", "--x"))
        self.assertIn("unknown flag", self.fail_with(2, "info", self.scene, "-z"))

    def test_a_dash_too_few_is_told(self):
        for words in (["run", self.scene, "-threads", 1], ["run", self.scene, "-overwrite"], ["info", self.scene, "-json"],
                      ["run", self.scene, "-frames=1"], ["run", self.scene, "-qx"]):
            self.assertIn(f"unknown flag '{str(words[2]).split('=')[0]}'", self.fail_with(2, *words, "-o", "run"))
        self.assertFalse((self.folder / "run").exists())
        self.succeed("info", "--json", "--", self.scene)
        self.assertIn("-no-scene", self.fail_with(3, "info", "--", "-no-scene"))

    def test_flags_of_other_commands_are_unknown(self):
        self.fail_with(2, "info", self.scene, "--overwrite")
        self.fail_with(2, "resume", "out", "--variant", "paper")

    def test_values_are_checked(self):
        for flag, value in [("--frames", "many"), ("--frames", "3.5"), ("--frames", "-1"),
                            ("--frames", "99999999999"), ("--threads", "0"), ("--device", "gpu"), ("--device", "cuda:"),
                            ("--device", "cuda:x"), ("--device", "cuda:-1"),
                            ("--precision", "half"), ("--seed", "-1"), ("--max-time", "soon"),
                            ("--max-time", "-1"), ("--max-time", "nan"), ("--set", "frames"), ("--set", "=3")]:
            with self.subTest(flag=flag, value=value):
                self.assertIn(flag, self.fail_with(2, "run", self.scene, flag, value))
        self.fail_with(2, "run", self.scene, "--frames")

    def test_flags_that_would_change_nothing_are_refused(self):
        self.succeed("run", self.scene, "-o", "run", "--frames", 1)
        for words in (["scenes", "--json", "--names"], ["view", "run", "--device", "cpu"],
                      ["view", self.scene, "--overwrite"], ["convert", "run", "--to", "vtp", "--overwrite"]):
            self.assertIn([word for word in words if str(word).startswith("--")][-1].split("=")[0], self.fail_with(2, *words))
        self.assertIn("--seed: ", self.fail_with(2, "info", self.scene, "--seed", 2**64 - 1))
        self.succeed("info", self.scene, "--seed", 2**63 - 1)

    def test_pictures_are_png_files(self):
        for name in ("scene.pdf", "scene", "scene.png.svg"):
            error = self.fail_with(2, "info", "no-scene.toml", "--draw", name)
            self.assertIn(f"--draw: '{name}' must end in .png", error)
            self.assertIn("--plot", self.fail_with(2, "bench", "--scaling", "threads", "--plot", name))
        self.assertIn("no-scene.toml", self.fail_with(3, "info", "no-scene.toml", "--draw", "scene.PNG"))

    def test_folders_without_a_run(self):
        (self.folder / "pictures").mkdir()
        for command in (["video"], ["render"], ["mesh"], ["resume"], ["convert", "--to", "ply"]):
            with self.subTest(command=command):
                for target, words in (("pictures", "this folder holds no run (no scene.toml)"),
                                      ("nowhere", "there is no such folder"), (self.scene, "this is no folder")):
                    self.assertIn(f"{target}: {words}", self.fail_with(3, *command, target))

    def test_positionals_are_counted(self):
        self.assertIn("SCENE", self.fail_with(2, "run"))
        self.assertIn("DIR", self.fail_with(2, "resume"))
        self.fail_with(2, "run", self.scene, "another.toml")
        self.fail_with(2, "devices", "cpu")

    def test_compare_needs_variants(self):
        self.assertIn("--vary", self.fail_with(2, "compare", self.scene))
        self.fail_with(2, "compare", self.scene, "--vary", "grid.dx=")
        self.fail_with(2, "compare", self.scene, "--vary", "grid.dx=0.05,,0.1")


class BadScene(CliTest):
    def test_missing_scene(self):
        for command in ("run", "info"):
            self.assertIn("nowhere.toml", self.fail_with(3, command, "nowhere.toml"))

    def test_missing_scene_is_suggested(self):
        error = self.fail_with(3, "info", "sqare", environment={"FIRN_SCENES": str(self.folder)})
        self.assertIn("'square'", error)

    def test_findings_have_positions_and_come_together(self):
        text = self.scene.read_text().replace("fps = 48", "fsp = 48").replace("dx = 0.05", "dx = -1")
        self.scene.write_text(text)
        error = self.fail_with(2, "run", self.scene)
        self.assertRegex(error, re.escape(str(self.scene)) + r":8:\d+: .*fps")
        self.assertRegex(error, re.escape(str(self.scene)) + r":12:\d+: ")
        self.assertFalse((self.folder / "out").exists())

    def test_syntax_error(self):
        self.scene.write_text("[simulation\n")
        self.assertRegex(self.fail_with(2, "info", self.scene), r"error: .*square\.toml:1:\d+: ")

    def test_override_of_an_unknown_key(self):
        self.assertIn("grid.dy", self.fail_with(2, "run", self.scene, "--set", "grid.dy=1"))

    def test_unknown_variant(self):
        self.assertIn("paper", self.fail_with(2, "info", self.scene, "--variant", "paper"))


class Listings(CliTest):
    def test_scenes_by_environment(self):
        result = self.succeed("scenes", environment={"FIRN_SCENES": str(self.folder)})
        self.assertRegex(result.stdout, r"square +Falling square +test")
        listed = json.loads(self.succeed("scenes", "--json", environment={"FIRN_SCENES": str(self.folder)}).stdout)
        self.assertIn({"name": "square", "path": str(self.scene), "title": "Falling square", "source": "test"}, listed)

    def test_scenes_are_found_from_anywhere(self):
        listed = json.loads(self.succeed("scenes", "--json").stdout)
        self.assertIn("snowball-drop", [scene["name"] for scene in listed])

    def test_a_broken_scene_does_not_break_the_list(self):
        (self.folder / "broken.toml").write_text("][")
        result = self.succeed("scenes", environment={"FIRN_SCENES": str(self.folder)})
        self.assertRegex(result.stdout, r"broken +cannot be read")

    def test_scenes_by_name(self):
        result = self.succeed("info", "square", environment={"FIRN_SCENES": str(self.folder)})
        self.assertIn("Falling square", result.stdout)

    def test_materials(self):
        listed = json.loads(self.succeed("materials", "--json").stdout)
        self.assertTrue(listed)
        text = self.succeed("materials").stdout
        for preset in listed:
            self.assertTrue(preset["source"], preset)
            self.assertIn(preset["name"], text)
            # What a scene would have to say in its place.
            self.assertGreater(preset["keys"]["density"], 0)
        snow = next(preset["keys"] for preset in listed if preset["name"] == "snow_dry")
        self.assertEqual(snow["model"], "snow")
        self.assertIn(f"hardening = {snow['hardening']}", text)

    def test_devices(self):
        self.assertRegex(self.succeed("devices").stdout, r"(?m)^cpu +.+\(\d+ threads\)$")
        self.assertGreaterEqual(json.loads(self.succeed("devices", "--json").stdout)["cpu"]["threads"], 1)


class Info(CliTest):
    def test_json(self):
        info = json.loads(self.succeed("info", self.scene, "--json").stdout)
        self.assertEqual(info["scene"], "square")
        # 8 x 8 cells of 4 particles, give or take what a random placement leaves out at the rim.
        self.assertAlmostEqual(info["particles"], 256, delta=64)
        self.assertEqual(info["particles"], sum(body["particles"] for body in info["bodies"]))
        self.assertGreater(info["blocks"], 0)
        self.assertGreater(info["memory_bytes"]["total"], 0)
        self.assertGreater(info["dt"]["limit"], 0)
        self.assertEqual(info["dt"]["material"], "jelly")
        # PLY and NPZ of position, velocity (two floats each, three in PLY) and material (two bytes).
        self.assertAlmostEqual(info["disk_bytes"]["particles_per_frame"] / info["particles"], 44, delta=0.01)

    def test_frames_and_overrides_count(self):
        small = json.loads(self.succeed("info", self.scene, "--json").stdout)
        large = json.loads(self.succeed("info", self.scene, "--json", "--frames", 60, "--set", "grid.dx=0.025").stdout)
        self.assertGreater(large["particles"], 3 * small["particles"])
        self.assertGreater(large["disk_bytes"]["total"], 10 * small["disk_bytes"]["total"])
        self.assertLess(large["dt"]["limit"], small["dt"]["limit"])

    def test_text_names_what_limits_the_step(self):
        text = self.succeed("info", self.scene).stdout
        self.assertIn("jelly", text)
        self.assertIn("steps per frame", text)

    def test_readings_of_sensors_end_steps(self):
        scene = self.folder / "read.toml"
        scene.write_text(self.scene.read_text() + """
[[sensor]]
name = "middle"
type = "point"
position = [0.5, 0.5]
rate = 48000
""")
        steps = json.loads(self.succeed("info", scene, "--json").stdout)["dt"]["steps_per_frame"]
        self.assertGreaterEqual(steps, 1000)

    def test_steps_that_a_run_refuses_are_told_of(self):
        least = self.succeed("info", self.scene, "--set", "time.dt_min=9e-4", "--set", "material.jelly.youngs_modulus=1e9").stdout
        self.assertRegex(least, r"warning +steps of \S+ s are shorter than time.dt_min \(0.0009 s\)")
        self.assertNotIn("dt_min", self.succeed("info", self.scene).stdout)

    def test_temperatures_phases_and_moduli(self):
        thermal = self.folder / "candle.toml"
        thermal.write_text(THERMAL_SCENE)
        text = self.succeed("info", thermal).stdout
        self.assertRegex(text, r"body +candle: \d+ particles of wax at 300 K, solid")
        self.assertRegex(text, r"source +tap: emits oil at \"400 - x\" K, liquid")
        self.assertRegex(text, r"material +wax: mu 1e\+05 Pa, lambda inf Pa; melts at 330 K \+- 2 K, latent heat 200000")
        self.assertRegex(text, r"material +oil: .*always liquid")
        self.assertRegex(text, r"collider +pan: 450 K")
        self.assertRegex(text, r"wall +y_max: 290 K")
        one = "grid.domain={ min = [0, 0], max = [1, 1], temperature = 280 }"
        walls = self.succeed("info", thermal, "--set", one).stdout
        self.assertEqual(re.findall(r"wall +(\w+): 280 K", walls), ["x_min", "x_max", "y_min", "y_max"])
        self.assertRegex(text, r"thermal +explicit forces; face density of the material; air insulates; 0 heat sources")
        info = json.loads(self.succeed("info", thermal, "--json", "--set", "thermal.ambient=290").stdout)["thermal"]
        self.assertEqual(info["ambient"], 290)
        self.assertEqual([m["lambda"] for m in info["materials"]], ["inf", "inf"])
        self.assertIsNone(json.loads(self.succeed("info", self.scene, "--json").stdout)["thermal"])
        stiff = "material.wax.youngs_modulus=3e6"
        self.assertRegex(self.succeed("info", thermal, "--set", stiff).stdout, r"set by .*wax; about \d+ steps per frame")
        needs = json.loads(self.succeed("info", thermal, "--json", "--set", stiff).stdout)
        self.assertEqual(needs["dt"]["material"], "wax")
        self.assertGreater(needs["memory_bytes"]["grid"], 0)


THERMAL_SCENE = """
[simulation]
dimension = 2
integrator = "thermal"
[grid]
dx = 0.05
domain = { min = [0, 0], max = [1, 1], temperature = { y_max = 290 } }
[material.wax]
model = "corotated_deviatoric"
density = 900
youngs_modulus = 3e5
poisson_ratio = 0.5
heat_capacity = 2100
conductivity = 0.2
melting_point = 330
melting_jitter = 2
latent_heat = 2e5
[material.oil]
model = "incompressible"
density = 800
heat_capacity = 2000
conductivity = 0.15
[[body]]
name = "candle"
material = "wax"
shape = { type = "box", min = [0.4, 0.2], max = [0.6, 0.6] }
temperature = 300
[[source]]
name = "tap"
material = "oil"
shape = { type = "sphere", center = [0.5, 0.9], radius = 0.05 }
velocity = [0, -1]
temperature = "400 - x"
[[collider]]
name = "pan"
shape = { type = "half_space", point = [0, 0.1], normal = [0, 1] }
temperature = 450
"""


if __name__ == "__main__":
    unittest.main()
