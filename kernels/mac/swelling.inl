#pragma once

#include "kernels/mac/boundary_geometry.h"
#include "kernels/mac/swelling.h"

namespace firn {

template <int D, class Real>
struct SubtractSwelling {
  static constexpr const char* kName = "subtract_swelling";
  static constexpr int kThreads = 64;
  struct Scratch {};
  BoundaryGeometry<D, Real> boundary;
  MacView<Real> mac;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    if (!has_boundary(mac, g.index()) || is_dry(mac, g.index())) return;
    const Vec<int, D> block = block_of_key<D>(boundary.grid.keys[g.index()]);
    g.for_each(BlockTraits<D>::kNodes, [&](std::uint32_t cell) {
      const CellAddress self{g.index(), cell};
      if (!is_fluid(mac, self)) return;
      const Vec<Real, D> x = boundary.cell_position(block, cell);
      Real swelling = Real(0);
      for (int c = 0; c < boundary.params.collider_count; ++c)
        if (boundary.deforms(c)) swelling += boundary.swelling(c, x);
      mac.rhs[cell_index(self)] += swelling;
    });
  }
};

template <class Exec, int D, class Real>
void subtract_swelling(Exec& exec, const GridUpdateParams<Real, D>& params,
                       const GridView<Real>& grid, const MacView<Real>& mac,
                       std::uint32_t max_blocks, const StepControl* control) {
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                SubtractSwelling<D, Real>{{params, grid}, mac});
}

}  // namespace firn
