// Particles to cell centres: the sums that the projection of compressible materials and the heat
// solve need of each cell [T 6.4.3], and the heat solve itself [T 6.4.8].
#pragma once

#include "kernels/exec/node.h"
#include "kernels/fields/particles.h"
#include "kernels/grid/guard.h"
#include "kernels/heat/enthalpy.h"
#include "kernels/heat/fields.h"
#include "kernels/mac/mac_grid.h"
#include "kernels/step/control.h"

namespace firn {

// Of a cell, as particles leave it: sum w m c (J/K), sum w m c T (J), sum w V / conductivity, sum w
// V. settle_cells makes of it: heat capacity (J/K), temperature (K), conductivity (W/(m K)), and
// how much of the cell is filled, above 1 where particles are dense. Of what a cell has of several
// materials resistances add up, as of layers that heat crosses: it flows across interfaces.
inline constexpr int kThermalCapacity = 0, kThermalTemperature = 1, kThermalConductivity = 2,
                     kThermalFilled = 3;

// The share of a cell that is filled.
template <class Real>
FIRN_HD inline Real part_filled(const Node<Real>& cell) {
  return min(cell[kThermalFilled], Real(1));
}

// Channels of cells are [block][64].
template <class Real>
struct HeatView {
  const ThermalMaterial<Real>* materials = nullptr;
  Real* state = nullptr;  // of particles
  Node<Real>* thermal_sums = nullptr;
  Node<Real>* volume_sums = nullptr;  // see stress/volumetric.h
  Real* compressibility = nullptr;    // 1 / (lambda dt^2), the term of order zero of the projection
  Real* elastic_fraction = nullptr;   // share of a cell's material that is solid
  Real* held = nullptr;    // temperature at which a cell is held, K; free ones: see free_mark
  Real* change = nullptr;  // of the temperature in this step, K
  Real *conductance = nullptr, *dirichlet = nullptr, *mass = nullptr, *rhs = nullptr;  // W/K, W
  Real* renewed = nullptr;  // share of a cell's heat that the air takes the place of in the step
  Node<Real>* power = nullptr;  // in component 0 what heat sources give to a cell, W; none: null
  const HeatSourceView<Real>* sources = nullptr;
  std::int32_t source_count = 0;
  HeatFields fields;
  Real flip = Real(1);    // share of the change that particles take; the rest is the cells' mean
  Real to_air = Real(0);  // coefficient of heat transfer, W/(m^2 K); 0: any heat passes
};

// What stands in `held` of a free cell: less than 0, and how far its centre is from the nearest
// solid with a temperature, in cells, as far as a stencil and one more reach.
template <class Real>
FIRN_HD inline Real free_mark(Real cells) {
  return Real(-1) - min(cells, Real(2.5));
}
template <class Real>
FIRN_HD inline Real cells_from_solid(Real mark) {
  return Real(-1) - mark;
}

// Of matter outside a plane, at most `cells` before the centre of a cell: the share of the kernel
// of that cell that it fills (`room`), and how far beyond the centre the mean of what it gives to
// the cell lies (`offset`), in cells. Moments of the quadratic B-spline.
template <class Real>
struct BesidePlane {
  Real room, offset;
  FIRN_HD explicit BesidePlane(Real cells) {
    const Real d = clamp(cells, Real(0), Real(1.5)), left = Real(1.5) - d, squared = d * d;
    const bool inner = d < Real(0.5);
    room = inner ? Real(0.5) + d * (Real(0.75) - squared / 3) : 1 - left * left * left / 6;
    const Real moment = inner ? Real(13) / 64 - squared * (Real(0.375) - squared / 4)
                              : left * left * left * (Real(0.25) - left / 8);
    offset = moment / room;
  }
};

// Cells do not see how the temperatures of their particles differ from each other: the change
// alone would leave that as it is for ever. So each cell brings its particles towards its own
// temperature, by a share of sigma = 4 kSettled alpha dt / dx^2 in a step, alpha its diffusivity.
// For what cells do see, the quadratic kernel both ways makes that a diffusivity of
// sigma dx^2 / (4 dt) = kSettled alpha more. Heat is kept: a cell's temperature is the mean of its
// particles', with the same weights.
//
// What the air heats takes on its temperature: where it renews a share of a cell's heat, that share
// of the differences within goes with it, or hot particles among cold ones would be driven on,
// beyond the air.
inline constexpr double kSettled = 0.01;

// sigma of a cell.
template <int D, class Real>
FIRN_HD inline Real settled_share(const Node<Real>& cell, Real dx, Real dt) {
  if (!(cell[kThermalCapacity] > Real(0))) return Real(0);
  const Real diffusivity_over_area = cell[kThermalConductivity] * cell[kThermalFilled] *
                                     (D == 3 ? dx : Real(1)) / cell[kThermalCapacity];
  return min(Real(4 * kSettled) * diffusivity_over_area * dt, Real(1));
}

template <class Real>
FIRN_HD inline HeatState<Real> load_heat(const HeatView<Real>& heat, std::uint32_t chunk,
                                         std::uint32_t lane) {
  return {channel_row(heat.state, chunk, kHeatComponents, 0)[lane],
          channel_row(heat.state, chunk, kHeatComponents, 1)[lane] > Real(0.5)};
}

// One kernel both ways, the quadratic one: what particles give to cells is what they get back.
inline constexpr int kHeatKernel = 2;

// Adds the particles' heat to `thermal_sums`, which must be zero.
template <class Exec, int D, class Real>
void heat_p2g(Exec& exec, const ParticleView<Real>& particles, const GridView<Real>& grid,
              const HeatView<Real>& heat, std::uint32_t max_blocks, const StepControl* control);

// Adds what the particles take up from heat sources to `power`, which must be zero: the density at
// the middle of the step, times their volume at rest. What lies in no source adds nothing.
template <class Exec, int D, class Real>
void power_p2g(Exec& exec, const ParticleView<Real>& particles, const GridView<Real>& grid,
               const HeatView<Real>& heat, std::uint32_t max_blocks, StepControl* control);

// Temperatures and conductivities of the cells, and which of them are held. Bodies, walls and air
// have their temperatures at the end of the step.
template <class Exec, int D, class Real>
void settle_cells(Exec& exec, const GridUpdateParams<Real, D>& params, const GridView<Real>& grid,
                  const HeatView<Real>& heat, std::uint32_t max_blocks, StepControl* control);

// The system of backward Euler for the change of temperature.
template <class Exec, int D, class Real>
void assemble_heat(Exec& exec, const GridUpdateParams<Real, D>& params, const GridView<Real>& grid,
                   const MacView<Real>& mac, const HeatView<Real>& heat, std::uint32_t max_blocks,
                   StepControl* control);

// Makes of the solution the change that its fluxes bring: what one cell loses another gains, to the
// last bit but for rounding, however well the system was solved.
template <class Exec, int D, class Real>
void apply_fluxes(Exec& exec, const MacView<Real>& mac, const HeatView<Real>& heat,
                  std::uint32_t max_blocks, const StepControl* control);

// Cells to particles; particles melt and freeze. A fault where one is not above absolute zero.
template <class Exec, int D, class Real>
void heat_g2p(Exec& exec, const ParticleView<Real>& particles, const GridView<Real>& grid,
              const HeatView<Real>& heat, std::uint32_t max_blocks, StepControl* control);

}  // namespace firn
