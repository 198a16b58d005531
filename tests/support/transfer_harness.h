// The transfers between particles and the grid, on nodes and on faces alike: the stages of either,
// called one at a time, with values in and out in double. A node counts as one place for each axis.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "kernels/step/control.h"
#include "tests/support/harness_particle.h"
#include "tests/support/spaces.h"

namespace firn::test {

// A velocity component on the grid, of a node or a face that carries mass.
template <int D>
struct GridValue {
  int axis = 0;
  Vec<double, D> x{};
  double value = 0;             // momentum, or velocity after update_grid()
  double mass = 0, volume = 0;  // nodes have no volume
};
// Each axis has masses and volumes of its own.
template <int D>
struct GridSums : Sums {
  Vec<double, D> masses = Vec<double, D>::zero(), volumes = Vec<double, D>::zero();
};

template <int D>
class TransferHarness {
 public:
  virtual ~TransferHarness() = default;

  // The step of the next forces and moves, and the one that made the coefficients; 0 at first.
  virtual void set_dt(double dt, double previous) = 0;
  // Particles stay in the box of this half width.
  virtual void set_bounds(double reach) = 0;
  virtual StepControl control() const = 0;

  virtual void particles_to_grid() = 0;
  virtual void update_grid() = 0;  // momentum to velocity, with the internal forces of nodes
  virtual void grid_to_particles() = 0;

  virtual std::vector<HarnessParticle<D>> particles() const = 0;  // by id
  virtual Sums particle_sums() = 0;                // the engine's own, modes included
  virtual std::vector<GridValue<D>> values() = 0;  // in the order of the grid
  // Of all nodes after particles_to_grid(): the impulse of the internal forces, which is part of
  // the momentum unless it is kept apart.
  virtual std::vector<Vec<double, D>> impulses() = 0;
  // Replaces velocities by f(velocity, axis, position), as a force would.
  using Change = std::function<double(double, int, const Vec<double, D>&)>;
  virtual void change_velocities(const Change& f) = 0;

  GridSums<D> grid_sums();

 protected:
  bool holds_velocities_ = false;
};

// In which the particles of `materials` lie in the first layout. `stages`: with the energies of
// stages, for which nodes keep internal forces apart.
template <class Space>
std::unique_ptr<TransferHarness<Space::D>> make_harness(
    const TransferSettings& transfer, const std::vector<HarnessParticle<Space::D>>& particles,
    int threads = 1, bool stages = false);

inline constexpr double kDx = 0.1;           // of its grid
inline constexpr int kHarnessMaterials = 3;  // of its particles

}  // namespace firn::test
