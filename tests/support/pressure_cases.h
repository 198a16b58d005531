// Linear systems for tests of the pressure solver: a function says what each cell of a box is, and
// this makes blocks, keys and coefficients of it. Values are in double; the harness converts them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/fields/cells.h"
#include "src/solvers/elliptic_solver.h"

namespace firn::test {

// An active cell, or what its neighbour does to an active one.
enum class CellClass { kWall, kAir, kActive };

template <int D>
struct PressureCase {
  static constexpr std::size_t kCells = BlockTraits<D>::kNodes;
  std::vector<std::uint64_t> keys;
  std::vector<double> conductance, dirichlet, mass, rhs;
  PeriodicBlocks periodic;

  std::size_t cells() const { return keys.size() * kCells; }
  Vec<int, D> cell(std::size_t i) const {
    Vec<int, D> c = local_of_node<D>(static_cast<int>(i % kCells));
    const Vec<int, D> block = block_of_key<D>(keys[i / kCells]);
    for (int a = 0; a < D; ++a) c[a] += block[a] * BlockTraits<D>::kSide;
    return c;
  }
  // Index of a cell, or cells() where there is no block.
  std::size_t index(const Vec<int, D>& c) const {
    Vec<int, D> block, local;
    for (int a = 0; a < D; ++a) {
      block[a] = c[a] >> BlockTraits<D>::kShift;
      local[a] = c[a] & (BlockTraits<D>::kSide - 1);
    }
    const std::uint32_t b = find_key(keys.data(), static_cast<std::uint32_t>(keys.size()), 0,
                                     block_key<D>(periodic.wrapped(block)));
    return b == kNoBlock ? cells() : b * kCells + static_cast<std::size_t>(node_in_block<D>(local));
  }
  std::size_t at(std::size_t i, int axis) const {
    return (i / kCells * D + static_cast<std::size_t>(axis)) * kCells + i % kCells;
  }
  static Vec<int, D> below(Vec<int, D> c, int axis) {
    --c[axis];
    return c;
  }

  std::vector<double> diagonal() const {
    return apply_parts(std::vector<double>(cells(), 1), true);
  }
  std::vector<double> apply(const std::vector<double>& x) const { return apply_parts(x, false); }

 private:
  std::vector<double> apply_parts(const std::vector<double>& x, bool diagonal_only) const {
    std::vector<double> y(cells());
    for (std::size_t i = 0; i < cells(); ++i) {
      y[i] += (dirichlet[i] + (mass.empty() ? 0 : mass[i])) * x[i];
      for (int a = 0; a < D; ++a) {
        const double k = conductance[at(i, a)];
        if (k == 0) continue;
        const std::size_t j = index(below(cell(i), a));
        y[i] += k * (x[i] - (diagonal_only ? 0 : x[j]));
        y[j] += k * (x[j] - (diagonal_only ? 0 : x[i]));
      }
    }
    return y;
  }
};

// What classify(c) says of all cells of the blocks that hold lo <= c < hi and of one cell around
// them, asked once.
template <int D>
class CellClasses {
 public:
  static constexpr int kSide = BlockTraits<D>::kSide;
  template <class Classify>
  CellClasses(const Vec<int, D>& lo, const Vec<int, D>& hi, Classify&& classify) {
    std::size_t total = 1;
    for (int a = 0; a < D; ++a) {
      first_block_[a] = lo[a] >> BlockTraits<D>::kShift;
      blocks_[a] = ((hi[a] - 1) >> BlockTraits<D>::kShift) - first_block_[a] + 1;
      total *= static_cast<std::size_t>(extent(a));
    }
    Vec<int, D> c;
    for (std::size_t i = 0; i < total; ++i) {
      std::size_t rest = i;
      for (int a = D - 1; a >= 0; --a) {
        c[a] = first_block_[a] * kSide - 1 +
               static_cast<int>(rest % static_cast<std::size_t>(extent(a)));
        rest /= static_cast<std::size_t>(extent(a));
      }
      classes_.push_back(classify(c));
    }
  }
  CellClass operator()(const Vec<int, D>& c) const {
    std::size_t i = 0;
    for (int a = 0; a < D; ++a)
      i = i * static_cast<std::size_t>(extent(a)) +
          static_cast<std::size_t>(c[a] - first_block_[a] * kSide + 1);
    return classes_[i];
  }
  // The keys of the blocks that hold an active cell, ascending.
  std::vector<std::uint64_t> active_blocks() const {
    std::vector<std::uint64_t> keys;
    std::size_t total = 1;
    for (int a = 0; a < D; ++a) total *= static_cast<std::size_t>(blocks_[a]);
    for (std::size_t b = 0; b < total; ++b) {
      Vec<int, D> block;
      std::size_t rest = b;
      for (int a = 0; a < D; ++a) {
        block[a] = first_block_[a] + static_cast<int>(rest % static_cast<std::size_t>(blocks_[a]));
        rest /= static_cast<std::size_t>(blocks_[a]);
      }
      if (has_active(block)) keys.push_back(block_key<D>(block));
    }
    std::sort(keys.begin(), keys.end());
    return keys;
  }

 private:
  int extent(int axis) const { return blocks_[axis] * kSide + 2; }
  bool has_active(const Vec<int, D>& block) const {
    for (int i = 0; i < BlockTraits<D>::kNodes; ++i) {
      Vec<int, D> c = local_of_node<D>(i);
      for (int a = 0; a < D; ++a) c[a] += block[a] * kSide;
      if ((*this)(c) == CellClass::kActive) return true;
    }
    return false;
  }
  Vec<int, D> first_block_, blocks_;
  std::vector<CellClass> classes_;
};

// All active cells lie in lo <= c < hi. Conductances are `face(c, axis)` between active cells, and
// go to `dirichlet` where the neighbour is air.
template <int D, class Classify, class Face>
PressureCase<D> make_case(const Vec<int, D>& lo, const Vec<int, D>& hi, Classify&& classify,
                          Face&& face) {
  const CellClasses<D> class_of(lo, hi, classify);
  PressureCase<D> c;
  c.keys = class_of.active_blocks();
  c.conductance.assign(c.cells() * D, 0);
  c.dirichlet.assign(c.cells(), 0);
  c.rhs.assign(c.cells(), 0);
  for (std::size_t i = 0; i < c.cells(); ++i) {
    const Vec<int, D> cell = c.cell(i);
    if (class_of(cell) != CellClass::kActive) continue;
    for (int a = 0; a < D; ++a) {
      Vec<int, D> up = cell;
      ++up[a];
      const CellClass under = class_of(c.below(cell, a)), over = class_of(up);
      if (under == CellClass::kActive) c.conductance[c.at(i, a)] = face(cell, a);
      if (under == CellClass::kAir) c.dirichlet[i] += face(cell, a);
      if (over == CellClass::kAir) c.dirichlet[i] += face(up, a);
    }
  }
  return c;
}
template <int D>
bool inside(const Vec<int, D>& c, const Vec<int, D>& lo, const Vec<int, D>& hi) {
  for (int a = 0; a < D; ++a)
    if (c[a] < lo[a] || c[a] >= hi[a]) return false;
  return true;
}
inline constexpr auto kUnitFace = [](const auto&, int) { return 1.0; };

// A cube of n^D cells from `corner`, open at the top of the last axis (or all around, or closed).
enum class CubeWalls { kClosed, kOpenTop, kOpen };
template <int D>
PressureCase<D> cube_case(int n, CubeWalls walls, int corner = 0) {
  const auto lo = Vec<int, D>::filled(corner), hi = Vec<int, D>::filled(corner + n);
  return make_case<D>(
      lo, hi,
      [=](const Vec<int, D>& c) {
        if (inside(c, lo, hi)) return CellClass::kActive;
        if (walls == CubeWalls::kOpen) return CellClass::kAir;
        return walls == CubeWalls::kOpenTop && c[D - 1] >= hi[D - 1] ? CellClass::kAir
                                                                     : CellClass::kWall;
      },
      kUnitFace);
}

// A box of blocks whose axes below `rings` close on themselves; the last axis, if not one of them,
// is open at its top, the others are closed.
template <int D>
PressureCase<D> ring_case(const Vec<int, D>& first, const Vec<int, D>& blocks, int rings) {
  Vec<int, D> lo, hi;
  for (int a = 0; a < D; ++a) {
    lo[a] = first[a] * BlockTraits<D>::kSide;
    hi[a] = lo[a] + blocks[a] * BlockTraits<D>::kSide;
  }
  auto c = make_case<D>(
      lo, hi,
      [=](const Vec<int, D>& at) {
        for (int a = rings; a < D; ++a)
          if (at[a] < lo[a] || at[a] >= hi[a])
            return a == D - 1 && at[a] >= hi[a] ? CellClass::kAir : CellClass::kWall;
        return CellClass::kActive;
      },
      kUnitFace);
  for (int a = 0; a < rings; ++a) c.periodic.first[a] = first[a], c.periodic.count[a] = blocks[a];
  return c;
}

// The same number for the same cell whatever the order of the calls, uniform in [0, 1).
template <int D>
double cell_noise(const Vec<int, D>& c, int salt) {
  std::uint64_t h = 0x9e3779b97f4a7c15ull * static_cast<std::uint64_t>(salt + 1);
  for (int a = 0; a < D; ++a) {
    h ^= static_cast<std::uint64_t>(c[a] + (1 << 20));
    h *= 0xbf58476d1ce4e5b9ull;
    h ^= h >> 29;
  }
  return static_cast<double>(h >> 11) * 0x1p-53;
}
template <int D>
void random_rhs(PressureCase<D>& c) {
  for (std::size_t i = 0; i < c.cells(); ++i) c.rhs[i] = 2 * cell_noise<D>(c.cell(i), 77) - 1;
}

// Tanks whose conductances are uniform in [0.1, 1) or, `wide`, log-uniform in [1e-3, 1).
// kCorner begins five cells before a corner of the lattice at which blocks never join, open on that
// side only; kPillars also holds pillars, and kPocket a sealed pocket behind a thin wall, too.
enum class Tank { kOpenTop, kAround, kCorner, kPillars, kPocket, kClosed };
inline constexpr Tank kTanks[] = {Tank::kOpenTop, Tank::kAround, Tank::kCorner,
                                  Tank::kPillars, Tank::kPocket, Tank::kClosed};
template <int D>
CellClass class_in_tank(Tank tank, const Vec<int, D>& c, const Vec<int, D>& lo,
                        const Vec<int, D>& hi) {
  const bool left = tank != Tank::kOpenTop && tank != Tank::kAround;
  if (!inside(c, lo, hi)) {
    const bool open = left ? c[0] < lo[0] : c[D - 1] >= hi[D - 1];
    return open && tank != Tank::kClosed ? CellClass::kAir : CellClass::kWall;
  }
  const bool pillar = c[0] % 9 == 0 && c[1] % 7 == 0;
  const bool wall = tank == Tank::kPocket && c[0] == hi[0] - 11;
  return wall || (pillar && (tank == Tank::kPillars || tank == Tank::kPocket)) ? CellClass::kWall
                                                                               : CellClass::kActive;
}
template <int D>
PressureCase<D> random_tank(Tank tank, int n, bool wide = false, int seed = 0) {
  const int corner = tank == Tank::kOpenTop || tank == Tank::kClosed ? 0
                     : tank == Tank::kAround                         ? 3 - n / 2
                                                                     : -5;
  const auto lo = Vec<int, D>::filled(corner), hi = Vec<int, D>::filled(corner + n);
  auto c = make_case<D>(
      lo, hi, [=](const Vec<int, D>& cell) { return class_in_tank<D>(tank, cell, lo, hi); },
      [=](const Vec<int, D>& cell, int axis) {
        const double u = cell_noise<D>(cell, axis + 10 * seed);
        return wide ? std::pow(1e-3, u) : 0.1 + 0.9 * u;
      });
  random_rhs(c);
  return c;
}

// One system in a backend's memory and the solver on it.
template <class Exec, int D, class Real>
class PressureHarness {
 public:
  PressureHarness(Exec& exec, const PressureCase<D>& c)
      : exec_(exec),
        solver_(exec),
        keys_(exec, std::span<const std::uint64_t>(c.keys)),
        conductance_(channel(c.conductance)),
        dirichlet_(channel(c.dirichlet)),
        mass_(channel(c.mass)),
        rhs_(channel(c.rhs)),
        solution_(exec, c.cells()),
        periodic_(c.periodic),
        blocks_(exec, 1) {
    const auto n = static_cast<std::uint32_t>(c.keys.size());
    blocks_.upload(std::span<const std::uint32_t>(&n, 1));
    solution_.zero();
  }
  EllipticSystem<Real> system() {
    return {keys_.data(),        {blocks_.data(), static_cast<std::uint32_t>(keys_.size())},
            conductance_.data(), dirichlet_.data(),
            mass_.data(),        rhs_.data(),
            solution_.data(),    periodic_};
  }
  SolveReport solve(const SolveOptions& options = {}, const std::uint32_t* stop = nullptr) {
    return solver_.solve(system(), options, stop);
  }
  // With another right-hand side, the hierarchy of the last solve, and no guess.
  SolveReport solve_again(const std::vector<double>& rhs, const SolveOptions& options = {}) {
    rhs_.upload(std::vector<Real>(rhs.begin(), rhs.end()));
    solution_.zero();
    return solver_.solve_again(system(), options, nullptr);
  }
  void make_plain() { solver_.make_plain(system()); }
  std::vector<Real> solution() const { return solution_.download(); }
  void set_solution(const std::vector<Real>& x) { solution_.upload(x); }
  // z = M r with the hierarchy of the last solve.
  std::vector<Real> precondition(const std::vector<double>& r) {
    auto in = channel(r);
    Buffer<Exec, Real> out(exec_, in.size());
    solver_.precondition(in.data(), out.data());
    return out.download();
  }
  // All of the solver and the caller's channels.
  std::size_t bytes() const {
    return solver_.bytes() + conductance_.bytes() + dirichlet_.bytes() + mass_.bytes() +
           rhs_.bytes() + solution_.bytes();
  }

 private:
  Buffer<Exec, Real> channel(const std::vector<double>& values) {
    return {exec_, std::span<const Real>(std::vector<Real>(values.begin(), values.end()))};
  }
  Exec& exec_;
  EllipticSolver<Exec, D, Real> solver_;
  Buffer<Exec, std::uint64_t> keys_;
  Buffer<Exec, Real> conductance_, dirichlet_, mass_, rhs_, solution_;
  PeriodicBlocks periodic_;
  Buffer<Exec, std::uint32_t> blocks_;
};

// To 1e-6, or to what single precision holds of it.
template <int D, class Real, class Exec>
void expect_iterations(Exec& exec, Tank tank, int n, bool wide, std::uint32_t most) {
  PressureHarness<Exec, D, Real> h(exec, random_tank<D>(tank, n, wide));
  const SolveReport report = h.solve({sizeof(Real) == 4 ? 1e-5 : 1e-6, 0, 150});
  const std::string what =
      "tank " + std::to_string(static_cast<int>(tank)) + " of " + std::to_string(n);
  EXPECT_TRUE(report.converged) << what;
  EXPECT_FALSE(report.plain) << what;
  EXPECT_LE(report.iterations, most) << what;
}

template <int D, class Real>
double true_residual(const PressureCase<D>& c, const std::vector<Real>& x) {
  const std::vector<double> Ax = c.apply(std::vector<double>(x.begin(), x.end()));
  const std::vector<double> diagonal = c.diagonal();
  double largest = 0;
  for (std::size_t i = 0; i < c.cells(); ++i)
    if (diagonal[i] != 0) largest = std::max(largest, std::fabs(c.rhs[i] - Ax[i]));
  return largest;
}

}  // namespace firn::test
