// The table of flags and its use. Values arrive from cxxopts as text and are checked here, so that
// every message names the flag and says what it takes.
#include "src/app/options.h"

#include <fmt/format.h>

// A comma belongs to the value (--set a=[1,2], --vary a=1,2); cxxopts would split a repeatable flag
// at it.
#define CXXOPTS_VECTOR_DELIMITER '\0'
#include <algorithm>
#include <cctype>
#include <charconv>
#include <climits>
#include <cxxopts.hpp>
#include <filesystem>

#include "firn/error.h"
#include "src/app/commands.h"
#include "src/app/flag_checks.h"
#include "src/app/flag_info.h"
#include "src/app/help.h"
#include "src/app/machine.h"
#include "src/io/particle_formats.h"
#include "src/io/surface_file.h"
#include "src/scene/findings.h"

namespace firn::app {
namespace {

[[noreturn]] void usage_error(const std::string& message) {
  throw Error(ErrorCategory::kScene, message);
}

template <class Number>
Number parse_number(std::string_view flag, const std::string& text, Number least,
                    std::string_view kind) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc{} || rest != end || !(value >= least))
    usage_error(fmt::format("--{}: '{}' is not {} of at least {}", flag, text, kind, least));
  return value;
}

template <class Integer>
Integer parse_integer(std::string_view flag, const std::string& text, Integer least) {
  return parse_number<Integer>(flag, text, least, "a whole number");
}

using Words = std::vector<std::string_view>;
const Words kDevices{"auto", "cpu", "cuda"}, kPrecisions{"single", "double"},
    kTransfers{"pic", "flip", "rpic", "apic", "aflip", "polypic"},
    kKernels{"linear", "quadratic", "cubic"}, kMotions{"settled", "moving", "touching"},
    kScalings{"particles", "per-cell", "blocks", "materials", "threads"};

Words particle_targets() {
  Words names;
  for (const ParticleFormat& format : particle_formats()) names.push_back(format.name);
  names.push_back("volumes");
  return names;
}
Words surface_targets() {
  Words names;
  for (const SurfaceFormat& format : surface_formats()) names.push_back(format.name);
  return names;
}

std::string parse_choice(std::string_view flag, const std::string& text, const Words& choices) {
  if (std::find(choices.begin(), choices.end(), text) == choices.end())
    usage_error(fmt::format("--{}: '{}' is not one of {}{}", flag, text, fmt::join(choices, ", "),
                            scene::suggestion(text, choices)));
  return text;
}

std::string parse_assignment(std::string_view flag, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
    usage_error(fmt::format("--{}: '{}' has no 'key=value' form", flag, text));
  return text;
}

std::string parse_png(std::string_view flag, const std::string& text) {
  std::string extension = std::filesystem::path(text).extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (extension != ".png")
    usage_error(fmt::format("--{}: '{}' must end in .png: the picture is a PNG file", flag, text));
  return text;
}

// "cuda:1" is the second of the devices that `firn devices` lists.
void parse_device(const std::string& text, RunOptions& run) {
  const bool numbered = text.starts_with("cuda:");
  if (!numbered) {
    Words known = kDevices;
    known.push_back("cuda:N");
    parse_choice("device", text, known);
  }
  run.device = text == "cpu"                ? Device::kCpu
               : text == "cuda" || numbered ? Device::kCuda
                                            : Device::kAuto;
  run.device_index = numbered ? parse_integer("device cuda", text.substr(5), 0) : 0;
}

// "vtp,vdb"; repeated flags add up, and each is taken once.
void parse_formats(const std::string& text, const Words& known, std::vector<std::string>& formats) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string name = text.substr(at, end - at);
    if (name.starts_with("usd"))
      usage_error(
          fmt::format("--to {}: the Python package writes USD, of particles and surfaces: "
                      "python -m firn.usd RUN -o FILE.usdc",
                      name));
    parse_choice("to", name, known);
    if (std::find(formats.begin(), formats.end(), name) == formats.end()) formats.push_back(name);
    at = end + 1;
  }
}

// "12", "0:24", "24:" and ":24", with the ends.
void parse_frames(const std::string& text, Options& options) {
  const std::size_t colon = text.find(':');
  const auto number = [&](const std::string& part) -> std::optional<int> {
    if (part.empty()) return std::nullopt;
    return parse_integer("frames", part, 0);
  };
  options.first_frame = number(text.substr(0, colon));
  options.last_frame = colon == text.npos ? options.first_frame : number(text.substr(colon + 1));
  if (options.first_frame.value_or(0) > options.last_frame.value_or(INT_MAX))
    usage_error(fmt::format("--frames: '{}' ends before it begins", text));
}

// A variable of a script that is not set would mean the default.
std::string parse_folder(std::string_view name, const std::string& text) {
  if (text.empty()) usage_error(fmt::format("--{}: the name is empty", name));
  return text;
}

struct Flag {
  std::string_view id;        // what commands list
  std::string_view names;     // as cxxopts wants them: "o,output"; the long one is last
  std::string_view argument;  // empty: a switch
  std::string_view help;
  void (*apply)(Options&, const std::string&);
  Words words = {};  // that the argument may be, for completions

  std::string long_name() const { return std::string(names.substr(names.find(',') + 1)); }
};

const std::vector<Flag>& flag_table() {
  using O = Options;
  using S = std::string;
  static const std::vector<Flag> table = {
      {"output", "o,output", "DIR", "output folder (default: the scene's, or out/<scene name>)",
       [](O& o, const S& v) { o.output = parse_folder("output", v); }},
      {"into", "o,output", "DIR", "another folder for the files (default: that of the run)",
       [](O& o, const S& v) { o.output = parse_folder("output", v); }},
      {"frames", "frames", "N", "number of frames of the whole run",
       [](O& o, const S& v) { o.frames = parse_integer("frames", v, 0); }},
      {"frame-range", "frames", "A:B", "these frames only, A and B among them (also A:, :B, A)",
       [](O& o, const S& v) { parse_frames(v, o); }},
      {"to", "to", "FORMAT,...",
       "ply, npz, vtp, vdb or bgeo, of the particles; volumes, of what they fill",
       [](O& o, const S& v) { parse_formats(v, particle_targets(), o.formats); },
       particle_targets()},
      {"surface-to", "to", "FORMAT,...", "obj, ply or vdb (default: obj)",
       [](O& o, const S& v) { parse_formats(v, surface_targets(), o.formats); }, surface_targets()},
      {"set", "set", "KEY=VALUE", "override a key of the scene, e.g. grid.dx=0.02 (repeatable)",
       [](O& o, const S& v) { o.overrides.push_back(parse_assignment("set", v)); }},
      {"vary", "vary", "KEY=A,B,C", "run one variant per value; several --vary: all combinations",
       [](O& o, const S& v) { o.vary.push_back(parse_assignment("vary", v)); }},
      {"variant", "variant", "NAME", "apply the scene's [variants.NAME] table",
       [](O& o, const S& v) { o.variant = v; }},
      {"device", "device", "NAME",
       "auto, cpu, cuda or, of several, cuda:0, cuda:1, ... (default: auto)",
       [](O& o, const S& v) { parse_device(v, o.run); }, kDevices},
      {"threads", "threads", "N", "CPU threads (default: OMP_NUM_THREADS, or all)",
       [](O& o, const S& v) { o.run.threads = parse_integer("threads", v, 1); }},
      {"precision", "precision", "NAME", "single or double",
       [](O& o, const S& v) { o.precision = parse_choice("precision", v, kPrecisions); },
       kPrecisions},
      {"seed", "seed", "N", "seed of the random placement of particles",
       [](O& o, const S& v) { o.seed = parse_integer<std::int64_t>("seed", v, 0); }},
      {"overwrite", "overwrite", "", "replace the run, scene file or another run's frames there",
       [](O& o, const S&) { o.overwrite = true; }},
      {"go-on", "resume", "",
       "go on with this scene's run there, if it has got to a checkpoint; else begin",
       [](O& o, const S&) { o.go_on = true; }},
      {"watch", "watch", "",
       "run again whenever the scene's file, or a mesh or picture that it names, changes",
       [](O& o, const S&) { o.watch = true; }},
      {"max-time", "max-time", "SECONDS",
       "stop with a checkpoint after this much wall time; the exit code is 0",
       [](O& o, const S& v) { o.max_time = parse_number("max-time", v, 0.0, "a number"); }},
      {"checkpoint-time", "checkpoint-time", "SECONDS",
       "checkpoints come behind frames where this much wall time has passed, too (default: 900)",
       [](O& o, const S& v) {
         o.checkpoint_time = parse_number("checkpoint-time", v, 0.0, "a number");
       }},
      {"checkpoint", "checkpoint", "FILE", "resume from this checkpoint, not the last one",
       [](O& o, const S& v) { o.checkpoint = v; }},
      {"from", "from", "FRAME", "resume from the checkpoint of this frame, if it is kept",
       [](O& o, const S& v) { o.from = parse_integer("from", v, 0); }},
      {"port", "port", "N", "port of 127.0.0.1 to serve (default: one that is free)",
       [](O& o, const S& v) {
         o.port = parse_integer("port", v, 0);
         if (o.port > 65535) usage_error(fmt::format("--port: {} is no port", v));
       }},
      {"open", "open", "", "open the page in the browser that xdg-open finds",
       [](O& o, const S&) { o.open = true; }},
      {"paused", "paused", "", "wait at the start until the page says play",
       [](O& o, const S&) { o.paused = true; }},
      {"max-points", "max-points", "N", "particles shown at most, a fair sample (default: 1000000)",
       [](O& o, const S& v) { o.max_points = parse_integer<std::int64_t>("max-points", v, 1); }},
      {"json", "json", "", "print the result as JSON on stdout, everything else on stderr",
       [](O& o, const S&) { o.json = true; }},
      {"json-file", "json", "FILE", "also write the result as JSON",
       [](O& o, const S& v) { o.json_file = v; }},
      {"markdown", "markdown", "", "print a reference in Markdown, not a JSON Schema",
       [](O& o, const S&) { o.markdown = true; }},
      {"names", "names", "", "print names alone, one per line",
       [](O& o, const S&) { o.names = true; }},
      {"exact", "exact", "", "count every particle, however many there are",
       [](O& o, const S&) { o.exact = true; }},
      {"draw", "draw", "FILE",
       "draw bodies, colliders and sensors by their outlines, as a PNG file",
       [](O& o, const S& v) { o.draw = parse_png("draw", v); }},
      {"quiet", "q,quiet", "", "print errors and warnings only",
       [](O& o, const S&) { o.quiet = true; }},
      {"verbose", "v,verbose", "", "print more: stage times and energies of every frame",
       [](O& o, const S&) { o.verbose = true; }},
      {"particles", "particles", "N", "number of particles, approximately (default: 1000000)",
       [](O& o, const S& v) { o.particles = parse_integer<std::int64_t>("particles", v, 64); }},
      {"side", "side", "N",
       "pressure, liquid, spray, thermal, implicit: cells along the largest cube (default: 256, "
       "128, "
       "56, 128, 24)",
       [](O& o, const S& v) { o.side = parse_integer("side", v, 16); }},
      {"steps", "steps", "N", "steps that are timed (default: 20)",
       [](O& o, const S& v) { o.steps = parse_integer<std::int64_t>("steps", v, 1); }},
      {"transfer", "transfer", "NAME", "pic, flip, rpic, apic, aflip or polypic (default: apic)",
       [](O& o, const S& v) { o.transfer = parse_choice("transfer", v, kTransfers); }, kTransfers},
      {"kernel", "kernel", "NAME",
       "linear, quadratic or cubic (default: quadratic; of liquid: linear)",
       [](O& o, const S& v) { o.kernel = parse_choice("kernel", v, kKernels); }, kKernels},
      {"material", "material", "NAME",
       "a preset of 'firn materials' (default: a soft elastic solid)",
       [](O& o, const S& v) { o.material = v; }},
      {"motion", "motion", "NAME",
       "settled: the block rests on the floor; moving: it spins and drifts; touching: it is cut in "
       "four that touch each other (default: settled)",
       [](O& o, const S& v) { o.motion = parse_choice("motion", v, kMotions); }, kMotions},
      {"plain", "plain", "", "step: steps stage by stage instead of fused ones",
       [](O& o, const S&) { o.plain = true; }},
      {"reproducible", "reproducible", "", "on CUDA, sums in a fixed order: step, liquid",
       [](O& o, const S&) { o.reproducible = true; }},
      {"sweep", "sweep", "", "step: particle-steps/s of several materials and all transfers",
       [](O& o, const S&) { o.sweep = true; }},
      {"scaling", "scaling", "KIND",
       "step: a series over particles, per-cell, blocks, materials or threads",
       [](O& o, const S& v) { o.scaling = parse_choice("scaling", v, kScalings); }, kScalings},
      {"plot", "plot", "FILE", "with --scaling: also draw the series as a PNG picture",
       [](O& o, const S& v) { o.plot = parse_png("plot", v); }},
      {"folder", "folder", "DIR",
       "io: where its files lie while it runs (default: the system's temporary folder)",
       [](O& o, const S& v) { o.folder = v; }},
  };
  return table;
}

std::vector<Flag> flags_of(const Command& command) {
  std::vector<Flag> flags;
  for (const Flag& flag : flag_table())
    if (std::find(command.flags.begin(), command.flags.end(), flag.id) != command.flags.end())
      flags.push_back(flag);
  return flags;
}

cxxopts::Options make_parser(const Command& command, const std::vector<Flag>& flags) {
  cxxopts::Options parser(fmt::format("firn {}", command.name));
  parser.allow_unrecognised_options();  // reported by require_no_flags, with a suggestion
  for (const Flag& flag : flags) {
    const auto value =
        flag.argument.empty()
            ? std::shared_ptr<cxxopts::Value>(cxxopts::value<bool>())
            : std::shared_ptr<cxxopts::Value>(cxxopts::value<std::vector<std::string>>());
    parser.add_options()(std::string(flag.names), std::string(flag.help), value,
                         std::string(flag.argument));
  }
  parser.add_options()("h,help", "print this help");
  return parser;
}

// The words that are no flag: exactly one if the command has a positional (at most one if that
// stands in brackets), else none.
std::string take_positional(const Command& command, const std::vector<std::string>& words) {
  const std::size_t wanted = command.positional.empty() ? 0 : 1;
  if (words.size() > wanted)
    usage_error(fmt::format("unexpected argument '{}'\n'firn {} --help' shows the usage",
                            words[wanted], command.name));
  if (words.empty() && command.positional.starts_with('[')) return "";
  if (words.size() < wanted)
    usage_error(fmt::format("{} is missing\nusage: firn {} {}", command.positional, command.name,
                            command.positional));
  return wanted ? words[0] : "";
}

cxxopts::ParseResult parse_words(cxxopts::Options& parser, const std::vector<std::string>& words) {
  std::vector<const char*> argv{"firn"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  try {
    return parser.parse(static_cast<int>(argv.size()), argv.data());
  } catch (const cxxopts::exceptions::exception& error) {
    usage_error(error.what());
  }
}

}  // namespace

std::vector<FlagInfo> flags_of(std::string_view command) {
  std::vector<FlagInfo> infos;
  for (const Command& c : command_table())
    if (c.name == command)
      for (const Flag& flag : flags_of(c)) {
        const std::size_t comma = flag.names.find(',');
        infos.push_back({flag.long_name(),
                         comma == flag.names.npos ? "" : std::string(flag.names.substr(0, comma)),
                         flag.argument, flag.help, flag.words});
      }
  return infos;
}

std::optional<Options> parse_options(const Command& command,
                                     const std::vector<std::string>& arguments) {
  const std::vector<Flag> flags = flags_of(command);
  cxxopts::Options parser = make_parser(command, flags);
  const auto end = std::find(arguments.begin(), arguments.end(), "--");  // of flags
  const std::vector<std::string> words(arguments.begin(), end);
  require_flags_are_whole(command.name, words);
  const cxxopts::ParseResult parsed = parse_words(parser, words);
  if (parsed.count("help")) {
    fmt::print("{}", help_of(command));
    return std::nullopt;
  }
  require_no_flags(command.name, parsed.unmatched());

  Options options;
  for (const cxxopts::KeyValue& pair : parsed.arguments())
    for (const Flag& flag : flags)
      if (flag.long_name() == pair.key()) {
        flag.apply(options, pair.value());
        options.given.push_back(flag.id);
      }
  std::vector<std::string> positional = parsed.unmatched();
  if (end != arguments.end()) positional.insert(positional.end(), end + 1, arguments.end());
  options.target = take_positional(command, positional);
  if (options.run.threads == 0) options.run.threads = threads_of_environment();
  return options;
}

SceneOptions scene_options(const Options& options) {
  SceneOptions result{options.variant, options.overrides};
  auto set = [&](const std::string& assignment) { result.overrides.push_back(assignment); };
  if (options.frames) set(fmt::format("simulation.frames={}", *options.frames));
  if (options.seed) set(fmt::format("simulation.seed={}", *options.seed));
  if (!options.precision.empty())
    set(fmt::format("simulation.precision=\"{}\"", options.precision));
  return result;
}

}  // namespace firn::app
