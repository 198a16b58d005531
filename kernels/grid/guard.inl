#pragma once

#include "kernels/grid/guard.h"

namespace firn {

template <int D, class Real>
struct GuardParticles {
  static constexpr const char* kName = "guard_particles";
  static constexpr int kThreads = 128;
  struct Scratch {};

  GridUpdateParams<Real, D> params;
  ParticleView<Real> particles;
  GridView<Real> grid;
  const StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = grid.coloured[g.index()];
    const std::uint32_t first = grid.chunk_begin[block] * kLanes,
                        end = grid.chunk_begin[block + 1] * kLanes;
    const BodyGuard<D, Real> guard(params, grid.dx);
    const Real dt = static_cast<Real>(control->dt);
    for (int c = 0; c < guard.count; ++c) {
      // Particles lie within two cells of their block: the stencil's shift, and one step.
      if (!guard.reaches(block_of_key<D>(grid.keys[block]), c, Real(2))) continue;
      g.for_each(end - first, [&](std::uint32_t i) {
        const std::uint32_t slot = first + i;
        if (slot % kLanes >= particles.chunks[slot / kLanes].count) return;
        Vec<Real, D> x, v;
        for (int a = 0; a < D; ++a) {
          x[a] = channel_at(particles.x, slot, D, a);
          v[a] = channel_row(particles.v, slot / kLanes, D, a)[slot % kLanes];
        }
        if (!guard.push_out(c, x, v, dt)) return;
        for (int a = 0; a < D; ++a) channel_at(particles.x, slot, D, a) = x[a];
      });
    }
  }
};

template <class Exec, int D, class Real>
void guard_particles(Exec& exec, const GridUpdateParams<Real, D>& params,
                     const ParticleView<Real>& particles, const GridView<Real>& grid,
                     std::uint32_t block_bound, const StepControl* control) {
  if (params.collider_count == 0) return;
  launch_groups(exec, {{grid.colour_begin + BlockTraits<D>::kCorners, block_bound}, &control->stop},
                GuardParticles<D, Real>{params, particles, grid, control});
}

}  // namespace firn
