// Particles of fused steps on one backend, brought into layout after layout. Every channel holds
// numbers made from the particle's id, so that what was lost or mixed up on the way shows.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "kernels/grid/rebuild.h"
#include "kernels/step/step.h"
#include "kernels/transfer/tile.h"
#include "src/state/grid_store.h"
#include "src/state/particle_store.h"

namespace firn::test {

enum class Finds { kNear, kSorted };  // by counts of neighbours where that is possible, or never

template <class Exec, int D, class Real>
class LayoutHarness {
 public:
  static constexpr std::uint32_t kBlocks = 4096, kMaterials = 3;
  static constexpr int kRing = 8;  // blocks, along axis 0 of a periodic grid

  LayoutHarness(Exec& exec, const ChannelNeeds& needs, bool periodic = false)
      : exec_(exec),
        particles_(exec, needs),
        grid_(exec, kDx, ring(periodic), kMaterials, 1, false, wide_parities(2, D)),
        control_(exec, 1) {
    grid_.reserve(kBlocks);
    StepControl c{};
    c.fault = ~std::uint64_t{0};
    write(c);
  }

  StepControl control() const { return control_.first(); }
  std::uint32_t capacity() const { return particles_.capacity(); }
  std::size_t bytes() const { return particles_.bytes(); }

  // `n` particles of one material at random places of the box [low, high), in cells.
  void add(std::uint32_t n, std::uint32_t material, double low, double high) {
    ParticleBatch batch;
    batch.material = material;
    std::uniform_real_distribution<double> place(low * kDx, high * kDx);
    for (std::uint32_t i = 0; i < n; ++i) batch.position.push_back({place(random_), 0, 0});
    for (Vec3& x : batch.position)
      for (int a = 1; a < D; ++a) x[static_cast<std::size_t>(a)] = place(random_);
    batch.velocity.assign(n, Vec3{});
    StepControl c = control();
    particles_.reserve(c.n_chunks + (n + kLanes - 1) / kLanes + kBlocks, c.first_chunk);
    c.n_chunks += particles_.append(batch, c.n_particles, chunks_of(c), MaterialParams<Real>{});
    c.n_slots = c.n_chunks * kLanes;
    c.n_particles += n;
    write(c);
    for (int channel = kV; channel < kParticleChannels; ++channel) stamp(channel);
  }
  void reserve(std::uint32_t chunks) {
    StepControl c = control();
    particles_.reserve(chunks, c.first_chunk);
    write(c);
  }

  // Moves every particle at random by up to so many cells, the one with id `far` by more.
  void move(double cells, std::int64_t far = -1) {
    const ChunkSpan at = chunks_of(control());
    const auto ids = particles_.ids(at);
    auto x = particles_.download(kX, at);
    std::uniform_real_distribution<double> step(-cells * kDx, cells * kDx);
    std::vector<double> moved(std::size_t{control().n_particles} * D);
    for (double& d : moved) d = step(random_);
    for_each_particle([&](std::uint32_t slot) {
      for (int a = 0; a < D; ++a) {
        Real& here = channel_at(x.data(), slot, D, a);
        here = static_cast<Real>(here +
                                 moved[std::size_t{ids[slot]} * D + static_cast<std::size_t>(a)]);
        if (ids[slot] == far) here += static_cast<Real>(20 * kDx);
      }
    });
    particles_.upload_raw(kX, at, x);
  }

  // `clean`: as between fused steps, when v, coefficients and stress are on the grid.
  void layout(Finds finds, bool clean) {
    StepControl c = control();
    c.skip_layout = c.grid_saved = 0;
    c.skip_particles = clean ? 1 : 0;
    c.skip_bank_change = clean ? 0 : 1;
    c.skip_permute = clean ? 1 : 0;
    if (finds == Finds::kSorted) c.placed_chunks = 0;
    write(c);
    launch_layout();
  }
  // A fused step that leaves the layout as it is, on a device that cannot leave out the launches of
  // one: each of them has to find out that it has nothing to do.
  void stay() {
    StepControl c = control();
    c.carried = 1;
    c.grid_saved = c.late = 0;
    c.overshoot = c.speed_squared = 0;
    write(c);
    open_step(exec_, kDx, control_.data());
    launch_layout();
    c = control();
    c.carried = 0;
    write(c);
  }

  // What the last layout made: the chunks with their blocks, and the ids in them.
  std::vector<std::uint32_t> ids() const {
    return of_particles(particles_.ids(chunks_of(control())));
  }
  std::vector<std::uint32_t> chunk_table() const {
    std::vector<std::uint32_t> table;
    for (const Chunk& c : particles_.chunks(chunks_of(control())))
      table.insert(table.end(), {c.block, c.material, c.count, c.source});
    return table;
  }
  std::vector<Real> positions() const {
    const ChunkSpan at = chunks_of(control());
    const auto x = particles_.download(kX, at);
    std::vector<Real> list;
    for_each_particle([&](std::uint32_t slot) {
      for (int a = 0; a < D; ++a) list.push_back(channel_at(x.data(), slot, D, a));
    });
    return list;
  }
  // Particles whose numbers in a channel are not their own.
  int strangers(ParticleChannel channel) const {
    const ChunkSpan at = chunks_of(control());
    const auto ids = particles_.ids(at);
    const auto rows = particles_.download(channel, at);
    const int n = particles_.components(channel);
    int wrong = 0;
    for_each_particle([&](std::uint32_t slot) {
      bool own = true;
      for (int k = 0; k < n; ++k)
        own = own && channel_at(rows.data(), slot, n, k) == stamp_of(ids[slot], channel, k);
      wrong += own ? 0 : 1;
    });
    return wrong;
  }
  bool is_idle(ParticleChannel channel) const { return particles_.is_idle(channel); }
  bool has(ParticleChannel channel) const { return particles_.has(channel); }
  // As a step that is not fused with the next stores v, coefficients and stresses.
  void stamp_idle() {
    for (int channel = kV; channel < kParticleChannels; ++channel)
      if (particles_.is_idle(static_cast<ParticleChannel>(channel))) stamp(channel);
  }

 private:
  static constexpr double kDx = 0.125;

  void launch_layout() {
    RebuildView scratch;
    particles_.fill(scratch);
    grid_.fill(scratch);
    save_nodes(exec_, grid_.view(), kBlocks, control_.data());
    rebuild_layout<Exec, D, Real>(exec_, stencil_shift<Real>(2), {}, particles_.view(),
                                  grid_.view(), scratch, control_.data());
    particles_.change_bank(scratch, control_.data());
    particles_.permute_in_place(scratch, control_.data());
  }
  static PeriodicBlocks ring(bool periodic) {
    PeriodicBlocks blocks;
    if (periodic) blocks.count[0] = kRing;
    return blocks;
  }
  static Real stamp_of(std::uint32_t id, int channel, int k) {
    return static_cast<Real>(id % 100000 + 0.125 * channel + k * 0.0078125);
  }
  void stamp(int channel) {
    const auto c = static_cast<ParticleChannel>(channel);
    if (!particles_.has(c)) return;
    const ChunkSpan at = chunks_of(control());
    const auto ids = particles_.ids(at);
    const int n = particles_.components(c);
    std::vector<Real> rows(ids.size() * static_cast<std::size_t>(n));
    for (std::uint32_t slot = 0; slot < ids.size(); ++slot)
      for (int k = 0; k < n; ++k)
        channel_at(rows.data(), slot, n, k) = stamp_of(ids[slot], channel, k);
    particles_.upload_raw(c, at, rows);
  }
  template <class F>
  void for_each_particle(F&& f) const {
    const auto chunks = particles_.chunks(chunks_of(control()));
    for (std::uint32_t c = 0; c < chunks.size(); ++c)
      for (std::uint32_t lane = 0; lane < chunks[c].count; ++lane) f(c * kLanes + lane);
  }
  std::vector<std::uint32_t> of_particles(const std::vector<std::uint32_t>& values) const {
    std::vector<std::uint32_t> list;
    for_each_particle([&](std::uint32_t slot) { list.push_back(values[slot]); });
    return list;
  }
  void write(const StepControl& c) { control_.upload(std::span<const StepControl>(&c, 1)); }

  Exec& exec_;
  ParticleStore<Exec, D, Real> particles_;
  GridStore<Exec, D, Real> grid_;
  Buffer<Exec, StepControl> control_;
  std::mt19937 random_{7};
};

}  // namespace firn::test
