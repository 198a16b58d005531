// A dense tile of nodes over one block and the reach of its particles' stencils: the arena of P2G
// and G2P; and the wider one of the fused step, whose particles may have left their block by a
// cell. Also the table of which degrees and mode sets are instantiated.
#pragma once

#include <type_traits>

#include "kernels/exec/node.h"
#include "kernels/exec/node_row.h"
#include "kernels/fields/blocks.h"
#include "kernels/transfer/transfer.h"

namespace firn {

template <int D, int Degree, class Real, class Value = Node<Real>>
struct BlockTile {
  static constexpr int kSide = BlockTraits<D>::kSide + Degree;
  static constexpr int kNodes = int_power(kSide, D);
  // What vectors that work on four nodes of a row touch behind the last stencil's last row.
  static constexpr int kMargin = Degree < 3 ? 3 - Degree : 0;
  Value node[kNodes + kMargin];

  // Where the stencil with lowest node `base` begins, for a particle whose home is `block`. Whole
  // numbers of packs are exact here: the nodes of a block are multiples of one power of two.
  template <int Dim, class Index>
  FIRN_HD static Index index_of(const Vec<Index, Dim>& base, const Vec<int, Dim>& block) {
    using Whole = Scalar<Index>;
    Index index = Index(Whole(0));
    for (int a = 0; a < Dim; ++a)
      index = index * Index(Whole(kSide)) +
              (base[a] - Index(static_cast<Whole>(block[a] * BlockTraits<Dim>::kSide)));
    return index;
  }
};

// Where tile node t lies: corner block and node in it.
template <int D, int Side>
struct TileNode {
  int corner = 0, node = 0;
  FIRN_HD explicit TileNode(int t) {
    Vec<int, D> local;
    for (int a = D - 1; a >= 0; --a, t /= Side) {
      const int i = t % Side;
      corner |= (i >> BlockTraits<D>::kShift) << a;
      local[a] = i & (BlockTraits<D>::kSide - 1);
    }
    node = node_in_block<D>(local);
  }
};

// f(t, corner, node) for the nodes of a tile of `Side` nodes per axis: on the CPU row by row, whose
// nodes have most of their address in common.
template <int D, int Side, class Group, class F>
FIRN_HD inline void for_each_tile_node(Group& g, F&& f) {
  using At = TileNode<D, Side>;
  if constexpr (kHasNodeRows)
    g.template for_each_line<Side>(
        int_power(Side, D - 1), [](std::uint32_t row) { return At(static_cast<int>(row) * Side); },
        [&](const At& row, std::uint32_t r, std::uint32_t i) {
          const int along = static_cast<int>(i), beyond = along >> BlockTraits<D>::kShift;
          f(r * Side + i, row.corner | beyond << (D - 1),
            row.node + (along & (BlockTraits<D>::kSide - 1)));
        });
  else
    g.for_each(int_power(Side, D), [&](std::uint32_t t) {
      const At at(static_cast<int>(t));
      f(t, at.corner, at.node);
    });
}

// What tells where the nodes of a tile lie: `side` of them per axis, last axis fastest, and in 3D
// `padding` of planes. A side alone is a layout without padding.
FIRN_HD constexpr int tile_layout(int side, int padding) { return side | padding << 8; }
template <int D, int Layout>
FIRN_HD constexpr int tile_stride(int axis) {
  constexpr int kSide = Layout & 0xff, kPadding = Layout >> 8;
  return int_power(kSide, D - 1 - axis) + (D == 3 && axis == 0 ? kPadding : 0);
}

// A tile that reaches one node further on every side: stencils may begin one node before their
// particle's block, and up to one behind it.
//
// On CUDA eight threads at a time read 16 bytes each from shared memory without a conflict if their
// places are different mod 8: planes are padded such that those of 4 nodes of a row and of the next
// plane are.
FIRN_HD constexpr int padding_on_cuda(int side) { return (12 - side * side % 8) % 8; }
template <int D, int Degree, class Real>
struct WideTile {
  static constexpr int kSide = BlockTraits<D>::kSide + Degree + 2;
  static constexpr int kPadding = D == 3 && !kHasNodeRows ? padding_on_cuda(kSide) : 0;
  static constexpr int kLayout = tile_layout(kSide, kPadding);
  static constexpr int kNodes = int_power(kSide, D) + (D == 3 ? kSide * kPadding : 0);
  static constexpr int kRows = int_power(kSide, D - 1);
  static constexpr int kMargin = Degree < 3 ? 3 - Degree : 0;
  Node<Real> node[kNodes + kMargin];

  // Where the first node of a row lies.
  FIRN_HD static std::uint32_t row(std::uint32_t r) {
    return r * kSide + (kPadding > 0 ? r / kSide * kPadding : 0);
  }
};

// How many parities per axis keep the wide tiles of one colour apart.
FIRN_HD constexpr int wide_parities(int degree, int d) {
  const int block = d == 3 ? BlockTraits<3>::kSide : BlockTraits<2>::kSide;
  return block + degree + 2 <= 2 * block ? 2 : 3;
}

// How many warps of the fused step share the tiles that they read. Each has tiles of its own to add
// to: one, or two with forces kept apart.
FIRN_HD constexpr int fused_warps(std::size_t tile_bytes, bool apart) {
  const std::size_t tiles = apart ? 2 : 1;
  int warps = 4;
  while (warps > 1 && (1 + warps) * tiles * tile_bytes > kCudaArenaBytes) --warps;
  return warps;
}

// Whether the arena of the fused step fits CUDA's shared memory, and its modes the registers.
// `apart`: FLIP, whose increments and impulses have tiles of their own.
FIRN_HD constexpr bool fuses_on_cuda(int degree, int d, int modes, std::size_t real_bytes,
                                     bool apart) {
  const int block = d == 3 ? BlockTraits<3>::kSide : BlockTraits<2>::kSide;
  const int margin = 3;  // and alignment
  const int side = block + degree + 2, padding = d == 3 ? padding_on_cuda(side) * side : 0;
  const std::size_t nodes = static_cast<std::size_t>(int_power(side, d) + padding + margin);
  return (real_bytes == 4 || modes <= int_power(2, d)) &&
         nodes * 4 * real_bytes * (apart ? 4 : 2) <= kCudaArenaBytes;
}

template <class Tile>
using TileValue = std::remove_cvref_t<decltype(Tile::node[0])>;

template <class Value>
FIRN_HD inline Value zero_of() {
  if constexpr (requires { Value::zero(); })
    return Value::zero();
  else
    return Value(0);
}

template <class Group, class Tile>
FIRN_HD inline void clear_tile(Group& g, Tile& tile) {
  g.for_each(Tile::kNodes + Tile::kMargin,
             [&](std::uint32_t t) { tile.node[t] = zero_of<TileValue<Tile>>(); });
}

// A channel of the grid's nodes or cells, or one layer of a channel that has several per block:
// faces have one per axis.
template <class Value>
struct GridLayer {
  Value* channel;
  int layers = 1, layer = 0;
};
// Of nodes, 4 reals each.
template <class Real>
FIRN_HD inline GridLayer<Node<Real>> node_layer(Real* channel, int layers = 1, int layer = 0) {
  return {reinterpret_cast<Node<Real>*>(channel), layers, layer};
}

// The channel at a node of the corner block of a block.
template <int D, class Real, class Value>
FIRN_HD inline Value& corner_value(const GridView<Real>& grid, const GridLayer<Value>& at,
                                   std::uint32_t block, int corner, int node) {
  const std::uint64_t rank = grid.corners[block * BlockTraits<D>::kCorners + corner];
  return at.channel[(rank * at.layers + at.layer) * BlockTraits<D>::kNodes + node];
}

template <int D, int Degree, class Group, class Real, class Value>
FIRN_HD inline void flush_tile(Group& g, const BlockTile<D, Degree, Real, Value>& tile,
                               const GridView<Real>& grid, std::uint32_t block,
                               const GridLayer<Value>& to) {
  using Tile = BlockTile<D, Degree, Real, Value>;
  for_each_tile_node<D, Tile::kSide>(g, [&](std::uint32_t t, int corner, int node) {
    g.accumulate_global(corner_value<D>(grid, to, block, corner, node), tile.node[t]);
  });
}
template <int D, int Degree, class Group, class Real, class Value, class From>
FIRN_HD inline void load_tile(Group& g, BlockTile<D, Degree, Real, Value>& tile,
                              const GridView<Real>& grid, std::uint32_t block,
                              const GridLayer<From>& from) {
  using Tile = BlockTile<D, Degree, Real, Value>;
  for_each_tile_node<D, Tile::kSide>(g, [&](std::uint32_t t, int corner, int node) {
    tile.node[t] = corner_value<D>(grid, from, block, corner, node);
  });
  g.for_each(Tile::kMargin,
             [&](std::uint32_t t) { tile.node[Tile::kNodes + t] = zero_of<Value>(); });
}

// f(lanes) for the packs of a block's particles.
template <class Real, class Group, class F>
FIRN_HD inline void for_each_pack_in(Group& g, std::uint32_t block, const GridView<Real>& grid,
                                     const ParticleView<Real>& particles, F&& f) {
  const Chunk* chunks = particles.chunks;
  g.template for_each_pack<Real>(
      grid.chunk_begin[block], grid.chunk_begin[block + 1],
      [=](std::uint32_t chunk) { return chunks[chunk].count; }, f);
}

// Particles to a grid, the body of every scatter that is a launch of its own: one group per block
// of a colour, a warp, goes through its particles in `passes` passes. In each it clears its tiles,
// adds to them what `op`, the payload, has the particles add, and adds the tiles to the 2^d blocks
// that they overlap. Payloads have `particles` and `grid` and say
//   for_each_tile(scratch, pass, f)       f(tile, layer of the grid that it is added to)
//   takes(chunk, lane)                    whether that particle takes part
//   prefetch_next(lanes, pass)
//   add(g, pass, home, chunk, lane, turns_at)   turns_at(place in the tile): see HostTurns
//   add_pack(g, pass, home, lanes)        optional: the same for all of a pack, on the CPU
template <int D, class Group, class Op>
FIRN_HD inline void scatter_particles(Group& g, const Op& op, int passes = 1) {
  const std::uint32_t block = op.grid.coloured[g.index()];
  const Vec<int, D> home = block_of_key<D>(op.grid.keys[block]);
  for (int pass = 0; pass < passes; ++pass) {
    if (pass > 0) g.sync();
    op.for_each_tile(g.scratch, pass, [&](auto& tile, const auto&) { clear_tile(g, tile); });
    g.sync();
    for_each_pack_in(g, block, op.grid, op.particles, [&](const auto& lanes) {
      op.prefetch_next(lanes, pass);
      if constexpr (kHasNodeRows && requires { op.add_pack(g, pass, home, lanes); })
        op.add_pack(g, pass, home, lanes);
      else
        lanes.for_each_in_turn([&](int, std::uint32_t lane) { return op.takes(lanes.chunk, lane); },
                               [&](int, std::uint32_t lane, const auto& turns_at) {
                                 op.add(g, pass, home, lanes.chunk, lane, turns_at);
                               });
    });
    g.sync();
    op.for_each_tile(g.scratch, pass, [&](const auto& tile, const auto& to) {
      flush_tile(g, tile, op.grid, block, to);
    });
  }
}

// A grid to particles, the body of every gather that is a launch of its own: one group per block
// loads its tiles, load(block), then its particles read them, visit(home, lanes).
template <int D, class Group, class Real, class Load, class Visit>
FIRN_HD inline void gather_particles(Group& g, const GridView<Real>& grid,
                                     const ParticleView<Real>& particles, Load&& load,
                                     Visit&& visit) {
  const std::uint32_t block = g.index();
  if (grid.chunk_begin[block] == grid.chunk_begin[block + 1]) return;
  load(block);
  g.sync();
  const Vec<int, D> home = block_of_key<D>(grid.keys[block]);
  for_each_pack_in(g, block, grid, particles, [&](const auto& lanes) { visit(home, lanes); });
}

// A row of a wide tile on the grid: it lies in three blocks.
template <int D, int Degree, class Real>
struct WideRow {
  static constexpr int kShift = BlockTraits<D>::kShift, kMask = BlockTraits<D>::kSide - 1;
  Node<Real>* part[3];

  FIRN_HD WideRow(const GridView<Real>& grid, std::uint32_t block, Real* channel,
                  std::uint32_t row) {
    const std::uint32_t* around = grid.around + static_cast<std::uint64_t>(block) * int_power(3, D);
    // Coordinates are counted from the block before.
    int neighbour = 0, local = 0;
    for (int a = D - 2, side = 1, blocks = 3, nodes = BlockTraits<D>::kSide; a >= 0; --a) {
      const int at = static_cast<int>(row) / side % WideTile<D, Degree, Real>::kSide + kMask;
      neighbour += (at >> kShift) * blocks;
      local += (at & kMask) * nodes;
      side *= WideTile<D, Degree, Real>::kSide;
      blocks *= 3;
      nodes *= BlockTraits<D>::kSide;
    }
    Node<Real>* first = reinterpret_cast<Node<Real>*>(channel) + local;
    for (int p = 0; p < 3; ++p)
      part[p] = first + std::uint64_t{around[neighbour + p]} * BlockTraits<D>::kNodes;
  }
  FIRN_HD Node<Real>& operator[](std::uint32_t i) const {
    const std::uint32_t at = i + kMask;
    Node<Real>* nodes = at >> kShift == 0 ? part[0] : at >> kShift == 1 ? part[1] : part[2];
    return nodes[at & kMask];
  }
};

// Calls f(tile node, grid node) for the nodes of a wide tile, row by row.
template <int D, int Degree, class Group, class Real, class F>
FIRN_HD inline void for_each_wide(Group& g, const GridView<Real>& grid, std::uint32_t block,
                                  Real* channel, F&& f) {
  constexpr int kSide = WideTile<D, Degree, Real>::kSide;
  g.template for_each_line<kSide>(
      WideTile<D, Degree, Real>::kRows,
      [&](std::uint32_t row) { return WideRow<D, Degree, Real>(grid, block, channel, row); },
      [&](const WideRow<D, Degree, Real>& nodes, std::uint32_t row, std::uint32_t i) {
        f(WideTile<D, Degree, Real>::row(row) + i, nodes[i]);
      });
}
template <int D, int Degree, class Group, class Real>
FIRN_HD inline void load_wide(Group& g, WideTile<D, Degree, Real>& tile, const GridView<Real>& grid,
                              std::uint32_t block, Real* channel) {
  using Tile = WideTile<D, Degree, Real>;
  for_each_wide<D, Degree>(g, grid, block, channel,
                           [&](std::uint32_t t, const Node<Real>& node) { tile.node[t] = node; });
  g.for_each(Tile::kMargin,
             [&](std::uint32_t t) { tile.node[Tile::kNodes + t] = Node<Real>::zero(); });
}
template <int D, int Degree, class Group, class Real>
FIRN_HD inline void flush_wide(Group& g, const WideTile<D, Degree, Real>& tile,
                               const GridView<Real>& grid, std::uint32_t block, Real* channel) {
  for_each_wide<D, Degree>(g, grid, block, channel, [&](std::uint32_t t, Node<Real>& node) {
    g.accumulate_global(node, tile.node[t]);
  });
}

// Calls f(degree, set) with the instantiation that the run-time parameters name. The linear kernel
// has two nodes per axis, so no third mode.
template <class F>
void for_instance(const TransferParams& params, F&& f) {
  const auto with_set = [&](auto degree) {
    if (params.set == ModeSet::kAffine)
      f(degree, std::integral_constant<ModeSet, ModeSet::kAffine>{});
    else if (params.set == ModeSet::kMultilinear || decltype(degree)::value == 1)
      f(degree, std::integral_constant<ModeSet, ModeSet::kMultilinear>{});
    else if constexpr (decltype(degree)::value > 1)
      f(degree, std::integral_constant<ModeSet, ModeSet::kFull>{});
  };
  if (params.degree == 1) with_set(std::integral_constant<int, 1>{});
  if (params.degree == 2) with_set(std::integral_constant<int, 2>{});
  if (params.degree == 3) with_set(std::integral_constant<int, 3>{});
}

}  // namespace firn
