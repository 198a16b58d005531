// Bodies that a run would not show are named with the true cause.
#include "src/state/body_warnings.h"

#include <gtest/gtest.h>

#include "src/state/batch.h"
#include "tests/support/expect_error.h"
#include "tests/support/sim_scenes.h"
#include "tests/support/stock_scenes.h"

namespace firn {
namespace {

using test::box;
using test::sphere;

Shape combined(ShapeType type, const Shape& a, const Shape& b) {
  Shape s;
  s.type = type;
  s.children = {a, b};
  return s;
}

struct Vanished {
  Shape shape;
  std::string cause;
};

std::vector<Vanished> vanished() {
  const Shape ball = sphere({}, 0.2);
  return {{sphere({0.33, 0.02, 0.01}, 0.001), "a particle stands for"},
          {box({0, 0, 0}, {0.9, 0.9, 1e-6}), "it fills"},
          {combined(ShapeType::kDifference, ball, sphere({}, 0.3)), "cut away"},
          {combined(ShapeType::kIntersection, ball, sphere({0.9, 0, 0}, 0.3)), "in common"},
          {sphere({5, 0, 0}, 0.2), "lies outside the domain"}};
}

Scene scene_of(const Shape& shape) {
  Scene s = test::empty_scene(3, 0.1);
  s.grid.domain.emplace();
  s.grid.domain->min = {-1, -1, -1};
  s.grid.domain->max = {1, 1, 1};
  s.materials = {test::elastic("jelly")};
  s.bodies = {test::body("ghost", 0, shape)};
  return s;
}

TEST(BodyWarnings, NameTheBodyAndTheCause) {
  for (const Vanished& v : vanished()) {
    Scene scene = scene_of(v.shape);
    scene.bodies.push_back(test::body("ball", 0, sphere({}, 0.4)));
    const std::vector<std::string> warnings = body_warnings(scene);
    ASSERT_EQ(warnings.size(), 1u) << v.cause;
    EXPECT_NE(warnings[0].find("body \"ghost\""), std::string::npos) << warnings[0];
    EXPECT_NE(warnings[0].find(v.cause), std::string::npos) << warnings[0];
  }
}

TEST(BodyWarnings, AreAnErrorWhereNothingIsLeft) {
  for (const Vanished& v : vanished()) {
    Scene scene = scene_of(v.shape);
    if (!fill_body(scene, 0).position.empty()) continue;  // it is elsewhere
    const std::initializer_list<std::string> parts = {"body \"ghost\"", v.cause};
    test::expect_error(ErrorCategory::kScene, parts, [&] { test::simulate(scene); });
    test::expect_error(ErrorCategory::kScene, parts, [&] { estimate(scene); });
    scene.sources.resize(1);
    scene.sources[0].shape = sphere({}, 0.3);
    EXPECT_NO_THROW(test::simulate(scene));
    EXPECT_NO_THROW(estimate(scene));
  }
}

// Whatever escapes what is cheap to find, there is a cause.
TEST(BodyWarnings, AThinPlateThatIsTurnedHasACauseToo) {
  Shape turned;
  turned.type = ShapeType::kTransform;
  turned.rotation = {0.3, 0.5, 0.2};
  turned.children = {box({-0.5, -1e-7, -0.5}, {0.5, 1e-7, 0.5})};
  const auto refused = [&](const char* why) {
    Scene scene = scene_of(turned);
    scene.grid.dx = 0.02;
    test::expect_error(ErrorCategory::kScene, {"no particles: ", why},
                       [&] { test::simulate(scene); });
  };
  refused("it fills 2e-07 m^3 and a particle stands for 1e-06");
  turned.children[0].type = ShapeType::kEllipsoid;  // whose volume is found on cells
  turned.children[0].radii = {0.5, 1e-7, 0.5};
  refused("thinner than a particle");
}

TEST(BodyWarnings, TellOfWhatReachesThroughAWall) {
  const auto warnings = [](double low, BoundaryType boundary) {
    Scene scene = scene_of(box({-0.5, low, -0.5}, {0.5, 0, 0.5}));
    scene.grid.domain->boundary.fill(boundary);
    return body_warnings(scene);
  };
  const std::vector<std::string> told = warnings(-1.3, BoundaryType::kSeparate);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find("\"ghost\" reaches 0.3 m through a wall"), std::string::npos) << told[0];
  EXPECT_TRUE(warnings(-1.05, BoundaryType::kSeparate).empty()) << "half a cell";
  EXPECT_TRUE(warnings(-1.3, BoundaryType::kOpen).empty());
}

// A hundredth of a cell is told apart up to 84 000 cells from the origin.
TEST(BodyWarnings, TellWhereSinglePrecisionEnds) {
  const auto warnings = [](double x, Precision precision) {
    Scene scene = scene_of(sphere({x, 0, 0}, 0.4));
    scene.grid.domain.reset();
    scene.simulation.precision = precision;
    return body_warnings(scene);
  };
  EXPECT_TRUE(warnings(8e3, Precision::kSingle).empty());
  const std::vector<std::string> coarse = warnings(9e3, Precision::kSingle),
                                 files = warnings(9e3, Precision::kDouble),
                                 outside = warnings(1e6, Precision::kDouble);
  ASSERT_EQ(coarse.size(), 1u);
  EXPECT_NE(coarse[0].find("\"double\""), std::string::npos) << coarse[0];
  ASSERT_EQ(files.size(), 1u);
  EXPECT_NE(files[0].find("the files of particles"), std::string::npos) << files[0];
  ASSERT_EQ(outside.size(), 1u);
  EXPECT_NE(outside[0].find("where the grid ends"), std::string::npos) << outside[0];
}

TEST(BodyWarnings, TellOfBodiesLongerThanAPeriod) {
  for (const double longer : {0.0, 0.3}) {
    Scene scene = test::empty_scene(2, 0.0625);
    scene.materials = {test::elastic("jelly")};
    scene.grid.domain.emplace();
    scene.grid.domain->max = {1, 1, 0};
    scene.grid.domain->boundary[0] = scene.grid.domain->boundary[1] = BoundaryType::kPeriodic;
    scene.bodies = {test::body("strip", 0, box({-longer, 0, 0}, {1, 0.5, 0}))};
    const auto warnings = body_warnings(scene);
    ASSERT_EQ(warnings.size(), longer > 0 ? 1U : 0U);
    if (longer > 0) {
      EXPECT_NE(warnings[0].find("longer along x than the period"), std::string::npos);
    }
  }
}

TEST(BodyWarnings, TellOfSourcesOutside) {
  Scene scene = scene_of(sphere({}, 0.4));
  scene.sources = {{}};
  scene.sources[0].name = "tap";
  scene.sources[0].shape = sphere({5, 0, 0}, 0.2);
  const auto warnings = body_warnings(scene);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("source \"tap\" lies outside"), std::string::npos) << warnings[0];
}

TEST(Bodies, WhoseVelocityIsNotFiniteAreNamed) {
  for (const char* velocity : {"1/0", "sqrt(x)", "log(x - x)"}) {
    Scene scene = scene_of(sphere({}, 0.4));
    scene.bodies[0].velocity.component[1] = {0, velocity};
    test::expect_error(ErrorCategory::kScene, {"body \"ghost\"", "not finite at ["},
                       [&] { test::simulate(scene); });
  }
}

TEST(BodyWarnings, AreNoneForStockScenes) {
  for (const std::string& name : test::scene_names()) {
    if (test::lacks_openvdb(name)) continue;
    EXPECT_TRUE(body_warnings(test::load_stock_scene(name)).empty()) << name;
  }
}

}  // namespace
}  // namespace firn
