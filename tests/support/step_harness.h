// The stages of an integrator on one backend, called by a test instead of by the loop over steps:
// particles come in and out by id, the control block and the grid are open to it.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "kernels/mac/mac_grid.h"
#include "src/state/step_context.h"
#include "tests/support/harness_particle.h"

namespace firn::test {

template <class Integrator>
class StepHarness {
 public:
  using Context = typename Integrator::Context;
  using Exec = typename Context::Backend;
  using Real = typename Context::Number;
  static constexpr int D = Context::kDimension;
  using Particle = HarnessParticle<D>;

  explicit StepHarness(const Scene& scene, int threads = 1, std::uint32_t blocks = 1024)
      : context_(scene, std::make_unique<Exec>(Exec::kIsCuda ? 0 : threads)),
        integrator_(scene, context_) {
    context_.grid.reserve(blocks);
    context_.bodies.reserve(blocks);
    integrator_.for_each_stage([&](auto& stage) { stage.reserve_blocks(blocks); });
  }

  // In the layout of the first step.
  void set_particles(const std::vector<Particle>& particles) {
    place(particles);
    integrator_.layout.enqueue();
  }

  // The step of the next forces and moves, and the one that made the coefficients.
  void set_dt(double dt, double previous) {
    change_control([&](StepControl& c) { c.dt = dt, c.previous_dt = previous; });
  }
  StepControl control() const { return context_.read(); }

  // By id.
  std::vector<Particle> particles() const {
    const auto& store = context_.particles;
    const ChunkSpan present = chunks_of(control());
    const auto chunks = store.chunks(present);
    const auto ids = store.ids(present);
    const auto x = store.download(kX, present), v = store.download(kV, present);
    const auto mass = store.download(kMass, present),
               modes = store.download(kCoefficients, present);
    const int stored = store.components(kCoefficients) / D;
    std::vector<Particle> out(control().n_particles);
    for (std::uint32_t slot = 0; slot < ids.size(); ++slot) {
      if (slot % kLanes >= chunks[slot / kLanes].count) continue;
      Particle& p = out.at(ids[slot]);
      p.mass = mass[slot];
      p.material = chunks[slot / kLanes].material;
      for (int a = 0; a < D; ++a) {
        p.x[a] = channel_at(x.data(), slot, D, a);
        p.v[a] = channel_at(v.data(), slot, D, a);
        for (int r = 0; r < stored; ++r)
          p.modes[static_cast<std::size_t>(r)][a] =
              channel_at(modes.data(), slot, stored * D, r * D + a);
      }
    }
    return out;
  }

  // The engine's own sums over the particles, modes included.
  Sums particle_sums() {
    Totals t;
    integrator_.sums.add_to(t);
    return {t.mass, t.kinetic, t.momentum, t.angular_momentum};
  }

 protected:
  template <class F>
  void change_control(F&& f) {
    StepControl c = control();
    f(c);
    context_.write(c);
  }
  // `per_cell` values of each cell, node or face of a channel.
  template <class T>
  std::vector<T> download(const T* channel, int per_cell) const {
    std::vector<T> raw(std::size_t{control().n_blocks} * kCells *
                       static_cast<std::size_t>(per_cell));
    if (!raw.empty()) context_.exec.download(raw.data(), channel, raw.size() * sizeof(T));
    return raw;
  }
  template <class T>
  void upload(T* channel, const std::vector<T>& raw) {
    context_.exec.upload(channel, raw.data(), raw.size() * sizeof(T));
  }
  // f(index, cell) for all nodes or cells of the grid.
  template <class F>
  void for_each_cell(F&& f) {
    std::vector<std::uint64_t> keys(control().n_blocks);
    if (!keys.empty())
      context_.exec.download(keys.data(), context_.grid.view().keys, keys.size() * sizeof(keys[0]));
    for (std::size_t block = 0; block < keys.size(); ++block) {
      Vec<int, D> origin = block_of_key<D>(keys[block]);
      for (int a = 0; a < D; ++a) origin[a] *= BlockTraits<D>::kSide;
      for (std::size_t i = 0; i < kCells; ++i)
        f(block * kCells + i, origin + local_of_node<D>(static_cast<int>(i)));
    }
  }
  // Where the lower face of a cell lies, and its place among all faces.
  Vec<double, D> face_position(const Vec<int, D>& cell, int axis) const {
    Vec<double, D> x;
    for (int a = 0; a < D; ++a) x[a] = context_.params.dx * (cell[a] + (a == axis ? 0.0 : 0.5));
    return x;
  }
  static std::size_t face_at(std::size_t cell, int axis) {
    return face_index<D>(static_cast<std::uint32_t>(cell / kCells), axis,
                         static_cast<std::uint32_t>(cell % kCells));
  }

  static constexpr std::size_t kCells = BlockTraits<D>::kNodes;
  Context context_;
  Integrator integrator_;

 private:
  // Into chunks of the first block, one material after the other; the layout sends them home.
  void place(const std::vector<Particle>& particles) {
    const auto n = static_cast<std::uint32_t>(particles.size());
    auto& store = context_.particles;
    StepControl c = control();
    // Every chunk may open one more: no more blocks than particles can be occupied.
    store.reserve(n / kLanes + n + context_.params.limits.materials, c.first_chunk);
    integrator_.for_each_stage([&](auto& stage) { stage.reserve_chunks(store.capacity()); });
    std::vector<std::uint32_t> slots;  // by id
    std::uint32_t chunks = 0;
    for (std::uint32_t begin = 0, end; begin < n; begin = end) {
      for (end = begin; end < n && particles[end].material == particles[begin].material; ++end)
        slots.push_back(chunks * kLanes + end - begin);
      const std::span<const Particle> run(&particles[begin], end - begin);
      chunks += store.append(batch_of(run), begin, {0, chunks}, MaterialParams<Real>{});
    }
    c.n_chunks = chunks;
    c.n_slots = chunks * kLanes;
    c.n_particles = n;
    context_.write(c);
    const auto fill = [&](ParticleChannel channel, auto&& value) {
      const int k = store.components(channel);
      std::vector<Real> rows(std::size_t{chunks} * kLanes * static_cast<std::size_t>(k));
      for (std::uint32_t i = 0; i < n; ++i)
        for (int j = 0; j < k; ++j)
          channel_at(rows.data(), slots[i], k, j) = static_cast<Real>(value(particles[i], j));
      if (k > 0) store.upload_raw(channel, {0, chunks}, rows);
    };
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    fill(kMass, [](const Particle& p, int) { return p.mass; });
    fill(kVolume, [](const Particle& p, int) { return p.volume; });
    fill(kStress, [&](const Particle& p, int k) { return p.stress[at(k)]; });
    fill(kCoefficients, [&](const Particle& p, int k) { return p.modes[at(k / D)][k % D]; });
    fill(kDisplacement,
         [](const Particle& p, int k) { return p.F(k / D, k % D) - (k % (D + 1) == 0 ? 1 : 0); });
    fill(kHeat, [](const Particle& p, int k) {
      if (k == kHeatLogVolume) return std::log(determinant(p.F));
      return k == 1 && p.liquid ? 1.0 : 0.0;
    });
  }
  static ParticleBatch batch_of(std::span<const Particle> particles) {
    ParticleBatch batch;
    batch.material = particles.front().material;
    for (const Particle& p : particles) {
      Vec3 x{}, v{};
      for (int a = 0; a < D; ++a) {
        x[static_cast<std::size_t>(a)] = p.x[a];
        v[static_cast<std::size_t>(a)] = p.v[a];
      }
      batch.position.push_back(x);
      batch.velocity.push_back(v);
    }
    return batch;
  }
};

}  // namespace firn::test
