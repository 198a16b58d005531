// What a scene says in vain, since another of its keys leaves it no effect, is told of before a
// run; what has one is not.
#include "src/run/idle_keys.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "firn/warnings.h"
#include "tests/support/sim_scenes.h"
#include "tests/support/stock_scenes.h"

namespace firn::test {
namespace {

Scene plain(int dimension = 3) {
  Scene scene = empty_scene(dimension, 0.05);
  scene.materials = {elastic("jelly")};
  scene.bodies = {body("ball", 0, sphere({0, 1, 0}, 0.2))};
  return scene;
}

// `says` something, which has an effect in one of the two scenes.
struct Case {
  const char* key;
  std::function<void(Scene&)> says, heard, idle;
  int idle_dimension = 3;
};

std::vector<Case> cases() {
  const auto transfer = [](TransferType type) {
    return [type](Scene& s) { s.transfer.type = type; };
  };
  const auto integrator = [](Integrator kind) {
    return [kind](Scene& s) { s.simulation.integrator = kind; };
  };
  const auto forces = [](ForceIntegration kind) {
    return [kind](Scene& s) { s.thermal.forces = kind; };
  };
  const auto heat = [](bool on) { return [on](Scene& s) { s.thermal.heat = on; }; };
  const auto none = [](Scene&) {};
  const auto with_camera = [](Scene& s) { s.output.camera = Camera{}; };
  using enum TransferType;
  return {
      {"transfer.modes", [](Scene& s) { s.transfer.modes = 8; }, transfer(kPolypic),
       transfer(kFlip)},
      {"transfer.modes", [](Scene& s) { s.transfer.modes = 8; }, transfer(kPolypic),
       transfer(kApic)},
      {"transfer.blend", [](Scene& s) { s.transfer.blend = 0.5; }, transfer(kFlip), transfer(kPic)},
      {"transfer.blend", [](Scene& s) { s.transfer.blend = 0.5; }, transfer(kAflip),
       transfer(kRpic)},
      {"transfer.blend", [](Scene& s) { s.transfer.blend = 0.5; }, transfer(kApic),
       transfer(kPolypic)},
      {"transfer.advection", [](Scene& s) { s.transfer.advection = AdvectionMap::kAffine; },
       transfer(kApic), transfer(kFlip)},
      {"time.cfl_material", [](Scene& s) { s.time.cfl_material = 0.2; },
       integrator(Integrator::kExplicit), integrator(Integrator::kOptimization)},
      {"fluid.viscosity_tolerance", [](Scene& s) { s.fluid.viscosity_tolerance = 0.1; },
       [](Scene& s) {
         s.simulation.integrator = Integrator::kIncompressible;
         s.materials[0].viscosity = 1;
       },
       integrator(Integrator::kIncompressible)},
      {"thermal.force_solve", [](Scene& s) { s.thermal.force_solve.max_iterations = 7; },
       forces(ForceIntegration::kSemiImplicit), forces(ForceIntegration::kExplicit)},
      {"thermal.heat_solve", [](Scene& s) { s.thermal.heat_solve.max_iterations = 7; }, heat(true),
       heat(false)},
      {"thermal.temperature_flip", [](Scene& s) { s.thermal.temperature_flip = 0.5; }, heat(true),
       heat(false)},
      {"output.legend", [](Scene& s) { s.output.legend = Drawn::kAlways; }, none,
       [](Scene& s) { s.output.captions = false; }},
      {"output.follow", [](Scene& s) { s.output.follow = false; }, none, with_camera},
      {"output.look", [](Scene& s) { s.output.look = Look::kParticles; }, none, none, 2},
      {"output.outline", [](Scene& s) { s.output.outline = Drawn::kAlways; }, none, none, 2},
      {"output.glass", [](Scene& s) { s.output.glass = Drawn::kNever; }, none, none, 2},
      {"output.surface_kernel",
       [](Scene& s) { s.output.surface_kernel = SurfaceKernel::kAnisotropic; }, none, none, 2},
      {"output.surface_voxel", [](Scene& s) { s.output.surface_voxel = 1; }, none, none, 2},
      {"output.surface_smoothing", [](Scene& s) { s.output.surface_smoothing = 1; }, none, none, 2},
  };
}

TEST(IdleKeys, AreTold) {
  for (const Case& c : cases()) {
    Scene heard = plain(), idle = plain(c.idle_dimension);
    c.idle(idle);
    EXPECT_EQ(idle_keys(idle), std::vector<std::string>{}) << c.key << " is not said";
    c.says(idle);
    const std::vector<std::string> told = idle_keys(idle);
    ASSERT_EQ(told.size(), 1u) << c.key;
    EXPECT_TRUE(told[0].starts_with(std::string(c.key) + " has no effect: ")) << told[0];
    c.heard(heard);
    c.says(heard);
    EXPECT_EQ(idle_keys(heard), std::vector<std::string>{}) << c.key << " has an effect";
  }
}

TEST(IdleKeys, AreAmongTheWarningsOfAScene) {
  Scene scene = plain(2);
  scene.transfer = {.type = TransferType::kFlip, .blend = 0.95, .modes = 4};
  const std::vector<std::string> warnings = scene_warnings(scene);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0],
            "transfer.modes has no effect: modes are chosen where transfer.type = \"polypic\"");
}

TEST(IdleKeys, StockScenesHaveNone) {
  for (const std::string& name : scene_names()) {
    if (lacks_openvdb(name)) continue;
    EXPECT_EQ(idle_keys(load_stock_scene(name)), std::vector<std::string>{}) << name;
  }
}

}  // namespace
}  // namespace firn::test
