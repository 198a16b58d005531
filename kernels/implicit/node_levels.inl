// The levels of multigrid.h: their blocks, points and matrices.
#pragma once

#include "kernels/exec/algorithms.h"
#include "kernels/implicit/definite_inverse.h"
#include "kernels/implicit/node_places.h"
#include "kernels/implicit/nodes.h"

namespace firn {

// Which coarser blocks the nodes of a block take part in.
template <int D, class Real>
struct MarkCoarser {
  static constexpr const char* kName = "mark_coarser";
  static constexpr int kThreads = 64;
  using Places = NodePlaces<D>;
  struct Scratch {
    std::uint32_t corners;  // a bit each
  };
  NodeLevel<Real> finer;
  PeriodicBlocks periodic;
  std::uint64_t* candidates;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = g.index();
    const Vec<int, D> at = block_of_key<D>(finer.keys[block]);
    g.once([&] { g.scratch.corners = 0; });
    g.sync();
    g.for_each(Places::kNodes, [&](std::uint32_t i) {
      if (!(finer.weight[8 * (std::uint64_t{block} * Places::kNodes + i)] > Real(0))) return;
      const Vec<int, D> local = local_of_node<D>(static_cast<int>(i));
      int leans = 0;
      for (int a = 0; a < D; ++a) {
        const int j = Places::aside((at[a] & 1) * Places::kSide + local[a]);
        if (j < 0 || j >= Places::kSide) leans |= 1 << a;
      }
      std::uint32_t corners = 0;
      for (int c = 0; c < Places::kParts; ++c)
        if ((c & ~leans) == 0) corners |= 1u << c;
      g.atomic_or(g.scratch.corners, corners);
    });
    g.sync();
    g.for_each(Places::kParts, [&](std::uint32_t c) {
      const bool needed = (g.load(g.scratch.corners) >> c & 1) != 0;
      candidates[std::uint64_t{block} * Places::kParts + c] =
          needed ? block_key<D>(periodic.wrapped(Places::coarser_block(at, static_cast<int>(c))))
                 : kEmptyKey;
    });
  }
};

struct FlagFirst {
  static constexpr const char* kName = "flag_first";
  const std::uint64_t* keys;
  std::uint32_t* first;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t i) const {
    first[i] = keys[i] != kEmptyKey && (i == 0 || keys[i] != keys[i - 1]) ? 1 : 0;
  }
};
struct KeepFirst {
  static constexpr const char* kName = "keep_first";
  PackScratch scratch;
  std::uint64_t* keys;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t i) const {
    if (scratch.kept[i] != 0) keys[scratch.places[i]] = scratch.candidates[i];
  }
};

FIRN_HD inline std::uint32_t rank_of_key(const std::uint64_t* keys, std::uint32_t count,
                                         std::uint64_t key) {
  const std::uint32_t at = lower_bound(keys, count, key);
  return at < count && keys[at] == key ? at : kNoBlock;
}

template <int D, class Real>
struct LinkFiner {
  static constexpr const char* kName = "link_finer";
  NodeLevel<Real> finer, coarse;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t block) const {
    using Places = NodePlaces<D>;
    const Vec<int, D> at = block_of_key<D>(finer.keys[block]);
    for (int c = 0; c < Places::kParts; ++c)
      finer.coarser[std::uint64_t{block} * Places::kParts + c] =
          rank_of_key(coarse.keys, coarse.blocks,
                      block_key<D>(coarse.periodic.wrapped(Places::coarser_block(at, c))));
  }
};
template <int D, class Real>
struct LinkCoarse {
  static constexpr const char* kName = "link_coarse";
  NodeLevel<Real> finer, coarse;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t block) const {
    using Places = NodePlaces<D>;
    const Vec<int, D> at = block_of_key<D>(coarse.keys[block]);
    for (int n = 0; n < Places::kAround; ++n)
      coarse.around[std::uint64_t{block} * Places::kAround + n] =
          rank_of_key(coarse.keys, coarse.blocks,
                      block_key<D>(coarse.periodic.wrapped(neighbour_block<D>(at, n))));
    for (int part = 0; part < Places::kParts; ++part) {
      Vec<int, D> below;
      for (int a = 0; a < D; ++a) below[a] = 2 * at[a] + (part >> a & 1);
      coarse.finer[std::uint64_t{block} * Places::kParts + part] =
          rank_of_key(finer.keys, finer.blocks, block_key<D>(finer.periodic.wrapped(below)));
    }
  }
};

template <int D, class Real>
struct BeginPoints : ImplicitNodes<D, Real> {
  static constexpr const char* kName = "begin_points";
  using Base = ImplicitNodes<D, Real>;
  using Base::problem;
  struct Scratch {};
  NodeLevel<Real> finest;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    Base::for_each_node(g, [&](std::uint64_t node, std::uint32_t) {
      Real* tensor = finest.tensor + kPointReals<D> * node;
      for (int k = 0; k < kPointReals<D>; ++k) tensor[k] = Real(0);
      const std::uint32_t kind = problem.view.kind[node];
      const Real* block = problem.view.inverse + 8 * node;
      const Real m = kind == kNodeEmpty ? Real(0) : Base::mass(node);
      Real held = Real(0);
      for (int a = 0; a < D; ++a) held += block[symmetric_entry<D>(a, a)] + m;
      for (int a = 0; a < D; ++a)
        for (int b = a; b < D; ++b) {
          const int k = symmetric_entry<D>(a, b);
          const Real one = a == b ? Real(1) : Real(0);
          const Real free = kind == kNodeHeld    ? problem.view.hold[node].free[k]
                            : kind == kNodeFixed ? Real(0)
                                                 : one;
          finest.weight[8 * node + k] = one * m + held * (one - free);
        }
    });
  }
};

// Sums of what the finer nodes hold.
template <int D, class Real>
struct CoarsenPoints {
  static constexpr const char* kName = "coarsen_points";
  static constexpr int kThreads = 64;
  using Places = NodePlaces<D>;
  struct Scratch {};
  NodeLevel<Real> finer, coarse;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    g.for_each(Places::kNodes, [&](std::uint32_t i) {
      const Vec<int, D> local = local_of_node<D>(static_cast<int>(i));
      const std::uint64_t node = std::uint64_t{g.index()} * Places::kNodes + i;
      Real* tensor = coarse.tensor + kPointReals<D> * node;
      Real* weight = coarse.weight + 8 * node;
      for (int k = 0; k < kPointReals<D>; ++k) tensor[k] = Real(0);
      for (int k = 0; k < symmetric_components(D); ++k) weight[k] = Real(0);
      Places::for_each_finer(coarse, g.index(), local, [&](std::uint64_t from, Real w, bool own) {
        for (int k = 0; k < symmetric_components(D); ++k)
          weight[k] += w * finer.weight[8 * from + k];
        for (int k = 0; own && k < kPointReals<D>; ++k)
          tensor[k] += finer.tensor[kPointReals<D> * from + k];
      });
    });
  }
};

template <int D, class Real>
struct FlagRows {
  static constexpr const char* kName = "flag_rows";
  NodeLevel<Real> coarse;
  std::uint32_t* kept;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t node) const {
    kept[node] = coarse.weight[8 * std::uint64_t{node}] > Real(0) ? 1 : 0;
  }
};
// Of nodes, the rows; and the columns of each.
template <int D, class Real>
struct PlaceRow {
  static constexpr const char* kName = "place_row";
  NodeLevel<Real> coarse;
  PackScratch scratch;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t node) const {
    using Places = NodePlaces<D>;
    if (scratch.kept[node] == 0) return;
    const std::uint32_t row = scratch.places[node];
    coarse.row_node[row] = node;
    std::uint32_t* columns = coarse.column +
                             std::uint64_t{row / kPackRows} * kCoupledNodes<D> * kPackRows +
                             row % kPackRows;
    const std::uint32_t block = node / Places::kNodes;
    for (int k = 0; k < kCoupledNodes<D>; ++k) {
      Vec<int, D> at = local_of_node<D>(static_cast<int>(node % Places::kNodes));
      int rest = k;
      for (int a = D - 1; a >= 0; --a, rest /= 5) at[a] += rest % 5 - 2;
      const int n = Places::neighbour_of(at);
      const std::uint32_t rank = coarse.around[std::uint64_t{block} * Places::kAround + n];
      // What is not there has nothing in the matrix.
      columns[k * kPackRows] =
          rank == kNoBlock
              ? node
              : rank * Places::kNodes + static_cast<std::uint32_t>(node_in_block<D>(at));
    }
  }
};

// The matrix of a coarse level, point by point: points of the same place relative to their node
// see all nodes through the same weights.
template <int D, class Real>
struct AssembleNodes {
  static constexpr const char* kName = "assemble_nodes";
  static constexpr int kThreads = 64;
  using Places = NodePlaces<D>;
  static constexpr int kStencil = int_power(3, D), kEntries = D * D;
  struct Scratch {
    float pulled[D * D * D][kPackRows];  // tensor and own gradient of each row, of one point
    float held[symmetric_components(D)][kPackRows];
  };
  NodeLevel<Real> finer, coarse;
  Real inv_dx;

  // Weights and slopes (per cell) of a coarse node `offset` cells from the node of the point, which
  // lies a quarter cell below it (part 0) or above (part 1).
  struct Axis {
    float weight, slope, share;
  };
  static FIRN_HD Axis axis(int offset, int part) {
    const float d = static_cast<float>(offset) + (part == 0 ? 0.25f : -0.25f);
    const float away = d < 0 ? -d : d;
    const float w = away < 0.5f ? 0.75f - d * d : 0.5f * (1.5f - away) * (1.5f - away);
    const float share = offset == 0 ? 0.75f : offset == (part == 0 ? -1 : 1) ? 0.25f : 0.0f;
    return {w, 4.0f * d, share};
  }
  struct Seen {
    Vec<float, D> slope;  // gradient of the node's velocity per cell
    float share = 1;
  };
  static FIRN_HD Seen seen(const Vec<int, D>& offset, int part) {
    Seen s;
    float w = 1;
    for (int a = 0; a < D; ++a) {
      const Axis x = axis(offset[a], part >> a & 1);
      w *= x.weight;
      s.slope[a] = x.slope;
      s.share *= x.share;
    }
    for (int a = 0; a < D; ++a) s.slope[a] *= w;
    return s;
  }
  static FIRN_HD Vec<int, D> of_three(int n) {
    Vec<int, D> v;
    for (int a = D - 1; a >= 0; --a, n /= 3) v[a] = n % 3 - 1;
    return v;
  }

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    float* matrix =
        coarse.matrix + std::uint64_t{g.index()} * kCoupledNodes<D> * kEntries * kPackRows;
    for (int k = 0; k < kCoupledNodes<D> * kEntries; ++k)
      g.for_each(kPackRows, [&](std::uint32_t i) { matrix[k * kPackRows + i] = 0; });
    for (int n = 0; n < kStencil; ++n)
      for (int part = 0; part < Places::kParts; ++part) add(g, matrix, of_three(n), part);
    g.for_each(kPackRows, [&](std::uint32_t i) { invert(matrix, g.index() * kPackRows + i); });
  }

  // The points of `part` whose node lies `shift` away from each node of the block.
  template <class Group>
  FIRN_HD void add(Group& g, float* matrix, const Vec<int, D>& shift, int part) const {
    const Vec<int, D> back = Vec<int, D>::zero() - shift;
    const Seen own = seen(back, part);
    g.for_each(kPackRows, [&](std::uint32_t i) { pull(g, shift, part, own, i); });
    for (int n = 0; n < kStencil; ++n) {
      const Vec<int, D> offset = of_three(n);
      const Seen other = seen(offset, part);
      int k = 0;
      for (int a = 0; a < D; ++a) k = 5 * k + shift[a] + offset[a] + 2;
      float* entries = matrix + k * kEntries * kPackRows;
      const float share = own.share * other.share;
      g.for_each(kPackRows, [&](std::uint32_t i) {
        for (int a = 0; a < D; ++a)
          for (int c = 0; c < D; ++c) {
            float sum = share * g.scratch.held[symmetric_entry<D>(a, c)][i];
            for (int d = 0; d < D; ++d)
              sum += g.scratch.pulled[(a * D + c) * D + d][i] * other.slope[d];
            entries[(a * D + c) * kPackRows + i] += sum;
          }
      });
    }
  }
  template <class Group>
  FIRN_HD void pull(Group& g, const Vec<int, D>& shift, int part, const Seen& own,
                    std::uint32_t i) const {
    const std::uint32_t row = g.index() * kPackRows + i;
    const std::uint32_t node = row < coarse.rows ? coarse.row_node[row] : 0;
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(node % Places::kNodes));
    Vec<int, D> at;
    for (int a = 0; a < D; ++a) at[a] = 2 * (local[a] + shift[a]) + (part >> a & 1);
    std::uint64_t from = 0;
    const bool there =
        row < coarse.rows && Places::finer_node(coarse, node / Places::kNodes, at, from);
    const Real* tensor = finer.tensor + kPointReals<D> * from;
    const Real scale = inv_dx * inv_dx;
    for (int k = 0; k < symmetric_components(D); ++k)
      g.scratch.held[k][i] = there ? static_cast<float>(finer.weight[8 * from + k]) : 0.0f;
    for (int a = 0; a < D; ++a)
      for (int cd = 0; cd < D * D; ++cd) {
        float sum = 0;
        for (int b = 0; there && b < D; ++b)
          sum += own.slope[b] *
                 static_cast<float>(scale * tensor[symmetric_entry<D * D>(a * D + b, cd)]);
        g.scratch.pulled[a * D * D + cd][i] = sum;
      }
  }
  FIRN_HD void invert(const float* matrix, std::uint32_t row) const {
    if (row >= coarse.rows) return;
    const std::uint32_t i = row % kPackRows;
    const float* own = matrix + (kCoupledNodes<D> / 2) * kEntries * kPackRows;
    Mat<double, D> B;
    for (int a = 0; a < D; ++a)
      for (int c = 0; c < D; ++c) B(a, c) = static_cast<double>(own[(a * D + c) * kPackRows + i]);
    Real* at = coarse.inverse + 8 * std::uint64_t{coarse.row_node[row]};
    for (int k = 0; k < symmetric_components(D); ++k) at[k] = Real(0);
    if (!(trace(B) > 0)) return;
    // Where few points see a node its block may be singular.
    const Mat<Real, D> inverted = definite_inverse<Real>(B, 1e-5);
    for (int a = 0; a < D; ++a)
      for (int c = a; c < D; ++c) at[symmetric_entry<D>(a, c)] = inverted(a, c);
  }
};

template <class Exec, int D, class Real>
void find_coarser(Exec& exec, const NodeLevel<Real>& finer, const PeriodicBlocks& periodic,
                  const PackScratch& scratch, std::uint64_t* keys) {
  const DeviceCount candidates{nullptr, finer.blocks << D};
  launch_groups(exec, blocks_of(finer), MarkCoarser<D, Real>{finer, periodic, scratch.candidates});
  sort_keys(exec, scratch.candidates, candidates, nullptr);
  launch_items(exec, {candidates, nullptr}, FlagFirst{scratch.candidates, scratch.kept});
  exclusive_scan(exec, scratch.kept, candidates, nullptr, scratch.places);
  launch_items(exec, {candidates, nullptr}, KeepFirst{scratch, keys});
}
template <class Exec, int D, class Real>
void link_levels(Exec& exec, const NodeLevel<Real>& finer, const NodeLevel<Real>& coarse) {
  launch_items(exec, blocks_of(finer), LinkFiner<D, Real>{finer, coarse});
  launch_items(exec, blocks_of(coarse), LinkCoarse<D, Real>{finer, coarse});
}
template <class Exec, int D, class Real>
void count_rows(Exec& exec, const NodeLevel<Real>& coarse, const PackScratch& scratch) {
  const DeviceCount nodes{nullptr, coarse.blocks * BlockTraits<D>::kNodes};
  launch_items(exec, {nodes, nullptr}, FlagRows<D, Real>{coarse, scratch.kept});
  exclusive_scan(exec, scratch.kept, nodes, nullptr, scratch.places);
}
template <class Exec, int D, class Real>
void place_rows(Exec& exec, const NodeLevel<Real>& coarse, const PackScratch& scratch) {
  launch_items(exec, {{nullptr, coarse.blocks * BlockTraits<D>::kNodes}, nullptr},
               PlaceRow<D, Real>{coarse, scratch});
}
template <class Exec, int D, class Real>
void begin_points(Exec& exec, const ImplicitProblem<Real, D>& p, const NodeLevel<Real>& finest) {
  launch_groups(exec, nodes_of(p), BeginPoints<D, Real>{{p}, finest});
}
template <class Exec, int D, class Real>
void coarsen_points(Exec& exec, const NodeLevel<Real>& finer, const NodeLevel<Real>& coarse) {
  launch_groups(exec, blocks_of(coarse), CoarsenPoints<D, Real>{finer, coarse});
}
template <class Exec, int D, class Real>
void assemble_nodes(Exec& exec, const NodeLevel<Real>& finer, const NodeLevel<Real>& coarse,
                    Real dx) {
  launch_groups(exec, packs_of(coarse), AssembleNodes<D, Real>{finer, coarse, Real(1) / dx});
}

}  // namespace firn
