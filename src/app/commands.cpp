// The list of commands: what each is called, takes and is good for.
#include "src/app/commands.h"

namespace firn::app {

const std::vector<Command>& command_table() {
  static const std::vector<Command> table = {
      {"run",
       "SCENE",
       "Simulate a scene and write pictures, particles, a ledger and plots.",
       "  firn run scenes/snowball-drop.toml\n"
       "  firn run snowball-drop -o out/fine --set grid.dx=0.005 --frames 96\n"
       "  firn run snowball-drop --variant paper --device cuda --max-time 3600\n"
       "  firn run mine.toml -o out/mine --resume --max-time 3000\n"
       "  firn run mine.toml --watch\n",
       {"output", "frames", "set", "variant", "device", "threads", "precision", "seed", "overwrite",
        "go-on", "watch", "max-time", "checkpoint-time", "json", "quiet", "verbose"},
       run},
      {"resume",
       "DIR",
       "Go on with a run that was interrupted, or past its old end.",
       "  firn resume out/snowball-drop\n"
       "  firn resume out/snowball-drop --frames 200\n"
       "  firn resume out/snowball-drop --from 24 --set output.color=speed\n"
       "  firn resume out/snowball-drop "
       "--checkpoint out/snowball-drop/checkpoints/checkpoint_000024.firn\n",
       {"checkpoint", "from", "frames", "set", "device", "threads", "max-time", "checkpoint-time",
        "json", "quiet", "verbose"},
       resume},
      {"video",
       "DIR",
       "Make the video of the pictures that a run has made so far.",
       "  firn video out/snowball-drop\n",
       {"quiet"},
       video},
      {"render",
       "DIR",
       "Make the pictures of a run anew, from the particles it kept.",
       "  firn render out/dam-break --set output.color=speed -o out/by-speed\n"
       "  firn render out/dam-break --frames 10:20 --set output.look=particles -o out/grains\n",
       {"frame-range", "into", "set", "threads", "overwrite", "json", "quiet"},
       render},
      {"view",
       "SCENE|DIR",
       "Watch a run in a browser while it goes on, and steer it; or look at what a run has kept.",
       "  firn view scenes/dam-break.toml\n"
       "  firn view snowball-drop --set grid.dx=0.01 --port 8080 -o out/watched\n"
       "  firn view out/snowball-drop --open\n",
       {"output", "frames", "set", "variant", "device", "threads", "precision", "seed", "overwrite",
        "port", "open", "paused", "max-points"},
       view},
      {"mesh",
       "DIR",
       "Mesh the surfaces of a run's materials, from the particles it kept.",
       "  firn mesh out/dam-break\n"
       "  firn mesh out/dam-break --to ply,vdb --frames 10:20 --set output.surface_voxel=0.5\n",
       {"surface-to", "frame-range", "into", "set", "threads", "overwrite", "json", "quiet"},
       mesh},
      {"convert",
       "DIR",
       "Write the particles of a run in other formats, from the files and checkpoints it kept.",
       "  firn convert out/snowball-drop --to vtp\n"
       "  firn convert out/snowball-drop --to vdb,volumes --frames 0:24 -o out/for-houdini\n"
       "  firn convert out/snowball-drop --to bgeo --frames 12\n",
       {"to", "frame-range", "into", "threads", "overwrite", "json", "quiet"},
       convert},
      {"compare",
       "SCENE",
       "Run variants of a scene and put their results side by side.",
       "  firn compare dam-break --vary transfer.type=flip,apic,polypic\n"
       "  firn compare sand-column --vary grid.dx=0.02,0.01 --vary "
       "transfer.kernel=quadratic,cubic\n",
       {"vary", "output", "frames", "set", "variant", "device", "threads", "precision", "seed",
        "overwrite", "json", "quiet", "verbose"},
       compare},
      {"info",
       "SCENE",
       "Tell what a scene will need: particles, memory, time step, disk. Runs nothing.",
       "  firn info snowball-drop\n"
       "  firn info snowball-drop --set grid.dx=0.005 --json\n"
       "  firn info dam-break --draw dam.png\n",
       {"frames", "set", "variant", "precision", "seed", "exact", "draw", "json"},
       info},
      {"bench",
       "[SUITE]",
       "Measure speed, and how close it comes to what the hardware allows. Suites: step (default), "
       "transfer, stress, sort, io; liquid (a breaking dam), spray (drops of it), pressure (its "
       "solver), thermal (a dam of butter), implicit (long steps of a solid beside explicit ones).",
       "  firn bench\n"
       "  firn bench --sweep --motion moving --threads 1\n"
       "  firn bench --scaling particles --plot particles.png\n"
       "  firn bench transfer --json transfer.json\n"
       "  firn bench pressure --threads 2 --json pressure.json\n"
       "  firn bench --particles 10000000 --device cuda --json bench.json\n"
       "  firn bench --transfer polypic --kernel cubic --material snow_dry --threads 1\n",
       {"particles", "steps", "threads", "device", "precision", "transfer", "kernel", "material",
        "motion", "plain", "reproducible", "sweep", "scaling", "plot", "folder", "side",
        "json-file"},
       bench,
       {"step", "transfer", "stress", "sort", "io", "liquid", "spray", "pressure", "thermal",
        "implicit"}},
      {"scenes",
       "",
       "List the scene files that come with firn.",
       "  firn scenes\n  FIRN_SCENES=~/my-scenes firn scenes\n",
       {"json", "names"},
       list_scenes},
      {"materials",
       "",
       "List the material presets and where their numbers come from.",
       "  firn materials\n  firn materials --json\n",
       {"json"},
       list_materials},
      {"devices",
       "",
       "List the devices that a run can use.",
       "  firn devices\n",
       {"json"},
       list_devices},
      {"schema",
       "",
       "Print every key of a scene file: a JSON Schema for editors, or a reference to read.",
       "  firn schema > firn.schema.json\n"
       "  firn schema --markdown\n",
       {"markdown"},
       print_schema},
      {"new",
       "SCENE",
       "Write a small scene with comments, to begin with.",
       "  firn new mine && firn run mine.toml\n",
       {"overwrite"},
       create},
      {"completion",
       "SHELL",
       "Print what makes a shell (bash, zsh or fish) complete commands, flags and scenes.",
       "  firn completion bash > ~/.local/share/bash-completion/completions/firn\n"
       "  firn completion zsh > \"${fpath[1]}/_firn\"\n"
       "  firn completion fish > ~/.config/fish/completions/firn.fish\n",
       {},
       completion,
       {"bash", "zsh", "fish"}},
      {"man", "", "Print the manual page.", "  firn man | man -l -\n", {}, man},
  };
  return table;
}

}  // namespace firn::app
