"""Variants side by side."""

import json
import shutil
import unittest

from support import CliTest


class Compare(CliTest):
    def test_files_and_table(self):
        result = self.succeed("compare", self.scene, "-o", "both", "--set", "output.video=true", "--vary", "transfer.type=apic,flip")
        both = self.folder / "both"
        for name in ("type-apic", "type-flip"):
            self.assertTrue(json.loads((both / name / "summary.json").read_text())["completed"])
        self.assertIn('"flip"', (both / "type-flip/scene.toml").read_text())
        for name in ("comparison.png", "comparison-ledger.png", "comparison.mp4"):
            self.assertGreater((both / name).stat().st_size, 0, name)
            self.assertIn(name, result.stdout)
        self.assertEqual(sorted(entry.name for entry in both.iterdir()),
                         ["comparison-ledger.png", "comparison.mp4", "comparison.png", "type-apic", "type-flip"])
        self.assertRegex(result.stdout, r"(?m)^type=apic +6 ")
        self.assertRegex(result.stdout, r"(?m)^type=flip +6 ")

    def test_folders_of_others_stay_and_are_not_filmed(self):
        vary = ("--vary", "transfer.type=apic,flip", "--set", "output.video=true")
        self.succeed("compare", self.scene, "-o", "both", "--frames", 2, *vary)
        films = [(self.folder / "both/comparison.mp4").read_bytes()]
        picture = self.folder / "both/type-apic/frames/frame_000000.png"
        for name in ("comparison-frames", ".comparison-frames"):
            other = self.folder / "both" / name
            other.mkdir()
            for frame in range(3, 9):
                (other / f"frame_{frame:06}.png").write_bytes(picture.read_bytes())
        before = self.files("both/*comparison-frames/*")
        self.assertEqual(len(before), 12)
        self.succeed("compare", self.scene, "-o", "both", "--frames", 2, "--overwrite", *vary)
        films.append((self.folder / "both/comparison.mp4").read_bytes())
        self.assertEqual(films[0], films[1])
        self.assertEqual(self.files("both/*comparison-frames/*"), before)

    def test_frames_of_other_times_are_told_of(self):
        error = self.succeed("compare", self.scene, "-o", "fps", "--frames", 1, "--vary", "simulation.fps=24,48").stderr
        self.assertIn("simulation.fps is not the same", error)

    def test_all_combinations(self):
        result = self.succeed("compare", self.scene, "-o", "four", "--frames", 1, "--json", "--vary", "transfer.type=apic,pic", "--vary", "body.0.velocity=[0,0],[1,0]")
        variants = json.loads(result.stdout)["variants"]
        self.assertEqual([v["overrides"] for v in variants],
                         [[f"transfer.type={t}", f"body.0.velocity={v}"] for t in ("apic", "pic")
                          for v in ("[0,0]", "[1,0]")])
        self.assertEqual(len({v["directory"] for v in variants}), 4)
        self.assertFalse((self.folder / "four/comparison.mp4").exists())

    def test_nothing_runs_if_one_variant_is_bad(self):
        self.assertIn("nonsense", self.fail_with(2, "compare", self.scene, "--vary", "transfer.type=apic,nonsense"))
        self.assertFalse((self.folder / "out").exists())

    def test_a_scene_is_not_run_twice(self):
        for vary in (["grid.dx=0.05,0.05"], ["grid.dx=0.05,0.1,5e-2"], ["transfer.type=apic,'apic'"],
                     ["grid.dx=0.05,0.1", "grid.dx=0.2"]):
            with self.subTest(vary=vary):
                words = [word for one in vary for word in ("--vary", one)]
                error = self.fail_with(2, "compare", self.scene, *words)
                self.assertIn("are the same scene; give every value once", error)
                self.assertFalse((self.folder / "out").exists())

    def test_older_results_are_left_untouched(self):
        arguments = ("compare", self.scene, "--frames", 1, "--set", "output.image=false", "--vary", "grid.dx=0.05,0.1")
        self.succeed(*arguments)
        before = self.files("out/**/*")
        self.assertIn("--overwrite", self.fail_with(3, *arguments))
        self.assertEqual(self.files("out/**/*"), before)
        self.succeed(*arguments, "--overwrite")

    def test_another_comparison_in_the_folder_is_not_replaced_unasked(self):
        arguments = ("compare", self.scene, "-o", "both", "--frames", 1, "--vary")
        self.succeed(*arguments, "transfer.type=apic,flip")
        before = self.files("both/**/*")
        self.assertIn("comparison.png: exists; --overwrite", self.fail_with(3, *arguments, "grid.dx=0.05,0.1"))
        self.assertEqual(self.files("both/**/*"), before)
        self.succeed(*arguments, "grid.dx=0.05,0.1", "--overwrite")

    def test_files_of_an_older_comparison_go(self):
        more = ("--frames", 2, "--set", "output.resolution=[32, 24]", "-o", "c50%")
        self.succeed("compare", self.scene, "--vary", "grid.dx=0.05,0.1", *more, "--set", "output.video=true")
        if shutil.which("ffmpeg"):  # for which a '%' in the folder's name is no frame's number
            self.assertTrue((self.folder / "c50%/comparison.mp4").exists())
        (self.folder / "c50%/comparison.mp4").write_text("older")
        self.succeed("compare", self.scene, "--vary", "grid.dx=0.05,0.2", *more, "--overwrite")
        self.assertFalse((self.folder / "c50%/comparison.mp4").exists())

    def test_a_folder_that_ends_in_a_slash(self):
        self.succeed("compare", self.scene, "--vary", "grid.dx=0.05,0.1", "--frames", 1, "--set",
                     'output.directory="out/here/"')
        self.assertTrue((self.folder / "out/here-compare/comparison.png").exists())

    def test_a_diverging_variant_is_reported_beside_the_others(self):
        result = self.firn("compare", self.scene, "-o", "two", "--set", "time.dt_max=1e-2", "--vary",
                           "time.dt_min=5e-3,1e-9")
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertIn("diverged", result.stdout)
        self.assertTrue((self.folder / "two/comparison.png").exists())
        self.assertTrue(json.loads((self.folder / "two/dt_min-1e-9/summary.json").read_text())["completed"])


if __name__ == "__main__":
    unittest.main()
