// What has no state any more says so, and a state that does not fit takes nothing away.
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/expect_error.h"
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
