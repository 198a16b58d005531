// `firn new`: a commented scene to begin with.
#include <fmt/format.h>

#include <filesystem>

#include "firn/error.h"
#include "src/app/commands.h"
#include "src/io/atomic_file.h"

namespace firn::app {
namespace {

constexpr std::string_view kScene =
    R"(# A ball of jelly and a block of snow fall onto the ground. Run it:   firn run {0}
# All keys and what they mean: firn schema --markdown. Ready-made materials: firn materials.
title = "{1}"

[simulation]
frames = 48                 # pictures; the run ends after the last
fps = 24                    # of simulated time
# gravity = [0.0, -9.81, 0.0]

[grid]
dx = 0.025                  # cells, m: half of it is twice as fine, and eight times the particles

[material.jelly]
preset = "jello"
color = [0.85, 0.25, 0.30]
# youngs_modulus = 2.0e5    # any value of the preset can be given here

[material.snow]
preset = "snow_dry"

[[body]]
name = "ball"
material = "jelly"
shape = {{ type = "sphere", center = [0.0, 0.8, 0.0], radius = 0.2 }}
velocity = [0.0, -1.0, 0.0]

[[body]]
name = "block"
material = "snow"
shape = {{ type = "box", min = [-0.3, 0.0, -0.3], max = [0.3, 0.3, 0.3] }}

[[collider]]
name = "ground"
shape = {{ type = "half_space", point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] }}
boundary = "separate"       # sticky | slip | separate
friction = 0.4

[output]
# particles = ["vtp"]       # files for ParaView; also ply, npz, vdb, bgeo
# surface = ["obj"]         # meshes of the materials' surfaces
# color = "speed"
)";

// As TOML has it between double quotes.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      out += c;
  return out;
}

}  // namespace

int create(const Options& options) {
  namespace fs = std::filesystem;
  fs::path path = options.target;
  const std::string given = path.filename().string();
  if (given.empty() || given.front() == '.')
    throw Error(ErrorCategory::kScene, fmt::format("firn new: \"{}\" is no name for a scene; give "
                                                   "one, as in: firn new my-scene",
                                                   options.target));
  if (path.extension() != ".toml") path += ".toml";
  if (fs::exists(path) && !options.overwrite)
    throw Error(ErrorCategory::kFile,
                path.string() + ": is there already; give another name, or --overwrite");
  write_file_atomically(path, std::string_view(fmt::format(kScene, escaped(path.string()),
                                                           escaped(path.stem().string()))));
  fmt::print("{}\n", path.string());
  return 0;
}

}  // namespace firn::app
