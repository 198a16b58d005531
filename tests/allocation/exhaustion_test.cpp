// Whichever allocation fails, the run ends with one error of the device, and all that it held is
// given back. Every one is made to fail in turn: by itself, and with all that come after it, so
// that not even the text of a message can be had.
#include <gtest/gtest.h>

#include <cstdint>
#include <new>
#include <string>
#include <vector>

#include "firn/error.h"
#include "kernels/exec/backend.h"
#include "tests/allocation/counted_allocations.h"
#include "tests/support/fluid_scenes.h"
#include "tests/support/thermal_scenes.h"

namespace firn::test {
namespace {

void use(const Scene& scene) {
  Simulation simulation = simulate(scene);
  simulation.advance_steps(2);
  (void)simulation.save_state();
  (void)simulation.snapshot();
}

// What ends a run of which the n-th allocation fails; whether there is such a one, to `reached`.
std::string end_of_run(const Scene& scene, long n, bool lasting, bool& reached) {
  refuse_allocations(n, lasting);
  try {
    use(scene);
  } catch (const Error& e) {
    reached = allow_allocations();
    return e.category() == ErrorCategory::kDevice ? e.what() : "another category";
  } catch (...) {
    reached = allow_allocations();
    return "another exception";
  }
  reached = allow_allocations();
  return "no error";
}

// Some allocations are made once and kept, as static objects are: the first run makes them.
void expect_errors(const Scene& scene, long stride) {
  use(scene);
  for (bool lasting : {false, true}) {
    long failed = 0;
    for (long n = 0;; n += stride) {
      SCOPED_TRACE(testing::Message() << "allocation " << n << (lasting ? " and all later" : ""));
      const std::int64_t before = bytes_in_use();
      bool reached = false;
      {
        const std::string end = end_of_run(scene, n, lasting, reached);
        if (!reached) break;
        ASSERT_NE(end.find("out of memory"), std::string::npos) << end;
      }
      ASSERT_EQ(bytes_in_use(), before);
      ++failed;
    }
    EXPECT_GT(failed, 20);
  }
}

// The backend takes large buffers from the system, not from the heap.
TEST(Exhaustion, OfALargeBuffer) {
  Cpu exec(1);
  for (bool lasting : {false, true}) {
    bool refused = false;
    refuse_allocations(0, lasting);
    try {
      exec.release(exec.allocate(std::size_t{64} << 20));
    } catch (const Error& e) {
      refused = e.category() == ErrorCategory::kDevice;
    } catch (const std::bad_alloc&) {  // no room for its text
      refused = lasting;
    }
    EXPECT_TRUE(allow_allocations());
    EXPECT_TRUE(refused);
  }
}

TEST(Exhaustion, OfAnExplicitRun) {
  Scene scene = empty_scene(2, 0.02);
  scene.materials = {elastic("jelly")};
  scene.bodies = {body("cube", 0, box({0, 0, 0}, {0.4, 0.4, 0.4}))};
  expect_errors(scene, 1);
}

TEST(Exhaustion, OfARunWithSourcesBodiesAndMaterials) {
  expect_errors(busy_scene(3, Precision::kSingle), 11);
}

TEST(Exhaustion, OfAnIncompressibleRun) {
  expect_errors(busy_liquid_scene(2, Precision::kSingle), 3);
}

TEST(Exhaustion, OfAThermalRun) {
  Scene scene = thermal_scene(2, 0.05);
  scene.thermal.forces = ForceIntegration::kSemiImplicit;
  scene.materials = {solid("foam", 1e4, 1e5)};
  scene.bodies = {body("block", 0, box({0, 0, 0}, {0.5, 0.5, 0.4}))};
  scene.bodies[0].temperature.constant = 300;
  expect_errors(scene, 3);
}

// A cloud that needs more and more room, of which one allocation fails: whoever tries again is
// told that the state is lost, unless nothing of it was.
TEST(Exhaustion, WhatLackedRoomIsNotGoneOnWith) {
  Scene scene = empty_scene(2, 0.05);
  scene.simulation.gravity = {};
  scene.materials = {elastic("gas", MaterialModel::kFixedCorotated, 1)};
  scene.bodies = {body("bomb", 0, sphere({0, 0, 0}, 0.3))};
  scene.bodies[0].velocity.component[0] = {0, "50*x"};
  scene.bodies[0].velocity.component[1] = {0, "50*y"};
  long lost = 0;
  for (long n = 0;; ++n) {
    SCOPED_TRACE(testing::Message() << "allocation " << n);
    Simulation simulation = simulate(scene);
    bool failed = false;
    refuse_allocations(n, false);
    try {
      simulation.advance_steps(200);
    } catch (const Error&) {
      failed = true;
    }
    const bool reached = allow_allocations();
    if (!reached) break;
    if (!failed) continue;
    try {
      simulation.advance_steps(5);
      (void)simulation.save_state();
    } catch (const Error& e) {
      ASSERT_EQ(e.category(), ErrorCategory::kDevice) << e.what();
      ++lost;
      EXPECT_NE(std::string(e.what()).find("its state is lost"), std::string::npos) << e.what();
      EXPECT_THROW(simulation.totals(), Error);
      EXPECT_THROW(simulation.save_state(), Error);
    }
  }
  EXPECT_GT(lost, 3);
}

// Particles that are added or removed while memory runs out: all of it has happened, or nothing, or
// whoever asks is told that the state is lost.
TEST(Exhaustion, OfAddedAndRemovedParticles) {
  Scene scene = empty_scene(2, 0.05);
  scene.materials = {elastic("jelly")};
  scene.bodies = {body("block", 0, box({0, 0, 0}, {0.4, 0.4, 0}))};
  NewParticles more;
  for (int i = 0; i < 40; ++i) more.position.push_back({0.01 * i, 1, 0});
  more.material = "jelly";
  for (const bool adds : {true, false}) {
    long lost = 0;
    for (long n = 0;; ++n) {
      SCOPED_TRACE(testing::Message() << (adds ? "add" : "remove") << ", allocation " << n);
      Simulation simulation = simulate(scene);
      const Snapshot before = simulation.snapshot();
      const std::vector<std::uint32_t> some(before.id.begin(), before.id.begin() + 40);
      bool failed = false;
      refuse_allocations(n, false);
      try {
        if (adds)
          simulation.add_particles(more);
        else
          simulation.remove_particles(some);
      } catch (const Error&) {
        failed = true;
      }
      if (!allow_allocations()) break;
      if (!failed) continue;
      try {
        const Snapshot after = simulation.snapshot();
        ASSERT_EQ(after.id, before.id);
        ASSERT_EQ(after.position, before.position);
        if (adds) {
          EXPECT_EQ(simulation.add_particles(more).front(), before.size());
        }
      } catch (const Error& e) {
        ++lost;
        EXPECT_NE(std::string(e.what()).find("means nothing any more"), std::string::npos)
            << e.what();
      }
    }
    EXPECT_GT(lost, 3);
  }
}

}  // namespace
}  // namespace firn::test
