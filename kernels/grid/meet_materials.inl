#pragma once

#include "kernels/grid/contact.h"
#include "kernels/grid/material_meeting.h"
#include "kernels/grid/meet_materials.h"

namespace firn {

template <int D, class Real>
struct MeetMaterials : NodeContact<D, Real> {
  using Contact = NodeContact<D, Real>;
  using Contact::control;
  using Contact::grid;
  using Contact::kNodes;
  using Contact::nodes_of;
  using Contact::params;
  using Vector = Vec<Real, D>;
  static constexpr const char* kName = "meet_materials";
  static constexpr int kThreads = 64;
  static constexpr int kAround = int_power(3, D);
  // Of nodes that more than two fields share, whose pairs take turns.
  static constexpr int kRounds = 8;
  // Pairs of which a node remembers how they lie to each other; more are looked at in each round.
  static constexpr int kRemembered = 6;
  using Tile = ShareTile<D>;
  static constexpr int kLanes = ShareMoments<D, Real>::Row::kLanes;
  struct Scratch {
    std::uint32_t home[kMostFields];  // rank of each field's block, or kNoBlock
    // Of the fields that have the block: which they are, and the ranks of the blocks around it
    // (neighbour_block), or kNoBlock.
    int field[kMostFields];
    std::uint32_t around[kMostFields][kAround];
    int count;
    // Counted as these, as bits: who has mass at a node; who where another has, in the first round
    // and in later ones.
    std::uint16_t has[kNodes], meets[2][kMostFields];
    // The nodes that several share; first those that more than two do, to which rounds come again.
    std::uint8_t node[kNodes];
    std::uint32_t sharing, shared_by_many;
    // The volume shares of two of them; how these and others before lie to each other at a node,
    // and the impulse that the second gets from the first, with the work on each.
    Real share[2][Tile::kNodes];
    Meeting<D, Real> meeting[kNodes][kRemembered + 1];
    Vector impulse[kNodes];
    Real work[kNodes][2];
  };

  ContactPairs<Real> contacts;

  // The group of the lowest field has to do with the nodes of all of them.
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint64_t key = grid.keys[g.index()];
    const Vec<int, D> origin = block_of_key<D>(key);
    const auto fields = static_cast<std::uint32_t>(contacts.fields);
    Scratch& s = g.scratch;
    g.for_each(fields, [&](std::uint32_t f) { s.home[f] = rank_of(origin, static_cast<int>(f)); });
    g.sync();
    g.once([&] {
      s.count = 0;
      for (int f = 0; f < contacts.fields; ++f)
        if (s.home[f] != kNoBlock) s.field[s.count++] = f;
    });
    g.sync();
    // The rows of those that meet here, and that of one alone, are the first one's.
    if (s.field[0] == field_of_key(key))
      g.for_each(static_cast<std::uint32_t>(s.count) * kReactionColumns, [&](std::uint32_t k) {
        given_to(s, static_cast<int>(k) / kReactionColumns)[k % kReactionColumns] = 0;
      });
    if (s.count < 2 || s.field[0] != field_of_key(key)) return;
    g.for_each(static_cast<std::uint32_t>(s.count) * kAround, [&](std::uint32_t k) {
      const std::uint32_t f = k / kAround, n = k % kAround;
      s.around[f][n] = rank_of(neighbour_block<D>(origin, static_cast<int>(n)), s.field[f]);
    });
    g.sync();
    find_meetings(g);
    // What is bonded last, so that it has one velocity however few the rounds.
    const int rounds = s.shared_by_many > 0 ? kRounds : s.sharing > 0 ? 1 : 0;
    for (int round = 0; round < rounds; ++round)
      for (int bonded = 0; bonded < 2; ++bonded) {
        int pair = 0;
        for (int a = 0; a < s.count; ++a)
          for (int b = a + 1; b < s.count; ++b) {
            const Real friction = contacts.between(s.field[a], s.field[b]);
            if ((friction < Real(0)) != (bonded != 0) || !holds(s.meets[0][a], b)) continue;
            const int slot = pair < kRemembered ? pair++ : kRemembered;
            if (round > 0 && !holds(s.meets[1][a], b)) continue;
            if (bonded == 0 && (round == 0 || slot == kRemembered)) look(g, a, b, slot);
            const std::uint32_t nodes = round == 0 ? s.sharing : s.shared_by_many;
            g.for_each(nodes, [&](std::uint32_t k) {
              const std::uint32_t i = s.node[k];
              s.impulse[i] = Vector::zero();
              if (!share(s, i, a, b)) return;
              const Vector all = impulse_between(s, i, a, b);
              s.impulse[i] =
                  bonded != 0 ? all : touch(s, i, a, b, all, friction, s.meeting[i][slot]);
              if (is_zero(s.impulse[i])) return;
              s.work[i][0] = give(s, a, i, Real(-1) * s.impulse[i]);
              s.work[i][1] = give(s, b, i, s.impulse[i]);
            });
            g.sync();
            tell(g, origin, a, b, nodes);
          }
      }
  }

 private:
  FIRN_HD std::uint32_t rank_of(const Vec<int, D>& block, int field) const {
    const std::uint32_t slot = grid.hash.find(block_key<D>(grid.periodic.wrapped(block), field));
    return slot == kNoBlock ? kNoBlock : grid.hash.ranks[slot];
  }
  FIRN_HD static bool holds(std::uint16_t bits, int f) { return (bits >> f & 1) != 0; }
  FIRN_HD static bool share(const Scratch& s, std::uint32_t i, int a, int b) {
    return holds(s.has[i], a) && holds(s.has[i], b);
  }
  FIRN_HD static bool shared_by_many(std::uint16_t has) {
    const int without_lowest = has & (has - 1);
    return (without_lowest & (without_lowest - 1)) != 0;
  }
  // From here on fields are counted among those that have the block.
  FIRN_HD static std::uint32_t home(const Scratch& s, int f) { return s.home[s.field[f]]; }
  FIRN_HD double* given_to(const Scratch& s, int f) const {
    return contacts.given + std::uint64_t{home(s, f)} * kReactionColumns;
  }
  FIRN_HD Real mass_at(const Scratch& s, int f, std::uint32_t i) const {
    return nodes_of(grid.momentum, home(s, f))[i].mass();
  }

  // Who shares nodes with whom, and how often these take turns.
  template <class Group>
  FIRN_HD void find_meetings(Group& g) const {
    Scratch& s = g.scratch;
    g.for_each(kNodes, [&](std::uint32_t i) {
      int has = 0;
      for (int f = 0; f < s.count; ++f) has |= mass_at(s, f, i) > Real(0) ? 1 << f : 0;
      s.has[i] = static_cast<std::uint16_t>(has);
    });
    g.sync();
    g.once([&] {
      for (auto& meets : s.meets)
        for (int f = 0; f < s.count; ++f) meets[f] = 0;
      s.sharing = s.shared_by_many = 0;
      for (int many = 1; many >= 0; --many)
        for (int i = 0; i < kNodes; ++i) {
          const std::uint16_t has = s.has[i];
          if ((has & (has - 1)) == 0 || shared_by_many(has) != (many != 0)) continue;
          s.node[s.sharing++] = static_cast<std::uint8_t>(i);
          s.shared_by_many += static_cast<std::uint32_t>(many);
          for (int f = 0; f < s.count; ++f)
            for (int later = 0; later <= many; ++later)
              if (holds(has, f)) s.meets[later][f] |= has;
        }
    });
    g.sync();
  }
  // How they lie to each other at each node.
  template <class Group>
  FIRN_HD void look(Group& g, int a, int b, int slot) const {
    Scratch& s = g.scratch;
    constexpr std::uint32_t kRows = Tile::kNodes / Tile::kSide;
    g.for_each(2 * kRows, [&](std::uint32_t r) {
      const int which = r < kRows ? 0 : 1;
      fill_row(s, which == 0 ? a : b, static_cast<int>(r % kRows), s.share[which]);
    });
    g.sync();
    g.for_each(kLanes == 1 ? s.sharing : kNodes / kLanes, [&](std::uint32_t r) {
      const std::uint32_t first = kLanes == 1 ? s.node[r] : r * kLanes;
      bool any = false;
      for (std::uint32_t i = first; i < first + kLanes; ++i) any |= share(s, i, a, b);
      if (!any) return;
      const int at = Tile::index(local_of_node<D>(static_cast<int>(first)));
      const Real *of_a = s.share[0] + at, *of_b = s.share[1] + at;
      const ShareMoments<D, Real> moments(of_a, of_b);
      for (int n = 0; n < kLanes; ++n)
        if (const std::uint32_t i = first + static_cast<std::uint32_t>(n); share(s, i, a, b))
          s.meeting[i][slot] = meeting_along<D>(moments.way(n), of_a + n, of_b + n, params.degree);
    });
    g.sync();
  }
  // Of the nodes of a row along the last axis: of the volume around each, as far as its mass tells.
  FIRN_HD void fill_row(const Scratch& s, int f, int row, Real* shares) const {
    constexpr int kSide = BlockTraits<D>::kSide, kReach = Tile::kReach;
    const Real fill = contacts.fill[s.field[f]];
    int block = 0, node = 0, rest = row;
    for (int a = D - 2, across = 3, along = kSide; a >= 0; --a, across *= 3, along *= kSide) {
      const int at = rest % Tile::kSide - kReach;
      rest /= Tile::kSide;
      block += (1 + (at >> BlockTraits<D>::kShift)) * across;
      node += (at & (kSide - 1)) * along;
    }
    Real* to = shares + row * Tile::kSide;
    fill_part<kReach>(s, f, block, node + kSide - kReach, fill, to);
    fill_part<kSide>(s, f, block + 1, node, fill, to + kReach);
    fill_part<kReach>(s, f, block + 2, node, fill, to + kReach + kSide);
  }
  template <int kCount>
  FIRN_HD void fill_part(const Scratch& s, int f, int block, int node, Real fill, Real* to) const {
    const std::uint32_t rank = s.around[f][block];
    if (rank == kNoBlock) {
      for (int k = 0; k < kCount; ++k) to[k] = Real(0);
      return;
    }
    const Node<Real>* from = nodes_of(grid.momentum, rank) + node;
    for (int k = 0; k < kCount; ++k) to[k] = from[k].mass() * fill;
  }

  // Also of what is so small that its square is.
  FIRN_HD static bool is_zero(const Vector& v) {
    bool zero = true;
    for (int a = 0; a < D; ++a) zero = zero && v[a] == Real(0);
    return zero;
  }
  // What ends all motion relative to each other.
  FIRN_HD Vector impulse_between(const Scratch& s, std::uint32_t i, int a, int b) const {
    return reduced_mass(s, i, a, b) * (velocity(s, a, i) - velocity(s, b, i));
  }
  FIRN_HD Real reduced_mass(const Scratch& s, std::uint32_t i, int a, int b) const {
    const Real of_a = mass_at(s, a, i), of_b = mass_at(s, b, i);
    return of_a / (of_a + of_b) * of_b;
  }
  // Of what ends all of it, what pushes and rubs.
  FIRN_HD Vector touch(const Scratch& s, std::uint32_t i, int a, int b, const Vector& all,
                       Real friction, const Meeting<D, Real>& meeting) const {
    const Real closing = dot(all, meeting.normal),
               gap = meeting.cells * grid.dx / static_cast<Real>(control->dt),
               push = closing - reduced_mass(s, i, a, b) * gap;
    if (!(push > Real(0))) return Vector::zero();
    const Vector along = all - closing * meeting.normal;
    const Real slip = norm(along), rub = min(slip, friction * push);
    Vector impulse = push * meeting.normal;
    if (slip > Real(0)) impulse += (rub / slip) * along;
    return impulse;
  }
  // But for gravity, which all fields have alike.
  FIRN_HD Vector velocity(const Scratch& s, int f, std::uint32_t i) const {
    const std::uint32_t block = home(s, f);
    const Node<Real>* impulses = params.separate_force ? nodes_of(grid.impulse, block) : nullptr;
    return this->forced(nodes_of(grid.momentum, block)[i], impulses, i).after;
  }
  // Returns what that adds to its kinetic energy.
  FIRN_HD Real give(const Scratch& s, int f, std::uint32_t i, const Vector& impulse) const {
    Node<Real>& node =
        nodes_of(params.separate_force ? grid.impulse : grid.momentum, home(s, f))[i];
    const Vector half_way = velocity(s, f, i) + (Real(0.5) / mass_at(s, f, i)) * impulse;
    for (int a = 0; a < D; ++a) node.set(a, node[a] + impulse[a]);
    return dot(half_way, impulse);
  }
  // Adds what they have given each other at the first of the nodes to their rows.
  template <class Group>
  FIRN_HD void tell(Group& g, const Vec<int, D>& origin, int a, int b, std::uint32_t nodes) const {
    Scratch& s = g.scratch;
    g.for_each(2, [&](std::uint32_t which) {
      double* row = given_to(s, which == 0 ? a : b);
      for (std::uint32_t k = 0; k < nodes; ++k) {
        const std::uint32_t i = s.node[k];
        if (is_zero(s.impulse[i])) continue;
        add_impulse(row, this->position_of(origin, i),
                    which == 0 ? Real(-1) * s.impulse[i] : s.impulse[i]);
        row[kWork] += static_cast<double>(s.work[i][which]);
      }
    });
    g.sync();
  }
};

template <class Exec, int D, class Real>
void meet_materials(Exec& exec, const GridUpdateParams<Real, D>& params,
                    const ContactPairs<Real>& contacts, const GridView<Real>& grid,
                    std::uint32_t max_blocks, const StepControl* control) {
  if (contacts.fields > 1)
    launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                  MeetMaterials<D, Real>{{params, grid, control}, contacts});
}

}  // namespace firn
