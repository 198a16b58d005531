// The orderings that the papers' figures show, measured on the scene files themselves: which
// transfer keeps more energy or angular momentum. Only orders and clear factors are asserted; the
// papers print no numbers to compare with.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "firn/scene_file.h"
#include "firn/simulation.h"

namespace firn {
namespace {

struct Outcome {
  Totals start, end;
  double kept() const {  // share of the total energy of the start; these scenes have no gravity
    return (end.kinetic + end.elastic) / (start.kinetic + start.elastic);
  }
  double spin_kept() const { return end.angular_momentum[2] / start.angular_momentum[2]; }
};

Outcome run(const std::string& name, const std::vector<std::string>& overrides) {
  const Scene scene =
      load_scene(std::string(FIRN_SOURCE_DIR) + "/scenes/" + name + ".toml", {"", overrides});
  Simulation simulation(
      scene, {Device::kCpu, 1});  // a thousand particles: threads would wait on each other
  Outcome outcome{simulation.totals(), {}};
  for (int frame = 0; frame < scene.simulation.frames; ++frame) simulation.advance_frame();
  outcome.end = simulation.totals();
  return outcome;
}

Outcome run_transfer(const std::string& name, const std::string& type) {
  return run(name, {"transfer.type=" + type});
}

Outcome run_modes(const std::string& name, int modes) {
  return run(name, {"transfer.type=polypic", "transfer.modes=" + std::to_string(modes)});
}

// [APIC fig. 13, 14]: PIC and RPIC cannot carry the stretching motion, APIC can, FLIP loses least;
// nothing gains.
TEST(Ordering, OscillatingCircleKeepsEnergyByTransfer) {
  const double pic = run_transfer("oscillating-circle", "pic").kept();
  const double rpic = run_transfer("oscillating-circle", "rpic").kept();
  const double apic = run_transfer("oscillating-circle", "apic").kept();
  const double flip = run_transfer("oscillating-circle", "flip").kept();
  EXPECT_LT(pic, rpic);
  EXPECT_LT(rpic, 0.5 * apic);
  EXPECT_LT(apic, flip);
  EXPECT_LT(flip, 1.0);
}

// [PolyPIC fig. 10]: every symmetric set of modes keeps more of the total energy than the one
// before. The full set is lossless and may even gain a little where particles leave the surface
// nodes, so only its place is asserted.
TEST(Ordering, ElasticSquareKeepsEnergyByModes) {
  double before = 0;
  for (const int modes : {3, 4, 6, 8, 9}) {
    const double kept = run_modes("elastic-square", modes).kept();
    EXPECT_GT(kept, before) << modes << " modes";
    before = kept;
  }
}

// [APIC fig. 4, 9, 13a]: in single precision a sum of n steps of round-off bounds what RPIC and
// APIC may lose; PIC must lose nearly all, FLIP a visible part.
TEST(Ordering, RotatingDiscKeepsSpinByTransfer) {
  constexpr double kFrames = 24;
  const auto spin = [](const std::string& type) {
    return run("rotating-disc", {"transfer.type=" + type, "grid.dx=0.03125",
                                 "simulation.frames=" + std::to_string(static_cast<int>(kFrames))})
        .spin_kept();
  };
  constexpr double kSteps = kFrames / 24 / 1e-3;  // at most about dt_max
  constexpr double kRoundOff = kSteps * 1.2e-7;   // one unit in the last place per step
  const double pic = spin("pic"), flip = spin("flip"), rpic = spin("rpic"), apic = spin("apic");
  EXPECT_LT(pic, 0.05);
  EXPECT_LT(pic, flip);
  EXPECT_GT(std::abs(flip - 1), 10 * kRoundOff);
  EXPECT_NEAR(rpic, 1, kRoundOff);
  EXPECT_NEAR(apic, 1, kRoundOff);
}

// The rim with four times the particles and mass must not change that [APIC fig. 9].
TEST(Ordering, RotatingDiscWithARimKeepsItsSpin) {
  const double kept =
      run("rotating-disc-rim", {"transfer.type=apic", "grid.dx=0.03125", "simulation.frames=24"})
          .spin_kept();
  EXPECT_NEAR(kept, 1, 1000 * 1.2e-7);
}

// Velocities that sum to zero at the nodes: FLIP keeps their energy, APIC drops it in the first
// step [APIC fig. 4].
TEST(Ordering, RingingStaysWithFlipOnly) {
  const auto kinetic_kept = [](const std::string& type) {
    const Outcome outcome = run_transfer("ringing", type);
    return outcome.end.kinetic / outcome.start.kinetic;
  };
  EXPECT_GT(kinetic_kept("flip"), 0.8);
  EXPECT_LT(kinetic_kept("apic"), 0.05);
}

}  // namespace
}  // namespace firn
