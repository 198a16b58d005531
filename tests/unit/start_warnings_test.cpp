// What is allowed and seldom meant is told before a run: bodies within colliders, and methods that
// are not for the materials they are given.
#include "firn/warnings.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "src/state/overlap_warnings.h"
#include "tests/support/fluid_scenes.h"
#include "tests/support/height_fields.h"
#include "tests/support/sim_scenes.h"
#include "tests/support/stock_scenes.h"

namespace firn::test {
namespace {

Scene pool(const Vec3& from, const Vec3& to) {
  Scene scene = empty_scene(2, 0.02, Precision::kDouble);
  scene.materials = {elastic("jelly")};
  scene.bodies = {body("pool", 0, box({0, 0, 0}, {1, 0.5, 0}))};
  scene.colliders = {collider("box", box(from, to), BoundaryType::kSeparate)};
  return scene;
}

TEST(OverlapWarnings, NameABodyWithAColliderInIt) {
  const auto warnings = overlap_warnings(pool({0.35, 0.2, 0}, {0.65, 0.4, 0}));
  ASSERT_EQ(warnings.size(), 1u);
  // Without the cell along its surface 0.26 x 0.16 of 0.5 m^2, on a lattice of 20 by 20: 6 x 6.
  EXPECT_NE(warnings[0].find("body \"pool\": 9 % of it"), std::string::npos) << warnings[0];
  EXPECT_NE(warnings[0].find("collider \"box\""), std::string::npos);
}
TEST(OverlapWarnings, NameSolidsThatBeginInEachOther) {
  Scene scene = pool({0, 1, 0}, {0.3, 1.3, 0});
  scene.colliders[0].dynamics = Dynamics{.density = 500};
  scene.colliders.push_back(collider("ball", sphere({0.35, 1.15, 0}, 0.1)));
  scene.grid.domain = Domain{};
  scene.grid.domain->min = {0.1, 0, 0};
  scene.grid.domain->max = {1, 2, 1};
  scene.grid.domain->boundary.fill(BoundaryType::kSlip);
  const auto warnings = solid_overlap_warnings(scene);
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_NE(warnings[0].find("collider \"box\" begins 0.05 m deep in collider \"ball\""),
            std::string::npos)
      << warnings[0];
  EXPECT_NE(warnings[1].find("0.1 m deep in the -x wall"), std::string::npos) << warnings[1];
  scene.colliders[0].dynamics->collides = false;
  EXPECT_TRUE(solid_overlap_warnings(scene).empty());
}
TEST(OverlapWarnings, AreSilentWhereShapesTouchMoveOrHold) {
  EXPECT_TRUE(overlap_warnings(pool({0, -0.3, 0}, {1, 0, 0})).empty());
  EXPECT_TRUE(overlap_warnings(pool({0, -0.3, 0}, {1, 0.015, 0})).empty()) << "within a cell";
  Scene moves = pool({0.35, 0.2, 0}, {0.65, 0.4, 0});
  moves.colliders[0].motion = Keyframes{{0, 1}, {{0, 2, 0}, {0, 0, 0}}, {}, {}};
  EXPECT_TRUE(overlap_warnings(moves).empty());
  Scene clamp = pool({0.35, 0.2, 0}, {0.65, 0.4, 0});
  clamp.colliders[0].boundary = BoundaryType::kSticky;
  EXPECT_TRUE(overlap_warnings(clamp).empty());
}

TEST(OverlapWarnings, NameWhatKeyFramesLeaveInPlaceAtFirst) {
  Scene scene = pool({0.35, 0.2, 0}, {0.65, 0.4, 0});
  scene.colliders[0].motion = Keyframes{{0.5, 1}, {{0, 0, 0}, {0, 2, 0}}, {}, {}};
  EXPECT_EQ(overlap_warnings(scene).size(), 1u);
}
// Turned and moved, as it is when the run begins.
TEST(OverlapWarnings, KnowWhereKeyFramesPutAColliderAtFirst) {
  Scene scene = pool({-0.25, -2, 0}, {1.25, -1.5, 0});
  scene.colliders[0].motion =
      Keyframes{{0}, {{0, 1.32, 0}}, {{0, 0, 1.5707963267948966}}, {0.5, -1.75, 0}};
  const auto warnings = overlap_warnings(scene);
  ASSERT_EQ(warnings.size(), 1u);
  // It stands upright, up to (0.75, 0.32) m. Without the cell along its surface 0.46 x 0.3 of
  // 0.5 m^2, on a lattice of 20 by 20: 10 x 12.
  EXPECT_NE(warnings[0].find("30 % of it"), std::string::npos) << warnings[0];
  scene.colliders[0].motion->times = {-1, 1};
  scene.colliders[0].motion->translation = {{0, 0.64, 0}, {0, 2, 0}};
  scene.colliders[0].motion->rotation = {{0, 0, 0}, {0, 0, 3.141592653589793}};
  EXPECT_EQ(overlap_warnings(scene), warnings) << "half-way between its keys";
}
TEST(OverlapWarnings, NameASourceWithAColliderInIt) {
  for (const auto type : {BoundaryType::kSticky, BoundaryType::kSeparate}) {
    Scene scene = pool({0.5, -0.3, 0}, {1.5, 1, 0});
    scene.colliders[0].boundary = type;
    scene.sources = {{}};
    scene.sources[0].name = "tap";
    scene.sources[0].shape = box({0.3, 0, 0}, {0.7, 0.4, 0});
    scene.sources[0].particles_per_cell = 4;
    scene.bodies.clear();
    const auto warnings = overlap_warnings(scene);
    ASSERT_EQ(warnings.size(), 1u);
    // From x = 0.52 m on, 9 of 20 points across.
    EXPECT_NE(warnings[0].find("source \"tap\": 45 % of it"), std::string::npos) << warnings[0];
    scene.sources[0].motion = Keyframes{{0, 1}, {{0, 2, 0}, {0, 0, 0}}, {}, {}};
    EXPECT_TRUE(overlap_warnings(scene).empty());
  }
}

// How far the collider goes on elsewhere is of no matter.
TEST(OverlapWarnings, NameWhatLiesInALongFloor) {
  for (const double length : {1.0, 3.0, 100.0}) {
    const auto warnings = overlap_warnings(pool({-0.1, -1, 0}, {length, 0.2, 0}));
    ASSERT_EQ(warnings.size(), 1u) << length;
    EXPECT_NE(warnings[0].find(": 35 % of it"), std::string::npos) << warnings[0];
  }
}

TEST(OverlapWarnings, AreNoneForStockScenes) {
  for (const std::string& name : scene_names()) {
    if (lacks_openvdb(name)) continue;
    EXPECT_TRUE(overlap_warnings(load_stock_scene(name)).empty()) << name;
  }
}

bool warns_of(const Scene& scene, const std::string& words) {
  for (const std::string& warning : scene_warnings(scene))
    if (warning.find(words) != std::string::npos) return true;
  return false;
}

TEST(StartWarnings, TellOfCollidersThatAreTooThinForTheGrid) {
  const auto thin = [](double cells, BoundaryType boundary) {
    Scene scene = pool({0.9, -0.3, 0}, {0.9 + cells * 0.02, 1, 0});
    scene.colliders[0].boundary = boundary;
    return warns_of(scene, "cells thin: material may pass");
  };
  EXPECT_TRUE(thin(1.9, BoundaryType::kSeparate));
  EXPECT_FALSE(thin(2, BoundaryType::kSlip));
  EXPECT_TRUE(thin(0.8, BoundaryType::kSticky));
  EXPECT_FALSE(thin(1.9, BoundaryType::kSticky));
  Scene wire = pool({0.9, -0.3, 0}, {0.93, 1, 0});
  wire.colliders[0].boundary = BoundaryType::kSticky;
  wire.colliders[0].temperature = ScalarField{400, ""};
  EXPECT_TRUE(warns_of(wire, "warms only where it holds a cell's centre"));
  // However they lie, and whatever their shape.
  const auto tilted = [](double cells, const Shape& child) {
    Scene scene = pool({}, {});
    Shape& shape = scene.colliders[0].shape;
    shape = {};
    shape.type = ShapeType::kTransform;
    shape.rotation = {0, 0, 0.4};
    shape.children = {child};
    shape.children[0].max[1] = child.min[1] + cells * 0.02;
    return warns_of(scene, "cells thin: material may pass");
  };
  EXPECT_TRUE(tilted(1.8, box({-1, 2, 0}, {1, 2, 0})));
  EXPECT_TRUE(tilted(0.1, box({-1, 2, 0}, {1, 2, 0})));
  EXPECT_FALSE(tilted(2.2, box({-1, 2, 0}, {1, 2, 0})));
  const auto bowl = [](double cells) {
    Scene scene = pool({}, {});
    Shape& shape = scene.colliders[0].shape;
    shape = {};
    shape.type = ShapeType::kDifference;
    shape.children = {sphere({2, 2, 0}, 0.5), sphere({2, 2, 0}, 0.5 - cells * 0.02),
                      box({0, 2, 0}, {4, 4, 0})};
    return warns_of(scene, "cells thin: material may pass");
  };
  EXPECT_TRUE(bowl(0.3));
  EXPECT_TRUE(bowl(1.7));
  EXPECT_FALSE(bowl(2.3));
  Scene layers = pool({}, {});
  layers.colliders[0].shape = {};
  layers.colliders[0].shape.type = ShapeType::kUnion;
  layers.colliders[0].shape.children = {box({0, 2, 0}, {1, 2.024, 0}),
                                        box({0, 2.024, 0}, {1, 2.048, 0})};
  EXPECT_FALSE(warns_of(layers, "cells thin: material may pass"));
  for (const std::string& name : scene_names()) {
    if (lacks_openvdb(name)) continue;
    EXPECT_FALSE(warns_of(load_stock_scene(name), "cells thin")) << name;
  }
}

TEST(StartWarnings, TellOfFrictionThatWallsHaveForNothing) {
  const auto warns = [](BoundaryType floor, double of_floor, double of_sides) {
    Scene scene = pool({0, -0.3, 0}, {1, 0, 0});
    scene.grid.domain = Domain{{-1, -1, 0}, {2, 2, 0}, {}, {}, {}};
    scene.grid.domain->boundary.fill(BoundaryType::kSlip);
    scene.grid.domain->boundary[2] = floor;
    scene.grid.domain->friction.fill(of_sides);
    scene.grid.domain->friction[2] = of_floor;
    return warns_of(scene, "grid.domain: its friction has no effect");
  };
  EXPECT_TRUE(warns(BoundaryType::kSlip, 0.5, 0));
  EXPECT_TRUE(warns(BoundaryType::kSticky, 0.5, 0.5));
  EXPECT_TRUE(warns(BoundaryType::kSeparate, 0, 0.5));
  EXPECT_FALSE(warns(BoundaryType::kSeparate, 0.5, 0.5)) << "one number for all faces";
  EXPECT_FALSE(warns(BoundaryType::kSlip, 0, 0));
}

TEST(StartWarnings, TellOfCohesionWithoutAnAngle) {
  Scene scene = pool({0, -0.3, 0}, {1, 0, 0});
  scene.materials = {sand("clay")};
  scene.materials[0].cohesion = 0.01;
  EXPECT_FALSE(warns_of(scene, "its cohesion holds nothing"));
  scene.materials[0].friction_angle = 0;
  EXPECT_TRUE(
      warns_of(scene, "material 'clay': with friction_angle = 0 its cohesion holds nothing"));
  scene.materials[0].cohesion = 0;
  EXPECT_FALSE(warns_of(scene, "its cohesion holds nothing")) << "a liquid, and meant to be one";
}

TEST(StartWarnings, TellOfCellsWithoutAParticle) {
  Scene scene = pool({0, -0.3, 0}, {1, 0, 0});
  scene.bodies[0].particles_per_cell = 1;
  EXPECT_FALSE(warns_of(scene, "particles_per_cell"));
  scene.bodies[0].particles_per_cell = 0.5;
  EXPECT_TRUE(warns_of(scene, "body \"pool\" has particles_per_cell = 0.5"));
}

TEST(StartWarnings, TellOfHeightFieldsThatAreTooSteep) {
  const auto steep = [](const std::string& height, Integrator integrator) {
    Scene scene = pool({0.9, -0.3, 0}, {1, 1, 0});
    scene.simulation.integrator = integrator;
    Shape whole;
    whole.type = ShapeType::kUnion;
    whole.children = {height_field(height, {-1, 0, 0}, {1, 0, 0}), sphere({0, 0, 0}, 0.1)};
    scene.colliders[0].shape = whole;
    return warns_of(scene, "is too large to hold material where they are above 2");
  };
  EXPECT_TRUE(steep("1e9 * x", Integrator::kExplicit));
  EXPECT_FALSE(steep("1e9 * x", Integrator::kIncompressible));
  EXPECT_FALSE(steep("abs(x) < 0.45 ? 0 : 1", Integrator::kExplicit));
  for (const std::string& name : scene_names()) {
    if (lacks_openvdb(name)) continue;
    EXPECT_FALSE(warns_of(load_stock_scene(name), "height_field")) << name;
  }
}

TEST(StartWarnings, TellOfLinearKernelsInExplicitSteps) {
  Scene scene = pool({0, -0.3, 0}, {1, 0, 0});
  EXPECT_FALSE(warns_of(scene, "kernel"));
  scene.transfer.kernel = 1;
  EXPECT_TRUE(warns_of(scene, "transfer.kernel = \"linear\""));
  scene.simulation.integrator = Integrator::kOptimization;
  EXPECT_FALSE(warns_of(scene, "kernel"));
}

TEST(StartWarnings, OfScenesThatNameWhatTheyHaveNotAreErrors) {
  for (const int material : {-1, 1, 100000}) {
    Scene scene = pool({0, -0.3, 0}, {1, 0, 0});
    scene.bodies[0].material = material;
    EXPECT_THROW(scene_warnings(scene), Error) << material;
  }
  Scene scene = pool({0, -0.3, 0}, {1, 0, 0});
  scene.simulation.dimension = 7;
  EXPECT_THROW(scene_warnings(scene), Error);
}

TEST(StartWarnings, TellOfTransfersThatNeverDamp) {
  for (const auto type : {TransferType::kFlip, TransferType::kAflip}) {
    Scene scene = pool({0, -0.3, 0}, {1, 0, 0});
    scene.transfer.type = type;
    EXPECT_TRUE(warns_of(scene, "flip\" without blend"));
    scene.transfer.blend = 0.95;
    EXPECT_FALSE(warns_of(scene, "without blend"));
  }
}

TEST(StartWarnings, TellOfWhatAStiffBodyHides) {
  Scene scene = pool({0, -0.3, 0}, {1, 0, 0});
  scene.simulation.integrator = Integrator::kOptimization;
  scene.materials = {elastic("steel", MaterialModel::kNeoHookean, 2e11, 7800),
                     elastic("jelly", MaterialModel::kNeoHookean, 3e4)};
  scene.simulation.precision = Precision::kSingle;
  EXPECT_TRUE(warns_of(scene, "'steel' is 7e+06 times as stiff as 'jelly'"));
  scene.simulation.precision = Precision::kDouble;
  EXPECT_FALSE(warns_of(scene, "as stiff as"));
  scene.simulation.precision = Precision::kSingle;
  scene.materials[0].youngs_modulus = 2e9;
  EXPECT_FALSE(warns_of(scene, "as stiff as"));
}

TEST(StartWarnings, TellOfWhatEndsAtAPeriodicFace) {
  const auto seen = [](double from, double to) {
    Scene scene = pool({from, 0.2, 0}, {to, 0.4, 0});
    scene.grid.domain.emplace();
    scene.grid.domain->min = {0, 0, 0};
    scene.grid.domain->max = {1.28, 1, 0};
    scene.grid.domain->boundary.fill(BoundaryType::kSlip);
    scene.grid.domain->boundary[0] = scene.grid.domain->boundary[1] = BoundaryType::kPeriodic;
    return warns_of(scene, "is not there on its other side");
  };
  EXPECT_TRUE(seen(-0.2, 0.3));
  EXPECT_TRUE(seen(0, 0.3));
  EXPECT_TRUE(seen(1, 1.4));
  EXPECT_FALSE(seen(0.1, 0.3));
  EXPECT_FALSE(seen(-0.1, 1.4));
}

TEST(StartWarnings, TellOfSandInLongSteps) {
  Scene scene = pool({0, -0.3, 0}, {1, 0, 0});
  scene.simulation.integrator = Integrator::kOptimization;
  scene.time.dt_max = 1.0 / 24;
  EXPECT_FALSE(warns_of(scene, "drucker_prager"));
  scene.materials[0].model = MaterialModel::kDruckerPrager;
  EXPECT_TRUE(warns_of(scene, "many iterations"));
  EXPECT_FALSE(warns_of(scene, "dilatancy_angle"));
  scene.materials[0].dilatancy_angle = 0.1;
  EXPECT_TRUE(warns_of(scene, "dilatancy_angle takes effect at the end of a step"));
  scene.materials[0].dilatancy_angle = 0;
  scene.implicit.plasticity = PlasticFlow::kAfter;
  EXPECT_TRUE(warns_of(scene, "stands where it should fall"));
  scene.simulation.integrator = Integrator::kSemiImplicit;
  EXPECT_TRUE(warns_of(scene, "stands where it should fall"));
  scene.materials[0].model = MaterialModel::kVonMises;
  EXPECT_TRUE(warns_of(scene, "von_mises that flows after"));
  scene.time.dt_max = 1e-3;
  EXPECT_TRUE(warns_of(scene, "von_mises that flows after")) << "clay runs out a fifth too short";
  scene.materials[0].model = MaterialModel::kDruckerPrager;
  EXPECT_FALSE(warns_of(scene, "stands where it should fall"));
  scene.materials[0].model = MaterialModel::kVonMises;
  scene.time.dt_max = 1e-4;
  EXPECT_FALSE(warns_of(scene, "von_mises that flows after"));
  scene.time.dt_max = 1.0 / 24;
  scene.simulation.integrator = Integrator::kOptimization;
  scene.implicit.plasticity = PlasticFlow::kInside;
  EXPECT_FALSE(warns_of(scene, "von_mises"));
  scene.materials[0].model = MaterialModel::kDruckerPrager;
  scene.simulation.integrator = Integrator::kExplicit;
  EXPECT_FALSE(warns_of(scene, "drucker_prager"));
}

TEST(StartWarnings, TellOfBodiesThatLieInEachOther) {
  Scene scene = pool({2, 2, 0}, {3, 3, 0});
  scene.bodies.push_back(body("ball", 0, box({0.35, 0.2, 0}, {0.65, 0.4, 0})));
  const auto warnings = shared_space_warnings(scene);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(
      warnings[0].rfind("100 % of body \"ball\" lies more than a cell deep in body \"pool\"", 0),
      0u)
      << warnings[0];
  EXPECT_TRUE(warns_of(scene, "both fill that space"));
  scene.bodies[1].shape = box({0.35, 0.5, 0}, {0.65, 0.7, 0});
  EXPECT_TRUE(shared_space_warnings(scene).empty()) << "on it";
  scene.bodies[1].shape = box({0.35, 0.485, 0}, {0.65, 0.7, 0});
  EXPECT_TRUE(shared_space_warnings(scene).empty()) << "within a cell";
  // Many are not told one by one.
  scene.bodies.resize(1);
  for (int i = 0; i < 9; ++i)
    scene.bodies.push_back(body("", 0, sphere({0.1 + 0.1 * i, 0.25, 0}, 0.04)));
  EXPECT_EQ(shared_space_warnings(scene).size(), 6u);
  EXPECT_TRUE(warns_of(scene, "4 more pairs"));
  scene.bodies = {body("earth", 0, ground())};
  EXPECT_TRUE(shared_space_warnings(scene).empty());
}

TEST(StartWarnings, TellOfWaterThatItsWeightPressesTogether) {
  Scene scene = empty_scene(2, 0.25);
  scene.materials = {water("sea")};
  scene.materials[0].bulk_modulus = 1e6;
  scene.materials[0].gamma = 7;
  scene.simulation.gravity = {0, -10, 0};
  scene.bodies = {body("deep", 0, box({0, 0, 0}, {3, 50, 0}))};
  // (1 + 0.5)^(-1/7) = 0.944; 5e5 / (0.99^-7 - 1) = 6.9e6.
  EXPECT_TRUE(warns_of(scene, "6 % at the bottom of its 50 m"));
  EXPECT_TRUE(warns_of(scene, "bulk_modulus = 6.9e+06"));
  scene.materials[0].bulk_modulus = 6.9e6;
  EXPECT_FALSE(warns_of(scene, "at the bottom"));
  scene.materials[0].bulk_modulus = 1e6;
  scene.simulation.gravity = {};
  EXPECT_FALSE(warns_of(scene, "at the bottom"));
}

TEST(StartWarnings, TellOfFrictionThatHasNoEffect) {
  for (const auto type : {BoundaryType::kSlip, BoundaryType::kSticky, BoundaryType::kSeparate}) {
    Scene scene = pool({2, 2, 0}, {3, 3, 0});
    scene.colliders[0].boundary = type;
    EXPECT_FALSE(warns_of(scene, "its friction has no effect"));
    scene.colliders[0].friction = 0.3;
    EXPECT_EQ(warns_of(scene, "its friction has no effect"), type != BoundaryType::kSeparate);
  }
}

TEST(StartWarnings, OfSuchKindsAreNoneForStockScenes) {
  for (const std::string& name : scene_names()) {
    if (lacks_openvdb(name)) continue;
    const Scene scene = load_stock_scene(name);
    for (const char* words :
         {"both fill that space", "at the bottom of its", "its friction has no effect"})
      EXPECT_FALSE(warns_of(scene, words)) << name << ": " << words;
  }
}

}  // namespace
}  // namespace firn::test
