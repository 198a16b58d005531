#pragma once

#include "kernels/heat/heated_boundaries.h"
#include "kernels/heat/source_power.h"
#include "kernels/transfer/cell_transfer.h"

namespace firn {

template <class Real>
struct ThermalOfParticle {
  // W/(m K): as good as none.
  static constexpr Real kLeastConductivity = Real(1e-20);
  HeatView<Real> heat;
  FIRN_HD Node<Real> operator()(const ParticleView<Real>& particles, std::uint32_t chunk,
                                std::uint32_t lane) const {
    const ThermalMaterial<Real>& m = heat.materials[particles.chunks[chunk].material];
    const HeatState<Real> state = load_heat(heat, chunk, lane);
    const Real melting = melting_point(m, channel_row(particles.id, chunk, 1, 0)[lane]);
    const Real capacity = channel_row(particles.mass, chunk, 1, 0)[lane] * capacity_of(m, state);
    const Real volume = channel_row(particles.volume, chunk, 1, 0)[lane];
    return Node<Real>::make(capacity, capacity * temperature_of(m, melting, state.enthalpy),
                            volume / max(conductivity_of(m, melting, state), kLeastConductivity),
                            volume);
  }
};

template <class Exec, int D, class Real>
void heat_p2g(Exec& exec, const ParticleView<Real>& particles, const GridView<Real>& grid,
              const HeatView<Real>& heat, std::uint32_t max_blocks, const StepControl* control) {
  launch_coloured(exec, {{nullptr, max_blocks}, &control->stop}, grid.colour_begin,
                  BlockTraits<D>::kCorners,
                  CellP2G<D, kHeatKernel, ThermalOfParticle<Real>, Real>{
                      {heat}, particles, grid, heat.thermal_sums});
}

template <class Exec, int D, class Real>
void power_p2g(Exec& exec, const ParticleView<Real>& particles, const GridView<Real>& grid,
               const HeatView<Real>& heat, std::uint32_t max_blocks, StepControl* control) {
  launch_coloured(
      exec, {{nullptr, max_blocks}, &control->stop}, grid.colour_begin, BlockTraits<D>::kCorners,
      CellP2G<D, kHeatKernel, PowerOfParticle<D, Real>, Real>{
          {heat, control, grid.periodic, grid.dx, grid.inv_dx}, particles, grid, heat.power});
}

template <int D, class Real>
struct SettleCells {
  static constexpr const char* kName = "settle_cells";
  static constexpr int kThreads = 64;
  struct Scratch {};
  HeatedBoundaries<D, Real> heated;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const GridView<Real>& grid = heated.solids.grid;
    const Vec<int, D> block = block_of_key<D>(grid.keys[g.index()]);
    Real inverse_cell = 1;
    for (int a = 0; a < D; ++a) inverse_cell *= grid.inv_dx;
    g.for_each(BlockTraits<D>::kNodes, [&](std::uint32_t cell) {
      const CellAddress at{g.index(), cell};
      Node<Real>& thermal_sums = heated.heat.thermal_sums[cell_index(at)];
      Real& held = heated.heat.held[cell_index(at)];
      held = free_mark(kLargest<Real>);
      const Real capacity = thermal_sums[0], volume = thermal_sums[3];
      if (!(volume > Real(0)) || !(capacity > kLeastNormal<Real> / kEpsilon<Real>))
        return thermal_sums = Node<Real>::zero(), void();
      thermal_sums = Node<Real>::make(capacity, thermal_sums[1] / capacity,
                                      volume / thermal_sums[2], volume * inverse_cell);
      const Vec<Real, D> x = heated.centre_of(block, local_of_node<D>(static_cast<int>(cell)));
      const auto solid = heated.nearest(x);
      if (solid.distance < Real(0))
        held = heated.temperature(g, solid.field, heated.surface_point(solid, x));
      else
        held = free_mark(solid.distance * grid.inv_dx);
    });
  }
};

template <class Exec, int D, class Real>
void settle_cells(Exec& exec, const GridUpdateParams<Real, D>& params, const GridView<Real>& grid,
                  const HeatView<Real>& heat, std::uint32_t max_blocks, StepControl* control) {
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                SettleCells<D, Real>{{{params, grid}, heat, control}});
}

template <int D, class Real>
struct AssembleHeat {
  static constexpr const char* kName = "assemble_heat";
  static constexpr int kThreads = 64;
  struct Scratch {};
  HeatedBoundaries<D, Real> heated;
  MacView<Real> mac;

  // Of a cell: its equation without the conductances between cells.
  struct Row {
    Real dirichlet = Real(0), power = Real(0), air = Real(0);
  };
  // With something that has a temperature of its own, at x.
  struct Contact {
    Real conductance = Real(0);
    int field = -1;
    Vec<Real, D> x = Vec<Real, D>::zero();
  };

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const HeatView<Real>& heat = heated.heat;
    const Vec<int, D> block = block_of_key<D>(heated.solids.grid.keys[g.index()]);
    g.for_each(BlockTraits<D>::kNodes, [&](std::uint32_t cell) {
      const CellAddress at{g.index(), cell};
      const std::uint64_t i = cell_index(at);
      for (int a = 0; a < D; ++a) heat.conductance[face_index<D>(g.index(), a, cell)] = Real(0);
      Row row;
      Real mass = Real(0);
      if (is_free(at)) {
        mass = heat.thermal_sums[i][kThermalCapacity] / static_cast<Real>(heated.control->dt);
        if (heat.power != nullptr) row.power = heat.power[i][0];
        couple(g, block, at, row);
      }
      heat.mass[i] = mass;
      heat.renewed[i] = row.air > Real(0) ? row.air / (mass + row.air) : Real(0);
      heat.dirichlet[i] = row.dirichlet;
      heat.rhs[i] = row.power;
      heat.change[i] = Real(0);
    });
  }

  FIRN_HD bool has_volume(const CellAddress& at) const {
    return at.exists() && heated.heat.thermal_sums[cell_index(at)][kThermalCapacity] > Real(0);
  }
  FIRN_HD bool is_free(const CellAddress& at) const {
    return has_volume(at) && heated.heat.held[cell_index(at)] < Real(0);
  }

  FIRN_HD Real filled(const CellAddress& at) const {
    return has_volume(at) ? part_filled(heated.heat.thermal_sums[cell_index(at)]) : Real(0);
  }
  // The cell `by` steps along an axis from one of the block, at most a block away.
  FIRN_HD Real filled(const CellAddress& at, const Vec<int, D>& local, int axis, int by) const {
    return filled(cell_address<D>(mac, at.block, stepped<D>(local, axis, by)));
  }

  // Heat passes through what both cells are filled with, in series. Irregular particles fill cells
  // within unevenly, some more than wholly: there it is the mean of both that conducts, as much as
  // what the cells hold is heat of. The lesser of two uneven ones would be too little everywhere.
  // Before a solid with a temperature, a cell that holds all there is room for is full on the way
  // to that, and what it holds lies nearer to the next one.
  FIRN_HD Real conductance(const CellAddress& here, const CellAddress& there) const {
    const HeatView<Real>& heat = heated.heat;
    const Node<Real> a = heat.thermal_sums[cell_index(here)],
                     b = heat.thermal_sums[cell_index(there)];
    const Real sum = a[kThermalConductivity] + b[kThermalConductivity];
    const Real series =
        sum > Real(0) ? 2 * a[kThermalConductivity] * b[kThermalConductivity] / sum : Real(0);
    const Real from_a = from_solid(here), from_b = from_solid(there);
    const Real along = clamp(from_b - from_a, Real(-1), Real(1)), part = along * along;
    const BesidePlane<Real> at_a(from_a), at_b(from_b);
    const Real in_a = a[kThermalFilled] * (1 + part * (1 / at_a.room - 1)),
               in_b = b[kThermalFilled] * (1 + part * (1 / at_b.room - 1));
    const Real lesser = min(in_a, in_b), mean = Real(0.5) * (in_a + in_b);
    const Real within = clamp(Real(5) * lesser - Real(3), Real(0), Real(1));
    return series * (lesser + within * (mean - lesser)) * face_over_distance() /
           (1 + along * (at_b.offset - at_a.offset));
  }
  FIRN_HD Real from_solid(const CellAddress& free) const {
    return cells_from_solid(heated.heat.held[cell_index(free)]);
  }
  // Bodies on either side of a gap both reach into its cells, which are then filled less than those
  // before and behind them. How far the cell and the next one upwards, or downwards, belong
  // together: wholly where they are filled to four fifths of what is on both sides, and not at all
  // below three tenths.
  FIRN_HD Real contact(const CellAddress& at, const Vec<int, D>& local, int axis, int side) const {
    const Real own = filled(at), theirs = filled(at, local, axis, side);
    if (min(own, theirs) >= Real(0.8)) return Real(1);  // as mostly
    const Real before = max(own, filled(at, local, axis, -side)),
               behind = max(theirs, filled(at, local, axis, 2 * side));
    const Real bridged = min(own, theirs) / min(before, behind);
    return clamp(Real(2) * bridged - Real(0.6), Real(0), Real(1));
  }
  // What a cell of material has towards a body. How much of its face is covered: all within a layer
  // that touches the body, and also at the rim of a film, which thins out there; at that of a
  // column, which reaches into the next cell away from the body, as much as that cell or its own is
  // filled. And how near its material lies, of where that of a thick layer would: 0.4 in a film of
  // half a cell.
  struct Towards {
    Real covered, nearness;
  };
  FIRN_HD Towards towards_body(const CellAddress& at, const Vec<int, D>& local,
                               const Vec<Real, D>& centre, int axis, int side) const {
    const Real own = filled(at), behind = filled(at, local, axis, -side);
    bool within = true;
    for (int b = 0; b < D; ++b)
      for (int to = -1; to <= 1; to += 2)
        if (b != axis && filled(at, local, b, to) < Real(0.5) * own)
          within = within && is_heated(centre, b, to);
    const Real column = own > Real(0) ? min(behind / own, Real(1)) : Real(1);
    const Real thin = 1 - column, part = own > Real(0) ? touching(at, local, axis, side) : Real(1);
    return {part * (within ? Real(1) : Real(1) + column * (max(own, behind) - Real(1))),
            1 - Real(0.6) * thin * thin * thin};
  }
  // How much of what lies before a body touches it: in the cells before and behind the surface,
  // what there is room for and is not there is a gap. What rests on a body may have one of 0.6
  // cells.
  FIRN_HD Real touching(const CellAddress& at, const Vec<int, D>& local, int axis, int side) const {
    const Real d = from_solid(at), room = BesidePlane<Real>(d).room;
    const Real own = filled(at), behind = filled(at, local, axis, -side);
    if (own >= room * behind) return Real(1);  // as mostly, and in a film
    const Real within =
        d < Real(1) ? 1 - BesidePlane<Real>(1 - d).room : BesidePlane<Real>(d - 1).room;
    const Real whole = max(behind, filled(at, local, axis, -2 * side));
    const Real gap = within + room + BesidePlane<Real>(d + 1).room -
                     (filled(at, local, axis, side) + own + behind) / whole;
    return clamp(Real(2.3) - 2 * gap, Real(0), Real(1));
  }
  // Whether the centre of the next cell lies in a body with a temperature: on a slope those beside
  // a film do.
  FIRN_HD bool is_heated(Vec<Real, D> centre, int axis, int side) const {
    centre[axis] += static_cast<Real>(side) * heated.solids.grid.dx;
    return heated.nearest(centre).distance < Real(0);
  }
  // Whether a surface is near in a direction: irregular particles fill cells unevenly within, too.
  FIRN_HD bool opens(const CellAddress& at, const Vec<int, D>& local, int axis, int side) const {
    constexpr Real kEmpty = Real(0.05);
    for (int by = 1; by <= 3; ++by)
      if (filled(at, local, axis, by * side) < kEmpty) return true;
    return false;
  }
  FIRN_HD Real face_over_distance() const { return D == 3 ? heated.solids.grid.dx : Real(1); }

  template <class Group>
  FIRN_HD void couple(const Group& g, const Vec<int, D>& block, const CellAddress& at,
                      Row& row) const {
    const HeatView<Real>& heat = heated.heat;
    const Node<Real> own = heat.thermal_sums[cell_index(at)];
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(at.cell));
    const Vec<Real, D> centre = heated.centre_of(block, local);
    for (int a = 0; a < D; ++a)
      for (int side = -1; side <= 1; side += 2) {
        const CellAddress other = cell_address<D>(mac, at.block, stepped<D>(local, a, side));
        Vec<Real, D> beside = centre;
        beside[a] += static_cast<Real>(side) * heated.solids.grid.dx;
        Contact beyond;
        if (is_free(other)) {
          const Node<Real> theirs = heat.thermal_sums[cell_index(other)];
          const Real k = conductance(at, other) * contact(at, local, a, side);
          if (side < 0) heat.conductance[face_index<D>(at.block, a, at.cell)] = k;
          row.power += k * (theirs[kThermalTemperature] - own[kThermalTemperature]);
          const Real step = part_filled(own) - part_filled(theirs);
          if (step > Real(0) && heated.is_given(kAmbientField) && opens(at, local, a, side))
            beyond = with_air(at, local, a, side, own, step, centre, beside);
        } else {
          beyond = with_solid(own, towards_body(at, local, centre, a, side), centre, beside);
          if (beyond.field < 0)
            beyond = with_air(at, local, a, side, own, part_filled(own), centre, beside);
        }
        if (beyond.field >= 0) hold(g, beyond, own, row);
      }
  }

  // To the surface of a body with a temperature, if there is one, from where what the cell holds
  // lies.
  FIRN_HD Contact with_solid(const Node<Real>& own, const Towards& towards,
                             const Vec<Real, D>& centre, const Vec<Real, D>& beside) const {
    const auto theirs = heated.nearest(beside);
    if (!(theirs.distance < Real(0))) return {};
    const Real ours = heated.nearest(centre).distance;
    const Real across = ours - theirs.distance, share = clamp(ours / across, Real(0), Real(1));
    const Real offset = BesidePlane<Real>(ours * heated.solids.grid.inv_dx).offset;
    const Real distance = (share + offset * heated.solids.grid.dx / across) * towards.nearness;
    return {own[kThermalConductivity] * towards.covered * face_over_distance() / distance,
            theirs.field, centre + share * (beside - centre)};
  }
  // To the air, half a cell away. Cells at a surface are filled in part: all the steps down to an
  // empty cell together are one face. Towards a solid there is none: particles at its surface fill
  // the cells on both sides of it in part.
  FIRN_HD Contact with_air(const CellAddress& at, const Vec<int, D>& local, int axis, int side,
                           const Node<Real>& own, Real step, const Vec<Real, D>& centre,
                           const Vec<Real, D>& beside) const {
    if (!heated.is_given(kAmbientField) || !(step > Real(0)) ||
        heated.solids.distance(beside + (beside - centre)) < Real(0))
      return {};
    Real k = 2 * own[kThermalConductivity];  // half a cell of material
    if (heated.heat.to_air > Real(0)) {
      const Real passes =
          heated.heat.to_air * heated.solids.grid.dx * surface_of_step(at, local, axis, side);
      k = k * passes / (k + passes);
    }
    return {step * k * face_over_distance(), kAmbientField, Real(0.5) * (centre + beside)};
  }
  // How much surface there is for each step down across a face: faces of cells that step down
  // across an oblique one are together larger than it, and cells that a film fills in part step
  // down by less than its side has.
  FIRN_HD Real surface_of_step(const CellAddress& at, const Vec<int, D>& local, int axis,
                               int side) const {
    const Vec<int, D> other = stepped<D>(local, axis, side);
    const Real own = filled(at), down = own - filled(at, local, axis, side);
    Real squared = down * down;
    for (int b = 0; b < D; ++b) {
      if (b == axis) continue;
      const Real along = Real(0.25) * (filled(at, local, b, 1) - filled(at, local, b, -1) +
                                       filled(at, other, b, 1) - filled(at, other, b, -1));
      squared += along * along;
    }
    Real whole = own;
    for (int a = 0; a < D; ++a)
      for (int by = 1; by <= 3; ++by)
        whole = max(whole, max(filled(at, local, a, -by), filled(at, local, a, by)));
    return squared > Real(0) ? abs(down) / (sqrt(squared) * min(whole, Real(1))) : Real(1);
  }
  template <class Group>
  FIRN_HD void hold(const Group& g, const Contact& contact, const Node<Real>& own, Row& row) const {
    const Real temperature = heated.temperature(g, contact.field, contact.x);
    row.dirichlet += contact.conductance;
    if (contact.field == kAmbientField) row.air += contact.conductance;
    row.power += contact.conductance * (temperature - own[kThermalTemperature]);
  }
};

template <class Exec, int D, class Real>
void assemble_heat(Exec& exec, const GridUpdateParams<Real, D>& params, const GridView<Real>& grid,
                   const MacView<Real>& mac, const HeatView<Real>& heat, std::uint32_t max_blocks,
                   StepControl* control) {
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                AssembleHeat<D, Real>{{{params, grid}, heat, control}, mac});
}

// The solution stays as it is until all cells have read it: the change goes to `dirichlet`, which
// the system does not need any more.
template <int D, class Real>
struct ApplyFluxes {
  static constexpr const char* kName = "apply_fluxes";
  static constexpr int kThreads = 64;
  struct Scratch {};
  MacView<Real> mac;
  HeatView<Real> heat;
  const StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    g.for_each(BlockTraits<D>::kNodes, [&](std::uint32_t cell) {
      const CellAddress at{g.index(), cell};
      const std::uint64_t i = cell_index(at);
      const Node<Real> own = heat.thermal_sums[i];
      Real change = Real(0);
      if (heat.mass[i] > Real(0))
        change = static_cast<Real>(control->dt) / own[kThermalCapacity] * power(at);
      heat.dirichlet[i] = change;
    });
  }

  FIRN_HD Real power(const CellAddress& at) const {
    const std::uint64_t i = cell_index(at);
    Real sum = heat.rhs[i] - heat.dirichlet[i] * heat.change[i];
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(at.cell));
    for (int a = 0; a < D; ++a)
      for (int side = 0; side < 2; ++side) {
        const CellAddress other =
            cell_address<D>(mac, at.block, stepped<D>(local, a, side == 0 ? -1 : 1));
        if (!other.exists()) continue;
        const CellAddress upper = side == 0 ? at : other;
        sum += heat.conductance[face_index<D>(upper.block, a, upper.cell)] *
               (heat.change[cell_index(other)] - heat.change[i]);
      }
    return sum;
  }
};

template <int D, class Real>
struct AdoptChange {
  static constexpr const char* kName = "adopt_change";
  static constexpr int kThreads = 64;
  struct Scratch {};
  HeatView<Real> heat;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    g.for_each(BlockTraits<D>::kNodes, [&](std::uint32_t cell) {
      const std::uint64_t i = cell_index({g.index(), cell});
      heat.change[i] = heat.dirichlet[i];
    });
  }
};

template <class Exec, int D, class Real>
void apply_fluxes(Exec& exec, const MacView<Real>& mac, const HeatView<Real>& heat,
                  std::uint32_t max_blocks, const StepControl* control) {
  const LaunchRange range{{&control->n_blocks, max_blocks}, &control->stop};
  launch_groups(exec, range, ApplyFluxes<D, Real>{mac, heat, control});
  launch_groups(exec, range, AdoptChange<D, Real>{heat});
}

}  // namespace firn
