// Which nodes depend on which, as passes over the grid go through them (dependents.h).
#pragma once

#include "kernels/grid/contact.h"

namespace firn {

template <int D, class Real>
FIRN_HD inline Vec<Real, D> vector_of(const Node<Real>& node) {
  Vec<Real, D> v;
  for (int a = 0; a < D; ++a) v[a] = node[a];
  return v;
}

// One thread alone, that of the parent, has to do with a node and its dependents.
template <int D, class Real>
struct Dependence : NodeContact<D, Real> {
  using Contact = NodeContact<D, Real>;
  using Contact::grid;
  using Contact::kNodes;
  using Contact::params;
  using Vector = Vec<Real, D>;
  using Index = Vec<int, D>;
  static constexpr int kSide = BlockTraits<D>::kSide;
  static constexpr int kReach = 2;  // nodes along an axis, from dependents to parents
  static constexpr int kAcross = 2 * kReach + 1;
  static constexpr int kWays = D == 2 ? kAcross * kAcross : kAcross * kAcross * kAcross;
  static constexpr int kAround = D == 2 ? 9 : 27;

  // A block, and the ranks of it and of those around it; kNoBlock where no node depends on others.
  struct Around {
    std::uint32_t own, rank[kAround];
  };

  FIRN_HD static Index steps_of(int way) {
    Index steps;
    for (int a = 0; a < D; ++a, way /= kAcross) steps[a] = way % kAcross - kReach;
    return steps;
  }
  FIRN_HD static int way_of(const Index& steps) {
    int way = 0;
    for (int a = D - 1; a >= 0; --a) way = way * kAcross + steps[a] + kReach;
    return way;
  }
  // Of a block in the field that a key is of.
  FIRN_HD std::uint32_t rank_of(std::uint64_t key, const Index& block) const {
    const std::uint32_t slot = grid.hash.find(key_beside<D>(key, grid.periodic.wrapped(block)));
    return slot == kNoBlock ? kNoBlock : grid.hash.ranks[slot];
  }
  // What the nodes of a block may be; only where they may be dependents there is a NodeDependence.
  static constexpr std::uint8_t kNeither = 0, kParents = 1, kDependents = 2;
  FIRN_HD bool may_lead(std::uint32_t block) const {
    return params.dependences != nullptr && params.depends[block] != kNeither;
  }
  using Contact::kFaces;
  static constexpr int kMost = 32767;  // that NodeDependence can name
  FIRN_HD int holders() const { return kFaces + params.collider_count; }
  FIRN_HD bool slips(int h) const { return this->type_of(h) == BoundaryType::kSlip; }
  // Whether nodes may depend on others there: all of their velocity, or where it slips that along
  // its normal. Behind walls on planes of nodes they are images.
  FIRN_HD bool has_dependents(int h) const {
    if (h < kFaces ? !params.walls.active || params.walls.mirrors[h]
                   : this->is_moved(h - kFaces) || h > kMost)
      return false;
    return this->type_of(h) == BoundaryType::kSticky || (slips(h) && params.slips != nullptr);
  }
  // By how much mass is more to what the drag (1/s) slows down within the step.
  FIRN_HD Real heavier(Real drag) const {
    return Real(1) + drag * static_cast<Real>(this->control->dt);
  }
  // The ways by which dependents come to a node, as bits.
  static constexpr int kWord = 32, kWords = (kWays + kWord - 1) / kWord;
  FIRN_HD std::uint32_t& ways_to(std::uint64_t node, int word) const {
    return params.parents[node * kWords + static_cast<std::uint64_t>(word)];
  }
  FIRN_HD bool is_parent(std::uint64_t node) const {
    std::uint32_t any = 0;
    for (int word = 0; word < kWords; ++word) any |= ways_to(node, word);
    return any != 0;
  }
  // Whether a block has any: in the air over a floor none does.
  template <class Group>
  FIRN_HD bool any_parents(Group& g, std::uint32_t& any) const {
    g.once([&] { any = 0; });
    g.sync();
    g.for_each(kNodes, [&](std::uint32_t i) {
      if (is_parent(std::uint64_t{g.index()} * kNodes + i)) g.atomic_or(any, 1u);
    });
    g.sync();
    return any != 0;
  }
  using Slip = NodeSlip<Real, D>;
  // A dependent that slips, once it has given its parent what it has along a normal; null: others.
  FIRN_HD const Slip* slipping(std::uint64_t node) const {
    if (params.slips == nullptr || params.depends[node / kNodes] != kDependents ||
        params.dependences[node].holder < 0 || params.slips[node].taken == 0)
      return nullptr;
    return params.slips + node;
  }
  // To the first `count` of these.
  FIRN_HD static bool is_upright(const Vector& normal, const Vector* normals, int count) {
    bool upright = true;
    for (int n = 0; n < count; ++n) upright = upright && abs(dot(normal, normals[n])) < Real(0.01);
    return upright;
  }
  FIRN_HD static bool is_taken(const Slip& slip, int k) { return (slip.taken >> k & 1) != 0; }
  // Which of its holders h is, of which the parent bears what is due; -1: none.
  FIRN_HD static int taken_at(const Slip& slip, int h) {
    for (int k = 0; k < D; ++k)
      if (is_taken(slip, k) && slip.holder[k] == h) return k;
    return -1;
  }
  template <class Group>
  FIRN_HD void look_around(Group& g, const Index& origin, Around& around) const {
    g.once([&] { around.own = g.index(); });
    g.for_each(kAround, [&](std::uint32_t k) {
      Index block = origin;
      int rest = static_cast<int>(k);
      for (int a = 0; a < D; ++a, rest /= 3) block[a] += rest % 3 - 1;
      const std::uint32_t rank = rank_of(grid.keys[g.index()], block);
      around.rank[k] = rank != kNoBlock && params.depends[rank] == kDependents ? rank : kNoBlock;
    });
    g.sync();
  }
  // Whether the parent of a dependent bears what holder h does to it.
  FIRN_HD static bool is_borne(const Slip* slip, int h) {
    return slip != nullptr && taken_at(*slip, h) >= 0;
  }
  // f(node, x, share, c) for every dependent of node i of the block at `origin`, in a fixed order:
  // where it is, and the velocity c that it has besides `share` times the parent's; at holder `of`
  // alone, or at all that stick.
  static constexpr int kSticking = -1;
  template <class F>
  FIRN_HD void for_each(const Around& around, const Index& origin, std::uint32_t i, int of,
                        F&& f) const {
    go_through(around, origin, i, [&](std::uint64_t node, const Vector& x, const Vector& parent) {
      const auto& [share, holder, way] = params.dependences[node];
      if (of >= 0 ? holder == of : !slips(holder))
        f(node, x, share, moves(holder, x, share, parent));
    });
  }
  // f(node, x, k, c) for those that slip along holder h, which is the k-th of each, in that order:
  // c is along the normal. Before parents have taken what is theirs `taken` is 0.
  template <class F>
  FIRN_HD void for_each_slipping(const Around& around, const Index& origin, std::uint32_t i, int h,
                                 F&& f) const {
    go_through(around, origin, i, [&](std::uint64_t node, const Vector& x, const Vector& parent) {
      if (!slips(params.dependences[node].holder)) return;
      const Slip& slip = params.slips[node];
      for (int k = 0; k < D; ++k)
        if (slip.holder[k] == h) f(node, x, k, moves(h, x, slip.share[k], parent));
    });
  }
  FIRN_HD Vector moves(int h, const Vector& x, Real share, const Vector& parent) const {
    return this->velocity_of(h, x) - share * this->velocity_of(h, parent);
  }
  // f(node, where it is, where its parent is) for all dependents of node i.
  template <class F>
  FIRN_HD void go_through(const Around& around, const Index& origin, std::uint32_t i, F&& f) const {
    const std::uint64_t own = std::uint64_t{around.own} * kNodes + i;
    for (int word = 0; word < kWords; ++word) {
      int way = kWord * word;
      for (std::uint32_t ways = ways_to(own, word); ways != 0; ways >>= 1, ++way)
        if ((ways & 1u) != 0) meet(around, origin, i, way, f);
    }
  }
  template <class F>
  FIRN_HD void meet(const Around& around, const Index& origin, std::uint32_t i, int way,
                    F&& f) const {
    const Index at = local_of_node<D>(static_cast<int>(i)), steps = steps_of(way);
    Index local;
    int k = 0;
    for (int a = D - 1; a >= 0; --a) {
      const int there = at[a] - steps[a], over = there >> BlockTraits<D>::kShift;
      local[a] = there - over * kSide;
      k = 3 * k + over + 1;
    }
    if (around.rank[k] == kNoBlock) return;
    const std::uint64_t node = std::uint64_t{around.rank[k]} * kNodes +
                               static_cast<std::uint64_t>(node_in_block<D>(local));
    const NodeDependence<Real>& dependence = params.dependences[node];
    if (dependence.holder < 0 || dependence.way != way) return;
    const Vector parent = this->position_of(origin, i);
    Vector x = parent;
    for (int a = 0; a < D; ++a) x[a] -= static_cast<Real>(steps[a]) * grid.dx;
    f(node, x, parent);
  }
};

}  // namespace firn
