// Particles, grid and the operators of a step on one backend, driven one at a time: what the tests
// of the transfers look into. Values go in and come out in double; sums are formed on the host.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "kernels/exec/node.h"
#include "kernels/grid/update.h"
#include "kernels/particles/totals.h"
#include "kernels/transfer/transfer.h"
#include "src/sim/grid_store.h"
#include "src/sim/particle_store.h"

namespace firn::test {

template <int D>
struct HarnessParticle {
  Vec<double, D> x{}, v{};
  double mass = 1;
  std::array<Vec<double, D>, 26> modes{};  // of mode 1, 2, ... in the order of the set
  std::array<double, 6> stress{};          // V0 tau, upper triangle
};

template <int D>
struct HarnessNode {
  Vec<double, D> x{}, value{};  // momentum, or velocity after the grid update
  double mass = 0;
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
class TransferHarness {
 public:
  using Store = ParticleStore<Exec, D, Real>;
  using Particle = HarnessParticle<D>;
  using GridNode = HarnessNode<D>;
  static constexpr std::uint32_t kBlocks = 1024;

  TransferHarness(Exec& exec, const TransferParams& transfer, int stored_modes, double dx,
                  bool separate_force = true)
      : exec_(exec),
        transfer_(transfer),
        particles_(exec, {stored_modes, false, false}),
        grid_(exec, dx, 1, true),
        control_(exec, 1),
        dx_(dx),
        stored_modes_(stored_modes) {
    transfer_.separate_force = separate_force;
    grid_.reserve(kBlocks);
    StepControl c{};
    c.fault = ~std::uint64_t{0};
    upload_control(c);
  }

  // Puts the particles into chunks of the first block; `rebuild` sends them home.
  void set_particles(const std::vector<Particle>& particles) {
    const auto n = static_cast<std::uint32_t>(particles.size());
    ParticleBatch batch;
    batch.volume = 1;
    for (const Particle& p : particles) {
      Vec3 x{}, v{};
      for (int a = 0; a < D; ++a) x[a] = p.x[a], v[a] = p.v[a];
      batch.position.push_back(x);
      batch.velocity.push_back(v);
    }
    // Every chunk may open one more: no more blocks than particles can be occupied.
    particles_.reserve(n / kLanes + n + 1);
    MaterialParams<Real> material{};
    const std::uint32_t chunks = n > 0 ? particles_.append(batch, 0, 0, material) : 0;
    StepControl c = control();
    c.n_chunks = chunks;
    c.n_slots = chunks * kLanes;
    c.n_particles = n;
    upload_control(c);
    fill(Store::kMass, chunks, n, [&](std::uint32_t i, int) { return particles[i].mass; });
    fill(Store::kStress, chunks, n, [&](std::uint32_t i, int k) { return particles[i].stress[k]; });
    fill(Store::kCoefficients, chunks, n,
         [&](std::uint32_t i, int k) { return particles[i].modes[k / D][k % D]; });
  }

  void rebuild() {
    RebuildView scratch;
    particles_.fill(scratch);
    grid_.fill(scratch);
    rebuild_layout<Exec, D, Real>(exec_, transfer_.degree, {}, particles_.view(), grid_.view(),
                                  scratch, control_.data());
    particles_.permute(scratch, control_.data());
  }
  void particles_to_grid() {
    const GridView<Real> grid = grid_.view();
    clear_nodes(exec_, grid.nodes, kBlocks, control_.data());
    clear_nodes(exec_, grid.increments, kBlocks, control_.data());
    p2g<Exec, D, Real>(exec_, transfer_, particles_.view(), grid, control_.data(), kBlocks);
  }
  // Momentum to velocity, with the forces of particles_to_grid.
  void update_grid() {
    GridUpdateParams<Real, D> update;
    update.gravity = Vec<Real, D>::zero();
    update.separate_force = transfer_.separate_force;
    grid_update<Exec, D, Real>(exec_, update, grid_.view(), kBlocks, control_.data());
  }
  void grid_to_particles() {
    g2p<Exec, D, Real>(exec_, transfer_, ParticleBounds<Real, D>{}, particles_.view(), grid_.view(),
                       control_.data(), kBlocks);
  }

  // The step of the next forces and moves, and the one that made the coefficients.
  void set_dt(double dt, double previous) {
    StepControl c = control();
    c.dt = dt;
    c.previous_dt = previous;
    upload_control(c);
  }
  StepControl control() const { return control_.download()[0]; }

  // Nodes that carry mass, in the order of the grid.
  std::vector<GridNode> nodes() {
    const auto raw = download_nodes(grid_.view().nodes);
    std::vector<GridNode> nodes;
    for_each_node([&](std::size_t i, const Vec<double, D>& x) {
      if (!(raw[4 * i + 3] > 0)) return;
      GridNode node;
      node.x = x;
      for (int a = 0; a < D; ++a) node.value[a] = raw[4 * i + a];
      node.mass = raw[4 * i + 3];
      nodes.push_back(node);
    });
    return nodes;
  }
  // The impulse of the internal forces, or the change of velocity after the grid update, over all
  // nodes.
  std::vector<Vec<double, D>> increments() {
    const auto raw = download_nodes(grid_.view().increments);
    std::vector<Vec<double, D>> values(raw.size() / 4);
    for (std::size_t i = 0; i < values.size(); ++i)
      for (int a = 0; a < D; ++a) values[i][a] = raw[4 * i + a];
    return values;
  }
  // Replaces the velocities of the nodes that carry mass by f(velocity, position), as a force
  // would. Needs separate forces, whose channel holds the change of velocity.
  template <class F>
  void change_velocities(F&& f) {
    auto raw = download_nodes(grid_.view().nodes), change = download_nodes(grid_.view().increments);
    for_each_node([&](std::size_t i, const Vec<double, D>& x) {
      if (!(raw[4 * i + 3] > 0)) return;
      Vec<double, D> v;
      for (int a = 0; a < D; ++a) v[a] = raw[4 * i + a];
      const Vec<double, D> after = f(v, x);
      for (int a = 0; a < D; ++a) {
        const Real rounded = static_cast<Real>(after[a]);
        change[4 * i + a] += rounded - raw[4 * i + a];
        raw[4 * i + a] = rounded;
      }
    });
    exec_.upload(grid_.view().nodes, raw.data(), raw.size() * sizeof(Real));
    exec_.upload(grid_.view().increments, change.data(), change.size() * sizeof(Real));
  }

  // By id.
  std::vector<Particle> particles() {
    const std::uint32_t n_chunks = control().n_chunks;
    const auto chunks = particles_.chunks(n_chunks);
    const auto ids = particles_.ids(n_chunks);
    const auto x = particles_.download(Store::kX, n_chunks),
               v = particles_.download(Store::kV, n_chunks);
    const auto mass = particles_.download(Store::kMass, n_chunks);
    const auto modes = stored_modes_ > 0 ? particles_.download(Store::kCoefficients, n_chunks)
                                         : std::vector<Real>();
    std::vector<Particle> out(control().n_particles);
    for (std::uint32_t slot = 0; slot < ids.size(); ++slot) {
      if (slot % kLanes >= chunks[slot / kLanes].count) continue;
      Particle& p = out.at(ids[slot]);
      p.mass = mass[slot];
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
  // Over the nodes; `velocity` says whether they hold velocities or momenta.
  Sums grid_sums(bool velocity) {
    Sums sums;
    for (const GridNode& node : nodes()) {
      Vec3 x{}, p{};
      for (int a = 0; a < D; ++a) {
        x[a] = node.x[a];
        p[a] = node.value[a] * (velocity ? node.mass : 1);
        sums.momentum[a] += p[a];
        sums.kinetic += 0.5 * p[a] * p[a] / node.mass;
      }
      sums.mass += node.mass;
      for (std::size_t a = 0; a < 3; ++a)
        sums.angular[a] += x[(a + 1) % 3] * p[(a + 2) % 3] - x[(a + 2) % 3] * p[(a + 1) % 3];
    }
    return sums;
  }

 private:
  void upload_control(const StepControl& c) {
    control_.upload(std::span<const StepControl>(&c, 1));
  }
  template <class F>
  void fill(typename Store::Channel channel, std::uint32_t chunks, std::uint32_t n, F&& value) {
    const int k = particles_.components(channel);
    if (k == 0) return;
    std::vector<Real> rows(std::size_t{chunks} * kLanes * k);
    for (std::uint32_t i = 0; i < n; ++i)
      for (int j = 0; j < k; ++j) channel_at(rows.data(), i, k, j) = static_cast<Real>(value(i, j));
    particles_.upload_raw(channel, rows);
  }
  std::vector<Real> download_nodes(const Real* channel) {
    std::vector<Real> raw(std::size_t{control().n_blocks} * BlockTraits<D>::kNodes * 4);
    if (!raw.empty()) exec_.download(raw.data(), channel, raw.size() * sizeof(Real));
    return raw;
  }
  template <class F>
  void for_each_node(F&& f) {
    std::vector<std::uint64_t> keys(control().n_blocks);
    if (!keys.empty())
      exec_.download(keys.data(), grid_.view().keys, keys.size() * sizeof(keys[0]));
    for (std::size_t block = 0; block < keys.size(); ++block) {
      const Vec<int, D> origin = block_of_key<D>(keys[block]);
      for (int i = 0; i < BlockTraits<D>::kNodes; ++i) {
        const Vec<int, D> local = local_of_node<D>(i);
        Vec<double, D> x;
        for (int a = 0; a < D; ++a) x[a] = dx_ * (origin[a] * BlockTraits<D>::kSide + local[a]);
        f(block * BlockTraits<D>::kNodes + static_cast<std::size_t>(i), x);
      }
    }
  }

  Exec& exec_;
  TransferParams transfer_;
  Store particles_;
  GridStore<Exec, D, Real> grid_;
  Buffer<Exec, StepControl> control_;
  double dx_;
  int stored_modes_;
};

}  // namespace firn::test
