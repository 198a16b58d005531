// What a particle takes up from heat sources.
#pragma once

#include "kernels/fields/first_round.h"
#include "kernels/fields/particles.h"
#include "kernels/heat/conduction.h"

namespace firn {

// Whether a particle is within a source is asked of the particle, not of its cell: the power of a
// region is then that of the particles in it, whatever the cells are.
template <int D, class Real>
struct PowerOfParticle {
  HeatView<Real> heat;
  StepControl* control;
  PeriodicBlocks periodic;
  Real dx, inv_dx;

  template <class Group>
  FIRN_HD Node<Real> operator()(const Group& g, const ParticleView<Real>& particles,
                                std::uint32_t chunk, std::uint32_t lane) const {
    Vec<Real, D> x;
    for (int a = 0; a < D; ++a)
      x[a] =
          in_first_round<D>(periodic, a, dx, inv_dx, channel_row(particles.x, chunk, D, a)[lane]);
    const double time = control->time + 0.5 * control->dt;
    Real density = Real(0);
    for (int s = 0; s < heat.source_count; ++s)
      if (signed_distance<D>(heat.sources[s].region, x) < Real(0))
        density += heat_field<D>(g, heat.fields, heat.sources[s].power, x, time, control);
    const Real volume = channel_row(particles.volume, chunk, 1, 0)[lane];
    return Node<Real>::make(density * volume, Real(0), Real(0), Real(0));
  }
};

}  // namespace firn
