#include "src/app/bench_baseline.h"

#include <algorithm>
#include <array>

#include "bench/baseline/baseline.h"
#include "firn/simulation.h"

namespace firn::app {
namespace {

constexpr int kBaselineSteps = 10;  // it may be many times slower

bool does_the_same(const BlockCase& block, const Options& options) {
  return block.dimension == 3 && options.material.empty() &&
         block.transfer == TransferType::kApic && block.kernel == 2 &&
         block.precision == Precision::kSingle && block.motion == Motion::kSettled;
}

baseline::Parameters parameters_of(const Scene& scene, double volume) {
  const Material& m = scene.materials[0];
  baseline::Parameters p;
  p.dx = scene.grid.dx;
  p.volume = volume;
  p.density = m.density, p.youngs_modulus = m.youngs_modulus, p.poisson_ratio = m.poisson_ratio;
  p.gravity = -scene.simulation.gravity[1];
  p.floor = scene.colliders[0].shape.point[1];
  return p;
}

}  // namespace

std::optional<BaselineRate> measure_baseline(const BlockCase& block, const Scene& scene,
                                             const Options& options, bool on_cuda, int threads) {
  if (!does_the_same(block, options)) return std::nullopt;
  RunOptions start = options.run;
  start.device = Device::kCpu;
  const Snapshot first = Simulation(scene, start).snapshot();
  const baseline::Parameters p = parameters_of(scene, static_cast<double>(first.volume[0]));
  const auto rate = [](const baseline::Figures& f) {
    return static_cast<double>(f.particles) / f.seconds_per_step;
  };
#if defined(FIRN_WITH_CUDA)
  if (on_cuda)
    return BaselineRate{rate(baseline::measure_cuda(p, first.position, kBaselineSteps)), 0};
#endif
  if (on_cuda) return std::nullopt;
  BaselineRate best;
  for (const int n : {1, threads}) {
    if (n == best.threads) continue;
    const double now = rate(baseline::measure_cpu(p, first.position, kBaselineSteps, n));
    if (now > best.per_second) best = {now, n};
  }
  return best;
}

}  // namespace firn::app
