// `firn bench implicit`: a frame of a solid block by the explicit step and by the two implicit
// ones, from soft to as stiff as steel.
#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "firn/error.h"
#include "src/app/bench_measure.h"
#include "src/app/bench_scenes.h"
#include "src/app/bench_suites.h"
#include "src/app/format.h"
#include "src/app/names.h"
#include "src/scene/integrator_traits.h"

namespace firn::app {
namespace {

constexpr double kStiffnesses[] = {1e6, 1e8, 2e11};  // Pa
constexpr int kFrames = 3;

struct Frame {
  double seconds = 0, steps = 0;
  ImplicitStats implicit;
};

// Mean of the first frames, which have the impact. Empty where the step blows up.
std::optional<Frame> time_frames(const Scene& scene, const RunOptions& run) try {
  Simulation simulation(scene, run);
  Frame frame;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kFrames; ++i) {
    simulation.advance_frame();
    const ImplicitStats& stats = simulation.stats().implicit;
    frame.implicit.solves += stats.solves;
    frame.implicit.iterations += stats.iterations;
    frame.implicit.linear_iterations += stats.linear_iterations;
    frame.implicit.rejected += stats.rejected;
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  frame.seconds = spent.count() / kFrames;
  frame.steps = static_cast<double>(frame.implicit.solves) / kFrames;
  return frame;
} catch (const Error& error) {
  if (error.category() != ErrorCategory::kDiverged) throw;
  return std::nullopt;
}

// A frame of explicit steps, most of which are alike: as many as it takes of those that are timed.
Frame extrapolated(const Measurement& m, const Scene& scene) {
  const double steps = 1 / scene.simulation.fps / estimate(scene).dt_limit;
  return {m.per_step(m.seconds) * steps, steps, {}};
}

class Table {
 public:
  void add(double youngs_modulus, Integrator integrator, const std::optional<Frame>& frame,
           double explicit_seconds) {
    const std::string name(traits_of(integrator).name);
    std::vector<std::string> row{fmt::format("{:.0e}", youngs_modulus), name};
    Json json = {{"youngs_modulus", youngs_modulus}, {"integrator", name}};
    if (!frame) {
      row.insert(row.end(), {"diverged", "", "", "", ""});
      json["diverged"] = true;
    } else {
      const ImplicitStats& s = frame->implicit;
      const bool solved = s.solves > 0;
      const auto per_frame = [&](std::int64_t n) {
        return solved ? fmt::format("{:.1f}", static_cast<double>(n) / kFrames) : "";
      };
      row.insert(row.end(), {fmt::format("{:.0f}", frame->steps), per_frame(s.iterations),
                             per_frame(s.linear_iterations), fmt::format("{:.3g}", frame->seconds),
                             fmt::format("{:.2f}", explicit_seconds / frame->seconds)});
      json.update({{"steps_per_frame", frame->steps},
                   {"seconds_per_frame", frame->seconds},
                   {"speedup", explicit_seconds / frame->seconds}});
      if (solved)
        json.update({{"iterations", s.iterations},
                     {"linear_iterations", s.linear_iterations},
                     {"rejected", s.rejected},
                     {"frames", kFrames}});
    }
    rows_.push_back(row);
    json_.push_back(json);
  }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }
  const Json& json() const { return json_; }

 private:
  static const IntegratorTraits& traits_of(Integrator integrator) {
    Scene scene;
    scene.simulation.integrator = integrator;
    return firn::traits_of(scene);
  }

  std::vector<std::vector<std::string>> rows_{{"E, Pa", "integrator", "steps per frame",
                                               "Newton iterations", "linear iterations",
                                               "s per frame", "x explicit"}};
  Json json_ = Json::array();
};

}  // namespace

int bench_implicit(const Options& options) {
  const std::string precision = options.precision == "double" ? "double" : "single";
  Table table;
  std::optional<Measurement> last;
  for (const double E : kStiffnesses) {
    Scene scene = implicit_scene(options, E);
    last = measure(scene, options.run, options.steps);
    const Frame frame = extrapolated(*last, scene);
    table.add(E, Integrator::kExplicit, frame, frame.seconds);
    for (const Integrator integrator : {Integrator::kSemiImplicit, Integrator::kOptimization}) {
      scene.simulation.integrator = integrator;
      table.add(E, integrator, time_frames(scene, options.run), frame.seconds);
    }
  }
  fmt::print(
      "{}\n{} precision, a block of {} particles that hits the ground: means of the first {} "
      "frames "
      "of 1/24 s, the explicit ones by {} steps\n\n{}",
      last->device, precision, format_count(static_cast<double>(last->particles)), kFrames,
      options.steps, format_table(table.rows()));
  Json report = machine_json(*last);
  report.update({{"suite", "implicit"},
                 {"precision", precision},
                 {"particles", last->particles},
                 {"rows", table.json()}});
  write_report(options, report);
  return 0;
}

}  // namespace firn::app
