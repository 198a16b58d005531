#pragma once

#include "kernels/fields/place.h"
#include "kernels/mac/particle_pressure.h"
#include "kernels/mac/pressure_slope.h"

namespace firn {

template <int D, class Real>
struct ParticlePressure {
  static constexpr const char* kName = "particle_pressure";
  static constexpr int kThreads = 128;
  struct Scratch {};
  ParticleView<Real> particles;
  GridView<Real> grid;
  MacView<Real> mac;
  Real* pressure;
  bool every_step;
  const StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    if (!every_step && !is_last()) return;
    const std::uint32_t block = grid.coloured[g.index()];
    const Vec<int, D> home = block_of_key<D>(grid.keys[block]);
    const Real per_dt = static_cast<Real>(1 / control->dt);
    const std::uint32_t first = grid.chunk_begin[block] * kLanes,
                        end = grid.chunk_begin[block + 1] * kLanes;
    g.for_each(end - first, [&](std::uint32_t i) {
      const std::uint32_t slot = first + i;
      if (slot % kLanes >= particles.chunks[slot / kLanes].count) return;
      pressure[slot] = per_dt * impulse_at(block, home, slot);
    });
  }

  // Whether somebody may look at the particles after this step.
  FIRN_HD bool is_last() const {
    const StepControl& c = *control;
    return c.dt >= c.target - c.time || c.step + 1 == c.last_step;
  }
  // p dt.
  FIRN_HD Real impulse_at(std::uint32_t block, const Vec<int, D>& home, std::uint32_t slot) const {
    Vec<int, D> local;
    Vec<Real, D> from_centre;
    for (int a = 0; a < D; ++a) {
      const AxisBase<Real> place =
          axis_base(channel_at(particles.x, slot, D, a), grid.inv_dx, Real(0));
      local[a] = place.node - home[a] * BlockTraits<D>::kSide;
      from_centre[a] = (place.offset - Real(0.5)) * grid.dx;
    }
    const CellAddress cell = cell_address<D>(mac, block, local);
    if (!is_fluid(mac, cell)) return Real(0);
    Real p = mac.pressure[cell_index(cell)];
    for (int a = 0; a < D; ++a) p += from_centre[a] * pressure_gradient<D>(mac, cell, a, grid.dx);
    return p;
  }
};

template <class Exec, int D, class Real>
void particle_pressure(Exec& exec, const ParticleView<Real>& particles, const GridView<Real>& grid,
                       const MacView<Real>& mac, Real* pressure, bool every_step,
                       std::uint32_t max_blocks, const StepControl* control) {
  launch_groups(exec, {{grid.colour_begin + BlockTraits<D>::kCorners, max_blocks}, &control->stop},
                ParticlePressure<D, Real>{particles, grid, mac, pressure, every_step, control});
}

}  // namespace firn
