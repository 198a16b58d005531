"""What makes the program pleasant to use: completions, the manual page, a scene to begin with."""

import json
import re
import subprocess
import unittest

from support import FIRN, CliTest


class Habits(CliTest):
    def commands(self):
        overview = self.succeed("--help").stdout.split("Commands:\n")[1].split("\n\n")[0]
        return [line.split()[0] for line in overview.splitlines()]

    def flags(self, command):
        return set(re.findall(r"--[a-z-]+", self.succeed(command, "--help").stdout.split("Examples:")[0]))

    def complete(self, *words):
        """What bash offers for the last of the words."""
        script = self.folder / "firn.bash"
        script.write_text(self.succeed("completion", "bash").stdout)
        line = " ".join(f"'{word}'" for word in ("firn", *words))
        run = subprocess.run(
            ["bash", "-c", f'firn() {{ {FIRN} "$@"; }}; source {script}; COMP_WORDS=({line}); COMP_CWORD={len(words)}; '
             '_firn; printf "%s\\n" "${COMPREPLY[@]}"'], text=True, capture_output=True, check=True, cwd=self.folder)
        return run.stdout.split()

    def test_bash_completes_commands_flags_and_scenes(self):
        self.assertEqual(set(self.complete("")), {*self.commands(), "--help", "--version"})
        for command in self.commands():
            self.assertEqual({word for word in self.complete(command, "--") if word.startswith("--")}, self.flags(command))
        self.assertIn("dam-break", self.complete("run", "dam"))
        self.assertIn("pressure", self.complete("bench", "p"))

    def test_bash_completes_what_stands_behind_a_flag(self):
        (self.folder / "simple.txt").touch()
        self.assertEqual(self.complete("run", "dam-break", "--device", "c"), ["cpu", "cuda"])
        self.assertEqual(self.complete("run", "dam-break", "--precision", ""), ["single", "double"])
        self.assertEqual(self.complete("mesh", "run", "--to", ""), ["obj", "ply", "vdb"])
        self.assertEqual(self.complete("run", "dam-break", "--threads", "s"), [])
        self.assertIn("simple.txt", self.complete("resume", "run", "--checkpoint", "s"))

    def test_bodies_that_material_moves_are_told_of(self):
        (self.folder / "raft.toml").write_text(self.scene.read_text() + """
            [[collider]]
            name = "raft"
            shape = { type = "box", min = [0.9, 0.5], max = [1.4, 0.7] }
            density = 300
            [[collider]]
            name = "ball"
            shape = { type = "box", min = [0.9, 0.9], max = [1.1, 1.3] }
            mass = 20
            """)
        told = self.succeed("info", "raft.toml").stdout
        self.assertIn("colliders  3, of which material moves 2\n", told)
        self.assertIn("rigid body raft: 30 kg, 300 kg/m^2\n", told)
        self.assertIn("rigid body ball: 20 kg, 250 kg/m^2\n", told)
        bodies = json.loads(self.succeed("info", "raft.toml", "--json").stdout)["rigid_bodies"]
        self.assertEqual([body["name"] for body in bodies], ["raft", "ball"])
        for body, mass, density in zip(bodies, (30, 20), (300, 250)):
            # Of shapes that are found from cells, in single precision.
            self.assertAlmostEqual(body["mass"] / mass, 1, places=5)
            self.assertAlmostEqual(body["density"] / density, 1, places=5)
        self.assertNotIn("rigid body", self.succeed("info", self.scene).stdout)

    def test_every_shell_knows_every_command_and_flag(self):
        for shell in ("bash", "zsh", "fish"):
            text = self.succeed("completion", shell).stdout
            for command in self.commands():
                self.assertRegex(text, rf"(?m)\b{command}\b")
                for flag in self.flags(command) - {"--help"}:
                    self.assertIn(flag if shell != "fish" else f"-l {flag[2:]}", text)
        self.assertIn("fish", self.fail_with(2, "completion", "fsh"))

    def test_the_manual_page_has_all_commands(self):
        page = self.succeed("man").stdout
        self.assertTrue(page.startswith(".TH FIRN 1"))
        for command in self.commands():
            self.assertIn(f".SS firn {command} ", page)
        for section in ("ENVIRONMENT", "FILES", "SEE ALSO"):
            self.assertIn(f".SH {section}\n", page)
        for name in ("FIRN_SCENES", "OMP_NUM_THREADS", "OMP_WAIT_POLICY"):
            self.assertIn(name, page)
        for line in page.splitlines():
            if line.startswith((".", "'")):
                self.assertRegex(line, r"^\.(TH|SH|SS|TP|PP|nf|fi|B|I)\b")

    def test_a_new_scene_runs(self):
        self.assertEqual(self.succeed("new", "mine").stdout, "mine.toml\n")
        self.assertIn("--overwrite", self.fail_with(3, "new", "mine.toml"))
        for name in ('weird"name', "b\\s", "two\nlines"):
            self.succeed("new", name)
            self.succeed("info", name + ".toml")
        for name in ("", ".", ".."):
            self.assertIn("is no name for a scene", self.fail_with(2, "new", name))
        info = json.loads(self.succeed("info", "mine.toml", "--json").stdout)
        self.assertGreater(info["particles"], 1000)
        self.succeed("run", "mine.toml", "-o", "run", "--frames", 1, "--set", "grid.dx=0.1", "--set", "output.video=false",
                     "--quiet")


if __name__ == "__main__":
    unittest.main()
