// Openings that sources make in what lies behind them. Walls and colliders that hold what touches
// them would hold what comes in there: their nodes take the velocity of the wall, and the particles
// of the first cells the mean of theirs.
#pragma once

#include <cstdint>

#include "kernels/collide/boundary.h"
#include "kernels/math/scalar.h"

namespace firn {

// The nodes upstream of a source at rest that share in what it brings.
template <class Real, int D>
struct Opening {
  Vec<int, D> first, count;  // a box of nodes, of which those are open that have a bit
  std::uint64_t bit;         // of the first one, in OpeningView::bits; x runs fastest
  Vec<Real, D> flow;         // the direction of what comes in
  double begin, end;         // s, while it comes
};

template <class Real, int D>
struct OpeningView {
  const Opening<Real, D>* openings = nullptr;
  const std::uint32_t* bits = nullptr;
  int count = 0;

  // Cosine of flow and normal from which on a boundary lies across the flow.
  static constexpr Real kAcross = Real(0.2);

  // How a boundary with that normal acts on the node at x, at `time`: where a source brings
  // material in, it lets go of it and still lets none out.
  FIRN_HD BoundaryType type_at(BoundaryType type, const Vec<Real, D>& x, const Vec<Real, D>& normal,
                               Real dx, double time) const {
    if (!holds_both_ways(type)) return type;
    for (int o = 0; o < count; ++o)
      if (lets_in(openings[o], x, normal, dx, time)) return BoundaryType::kSeparate;
    return type;
  }

 private:
  FIRN_HD bool lets_in(const Opening<Real, D>& opening, const Vec<Real, D>& x,
                       const Vec<Real, D>& normal, Real dx, double time) const {
    if (!(time >= opening.begin && time <= opening.end && dot(normal, opening.flow) > kAcross))
      return false;
    std::uint64_t bit = 0;
    for (int a = D - 1; a >= 0; --a) {
      const int i = static_cast<int>(floor(x[a] / dx + Real(0.5))) - opening.first[a];
      if (i < 0 || i >= opening.count[a]) return false;
      bit = bit * static_cast<std::uint64_t>(opening.count[a]) + static_cast<std::uint64_t>(i);
    }
    bit += opening.bit;
    return (bits[bit / 32] >> (bit % 32) & 1u) != 0;
  }
};

}  // namespace firn
