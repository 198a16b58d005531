// Particles of fused steps, or of a liquid, on the CPU, brought into layout after layout. Every
// channel holds numbers made from the particle's id, so that what was lost or mixed up on the way
// shows.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "src/stages/layout.h"
#include "tests/support/sim_scenes.h"
#include "tests/support/step_harness.h"

namespace firn::test {

enum class Finds { kNear, kSorted };  // by counts of neighbours where that is possible, or never

// Three materials with all that fused steps carry: as many coefficients as F has components, so
// that they are its guests.
inline Scene layout_scene(int dimension) {
  Scene scene = empty_scene(dimension, 0.125);
  scene.materials = {snow("a"), snow("b"), snow("c")};
  return scene;
}
// On a ring.
inline Scene ring_scene(int dimension) {
  constexpr double kRing = 8 * 8;  // cells, in the plane
  Scene scene = layout_scene(dimension);
  const double length = scene.grid.dx * (dimension == 2 ? kRing : kRing / 2);
  Domain domain;
  domain.min = {0, -100, -100}, domain.max = {length, 100, 100};
  domain.boundary.fill(BoundaryType::kSlip);
  domain.boundary[0] = domain.boundary[1] = BoundaryType::kPeriodic;
  scene.grid.domain = domain;
  return scene;
}
// On the faces of cells, where no step is fused.
inline Scene liquid_layout_scene(int dimension) {
  Scene scene = layout_scene(dimension);
  scene.simulation.integrator = Integrator::kIncompressible;
  scene.materials = {water("a"), water("b"), water("c")};
  return scene;
}

template <class Exec, int D, class Real>
struct LayoutAlone {
  using Context = StepContext<Exec, D, Real>;
  LayoutAlone(const Scene&, Context& c) : layout(c) {}
  template <class F>
  void for_each_stage(F&& f) {
    f(layout);
  }
  LayoutStage<Exec, D, Real> layout;
};

template <int D, class Real>
class LayoutHarness : public StepHarness<LayoutAlone<Cpu, D, Real>> {
  using Steps = StepHarness<LayoutAlone<Cpu, D, Real>>;
  using Steps::context_, Steps::integrator_, Steps::change_control;

 public:
  using Steps::control;

  explicit LayoutHarness(int threads = 1, const Scene& scene = layout_scene(D))
      : Steps(scene, threads, kBlocks), dx_(context_.params.dx) {}

  std::uint32_t materials() const { return context_.params.limits.materials; }
  std::uint32_t capacity() const { return context_.particles.capacity(); }

  // `n` particles of one material at random places of the box [low, high), in cells.
  void add(std::uint32_t n, std::uint32_t material, double low, double high) {
    ParticleBatch batch;
    batch.material = material;
    std::uniform_real_distribution<double> place(low * dx_, high * dx_);
    for (std::uint32_t i = 0; i < n; ++i) batch.position.push_back({place(random_), 0, 0});
    for (Vec3& x : batch.position)
      for (int a = 1; a < D; ++a) x[static_cast<std::size_t>(a)] = place(random_);
    batch.velocity.assign(n, Vec3{});
    reserve(control().n_chunks + (n + kLanes - 1) / kLanes + kBlocks);
    change_control([&](StepControl& c) {
      c.n_chunks +=
          context_.particles.append(batch, c.n_particles, chunks_of(c), MaterialParams<Real>{});
      c.n_slots = c.n_chunks * kLanes;
      c.n_particles += n;
    });
    for (int channel = kV; channel < kParticleChannels; ++channel) stamp(channel);
  }
  void reserve(std::uint32_t chunks) {
    change_control([&](StepControl& c) { context_.particles.reserve(chunks, c.first_chunk); });
  }

  // Moves every particle at random by up to so many cells, the one with id `far` by more.
  void move(double cells, std::int64_t far = -1) {
    const ChunkSpan at = chunks_of(control());
    const auto ids = context_.particles.ids(at);
    auto x = context_.particles.download(kX, at);
    std::uniform_real_distribution<double> step(-cells * dx_, cells * dx_);
    std::vector<double> moved(std::size_t{control().n_particles} * D);
    for (double& d : moved) d = step(random_);
    for_each_particle([&](std::uint32_t slot) {
      for (int a = 0; a < D; ++a) {
        Real& here = channel_at(x.data(), slot, D, a);
        here = static_cast<Real>(here +
                                 moved[std::size_t{ids[slot]} * D + static_cast<std::size_t>(a)]);
        if (ids[slot] == far) here += static_cast<Real>(20 * dx_);
      }
    });
    context_.particles.upload_raw(kX, at, x);
  }

  // A step in which particles might leave the reach of their tiles. `clean`: between fused steps,
  // when v, coefficients and stress are on the grid.
  void layout(Finds finds, bool clean) {
    follow(clean, 1);
    if (finds == Finds::kSorted) change_control([](StepControl& c) { c.placed_chunks = 0; });
    integrator_.layout.enqueue();
  }
  // A fused step that leaves the layout as it is, on a device that cannot leave out the launches of
  // one: each of them has to find out that it has nothing to do.
  void stay() {
    follow(true, 0);
    integrator_.layout.enqueue();
    integrator_.layout.find();
    integrator_.layout.permute();
  }

  // What the last layout made: the chunks with their blocks, and the ids in them.
  std::vector<std::uint32_t> ids() const {
    const auto ids = context_.particles.ids(chunks_of(control()));
    std::vector<std::uint32_t> list;
    for_each_particle([&](std::uint32_t slot) { list.push_back(ids[slot]); });
    return list;
  }
  std::vector<std::uint32_t> chunk_table() const {
    std::vector<std::uint32_t> table;
    for (const Chunk& c : context_.particles.chunks(chunks_of(control())))
      table.insert(table.end(), {c.block, c.material, c.count, c.source});
    return table;
  }
  std::vector<Real> positions() const {
    const auto x = context_.particles.download(kX, chunks_of(control()));
    std::vector<Real> list;
    for_each_particle([&](std::uint32_t slot) {
      for (int a = 0; a < D; ++a) list.push_back(channel_at(x.data(), slot, D, a));
    });
    return list;
  }
  // Particles whose numbers in a channel are not their own.
  int strangers(ParticleChannel channel) const {
    const ChunkSpan at = chunks_of(control());
    const auto ids = context_.particles.ids(at);
    const auto rows = context_.particles.download(channel, at);
    const int n = context_.particles.components(channel);
    int wrong = 0;
    for_each_particle([&](std::uint32_t slot) {
      bool own = true;
      for (int k = 0; k < n; ++k)
        own = own && channel_at(rows.data(), slot, n, k) == stamp_of(ids[slot], channel, k);
      wrong += own ? 0 : 1;
    });
    return wrong;
  }
  bool is_idle(ParticleChannel channel) const { return context_.particles.is_idle(channel); }
  bool has(ParticleChannel channel) const { return context_.particles.has(channel); }
  // As a step that is not fused with the next stores v, coefficients and stresses.
  void stamp_idle() {
    for (int channel = kV; channel < kParticleChannels; ++channel)
      if (is_idle(static_cast<ParticleChannel>(channel))) stamp(channel);
  }

 private:
  static constexpr std::uint32_t kBlocks = 4096;

  // As after a step that was fused with this one or not, and left particles so far from home.
  void follow(bool fused, double overshoot) {
    change_control([&](StepControl& c) {
      c.carried = fused ? 1 : 0;
      c.grid_saved = c.late = 0;
      c.overshoot = overshoot;
      c.speed_squared = 0;
    });
  }
  static Real stamp_of(std::uint32_t id, int channel, int k) {
    return static_cast<Real>(id % 100000 + 0.125 * channel + k * 0.0078125);
  }
  void stamp(int channel) {
    const auto c = static_cast<ParticleChannel>(channel);
    if (!has(c)) return;
    const ChunkSpan at = chunks_of(control());
    const auto ids = context_.particles.ids(at);
    const int n = context_.particles.components(c);
    std::vector<Real> rows(ids.size() * static_cast<std::size_t>(n));
    for (std::uint32_t slot = 0; slot < ids.size(); ++slot)
      for (int k = 0; k < n; ++k)
        channel_at(rows.data(), slot, n, k) = stamp_of(ids[slot], channel, k);
    context_.particles.upload_raw(c, at, rows);
  }
  template <class F>
  void for_each_particle(F&& f) const {
    const auto chunks = context_.particles.chunks(chunks_of(control()));
    for (std::uint32_t c = 0; c < chunks.size(); ++c)
      for (std::uint32_t lane = 0; lane < chunks[c].count; ++lane) f(c * kLanes + lane);
  }

  double dx_;
  std::mt19937 random_{7};
};

}  // namespace firn::test
