// Particles on one backend, driven one operator at a time: the part of the transfers' harnesses
// that does not depend on the grid. Values go in and come out in double.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "kernels/exec/node.h"
#include "kernels/particles/totals.h"
#include "kernels/transfer/transfer.h"
#include "src/state/grid_store.h"
#include "src/state/particle_store.h"

namespace firn::test {

template <int D>
struct HarnessParticle {
  Vec<double, D> x{}, v{};
  double mass = 1, volume = 1;
  std::uint32_t material = 0;
  std::array<Vec<double, D>, 26> modes{};  // of mode 1, 2, ... in the order of the set
  std::array<double, 6> stress{};          // V0 tau, upper triangle
  Mat<double, D> F = Mat<double, D>::identity();
  bool liquid = false;  // where there is heat
};

// Mass, momentum and angular momentum (the axes of rotation of a plane come last).
struct Sums {
  double mass = 0, kinetic = 0;
  Vec3 momentum{}, angular{};
};
inline double distance(const Vec3& a, const Vec3& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

template <class Exec, int D, class Real>
class ParticleHarness {
 public:
  using Store = ParticleStore<Exec, D, Real>;
  using Particle = HarnessParticle<D>;
  static constexpr std::uint32_t kBlocks = 1024, kMaterials = 3;

  ParticleHarness(Exec& exec, const TransferParams& transfer, int stored_modes, double dx)
      : ParticleHarness(exec, transfer, ChannelNeeds{stored_modes, false, 0}, dx) {}
  ParticleHarness(Exec& exec, const TransferParams& transfer, const ChannelNeeds& needs, double dx)
      : exec_(exec),
        transfer_(transfer),
        particles_(exec, needs),
        grid_(exec, dx, {}, kMaterials, 1, true),
        control_(exec, 1),
        dx_(dx),
        stored_modes_(needs.coefficient_modes) {
    grid_.reserve(kBlocks);
    StepControl c{};
    c.fault = ~std::uint64_t{0};
    upload_control(c);
  }

  // Puts the particles into chunks of the first block, one material after the other; `rebuild`
  // sends them home.
  void set_particles(const std::vector<Particle>& particles) {
    const auto n = static_cast<std::uint32_t>(particles.size());
    // Every chunk may open one more: no more blocks than particles can be occupied.
    std::uint32_t chunks = 0;
    particles_.reserve(n / kLanes + n + kMaterials, chunks);
    slot_of_.clear();
    for (std::uint32_t begin = 0, end; begin < n; begin = end) {
      for (end = begin; end < n && particles[end].material == particles[begin].material; ++end)
        slot_of_.push_back(chunks * kLanes + end - begin);
      const std::span<const Particle> run(&particles[begin], end - begin);
      chunks += particles_.append(batch_of(run), begin, {0, chunks}, MaterialParams<Real>{});
    }
    StepControl c = control();
    c.n_chunks = chunks;
    c.n_slots = chunks * kLanes;
    c.n_particles = n;
    upload_control(c);
    fill(kMass, chunks, [&](std::uint32_t i, int) { return particles[i].mass; });
    fill(kVolume, chunks, [&](std::uint32_t i, int) { return particles[i].volume; });
    fill(kStress, chunks, [&](std::uint32_t i, int k) { return particles[i].stress[k]; });
    fill(kCoefficients, chunks,
         [&](std::uint32_t i, int k) { return particles[i].modes[k / D][k % D]; });
    fill(kF, chunks, [&](std::uint32_t i, int k) { return particles[i].F(k / D, k % D); });
    fill(kHeat, chunks, [&](std::uint32_t i, int k) {
      if (k == kHeatLogVolume) return std::log(determinant(particles[i].F));
      return k == 1 && particles[i].liquid ? 1.0 : 0.0;
    });
  }

  void rebuild() {
    RebuildView scratch;
    particles_.fill(scratch);
    grid_.fill(scratch);
    rebuild_layout<Exec, D, Real>(exec_, home_shift<Real>(transfer_), {}, particles_.view(),
                                  grid_.view(), scratch, control_.data());
    particles_.permute_in_place(scratch, control_.data());
  }

  // The step of the next forces and moves, and the one that made the coefficients.
  void set_dt(double dt, double previous) {
    StepControl c = control();
    c.dt = dt;
    c.previous_dt = previous;
    upload_control(c);
  }
  StepControl control() const { return control_.first(); }

  // By id.
  std::vector<Particle> particles() {
    const ChunkSpan present = chunks_of(control());
    const auto chunks = particles_.chunks(present);
    const auto ids = particles_.ids(present);
    const auto x = particles_.download(kX, present), v = particles_.download(kV, present);
    const auto mass = particles_.download(kMass, present);
    const auto modes =
        stored_modes_ > 0 ? particles_.download(kCoefficients, present) : std::vector<Real>();
    std::vector<Particle> out(control().n_particles);
    for (std::uint32_t slot = 0; slot < ids.size(); ++slot) {
      if (slot % kLanes >= chunks[slot / kLanes].count) continue;
      Particle& p = out.at(ids[slot]);
      p.mass = mass[slot];
      p.material = chunks[slot / kLanes].material;
      for (int a = 0; a < D; ++a) {
        p.x[a] = channel_at(x.data(), slot, D, a);
        p.v[a] = channel_at(v.data(), slot, D, a);
        for (int r = 0; r < stored_modes_; ++r)
          p.modes[r][a] = channel_at(modes.data(), slot, stored_modes_ * D, r * D + a);
      }
    }
    return out;
  }

  // The engine's own sums over the particles, modes included.
  Sums particle_sums() {
    Buffer<Exec, double> table(exec_, std::size_t{particles_.capacity()} * kTotalsColumns);
    table.zero();
    particle_totals<Exec, D, Real>(exec_, transfer_, particles_.view(), static_cast<Real>(1 / dx_),
                                   particles_.capacity(), table.data(), control_.data());
    const auto rows = table.download(std::size_t{control().n_chunks} * kTotalsColumns);
    Sums sums;
    for (std::size_t r = 0; r < rows.size(); r += kTotalsColumns) {
      sums.mass += rows[r + kTotalMass];
      sums.kinetic += rows[r + kTotalKinetic];
      for (std::size_t a = 0; a < 3; ++a) {
        sums.momentum[a] += rows[r + kTotalMomentum + a];
        sums.angular[a] += rows[r + kTotalAngular + a];
      }
    }
    return sums;
  }

 protected:
  // The nodes' or faces' reals of a channel with `layers` of them per cell.
  std::vector<Real> download_nodes(const Real* channel, int layers = 1) {
    std::vector<Real> raw(std::size_t{control().n_blocks} * layers * BlockTraits<D>::kNodes * 4);
    if (!raw.empty()) exec_.download(raw.data(), channel, raw.size() * sizeof(Real));
    return raw;
  }
  // f(index, cell) for all nodes or cells of the grid.
  template <class F>
  void for_each_cell(F&& f) {
    std::vector<std::uint64_t> keys(control().n_blocks);
    if (!keys.empty())
      exec_.download(keys.data(), grid_.view().keys, keys.size() * sizeof(keys[0]));
    for (std::size_t block = 0; block < keys.size(); ++block) {
      Vec<int, D> origin = block_of_key<D>(keys[block]);
      for (int a = 0; a < D; ++a) origin[a] *= BlockTraits<D>::kSide;
      for (int i = 0; i < BlockTraits<D>::kNodes; ++i)
        f(block * BlockTraits<D>::kNodes + static_cast<std::size_t>(i),
          origin + local_of_node<D>(i));
    }
  }

  Exec& exec_;
  TransferParams transfer_;
  Store particles_;
  GridStore<Exec, D, Real> grid_;
  Buffer<Exec, StepControl> control_;
  double dx_;

 private:
  void upload_control(const StepControl& c) {
    control_.upload(std::span<const StepControl>(&c, 1));
  }
  static ParticleBatch batch_of(std::span<const Particle> particles) {
    ParticleBatch batch;
    batch.material = particles.front().material;
    for (const Particle& p : particles) {
      Vec3 x{}, v{};
      for (int a = 0; a < D; ++a) x[a] = p.x[a], v[a] = p.v[a];
      batch.position.push_back(x);
      batch.velocity.push_back(v);
    }
    return batch;
  }
  template <class F>
  void fill(ParticleChannel channel, std::uint32_t chunks, F&& value) {
    const int k = particles_.components(channel);
    if (k == 0) return;
    std::vector<Real> rows(std::size_t{chunks} * kLanes * static_cast<std::size_t>(k));
    for (std::uint32_t i = 0; i < slot_of_.size(); ++i)
      for (int j = 0; j < k; ++j)
        channel_at(rows.data(), slot_of_[i], k, j) = static_cast<Real>(value(i, j));
    particles_.upload_raw(channel, {0, chunks}, rows);
  }

  int stored_modes_;
  std::vector<std::uint32_t> slot_of_;  // by id
};

// Adds x cross p to the angular momentum.
inline void add_angular(Sums& sums, const Vec3& x, const Vec3& p) {
  for (std::size_t a = 0; a < 3; ++a)
    sums.angular[a] += x[(a + 1) % 3] * p[(a + 2) % 3] - x[(a + 2) % 3] * p[(a + 1) % 3];
}

}  // namespace firn::test
