// What has no state any more says so, and a state that does not fit takes nothing away.
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>

#include "tests/support/expect_error.h"
#include "tests/support/fluid_scenes.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

Scene jelly_scene(TransferType transfer = TransferType::kApic) {
  Scene scene = empty_scene(2, 0.05);
  scene.transfer.type = transfer;
  scene.materials = {elastic("jelly")};
  scene.bodies = {body("block", 0, box({0, 0, 0}, {0.3, 0.3, 0}))};
  return scene;
}

TEST(StateGuard, AStateOfOtherParticlesChangesNothing) {
  Simulation simulation = simulate(jelly_scene());
  simulation.advance_frame();
  const std::vector<std::byte> before = simulation.save_state();
  Scene with_a_body = jelly_scene(), coarse = jelly_scene();
  with_a_body.colliders = {collider("ground", ground(-1), BoundaryType::kSticky)};
  coarse.grid.dx = 0.1;
  for (const Scene& other : {jelly_scene(TransferType::kPolypic), with_a_body, coarse}) {
    Simulation foreign = simulate(other);
    EXPECT_THROW(simulation.load_state(foreign.save_state()), Error);
    EXPECT_EQ(simulation.save_state(), before);
  }
  std::vector<std::byte> cut(before.begin(), before.begin() + 2000);
  EXPECT_THROW(simulation.load_state(cut), Error);
  EXPECT_EQ(simulation.save_state(), before);
  EXPECT_TRUE(simulation.advance_frame());
}

// What only looks like a state of this scene is refused by name, before anything has changed.
TEST(StateGuard, AStateOfAnotherKindOfSceneChangesNothing) {
  Simulation simulation = simulate(jelly_scene());
  simulation.advance_frame();
  const std::vector<std::byte> before = simulation.save_state();
  std::map<std::string, Scene> others;
  const auto with = [&](const std::string& word, auto&& change) {
    Scene scene = jelly_scene();
    change(scene);
    others[word] = scene;
  };
  with("integrator", [](Scene& s) { s.simulation.integrator = Integrator::kOptimization; });
  with("transfer.kernel", [](Scene& s) { s.transfer.kernel = 3; });
  with("materials", [](Scene& s) { s.materials[0].model = MaterialModel::kNeoHookean; });
  // Particles keep their mass, whatever the steps are told that it is.
  with("density 2000", [](Scene& s) { s.materials[0].density *= 2; });
  with("output.diagnostics", [](Scene& s) { s.output.diagnostics = DiagnosticsLevel::kOff; });
  with("grid.domain", [](Scene& s) { s.grid.domain = closed_box({-5, -5, -5}, {5, 5, 5}); });
  for (const auto& [word, scene] : others) {
    SCOPED_TRACE(word);
    const auto foreign = simulate(scene).save_state();
    expect_error(ErrorCategory::kFile, {"another kind of scene", word},
                 [&] { simulation.load_state(foreign); });
    EXPECT_EQ(simulation.save_state(), before);
  }
  // What a study varies may differ.
  Scene stiffer = jelly_scene();
  stiffer.materials[0].youngs_modulus *= 2;
  Simulation study = simulate(stiffer);
  study.load_state(before);
  EXPECT_TRUE(study.advance_frame());
}

// 192 of 200 states with one bit flipped were taken for good ones.
TEST(StateGuard, DamagedStatesChangeNothing) {
  Simulation simulation = simulate(jelly_scene());
  simulation.advance_frame();
  const std::vector<std::byte> before = simulation.save_state();
  for (std::size_t i = 0; i < 200; ++i) {
    std::vector<std::byte> damaged = before;
    damaged[i * (before.size() - 1) / 199] ^= std::byte{1} << (i % 8);
    expect_error(ErrorCategory::kFile, {"the saved state"},
                 [&] { simulation.load_state(damaged); });
  }
  for (std::size_t size : {std::size_t{0}, std::size_t{19}, before.size() / 2, before.size() - 1}) {
    const std::vector<std::byte> cut(before.begin(), before.begin() + static_cast<long>(size));
    expect_error(ErrorCategory::kFile, {"cut short"}, [&] { simulation.load_state(cut); });
  }
  EXPECT_EQ(simulation.save_state(), before);
}

TEST(StateGuard, NothingIsSavedWithinAStep) {
  Simulation simulation = simulate(jelly_scene());
  int asked = 0;
  simulation.set_force([&](const ForceStep&) {
    ++asked;
    expect_error(ErrorCategory::kScene, {"save_state", "half way through a step"},
                 [&] { static_cast<void>(simulation.save_state()); });
  });
  simulation.advance_steps(2);
  EXPECT_EQ(asked, 2);
  simulation.load_state(simulation.save_state());
}

// A force that fails leaves particles half way through a step.
TEST(StateGuard, RefusesWhatIsHalfDoneUntilAStateIsLoaded) {
  Simulation simulation = simulate(jelly_scene());
  const std::vector<std::byte> start = simulation.save_state();
  simulation.set_force([](const ForceStep&) { throw std::runtime_error("no"); });
  EXPECT_THROW(simulation.advance_frame(), std::runtime_error);
  simulation.set_force({});
  const auto refused = [&](auto&& action) {
    expect_error(ErrorCategory::kScene, {"means nothing any more", "a force failed within a step"},
                 action);
  };
  refused([&] { simulation.advance_frame(); });
  refused([&] { simulation.advance_steps(1); });
  refused([&] { static_cast<void>(simulation.snapshot()); });
  refused([&] { static_cast<void>(simulation.totals()); });
  refused([&] { static_cast<void>(simulation.save_state()); });
  refused([&] { static_cast<void>(simulation.field<double>("position")); });
  refused([&] { simulation.remove_particles(std::vector<std::uint32_t>{0}); });
  EXPECT_EQ(simulation.stats().frame, 0);
  simulation.load_state(start);
  EXPECT_EQ(simulation.save_state(), start);
  EXPECT_TRUE(simulation.advance_frame());
}

}  // namespace
}  // namespace firn::test
