// The linear system of `firn bench pressure`: a cube of cells with walls all around but open above,
// and what is left of its right-hand side, recomputed in double apart from any solver.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/fields/cells.h"

namespace firn {

// Relative to the right-hand side, in the largest magnitude and in the Euclidean norm.
struct RelativeResidual {
  double largest = 0, euclidean = 0;
};

// Every face between two cells conducts 1; so does the surface, on top of the highest cells (those
// with the largest y). `side` is a multiple of 4.
template <class Real>
struct PressureCube {
  static constexpr std::size_t kCells = BlockTraits<3>::kNodes;
  int side;
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> ranks;  // of the blocks row by row
  std::vector<Real> conductance, dirichlet, rhs;

  explicit PressureCube(int cells_along) : side(cells_along) {
    const int blocks = side / BlockTraits<3>::kSide;
    for (int x = 0; x < blocks; ++x)
      for (int y = 0; y < blocks; ++y)
        for (int z = 0; z < blocks; ++z) keys.push_back(block_key<3>({{x, y, z}}));
    std::sort(keys.begin(), keys.end());
    ranks.resize(keys.size());
    for (std::uint32_t rank = 0; rank < keys.size(); ++rank) {
      const Vec<int, 3> b = block_of_key<3>(keys[rank]);
      ranks[static_cast<std::size_t>((b[0] * blocks + b[1]) * blocks + b[2])] = rank;
    }
    conductance.resize(keys.size() * 3 * kCells);
    dirichlet.resize(keys.size() * kCells);
    rhs.resize(keys.size() * kCells);
    std::mt19937 random(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (std::size_t i = 0; i < rhs.size(); ++i) {
      const Vec<int, 3> at = cell(i);
      for (std::size_t a = 0; a < 3; ++a)
        if (at[static_cast<int>(a)] > 0)
          conductance[(i / kCells * 3 + a) * kCells + i % kCells] = 1;
      if (at[1] == side - 1) dirichlet[i] = 1;
      rhs[i] = static_cast<Real>(uniform(random));
    }
  }

  // Where cell i of the channels lies, and the other way round.
  Vec<int, 3> cell(std::size_t i) const {
    const Vec<int, 3> block = block_of_key<3>(keys[i / kCells]);
    Vec<int, 3> at = local_of_node<3>(static_cast<int>(i % kCells));
    for (int a = 0; a < 3; ++a) at[a] += block[a] * BlockTraits<3>::kSide;
    return at;
  }
  std::size_t index(const Vec<int, 3>& at) const {
    Vec<int, 3> block, local;
    for (int a = 0; a < 3; ++a) {
      block[a] = at[a] / BlockTraits<3>::kSide;
      local[a] = at[a] % BlockTraits<3>::kSide;
    }
    const int blocks = side / BlockTraits<3>::kSide;
    const std::uint32_t rank =
        ranks[static_cast<std::size_t>((block[0] * blocks + block[1]) * blocks + block[2])];
    return rank * kCells + static_cast<std::size_t>(node_in_block<3>(local));
  }
  // The row's diagonal: a face to each neighbour, and the surface.
  double diagonal(const Vec<int, 3>& at) const {
    double sum = at[1] == side - 1 ? 1 : 0;
    for (int a = 0; a < 3; ++a) sum += (at[a] > 0 ? 1 : 0) + (at[a] < side - 1 ? 1 : 0);
    return sum;
  }

  template <class Solution>
  RelativeResidual residual(const std::vector<Solution>& x) const {
    double largest = 0, squares = 0, rhs_largest = 0, rhs_squares = 0;
    for (std::size_t i = 0; i < rhs.size(); ++i) {
      const Vec<int, 3> at = cell(i);
      double r = static_cast<double>(rhs[i]) - diagonal(at) * static_cast<double>(x[i]);
      for (int a = 0; a < 3; ++a)
        for (const int by : {-1, 1}) {
          Vec<int, 3> other = at;
          other[a] += by;
          if (other[a] >= 0 && other[a] < side) r += static_cast<double>(x[index(other)]);
        }
      const double b = static_cast<double>(rhs[i]);
      largest = std::max(largest, std::fabs(r));
      rhs_largest = std::max(rhs_largest, std::fabs(b));
      squares += r * r;
      rhs_squares += b * b;
    }
    return {largest / rhs_largest, std::sqrt(squares / rhs_squares)};
  }
};

}  // namespace firn
