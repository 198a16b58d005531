// The ledger reads back exactly and continues after a restart as if nothing had happened; the JSON
// records hold what the statistics held.
#include "src/diagnostics/ledger.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/expect_error.h"
#include "tests/support/scratch_folder.h"

namespace firn {
namespace {

using test::expect_error;
using test::ScratchFolder;
using test::text_of;
using test::write_text;
using Json = nlohmann::json;

Scene scene_with_colliders(DiagnosticsLevel level) {
  Scene scene;
  scene.name = "drop";
  scene.title = "A \"snowball\" drop";
  scene.output.diagnostics = level;
  scene.colliders.resize(3);
  scene.colliders[0].name = "ground";
  scene.colliders[1].name = "wedge, \"sharp\"\nside";
  return scene;  // the third has no name
}

// Every number differs from the others and from frame to frame, and none is exact in decimal.
FrameStats stats_of(int frame) {
  double next = frame;
  const auto value = [&] { return std::sqrt(next += 1.1) / 3; };
  const auto vector = [&] { return Vec3{value(), -value(), value() * 1e-9}; };
  FrameStats s;
  s.frame = frame;
  s.time = frame / 24.0;
  s.steps = frame == 0 ? 0 : 100 + frame;
  s.particles = 1000;
  s.dt_min = value();
  s.dt_max = value();
  s.limited_by = DtLimit::kWaveSpeed;
  s.limiting_material = "snow";
  s.memory_bytes = 5000;
  s.max_speed = value();
  s.wall_seconds = frame == 0 ? 0 : 0.5;
  s.totals = {value(), vector(), vector(), vector(), value(), value(), value(), value(), value()};
  s.energy = {value(), value(), value()};
  s.lost_volume = value();
  s.stages = {value(), value(), value(), value(), value()};
  s.pressure = {{10 * frame, 60 * frame, 7 + frame, 0.25 * frame, 2 * frame},
                20 * frame,
                frame,
                value(),
                frame % 3,
                0.5};
  s.thermal.heat = {10 * frame, 30 * frame, 4 + frame, 0.125 * frame};
  if (frame > 0) s.reactions = {{vector(), vector()}, {vector(), vector()}, {vector(), vector()}};
  return s;
}

std::map<std::string, std::vector<double>> columns_of(const std::filesystem::path& path) {
  std::map<std::string, std::vector<double>> columns;
  for (const Column& column : read_ledger(path)) columns[column.name] = column.values;
  return columns;
}

TEST(Ledger, ReadsBackExactly) {
  const ScratchFolder folder;
  const Scene scene = scene_with_colliders(DiagnosticsLevel::kStages);
  LedgerWriter writer(folder / "ledger.csv", scene);
  for (int frame : {0, 1, 2}) writer.write(stats_of(frame));
  const auto read = columns_of(folder / "ledger.csv");
  EXPECT_EQ(read.size(), 19u + 5u + 3u * 6u);
  for (int frame : {0, 1, 2}) {
    const FrameStats s = stats_of(frame);
    const auto expect_cell = [&](const std::string& name, double value) {
      ASSERT_TRUE(read.contains(name)) << name;
      EXPECT_EQ(read.at(name).at(frame), value) << name << ", frame " << frame;
    };
    expect_cell("frame", frame);
    expect_cell("time", s.time);
    expect_cell("steps", static_cast<double>(s.steps));
    expect_cell("dt_min", s.dt_min);
    expect_cell("dt_max", s.dt_max);
    expect_cell("mass", s.totals.mass);
    for (int i = 0; i < 3; ++i) {
      const std::string axis = std::string("_") + "xyz"[i];
      expect_cell("momentum" + axis, s.totals.momentum[i]);
      expect_cell("angular_momentum" + axis, s.totals.angular_momentum[i]);
      if (frame == 0) continue;
      expect_cell("ground.force" + axis, s.reactions[0].force[i]);
      expect_cell("wedge, \"sharp\" side.torque" + axis, s.reactions[1].torque[i]);
      expect_cell("collider_2.force" + axis, s.reactions[2].force[i]);
    }
    expect_cell("kinetic", s.totals.kinetic);
    expect_cell("elastic", s.totals.elastic);
    expect_cell("potential", s.totals.potential);
    expect_cell("total", s.totals.kinetic + s.totals.elastic + s.totals.potential);
    expect_cell("fed", s.energy.fed);
    expect_cell("energy_growth", s.energy.growth);
    expect_cell("stage_p2g", s.stages.p2g);
    expect_cell("stage_grid_forces", s.stages.grid_forces);
    expect_cell("stage_boundary", s.stages.boundary);
    expect_cell("stage_g2p", s.stages.g2p);
    expect_cell("stage_plasticity", s.stages.plasticity);
  }
  EXPECT_TRUE(std::isnan(read.at("ground.force_x").at(0)));  // not measured before the first step
}

TEST(Ledger, WritesStagesOnlyWhenMeasured) {
  const ScratchFolder folder;
  LedgerWriter writer(folder / "ledger.csv", scene_with_colliders(DiagnosticsLevel::kTotals));
  writer.write(stats_of(1));
  const auto read = columns_of(folder / "ledger.csv");
  EXPECT_EQ(read.size(), 19u + 3u * 6u);
  EXPECT_FALSE(read.contains("stage_p2g"));
}

// Beside the totals, which are the particles' alone.
TEST(Ledger, TellsOfCollidersThatMaterialMoves) {
  const ScratchFolder folder;
  Scene scene = scene_with_colliders(DiagnosticsLevel::kTotals);
  scene.colliders[1].dynamics = Dynamics{.density = 3};
  FrameStats stats = stats_of(1);
  stats.colliders.resize(3);
  ColliderState& moved = stats.colliders[1];
  moved.dynamic = true;
  moved.momentum = {0.1, 0.2, 0.3};
  moved.angular_momentum = {1.1, 1.2, 1.3};
  moved.kinetic = 7.7;
  moved.potential = -0.7;
  LedgerWriter(folder / "ledger.csv", scene).write(stats);
  const auto read = columns_of(folder / "ledger.csv");
  EXPECT_EQ(read.size(), 19u + 3u * 6u + 8u);
  const std::string name = "wedge, \"sharp\" side.";
  EXPECT_EQ(read.at(name + "momentum_y").at(0), 0.2);
  EXPECT_EQ(read.at(name + "angular_momentum_z").at(0), 1.3);
  EXPECT_EQ(read.at(name + "kinetic").at(0), 7.7);
  EXPECT_EQ(read.at(name + "potential").at(0), -0.7);
  EXPECT_EQ(read.at("collider_2.force_x").at(0), stats.reactions[2].force[0]);
  EXPECT_EQ(read.at("kinetic").at(0), stats.totals.kinetic);

  scene.colliders[1].name = "wedge";
  const Json line = Json::parse(stats_json_line(stats, scene));
  ASSERT_EQ(line.at("bodies").size(), 1u);
  EXPECT_EQ(line.at("bodies").at(0).at("collider"), "wedge");
  EXPECT_EQ(line.at("bodies").at(0).at("momentum").at(2), 0.3);
  scene.colliders[1].dynamics.reset();
  stats.colliders[1] = {};
  EXPECT_FALSE(Json::parse(stats_json_line(stats, scene)).contains("bodies"));
}

// Of scenes that have what does it.
TEST(Ledger, TellsOfWorkThatIsFed) {
  Scene scene = scene_with_colliders(DiagnosticsLevel::kTotals);
  FrameStats stats = stats_of(1);
  stats.source_work = 2.5, stats.force_work = -0.5;
  const Json without = Json::parse(stats_json_line(stats, scene));
  EXPECT_FALSE(without.contains("source_work") || without.contains("force_work"));
  scene.sources.resize(1), scene.forces.resize(1);
  const Json with = Json::parse(stats_json_line(stats, scene));
  EXPECT_EQ(with.at("source_work"), 2.5);
  EXPECT_EQ(with.at("force_work"), -0.5);
}

TEST(Ledger, HasHeatWhereItIsSolvedFor) {
  const ScratchFolder folder;
  Scene scene = scene_with_colliders(DiagnosticsLevel::kTotals);
  scene.simulation.integrator = Integrator::kThermal;
  LedgerWriter(folder / "ledger.csv", scene).write(stats_of(1));
  const auto read = columns_of(folder / "ledger.csv");
  EXPECT_EQ(read.size(), 20u + 3u * 6u);
  EXPECT_EQ(read.at("heat"), std::vector{stats_of(1).totals.heat});
  EXPECT_EQ(read.at("ground.force_x"), std::vector{stats_of(1).reactions[0].force[0]});
  scene.thermal.heat = false;
  LedgerWriter(folder / "cold.csv", scene).write(stats_of(1));
  EXPECT_FALSE(columns_of(folder / "cold.csv").contains("heat"));
}

TEST(Ledger, HasTheVolumeOfSolidsOrWhatLiquidsLose) {
  const ScratchFolder folder;
  Scene scene = scene_with_colliders(DiagnosticsLevel::kTotals);
  scene.simulation.integrator = Integrator::kIncompressible;
  LedgerWriter(folder / "ledger.csv", scene).write(stats_of(1));
  const auto read = columns_of(folder / "ledger.csv");
  EXPECT_EQ(read.size(), 19u + 3u * 6u);
  EXPECT_EQ(read.at("lost_volume"), std::vector{stats_of(1).lost_volume});
  EXPECT_FALSE(read.contains("volume"));
  for (const Integrator integrator :
       {Integrator::kExplicit, Integrator::kOptimization, Integrator::kThermal}) {
    scene.simulation.integrator = integrator;
    LedgerWriter(folder / "solid.csv", scene).write(stats_of(1));
    const auto solid = columns_of(folder / "solid.csv");
    EXPECT_EQ(solid.at("volume"), std::vector{stats_of(1).totals.volume});
    EXPECT_FALSE(solid.contains("lost_volume"));
  }
}

TEST(Ledger, ResumedRunWritesTheSameFile) {
  const ScratchFolder folder;
  const Scene scene = scene_with_colliders(DiagnosticsLevel::kStages);
  const auto write = [&](const std::string& name, std::optional<int> resume_after, int first,
                         int last) {
    LedgerWriter ledger(folder / (name + ".csv"), scene, resume_after);
    StatsWriter stats(folder / (name + ".jsonl"), resume_after);
    for (int frame = first; frame <= last; ++frame) {
      ledger.write(stats_of(frame));
      stats.write(stats_of(frame), scene);
    }
  };
  write("whole", {}, 0, 12);
  write("parts", {}, 0, 10);
  for (const char* name : {"parts.csv", "parts.jsonl"})  // killed in the middle of a line
    std::filesystem::resize_file(folder / name, text_of(folder / name).size() - 7);
  write("parts", 8, 9, 12);
  EXPECT_EQ(text_of(folder / "parts.csv"), text_of(folder / "whole.csv"));
  EXPECT_EQ(text_of(folder / "parts.jsonl"), text_of(folder / "whole.jsonl"));
}

TEST(Ledger, ResumesWithoutAFile) {
  const ScratchFolder folder;
  const Scene scene = scene_with_colliders(DiagnosticsLevel::kTotals);
  LedgerWriter(folder / "ledger.csv", scene, 8).write(stats_of(9));
  EXPECT_EQ(columns_of(folder / "ledger.csv").at("frame"), std::vector{9.0});
}

TEST(Ledger, WillNotContinueAnotherScenesLedger) {
  const ScratchFolder folder;
  LedgerWriter(folder / "ledger.csv", scene_with_colliders(DiagnosticsLevel::kTotals))
      .write(stats_of(1));
  const std::string before = text_of(folder / "ledger.csv");
  expect_error(ErrorCategory::kFile, {(folder / "ledger.csv").string() + ":1", "columns"},
               [&] { LedgerWriter(folder / "ledger.csv", Scene(), 1); });
  EXPECT_EQ(text_of(folder / "ledger.csv"), before);
}

TEST(Ledger, ReaderNamesFileAndLine) {
  const ScratchFolder folder;
  const auto expect_refused = [&](const std::string& text, const std::string& place,
                                  const std::string& reason) {
    write_text(folder / "bad.csv", text);
    expect_error(ErrorCategory::kFile, {"bad.csv:" + place, reason},
                 [&] { read_ledger(folder / "bad.csv"); });
  };
  expect_refused("", "1:", "no header");
  expect_refused("a,b\n1,2\n3\n", "3:", "1 cells under 2 columns");
  expect_refused("a,b\n1,2x\n", "2:", "\"2x\" in column b is no number");
  expect_error(ErrorCategory::kFile, {"none.csv"}, [&] { read_ledger(folder / "none.csv"); });
}

TEST(Ledger, ReaderTakesLineEndsInfinitiesAndLeavesOutATornLine) {
  const ScratchFolder folder;
  write_text(folder / "a.csv", "a,b\r\n1,inf\r\n-inf,\r\n5,6");
  const std::vector<Column> read = read_ledger(folder / "a.csv");
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(read[0].values, (std::vector{1.0, -infinity}));
  EXPECT_EQ(read[1].values[0], infinity);
  EXPECT_TRUE(std::isnan(read[1].values[1]));
}

TEST(RunRecords, StatsLineHoldsTheStatistics) {
  const Scene scene = scene_with_colliders(DiagnosticsLevel::kStages);
  const FrameStats s = stats_of(5);
  const std::string line = stats_json_line(s, scene);
  EXPECT_EQ(line.find('\n'), line.npos);
  const Json json = Json::parse(line);
  EXPECT_EQ(json["frame"], 5);
  EXPECT_EQ(json["time"].get<double>(), s.time);
  EXPECT_EQ(json["limited_by"], "wave_speed");
  EXPECT_EQ(json["limiting_material"], "snow");
  EXPECT_EQ(json["totals"]["elastic"].get<double>(), s.totals.elastic);
  EXPECT_EQ(json["stages"]["plasticity"].get<double>(), s.stages.plasticity);
  EXPECT_EQ(json["energy"]["gained"].get<double>(), s.energy.gained);
  EXPECT_EQ(json["reactions"][1]["collider"], scene.colliders[1].name);
  EXPECT_EQ(json["reactions"][1]["torque"].get<Vec3>(), s.reactions[1].torque);
}

// The pressure solves are in the records of an incompressible run, and in no other's.
TEST(RunRecords, PressureSolvesOfAnIncompressibleRun) {
  Scene scene = scene_with_colliders(DiagnosticsLevel::kTotals);
  EXPECT_FALSE(Json::parse(stats_json_line(stats_of(1), scene)).contains("pressure"));
  scene.simulation.integrator = Integrator::kIncompressible;
  const Json line = Json::parse(stats_json_line(stats_of(4), scene))["pressure"];
  EXPECT_EQ(line["solves"], 40);
  EXPECT_EQ(line["iterations"], 240);
  EXPECT_EQ(line["max_iterations"], 11);
  EXPECT_EQ(line["correction_iterations"], 80);
  EXPECT_EQ(line["max_divergence"].get<double>(), stats_of(4).pressure.max_divergence);
  EXPECT_EQ(line["sealed_regions"], 1);
  EXPECT_EQ(line["seconds"], 1.0);
  EXPECT_EQ(line["correction_seconds"], 0.5);
  RunTotals run;
  for (int frame = 0; frame <= 4; ++frame) run.add(stats_of(frame));
  const Json all = Json::parse(summary_json(scene, {}, run, stats_of(4)))["pressure"];
  EXPECT_EQ(all["solves"], 100);
  EXPECT_EQ(all["iterations"], 600);
  EXPECT_EQ(all["max_iterations"], 11);
  EXPECT_EQ(all["correction_iterations"], 200);
  EXPECT_EQ(all["max_divergence"].get<double>(), stats_of(4).pressure.max_divergence);
  EXPECT_EQ(all["sealed_regions"], 1);
  EXPECT_EQ(all["seconds"], 2.5);
  EXPECT_EQ(all["correction_seconds"], 2.5);
}

TEST(RunRecords, SolvesOfAThermalRun) {
  Scene scene = scene_with_colliders(DiagnosticsLevel::kTotals);
  EXPECT_FALSE(Json::parse(stats_json_line(stats_of(1), scene)).contains("heat"));
  scene.simulation.integrator = Integrator::kThermal;
  const Json line = Json::parse(stats_json_line(stats_of(4), scene));
  EXPECT_EQ(line["pressure"]["solves"], 40);
  EXPECT_EQ(line["heat"]["solves"], 40);
  EXPECT_EQ(line["heat"]["iterations"], 120);
  EXPECT_EQ(line["heat"]["max_iterations"], 8);
  EXPECT_EQ(line["heat"]["seconds"], 0.5);
  EXPECT_EQ(line["totals"]["heat"].get<double>(), stats_of(4).totals.heat);
  RunTotals run;
  for (int frame = 0; frame <= 4; ++frame) run.add(stats_of(frame));
  const Json all = Json::parse(summary_json(scene, {}, run, stats_of(4)));
  EXPECT_EQ(all["heat"]["solves"], 100);
  EXPECT_EQ(all["heat"]["iterations"], 300);
  EXPECT_EQ(all["heat"]["max_iterations"], 8);
  EXPECT_EQ(all["heat"]["seconds"], 1.25);
  EXPECT_EQ(all["drift"]["heat"].get<double>(), stats_of(4).totals.heat - stats_of(0).totals.heat);
}

TEST(RunRecords, OddNamesAndNumbersStayJson) {
  Scene scene = scene_with_colliders(DiagnosticsLevel::kTotals);
  scene.colliders[0].name = "\xff\xfe";
  FrameStats s = stats_of(1);
  s.max_speed = std::numeric_limits<double>::quiet_NaN();
  const Json json = Json::parse(stats_json_line(s, scene));
  EXPECT_TRUE(json["max_speed"].is_null());
}

TEST(RunRecords, TotalsSurviveARestart) {
  RunTotals whole, parts;
  EXPECT_EQ(whole.particle_steps_per_second(), 0);
  for (int frame = 0; frame <= 10; ++frame) {
    whole.add(stats_of(frame));
    parts.add(stats_of(frame));
    parts = RunTotals::from_json(parts.to_json(), "checkpoint");
  }
  EXPECT_EQ(parts.to_json(), whole.to_json());
  EXPECT_EQ(whole.frames, 10);
  EXPECT_EQ(whole.steps, 10 * 100 + 55);
  EXPECT_EQ(whole.particle_steps_per_second(), 1000.0 * (10 * 100 + 55) / (10 * 0.5));
  EXPECT_EQ(whole.initial->mass, stats_of(0).totals.mass);
  EXPECT_EQ(whole.energy_growth, stats_of(10).energy.growth);
  for (const char* text : {"", "{}", "[1]", "{\"frames\":\"many\"}"})
    expect_error(ErrorCategory::kFile, {"checkpoint_000024.firn"},
                 [&] { RunTotals::from_json(text, "checkpoint_000024.firn"); });
}

TEST(RunRecords, CountsAreWholeNumbersThatFit) {
  const Json good = Json::parse(RunTotals{}.to_json());
  for (const char* name : {"frames", "steps", "particle_steps", "peak_memory_bytes"})
    for (const Json& wrong : {Json(1e300), Json(0.5), Json(-1), Json(~std::uint64_t{0})}) {
      Json json = good;
      json[name] = wrong;
      expect_error(ErrorCategory::kFile, {"checkpoint: ", name},
                   [&] { RunTotals::from_json(json.dump(), "checkpoint"); });
    }
}

TEST(RunRecords, SummaryTellsTheRun) {
  const Scene scene = scene_with_colliders(DiagnosticsLevel::kTotals);
  RunTotals run;
  for (int frame = 0; frame <= 4; ++frame) run.add(stats_of(frame));
  const Json json = Json::parse(summary_json(
      scene, {"cpu (2 threads)", "1.2.3", false, "interrupted", {.video = 3, .total = 8}}, run,
      stats_of(4)));
  EXPECT_EQ(json["seconds"]["video"], 3);
  EXPECT_EQ(json["seconds"]["total"], 8);
  EXPECT_EQ(json["title"], scene.title);
  EXPECT_EQ(json["device"], "cpu (2 threads)");
  EXPECT_EQ(json["version"], "1.2.3");
  EXPECT_EQ(json["completed"], false);
  EXPECT_EQ(json["frames"], 4);
  EXPECT_EQ(json["wall_seconds"], 2.0);
  EXPECT_EQ(json["particle_steps"], 1000 * 410);
  EXPECT_EQ(json["energy_growth"].get<double>(), stats_of(4).energy.growth);
  EXPECT_EQ(json["drift"]["mass"].get<double>(), stats_of(4).totals.mass - stats_of(0).totals.mass);
}

}  // namespace
}  // namespace firn
