#include "src/measure/sort_bench.h"

#include <chrono>
#include <limits>
#include <numeric>
#include <random>

#include "kernels/exec/buffer.h"
#include "src/run/on_device.h"
#include "src/run/with_precision.h"
#include "src/state/batch.h"
#include "src/state/capacity.h"
#include "src/state/grid_store.h"
#include "src/state/particle_store.h"
#include "src/state/scene_params.h"

namespace firn {

namespace {

constexpr int kRuns = 4;  // the first one finds the capacities

ParticleBatch shuffled(ParticleBatch batch) {
  std::mt19937_64 random(1);
  for (std::size_t i = batch.position.size(); i > 1; --i) {
    const std::size_t j = random() % i;
    std::swap(batch.position[i - 1], batch.position[j]);
    std::swap(batch.velocity[i - 1], batch.velocity[j]);
  }
  batch.gradient.clear();
  return batch;
}

// Particles and grid alone, without a stepper around them.
template <class Real, class Exec>
class ShuffledRebuild {
 public:
  ShuffledRebuild(Exec& exec, const Scene& scene)
      : exec_(exec),
        params_(scene),
        batch_(shuffled(fill_body(scene, 0))),
        particles_(exec, channel_needs(scene)),
        grid_(exec, scene.grid.dx, {}, 1, 1, false),
        control_(exec, 1) {}

  double fastest() {
    const auto n = static_cast<std::uint32_t>(batch_.position.size());
    reserve_chunks(chunks_after_append(0, (n + kLanes - 1) / kLanes));
    grid_.reserve(initial_blocks(n));
    double fastest = std::numeric_limits<double>::infinity();
    for (int run = 0; run < kRuns; ++run) {
      double seconds = rebuild();
      while (grew()) seconds = rebuild();
      fastest = std::min(fastest, seconds);
    }
    return fastest;
  }

 private:
  double rebuild() {
    StepControl c{};
    c.fault = ~std::uint64_t{0};
    c.n_chunks = particles_.append(batch_, 0, {}, params_.materials[batch_.material]);
    c.n_slots = c.n_chunks * kLanes;
    c.n_particles = static_cast<std::uint32_t>(batch_.position.size());
    control_.upload(std::span<const StepControl>(&c, 1));
    RebuildView scratch;
    particles_.fill(scratch);
    grid_.fill(scratch);
    exec_.synchronize();
    const auto start = std::chrono::steady_clock::now();
    rebuild_layout<Exec, 3, Real>(exec_, home_shift<Real>(params_.transfer), {}, particles_.view(),
                                  grid_.view(), scratch, control_.data());
    particles_.permute_in_place(scratch, control_.data());
    exec_.synchronize();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  bool grew() {
    const StepControl c = control_.first();
    if ((c.stop & kStopOverflow) == 0) return false;
    reserve_chunks(with_room(c.needed_chunks));
    grid_.reserve(std::max(with_room(c.needed_blocks), 2 * grid_.capacity()));
    return true;
  }

  void reserve_chunks(std::uint32_t chunks) {
    std::uint32_t first = 0;
    particles_.reserve(chunks, first);
  }

  Exec& exec_;
  SceneParams<3, Real> params_;
  ParticleBatch batch_;
  ParticleStore<Exec, 3, Real> particles_;
  GridStore<Exec, 3, Real> grid_;
  Buffer<Exec, StepControl> control_;
};

}  // namespace

double bench_shuffled_rebuild(const Scene& scene, const RunOptions& options) {
  return on_device(options, [&](auto& exec) {
    using Exec = std::remove_reference_t<decltype(exec)>;
    return with_precision(scene.simulation.precision, [&](auto zero) {
      return ShuffledRebuild<decltype(zero), Exec>(exec, scene).fastest();
    });
  });
}

}  // namespace firn
