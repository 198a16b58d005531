// The suites of `firn bench` that look at one stage of the explicit step each: the transfers, the
// constitutive laws, the re-bucketing.
#include <fmt/format.h>

#include "src/app/bench_measure.h"
#include "src/app/bench_scenes.h"
#include "src/app/bench_suites.h"
#include "src/app/format.h"
#include "src/app/names.h"
#include "src/measure/sort_bench.h"
#include "src/scene/parse.h"

namespace firn::app {
namespace {

using Rows = std::vector<std::vector<std::string>>;

StageCount count_of(const Analysis& analysis, StepStage stage) {
  return analysis.counts[static_cast<std::size_t>(stage)];
}

void add_cells(std::vector<std::string>& row, const StageCount& count, const Floors& floors,
               double ns) {
  const FloorShare at = share_of_floor(count, floors, ns);
  for (const double value : {count.bytes, count.operations})
    row.push_back(fmt::format("{:.0f}", value));
  row.push_back(fmt::format("{:.3f}", at.floor_ns));
  row.push_back(fmt::format("{:.3f}", ns));
  row.push_back(format_share(at.share));
}

Json suite_json(const char* suite, const Measurement& m, const BlockCase& block,
                const Options& options, const Floors& floors, const Json& rows) {
  Json json = machine_json(m);
  json.update({{"suite", suite},
               {"precision", name_of(block.precision)},
               {"particles", options.particles},
               {"steps", options.steps},
               {"floors", to_json(floors)},
               {"rows", rows}});
  return json;
}

void print_head(const Measurement& m, const BlockCase& block, const Options& options,
                const Floors& floors) {
  fmt::print("{}\n{} precision, about {} particles, {} steps\n{}\n", m.device,
             name_of(block.precision), format_count(static_cast<double>(options.particles)),
             options.steps, describe(floors));
}

// One material per law, soft enough that all take steps of the same order.
std::vector<Material> one_of_each_law() {
  std::vector<Material> materials;
  for (const scene::ModelKeys& law : scene::material_models()) {
    if (!scene::why_not_moved(Scene{}, law.model).empty()) continue;
    Material material = soft_elastic();
    material.name = law.name;
    material.model = law.model;
    material.critical_compression = 0.025;
    material.critical_stretch = 0.0075;
    material.hardening =
        law.model == MaterialModel::kSnow || law.model == MaterialModel::kCamClay ? 10 : 0;
    material.preconsolidation = 2e3;
    material.friction_angle = 0.5;
    material.yield_stress = 2e3;
    material.consistency = 100;
    material.flow_index = 0.5;
    material.relaxation_time = 0.5;
    material.bulk_modulus = 1e5;
    materials.push_back(material);
  }
  return materials;
}

}  // namespace

int bench_transfer(const Options& options) {
  BlockCase block = block_case(options);
  block.fused = false;  // the stages one by one
  const Material material = bench_material(options.material);
  const Floors floors = measure_floors(block.precision, options.run);
  Rows table{{"grid", "kernel", "transfer", "P2G bytes", "operations", "floor, ns", "ns", "reached",
              "G2P bytes", "operations", "floor, ns", "ns", "reached"}};
  Json rows = Json::array();
  std::optional<Measurement> last;
  for (const int dimension : {3, 2})
    for (const int kernel : {1, 2, 3})
      for (const TransferType type : all_transfers()) {
        block.dimension = dimension;
        block.kernel = kernel;
        block.transfer = type;
        const auto [m, analysis] =
            measure_and_analyse(block_scene(block, {material}), options.run, options.steps);
        const StageCount p2g = count_of(analysis, StepStage::kP2G),
                         g2p = count_of(analysis, StepStage::kG2P);
        table.push_back({fmt::format("{}D", dimension), std::string(kernel_name(kernel)),
                         std::string(name_of(type))});
        add_cells(table.back(), p2g, floors, m.ns(m.stages.p2g));
        add_cells(table.back(), g2p, floors, m.ns(m.stages.g2p));
        rows.push_back({{"dimension", dimension},
                        {"kernel", kernel_name(kernel)},
                        {"transfer", name_of(type)},
                        {"p2g", to_json(p2g, floors, m.ns(m.stages.p2g))},
                        {"g2p", to_json(g2p, floors, m.ns(m.stages.g2p))}});
        last = m;
      }
  print_head(*last, block, options, floors);
  fmt::print("{}, {}; per particle and step\n\n{}", material.name, options.motion,
             format_table(table));
  write_report(options, suite_json("transfer", *last, block, options, floors, rows));
  return 0;
}

int bench_stress(const Options& options) {
  BlockCase block = block_case(options);
  block.fused = false;             // the stages one by one
  block.motion = Motion::kMoving;  // at rest, laws have little to do
  const Floors floors = measure_floors(block.precision, options.run);
  Rows table{{"law", "bytes", "operations", "floor, ns", "ns", "reached"}};
  Json rows = Json::array();
  std::optional<Measurement> last;
  for (const Material& material : one_of_each_law()) {
    const auto [m, analysis] =
        measure_and_analyse(block_scene(block, {material}), options.run, options.steps);
    const StageCount count = count_of(analysis, StepStage::kConstitutive);
    const double ns = m.ns(m.stages.constitutive);
    table.push_back({material.name});
    add_cells(table.back(), count, floors, ns);
    Json row = to_json(count, floors, ns);
    row["law"] = material.name;
    rows.push_back(row);
    last = m;
  }
  print_head(*last, block, options, floors);
  fmt::print("the constitutive stage of the moving block, per particle and step\n\n{}",
             format_table(table));
  write_report(options, suite_json("stress", *last, block, options, floors, rows));
  return 0;
}

int bench_sort(const Options& options) {
  BlockCase block = block_case(options);
  block.fused = false;  // the stages one by one
  const Material material = bench_material(options.material);
  const Floors floors = measure_floors(block.precision, options.run);
  Rows table{{"order", "bytes", "operations", "floor, ns", "ns", "reached", "cell changes"}};
  Json rows = Json::array();
  Measurement last;
  const auto add = [&](const char* order, const StageCount& count, double ns, double changes) {
    table.push_back({order});
    add_cells(table.back(), count, floors, ns);
    table.back().push_back(fmt::format("{:.1f} %", 100 * changes));
    Json row = to_json(count, floors, ns);
    row["order"] = order;
    row["cell_changes_per_step"] = changes;
    rows.push_back(row);
  };
  StageCount count;
  for (const Motion motion : {Motion::kSettled, Motion::kMoving}) {
    block.motion = motion;
    const auto [m, analysis] =
        measure_and_analyse(block_scene(block, {material}), options.run, options.steps);
    count = count_of(analysis, StepStage::kRebuild);
    add(motion == Motion::kSettled ? "settled" : "moving", count, m.ns(m.stages.rebuild),
        analysis.cell_changes);
    last = m;
  }
  block.motion = Motion::kSettled;
  const double shuffled = bench_shuffled_rebuild(block_scene(block, {material}), options.run);
  add("shuffled", count, 1e9 * shuffled / static_cast<double>(last.particles), 1);
  print_head(last, block, options, floors);
  fmt::print("the rebuild stage, per particle and step; shuffled: in random order in memory\n\n{}",
             format_table(table));
  write_report(options, suite_json("sort", last, block, options, floors, rows));
  return 0;
}

}  // namespace firn::app
