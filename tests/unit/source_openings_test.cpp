// Which nodes of walls a source opens, when, and to what.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/grid/openings.h"
#include "src/state/source_openings.h"
#include "tests/support/fluid_scenes.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

constexpr double kCell = 0.1;

// A source of 4 x 2 cells at the left wall.
Scene fed_channel(const Vec3& velocity = {1, 0, 0}) {
  Scene scene = empty_scene(2, kCell, Precision::kDouble);
  scene.materials = {elastic("jelly")};
  scene.grid.domain = closed_box({0, 0, 0}, {4, 2, 0});
  scene.grid.domain->boundary.fill(BoundaryType::kSlip);
  scene.sources = {{}};
  scene.sources[0].name = "tap";
  scene.sources[0].shape = box({0, 1, 0}, {0.4, 1.2, 0});
  scene.sources[0].velocity = velocity;
  scene.sources[0].start = 1;
  scene.sources[0].end = 2;
  return scene;
}

bool is_open(const SourceOpening& o, int i, int j) {
  i -= o.first[0], j -= o.first[1];
  if (i < 0 || j < 0 || i >= o.count[0] || j >= o.count[1]) return false;
  return o.open[static_cast<std::size_t>(j * o.count[0] + i)];
}

TEST(SourceOpenings, AreUpstreamAsFarAsParticlesReach) {
  const auto openings = source_openings(fed_channel());
  ASSERT_EQ(openings.size(), 1u);
  const SourceOpening& o = openings[0];
  for (int j = 10; j <= 12; ++j) {
    EXPECT_TRUE(is_open(o, 0, j) && is_open(o, -1, j)) << j;
    EXPECT_FALSE(is_open(o, -2, j)) << j << ": out of reach";
    EXPECT_FALSE(is_open(o, 4, j)) << j << ": downstream";
  }
  EXPECT_TRUE(is_open(o, 0, 13) && is_open(o, 0, 9)) << "the rim";
  EXPECT_FALSE(is_open(o, 0, 14) || is_open(o, 0, 8)) << "a closed part of the wall";
  EXPECT_FALSE(is_open(o, 2, 13) || is_open(o, 5, 13)) << "beside it, and the lip of a nozzle";
  EXPECT_EQ(o.flow[0], 1);
}

TEST(SourceOpenings, AreNoneWhereNothingHoldsWhatComes) {
  EXPECT_TRUE(source_openings(fed_channel({0, 0, 0})).empty());
  Scene scene = fed_channel();
  scene.grid.domain->boundary[0] = BoundaryType::kSeparate;
  EXPECT_TRUE(source_openings(scene).empty());
  scene.colliders = {collider("plate", box({-1, 0, 0}, {0, 2, 0}), BoundaryType::kSticky)};
  EXPECT_EQ(source_openings(scene).size(), 1u);
  scene.sources[0].motion = Keyframes{{0, 1}, {{0, 0, 0}, {1, 0, 0}}, {}, {}};
  EXPECT_TRUE(source_openings(scene).empty());
  scene = fed_channel();
  scene.simulation.integrator = Integrator::kIncompressible;
  EXPECT_TRUE(source_openings(scene).empty());
}

TEST(SourceOpenings, LetGoAcrossTheFlowWhileItLasts) {
  const Opening<double, 2> opening{{{0, 5}}, {{40, 1}}, 32, {{1, 0}}, 1, 2};
  const std::uint32_t bits[] = {~0u, 0, 1u << 3};
  const OpeningView<double, 2> view{&opening, bits, 1};
  const auto at = [&](BoundaryType type, int i, Vec<double, 2> normal, double time) {
    return view.type_at(type, {{i * kCell, 5 * kCell}}, normal, kCell, time);
  };
  const Vec<double, 2> across{{1, 0}}, along{{0, 1}}, against{{-1, 0}};
  for (const auto type : {BoundaryType::kSlip, BoundaryType::kSticky}) {
    EXPECT_EQ(at(type, 35, across, 1.5), BoundaryType::kSeparate);
    EXPECT_EQ(at(type, 34, across, 1.5), type);
    EXPECT_EQ(at(type, 40, across, 1.5), type) << "beyond the box";
    EXPECT_EQ(at(type, 35, along, 1.5), type);
    EXPECT_EQ(at(type, 35, against, 1.5), type);
    EXPECT_EQ(at(type, 35, across, 0.9), type);
    EXPECT_EQ(at(type, 35, across, 2.1), type);
  }
}

}  // namespace
}  // namespace firn::test
