// Particles, grid and the operators of a step on one backend, driven one at a time: what the tests
// of the transfers look into. Sums are formed on the host.
#pragma once

#include "kernels/grid/update.h"
#include "tests/support/particle_harness.h"

namespace firn::test {

template <int D>
struct HarnessNode {
  Vec<double, D> x{}, value{};  // momentum, or velocity after the grid update
  double mass = 0;
};

template <class Exec, int D, class Real>
class TransferHarness : public ParticleHarness<Exec, D, Real> {
  using Base = ParticleHarness<Exec, D, Real>;
  using Base::control_, Base::dx_, Base::exec_, Base::grid_, Base::particles_, Base::transfer_;

 public:
  using Base::control, Base::kBlocks;
  using GridNode = HarnessNode<D>;

  TransferHarness(Exec& exec, const TransferParams& transfer, int stored_modes, double dx,
                  bool separate_force = true)
      : Base(exec, transfer, stored_modes, dx) {
    transfer_.separate_force = separate_force;
  }

  void particles_to_grid() {
    const GridView<Real> grid = grid_.view();
    clear_nodes(exec_, grid.nodes, 1, kBlocks, control_.data());
    clear_nodes(exec_, grid.increments, 1, kBlocks, control_.data());
    p2g<Exec, D, Real>(exec_, transfer_, particles_.view(), {}, grid, control_.data(), kBlocks);
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

  // Nodes that carry mass, in the order of the grid.
  std::vector<GridNode> nodes() {
    const auto raw = Base::download_nodes(grid_.view().nodes);
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
    const auto raw = Base::download_nodes(grid_.view().increments);
    std::vector<Vec<double, D>> values(raw.size() / 4);
    for (std::size_t i = 0; i < values.size(); ++i)
      for (int a = 0; a < D; ++a) values[i][a] = raw[4 * i + a];
    return values;
  }
  // Replaces the velocities of the nodes that carry mass by f(velocity, position), as a force
  // would. Needs separate forces, whose channel holds the change of velocity.
  template <class F>
  void change_velocities(F&& f) {
    auto raw = Base::download_nodes(grid_.view().nodes),
         change = Base::download_nodes(grid_.view().increments);
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
      add_angular(sums, x, p);
    }
    return sums;
  }

 private:
  template <class F>
  void for_each_node(F&& f) {
    Base::for_each_cell([&](std::size_t i, const Vec<int, D>& node) {
      Vec<double, D> x;
      for (int a = 0; a < D; ++a) x[a] = dx_ * node[a];
      f(i, x);
    });
  }
};

}  // namespace firn::test
