// Which rows of particles go through the spare together, and where in it each of them lies.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/grid/rebuild.h"

namespace firn {

template <class Real>
class SpareRows {
 public:
  // `width` components per slot, at least one.
  SpareRows(Real* spare, int width) : spare_(spare), width_(width) {}

  bool full() const { return used_ == width_ || moves_.count == RowMoves<Real>::kMost; }
  // As many of the n components from the first-th on as there is room for, in a spare that is not
  // full; returns how many.
  int take(const ParticleRows<Real>& rows, int first, int n) {
    const int taken = std::min(n, width_ - used_);
    moves_.reals[moves_.count++] = {
        {rows.data + first * kLanes, rows.stride, rows.bank}, at(used_), taken};
    used_ += taken;
    return taken;
  }
  // Ids take the place of one component.
  void take_ids(const ParticleRows<std::uint32_t>& rows) {
    constexpr int kPerReal = sizeof(Real) / sizeof(std::uint32_t);
    const ParticleRows<Real> place = at(used_++);
    moves_.ids = {
        rows,
        {reinterpret_cast<std::uint32_t*>(place.data), place.stride * kPerReal, place.bank},
        1};
  }
  const RowMoves<Real>& there() const { return moves_; }
  RowMoves<Real> back() const {
    RowMoves<Real> moves = moves_;
    for (int m = 0; m < moves.count; ++m) std::swap(moves.reals[m].from, moves.reals[m].to);
    std::swap(moves.ids.from, moves.ids.to);
    return moves;
  }
  void clear() {
    moves_ = {};
    used_ = 0;
  }

 private:
  ParticleRows<Real> at(int component) const {
    return {spare_ + component * kLanes, width_, Bank::kNone};
  }

  Real* spare_;
  int width_, used_ = 0;
  RowMoves<Real> moves_;
};

}  // namespace firn
