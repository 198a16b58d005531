// Fields of the particles are what a snapshot holds, without its rounding; a view shows the same as
// a copy; and what cannot be given is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "tests/support/device.h"
#include "tests/support/expect_error.h"
#include "tests/support/field_views.h"
#include "tests/support/library_scenes.h"
#include "tests/support/thermal_scenes.h"

namespace firn::test {
namespace {

std::vector<float> rounded(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

void expect_as_in_snapshot(const Scene& scene, const RunOptions& options) {
  Simulation simulation(scene, options);
  simulation.advance_steps(12);
  const Snapshot s = simulation.snapshot();
  EXPECT_EQ(simulation.field<std::uint32_t>("id"), s.id);
  const auto material = simulation.field<std::uint32_t>("material");
  EXPECT_TRUE(std::equal(material.begin(), material.end(), s.material.begin(), s.material.end()));
  EXPECT_EQ(rounded(simulation.field<double>("position")), s.position);
  EXPECT_EQ(rounded(simulation.field<double>("velocity")), s.velocity);
  EXPECT_EQ(rounded(simulation.field<double>("mass")), s.mass);
  EXPECT_EQ(rounded(simulation.field<double>("volume")), s.volume);
  auto F = simulation.field<double>("displacement_gradient");
  const auto d = static_cast<std::size_t>(scene.simulation.dimension);
  for (std::size_t k = 0; k < F.size(); ++k) F[k] += k % (d * d) % (d + 1) == 0 ? 1 : 0;
  EXPECT_EQ(rounded(F), s.deformation_gradient);
  const auto plastic = simulation.field<double>("plastic_state");
  ASSERT_EQ(plastic.size() % s.size(), 0u);
  const std::size_t kept = plastic.size() / s.size();  // the first is what snapshots show
  for (std::size_t i = 0; i < s.size(); ++i)
    ASSERT_EQ(static_cast<float>(plastic[kept * i]), s.plastic_state[i]) << "particle " << s.id[i];
}

// In double precision copies are no floats in between.
void expect_not_rounded(const Scene& scene, const RunOptions& options) {
  Simulation simulation(scene, options);
  simulation.advance_steps(3);
  const auto x = simulation.field<double>("position");
  const bool exact_floats = std::all_of(
      x.begin(), x.end(), [](double c) { return c == static_cast<double>(static_cast<float>(c)); });
  EXPECT_EQ(exact_floats, scene.simulation.precision == Precision::kSingle);
}

template <class T>
void expect_same(const Simulation& simulation, const FieldInfo& field) {
  const auto copy = simulation.field<T>(field.name);
  EXPECT_EQ(through_view<T>(simulation, field.name), copy) << field.name;
  EXPECT_EQ(copy.size(), static_cast<std::size_t>(simulation.stats().particles) *
                             static_cast<std::size_t>(field.components));
}
void expect_views_agree(const Scene& scene, const RunOptions& options) {
  Simulation simulation(scene, options);
  for (const int steps : {0, 1, 9}) {
    simulation.advance_steps(steps);
    for (const FieldInfo& field : simulation.fields()) {
      const FieldView view = simulation.field_view(field.name);
      EXPECT_EQ(view.type, field.type);
      EXPECT_EQ(view.components, field.components);
      EXPECT_EQ(view.size, simulation.stats().particles);
      EXPECT_EQ(view.device >= 0, simulation.on_cuda());
      EXPECT_EQ(view.stream != nullptr, simulation.on_cuda());
      if (field.type == ElementType::kUint32)
        expect_same<std::uint32_t>(simulation, field);
      else if (field.type == ElementType::kFloat)
        expect_same<float>(simulation, field);
      else
        expect_same<double>(simulation, field);
    }
  }
}

Scene warm_scene() {
  Scene scene = thermal_scene(2, 0.1);
  scene.materials = {solid("fat", 2e4, 1e6)};
  scene.bodies = {body("fat", 0, box({0, 0, 0}, {0.5, 0.4, 0}))};
  scene.bodies[0].temperature.constant = 308;
  return scene;
}

constexpr RunOptions kOneThread{Device::kCpu, 1}, kOnCuda{Device::kCuda};

TEST(Fields, AreWhatASnapshotHolds) {
  for (const LibraryCase& c : library_cases()) {
    SCOPED_TRACE(c.name());
    expect_as_in_snapshot(busy_case(c), kOneThread);
    expect_not_rounded(busy_case(c), kOneThread);
  }
}
TEST(Fields, ViewsAgreeWithCopies) {
  for (const LibraryCase& c : library_cases()) {
    SCOPED_TRACE(c.name());
    expect_views_agree(busy_case(c), kOneThread);
  }
  expect_views_agree(warm_scene(), kOneThread);
}
TEST(Fields, AreListedAsTheSceneHasThem) {
  const auto names = [](const Scene& scene) {
    std::vector<std::string> list;
    for (const FieldInfo& field : simulate(scene).fields()) {
      list.push_back(field.name);
      EXPECT_FALSE(field.unit.empty()) << field.name;
    }
    return list;
  };
  EXPECT_EQ(names(two_balls({})),
            (std::vector<std::string>{"id", "material", "position", "velocity", "coefficients",
                                      "displacement_gradient", "mass", "volume"}));
  const auto warm = names(warm_scene());
  for (const char* name : {"enthalpy", "liquid", "log_volume"})
    EXPECT_NE(std::find(warm.begin(), warm.end(), name), warm.end()) << name;
}

TEST(Fields, WhatCannotBeGivenIsRefused) {
  const Simulation simulation = simulate(two_balls({2, Precision::kDouble, true}));
  expect_error(ErrorCategory::kScene, {"no field \"speed\"", "position, velocity"},
               [&] { simulation.field_view("speed"); });
  expect_error(ErrorCategory::kScene, {"no field \"plastic_state\""},
               [&] { simulation.field<double>("plastic_state"); });
  expect_error(ErrorCategory::kScene, {"\"position\" holds double", "float"},
               [&] { simulation.field<float>("position"); });
  expect_error(ErrorCategory::kScene, {"\"id\" holds std::uint32_t"},
               [&] { simulation.field<float>("id"); });
  expect_error(ErrorCategory::kScene, {"double, not float"},
               [&] { simulation.field_view("position").row<float>(0); });
  expect_error(ErrorCategory::kScene, {"one value per chunk"},
               [&] { simulation.field_view("material").row<std::uint32_t>(0); });
}

// Between fused steps velocities lie on the grid, and positions where they always do.
TEST(Fields, OnTheGridAreRefused) {
  Simulation simulation = simulate(two_balls({}));
  simulation.advance_until(1, {{}, [](const StepInfo& step) { return step.step < 3; }, {}});
  EXPECT_EQ(rounded(simulation.field<double>("position")), simulation.snapshot().position);
  for (const char* name : {"velocity", "coefficients"}) {
    expect_error(ErrorCategory::kScene, {name, "advance_steps(1)"},
                 [&] { simulation.field_view(name); });
    expect_error(ErrorCategory::kScene, {name, "advance_steps(1)"},
                 [&] { simulation.field<double>(name); });
  }
  simulation.advance_steps(1);
  EXPECT_EQ(simulation.field<float>("velocity"), simulation.snapshot().velocity);
}

// A pointer that was asked for shows what is there then, on any thread.
TEST(Fields, OfSimulationsOnTwoThreads) {
  const auto run = [](int dimension) {
    for (const bool fused : {true, false})
      expect_views_agree(busy_case({dimension, Precision::kSingle, fused}), kOneThread);
  };
  std::thread other(run, 3);
  run(2);
  other.join();
}

TEST(GpuFields, AreWhatASnapshotHolds) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  expect_as_in_snapshot(busy_case({2, Precision::kSingle, true}), kOnCuda);
  expect_as_in_snapshot(busy_case({3, Precision::kDouble, false}), kOnCuda);
}
TEST(GpuFields, ViewsAgreeWithCopies) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  expect_views_agree(busy_case({2, Precision::kDouble, true}), kOnCuda);
  expect_views_agree(busy_case({3, Precision::kSingle, true}), kOnCuda);
  expect_views_agree(busy_case({2, Precision::kSingle, false}), kOnCuda);
}

}  // namespace
}  // namespace firn::test
