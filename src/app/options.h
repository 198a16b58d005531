// The command line as data: every command names the flags it takes, one table says what each flag
// means, and `parse_options` turns the arguments into an `Options`. cxxopts does the parsing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/scene_file.h"
#include "firn/simulation.h"
#include "src/app/stopwatch.h"

namespace firn::app {

struct Options {
  std::string target;                   // SCENE, DIR or SUITE
  std::vector<std::string_view> given;  // ids of flags
  std::string output, variant, precision, checkpoint;
  std::vector<std::string> overrides, vary;  // "key=value", "key=a,b,c"
  std::optional<int> frames, from;
  std::optional<std::int64_t> seed;
  std::optional<double> max_time;  // s of wall time
  double checkpoint_time = 900;    // s of wall time
  RunOptions run;
  bool overwrite = false, go_on = false, watch = false, json = false, quiet = false,
       verbose = false;
  Clock::time_point started = Clock::now();  // from when on summaries count

  // bench
  std::int64_t particles = 1'000'000, steps = 20;
  std::optional<int> side;  // cells along the largest cube of the suites "pressure" and "liquid"
  std::string transfer = "apic", kernel, material, json_file;  // empty: the suite's default
  std::string motion = "settled", scaling, plot, folder;
  bool sweep = false, plain = false, reproducible = false;

  // convert
  std::vector<std::string> formats;
  std::optional<int> first_frame, last_frame;

  // view
  int port = 0;  // 0: one that is free
  bool open = false, paused = false;
  std::int64_t max_points = 1'000'000;

  bool markdown = false;  // schema
  bool names = false;     // scenes
  bool exact = false;     // info
  std::string draw;       // info: a PNG file
};

struct Command {
  std::string_view name;
  std::string_view positional;  // what stands behind the command: "SCENE", "DIR" or nothing;
                                // in brackets if it may be left out
  std::string_view summary;     // one line, for the list of commands
  std::string_view examples;    // for the command's own help
  std::vector<std::string_view> flags;  // ids of the table in options.cpp
  int (*execute)(const Options&);
  std::vector<std::string_view> words = {};  // that the positional is one of, where it is
};

// Arguments after the command's name. Empty if help was asked for, which then has been printed to
// stdout. Throws Error{kScene} for unknown flags (with the nearest known one), bad values and a
// missing positional.
std::optional<Options> parse_options(const Command& command,
                                     const std::vector<std::string>& arguments);

// What load_scene gets: the variant, --set in order, then the flags that stand for a key of their
// own.
SceneOptions scene_options(const Options& options);

}  // namespace firn::app
