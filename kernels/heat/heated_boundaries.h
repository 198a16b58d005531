// Walls of the domain and bodies that keep a temperature: which is nearest, and what it is there.
#pragma once

#include "kernels/heat/conduction.h"
#include "kernels/mac/boundary_geometry.h"

namespace firn {

template <int D, class Real>
struct HeatedBoundaries {
  BoundaryGeometry<D, Real> solids;
  HeatView<Real> heat;
  StepControl* control;

  struct Nearest {
    Real distance = kLargest<Real>;  // negative within it
    int field = -1;
  };

  FIRN_HD bool is_given(int field) const { return heat.fields.programs[field].given; }

  FIRN_HD Nearest nearest(const Vec<Real, D>& x) const {
    Nearest found;
    const auto& walls = solids.params.walls;
    for (int f = 0; f < 2 * D && walls.active; ++f) {
      const int a = f / 2;
      if (is_given(kFirstWallField + f))
        consider(f % 2 == 0 ? x[a] - walls.min[a] : walls.max[a] - x[a], kFirstWallField + f,
                 found);
    }
    for (int c = 0; c < solids.params.collider_count; ++c)
      if (is_given(kFirstBodyField + c))
        consider(solids.body_distance(x, c), kFirstBodyField + c, found);
    return found;
  }
  FIRN_HD static void consider(Real distance, int field, Nearest& found) {
    if (distance < found.distance) found = {distance, field};
  }

  // The point of its surface that is nearest to x.
  FIRN_HD Vec<Real, D> surface_point(const Nearest& found, Vec<Real, D> x) const {
    if (found.field < kFirstBodyField) {
      const int f = found.field - kFirstWallField, a = f / 2;
      x[a] = f % 2 == 0 ? solids.params.walls.min[a] : solids.params.walls.max[a];
      return x;
    }
    NearestBoundary<D, Real> solid;
    solid.body = found.field - kFirstBodyField;
    return x - found.distance * solids.normal(solid, x);
  }

  // At the end of the step, as backward Euler has it. What lies beyond a corner of the domain takes
  // the temperature of the wall there.
  template <class Device>
  FIRN_HD Real temperature(const Device& device, int field, Vec<Real, D> x) const {
    const auto& walls = solids.params.walls;
    for (int a = 0; a < D && walls.active && field < kFirstBodyField; ++a)
      if (solids.grid.periodic.count[a] == 0) x[a] = clamp(x[a], walls.min[a], walls.max[a]);
    return heat_field<D>(device, heat.fields, field, x, control->time + control->dt, control);
  }
  FIRN_HD Vec<Real, D> centre_of(const Vec<int, D>& block, const Vec<int, D>& local) const {
    Vec<Real, D> centre;
    for (int a = 0; a < D; ++a) centre[a] = static_cast<Real>(local[a]) + Real(0.5);
    return solids.position_of(block, centre);
  }
};

}  // namespace firn
