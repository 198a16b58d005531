#pragma once

#include "kernels/heat/conduction.h"
#include "kernels/transfer/cell_transfer.h"

namespace firn {

// What of a stencil lies in held cells says nothing: their heat goes the way of the others',
// through the surface of the body. And no particle that reaches into them is driven beyond the
// temperatures around it: as long as the means that cells know are not the body's, the particles
// next to it would go on to change. What they are spared is heat that the body gives or takes.
template <int D, class Real>
struct HeatG2P : CellG2P<D, kHeatKernel, Real> {
  static constexpr const char* kName = "heat_g2p";
  static constexpr int kThreads = 128;
  using Base = CellG2P<D, kHeatKernel, Real>;
  using Base::particles;
  using Tile = typename Base::Tile;
  // A particle with less than this outside of held bodies lies within one, and is as warm.
  static constexpr Real kLeastShare = Real(1e-3);
  struct Scratch {
    Tile free, change, mean, reached, settled, settles;
  };
  HeatView<Real> heat;
  StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    Base::gather(
        g, [&](std::uint32_t t, std::uint64_t cell) { load(g.scratch, t, cell); },
        [&](const Vec<int, D>& home, std::uint32_t chunk, std::uint32_t lane) {
          advance(g, home, chunk, lane);
        });
  }

  FIRN_HD void load(Scratch& tiles, std::uint32_t t, std::uint64_t cell) const {
    const Real free = heat.held[cell] < Real(0) ? Real(1) : Real(0);
    const Real after = heat.thermal_sums[cell][kThermalTemperature] + heat.change[cell];
    tiles.free.node[t] = free;
    tiles.change.node[t] = free * heat.change[cell];
    tiles.reached.node[t] = free > Real(0) ? after : heat.held[cell];
    tiles.mean.node[t] = free * after;
    // Also within bodies: heat is kept where all that a cell knows settles.
    const Real settled = max(
        settled_share<D>(heat.thermal_sums[cell], Base::grid.dx, static_cast<Real>(control->dt)),
        free * heat.renewed[cell]);
    tiles.settled.node[t] = settled;
    tiles.settles.node[t] = settled * heat.thermal_sums[cell][kThermalTemperature];
  }
  template <class Group>
  FIRN_HD void advance(Group& g, const Vec<int, D>& home, std::uint32_t chunk,
                       std::uint32_t lane) const {
    const auto near = Base::cells_near(home, chunk, lane);
    const ThermalMaterial<Real>& m = heat.materials[particles.chunks[chunk].material];
    HeatState<Real> state = load_heat(heat, chunk, lane);
    const Real melting = melting_point(m, channel_row(particles.id, chunk, 1, 0)[lane]);
    const Real own = temperature_of(m, melting, state.enthalpy);
    const Real change = change_of(g.scratch, near, own);
    add_heat(m, capacity_of(m, state) * change, state,
             channel_row(heat.state, chunk, kHeatComponents, kHeatRest)[lane]);
    channel_row(heat.state, chunk, kHeatComponents, 0)[lane] = state.enthalpy;
    channel_row(heat.state, chunk, kHeatComponents, 1)[lane] = state.liquid ? Real(1) : Real(0);
    const Real after = temperature_of(m, melting, state.enthalpy);
    if (!(after > Real(0) && after <= kLargest<Real>))
      g.atomic_min(control->fault,
                   pack_fault(Fault::kTemperature, channel_row(particles.id, chunk, 1, 0)[lane]));
  }

  template <class Near>
  FIRN_HD Real change_of(const Scratch& tiles, const Near& near, Real own) const {
    const Real share = near.mean(tiles.free);
    if (!(share > kLeastShare))
      return (near.mean(tiles.reached) - near.mean(tiles.mean)) / (1 - share) - own;
    const bool beside_held = share < Real(1) - kLeastShare;
    const Real scale = beside_held ? 1 / share : Real(1);
    Real change = scale * near.mean(tiles.change);
    if (heat.flip < Real(1)) {
      const Real mean = scale * near.mean(tiles.mean);
      change = heat.flip * change + (1 - heat.flip) * (mean - own);
    }
    change += near.mean(tiles.settles) - near.mean(tiles.settled) * own;
    return beside_held ? limited(tiles.reached.node + near.first, own, change) : change;
  }

  // Whichever way it goes, `own` + change stays among what the cells of the stencil, of which
  // `corner` is the first, have reached; those without matter are at 0.
  FIRN_HD static Real limited(const Real* corner, Real own, Real change) {
    constexpr int n = stencil_nodes(kHeatKernel);
    Real lowest = own, highest = own;
    for (int i = 0; i < (D == 3 ? n * n * n : n * n); ++i) {
      const int row = i / n;
      const Real T = corner[(row / n * Tile::kSide + row % n) * Tile::kSide + i % n];
      if (!(T > Real(0))) continue;
      lowest = min(lowest, T);
      highest = max(highest, T);
    }
    return clamp(own + change, lowest, highest) - own;
  }
};

template <class Exec, int D, class Real>
void heat_g2p(Exec& exec, const ParticleView<Real>& particles, const GridView<Real>& grid,
              const HeatView<Real>& heat, std::uint32_t max_blocks, StepControl* control) {
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                HeatG2P<D, Real>{{particles, grid}, heat, control});
}

}  // namespace firn
