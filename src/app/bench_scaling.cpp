// `firn bench step --scaling KIND`: how the rate depends on one number, as a table and, with
// --plot, as a picture.
#include <fmt/format.h>

#include <algorithm>

#include "firn/error.h"
#include "kernels/exec/launch.h"
#include "src/app/bench_measure.h"
#include "src/app/bench_scenes.h"
#include "src/app/bench_suites.h"
#include "src/app/format.h"
#include "src/app/machine.h"
#include "src/app/names.h"
#include "src/diagnostics/plots.h"

namespace firn::app {
namespace {

// One run of the series.
struct Point {
  std::int64_t value = 0;  // what is varied
  BlockCase block;
  int materials = 1;
  RunOptions run;
};

// The least number of particles that a run of the series over particles takes.
constexpr std::int64_t kFewestParticles = 4096;

std::vector<Point> particle_series(const Point& start) {
  std::vector<Point> points;
  std::int64_t n = start.block.particles;
  for (; n >= kFewestParticles && points.size() < 6; n /= 4) {
    points.push_back(start);
    points.back().block.particles = n;
    points.back().value = n;
  }
  std::reverse(points.begin(), points.end());
  return points;
}

template <class Set>
std::vector<Point> series(const Point& start, const std::vector<int>& values, Set&& set) {
  std::vector<Point> points;
  for (const int value : values) {
    points.push_back(start);
    points.back().value = value;
    set(points.back(), value);
  }
  return points;
}

std::vector<int> thread_counts(const RunOptions& run) {
  const int most = run.threads > 0 ? run.threads : hardware_threads();
  std::vector<int> counts;
  for (int n = 1; n < most; n *= 2) counts.push_back(n);
  counts.push_back(most);
  return counts;
}

std::vector<Point> points_of(const std::string& kind, const Point& start) {
  if (kind == "particles") return particle_series(start);
  if (kind == "per-cell")
    return series(start, {1, 2, 4, 8, 16, 32}, [](Point& p, int n) { p.block.per_cell = n; });
  if (kind == "blocks")
    return series(start, {1, 2, 4, 8}, [](Point& p, int n) { p.block.pieces = n; });
  if (kind == "materials")
    return series(start, {1, 2, 4, 8}, [](Point& p, int n) {
      p.block.layered = true;
      p.materials = n;
    });
  return series(start, thread_counts(start.run), [](Point& p, int n) { p.run.threads = n; });
}

// The same law under several names: what is measured is the cost of telling them apart.
std::vector<Material> repeated(const Material& material, int count) {
  std::vector<Material> materials(static_cast<std::size_t>(count), material);
  for (std::size_t i = 1; i < materials.size(); ++i)
    materials[i].name = fmt::format("{} {}", material.name, i + 1);
  return materials;
}

// What the first column and the axis of the picture show. Pieces are a means to spread the same
// particles over more blocks, so the axis has the blocks.
struct Labels {
  std::string kind, column, axis;
};

const Labels& labels_of(const std::string& kind) {
  static const std::vector<Labels> table{{"particles", "asked for", "particles"},
                                         {"per-cell", "per cell", "particles per cell"},
                                         {"blocks", "pieces per axis", "active blocks"},
                                         {"materials", "materials", "materials"},
                                         {"threads", "threads", "threads"}};
  return *std::find_if(table.begin(), table.end(),
                       [&](const Labels& labels) { return labels.kind == kind; });
}

void draw(const Options& options, const Measurement& m, const Series& rates) {
  const PlotSpec plot{fmt::format("firn bench --scaling {}: {}", options.scaling, m.device),
                      labels_of(options.scaling).axis,
                      "particle-steps/s",
                      false,
                      {rates},
                      true,
                      true};
  if (!write_plot(plot, options.plot))
    throw Error(ErrorCategory::kFile, options.plot + ": cannot be drawn: there is no gnuplot");
  fmt::print("wrote {}\n", options.plot);
}

}  // namespace

int bench_scaling(const Options& options) {
  const Point start{0, block_case(options), 1, options.run};
  if (options.scaling == "particles" && options.particles < kFewestParticles)
    throw Error(ErrorCategory::kScene,
                fmt::format("--scaling particles needs --particles {} at least", kFewestParticles));
  const Material material = bench_material(options.material);
  std::vector<std::vector<std::string>> table{{labels_of(options.scaling).column, "particles",
                                               "blocks", "lanes used", "ns per particle",
                                               "particle-steps/s"}};
  Json rows = Json::array();
  Series rates{std::string(name_of(start.block.transfer)), {}, {}};
  std::optional<Measurement> last;
  for (const Point& point : points_of(options.scaling, start)) {
    const Scene scene = block_scene(point.block, repeated(material, point.materials));
    const Measurement m = measure(scene, point.run, options.steps);
    if (options.scaling == "threads" && m.on_cuda)
      throw Error(ErrorCategory::kScene, "--scaling threads is for the CPU; add --device cpu");
    const std::int64_t x = options.scaling == "blocks" ? m.blocks : point.value;
    const double lanes =
        static_cast<double>(m.particles) / (kLanes * static_cast<double>(m.chunks));
    table.push_back({fmt::format("{}", point.value), fmt::format("{}", m.particles),
                     fmt::format("{}", m.blocks), format_share(lanes),
                     fmt::format("{:.3f}", m.ns(m.seconds)), format_count(m.rate())});
    rows.push_back({{"x", x},
                    {"particles", m.particles},
                    {"blocks", m.blocks},
                    {"lanes_used", lanes},
                    {"ns_per_particle", m.ns(m.seconds)},
                    {"particle_steps_per_second", m.rate()}});
    rates.x.push_back(static_cast<double>(x));
    rates.y.push_back(m.rate());
    last = m;
  }
  fmt::print("{}\n{} precision, {}, {} kernel, {}, {}\n\n{}", last->device,
             name_of(start.block.precision), name_of(start.block.transfer),
             kernel_name(start.block.kernel), material.name, options.motion, format_table(table));
  Json json = machine_json(*last);
  json.update({{"scaling", options.scaling},
               {"precision", name_of(start.block.precision)},
               {"transfer", name_of(start.block.transfer)},
               {"kernel", kernel_name(start.block.kernel)},
               {"material", material.name},
               {"motion", options.motion},
               {"steps", options.steps},
               {"points", rows}});
  write_report(options, json);
  if (!options.plot.empty()) draw(options, *last, rates);
  return 0;
}

}  // namespace firn::app
