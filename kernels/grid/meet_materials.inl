#pragma once

#include "kernels/grid/contact.h"
#include "kernels/grid/material_surface.h"
#include "kernels/grid/meet_materials.h"
#include "kernels/math/mat.h"

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
  struct Scratch {
    // Of each field the ranks of the block and those around it (neighbour_block), or kNoBlock.
    std::uint32_t around[kMostFields][kAround];
    int first, count;  // the lowest field that has the block, and how many have it
  };

  // The group of the lowest field has to do with the nodes of all of them.
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint64_t key = grid.keys[g.index()];
    const Vec<int, D> origin = block_of_key<D>(key);
    const auto fields = static_cast<std::uint32_t>(params.contacts.fields);
    Scratch& s = g.scratch;
    g.for_each(fields, [&](std::uint32_t f) {
      s.around[f][kAround / 2] = rank_of(origin, static_cast<int>(f));
    });
    g.sync();
    g.once([&] {
      s.first = -1, s.count = 0;
      for (int f = 0; f < params.contacts.fields; ++f) {
        if (home(s, f) == kNoBlock) continue;
        if (s.first < 0) s.first = f;
        ++s.count;
      }
    });
    g.sync();
    if (s.count < 2 || s.first != field_of_key(key)) return;
    g.for_each(fields * kAround, [&](std::uint32_t k) {
      const std::uint32_t f = k / kAround, n = k % kAround;
      if (n != kAround / 2 && s.around[f][kAround / 2] != kNoBlock)
        s.around[f][n] =
            rank_of(neighbour_block<D>(origin, static_cast<int>(n)), static_cast<int>(f));
    });
    g.sync();
    g.for_each(kNodes, [&](std::uint32_t i) {
      int sharing = 0;
      for (int f = 0; f < params.contacts.fields; ++f)
        sharing += mass_at(s, f, i) > Real(0) ? 1 : 0;
      for (int round = 0; round < (sharing > 2 ? kRounds : sharing - 1); ++round) meet(s, i);
    });
  }

  FIRN_HD std::uint32_t rank_of(const Vec<int, D>& block, int field) const {
    const std::uint32_t slot = grid.hash.find(block_key<D>(grid.periodic.wrapped(block), field));
    return slot == kNoBlock ? kNoBlock : grid.hash.ranks[slot];
  }
  FIRN_HD static std::uint32_t home(const Scratch& s, int field) {
    return s.around[field][kAround / 2];
  }
  FIRN_HD Real mass_at(const Scratch& s, int field, std::uint32_t i) const {
    const std::uint32_t block = home(s, field);
    return block == kNoBlock ? Real(0) : nodes_of(grid.momentum, block)[i].mass();
  }
  // What is bonded last, so that it has one velocity however few the rounds.
  FIRN_HD void meet(const Scratch& s, std::uint32_t i) const {
    for (const bool bonded : {false, true})
      for (int a = 0; a < params.contacts.fields; ++a)
        for (int b = a + 1; b < params.contacts.fields; ++b) {
          const Real friction = params.contacts.between(a, b);
          if ((friction < Real(0)) == bonded && mass_at(s, a, i) > Real(0) &&
              mass_at(s, b, i) > Real(0))
            meet(s, i, a, b, friction);
        }
  }
  FIRN_HD void meet(const Scratch& s, std::uint32_t i, int a, int b, Real friction) const {
    const Real of_a = mass_at(s, a, i), of_b = mass_at(s, b, i);
    const Real both = of_a / (of_a + of_b) * of_b;
    Vector impulse =
        both * (velocity(s, a, i) - velocity(s, b, i));  // that ends all relative motion
    if (!(friction < Real(0))) {
      const Vector way = way_between(s, a, b, i);
      const Real length = norm(way);
      if (!(length > Real(0))) return;
      const Vector normal = (Real(1) / length) * way;
      const Real closing = dot(impulse, normal), gap = gap_between(s, a, b, i, normal),
                 push = closing - both * gap / static_cast<Real>(control->dt);
      if (!(push > Real(0))) return;
      const Vector along = impulse - closing * normal;
      const Real slip = norm(along), rub = min(slip, friction * push);
      impulse = push * normal;
      if (slip > Real(0)) impulse += (rub / slip) * along;
    }
    give(s, a, i, Real(-1) * impulse);
    give(s, b, i, impulse);
  }

  // But for gravity, which all fields have alike.
  FIRN_HD Vector velocity(const Scratch& s, int field, std::uint32_t i) const {
    const std::uint32_t block = home(s, field);
    const Node<Real>* impulses = params.separate_force ? nodes_of(grid.impulse, block) : nullptr;
    return this->forced(nodes_of(grid.momentum, block)[i], impulses, i).after;
  }
  FIRN_HD void give(const Scratch& s, int field, std::uint32_t i, const Vector& impulse) const {
    Node<Real>& node =
        nodes_of(params.separate_force ? grid.impulse : grid.momentum, home(s, field))[i];
    for (int a = 0; a < D; ++a) node.set(a, node[a] + impulse[a]);
  }

  // Of the volume around a node, as far as its mass tells.
  FIRN_HD Real share(int field, Real mass) const { return mass * params.contacts.fill[field]; }
  // From the one material into the other, of no length in particular: along which one is told from
  // the other best, by least squares over the nodes around. A difference of shares would also lead
  // away from where there is neither, and at its front edge what slides would push against what it
  // slides over.
  FIRN_HD Vector way_between(const Scratch& s, int a, int b, std::uint32_t i) const {
    constexpr int kReach = 2, kAcross = 2 * kReach + 1;
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(i));
    Real both = 0, apart = 0;  // sums of the shares and of their differences
    Vector centre = Vector::zero(), lean = Vector::zero();  // of these times the way from here
    auto spread = Mat<Real, D>::zero();
    for (int k = 0; k < int_power(kAcross, D); ++k) {
      Vec<int, D> at = local;
      Vector way;
      int n = 0;
      for (int c = 0, rest = k; c < D; ++c, rest /= kAcross) {
        const int step = rest % kAcross - kReach;
        way[c] = static_cast<Real>(step);
        at[c] += step;
        n = 3 * n + 1 + (at[c] >> BlockTraits<D>::kShift);
        at[c] &= BlockTraits<D>::kSide - 1;
      }
      const int node = node_in_block<D>(at);
      // Round, or the corners of a square would turn the fit towards its axes.
      const Real within = Real(1) - dot(way, way) / kWidest, weight = within * within;
      if (!(within > Real(0))) continue;
      const Real of_a = share_in(a, s.around[a][n], node), of_b = share_in(b, s.around[b][n], node),
                 sum = weight * (of_a + of_b), difference = weight * (of_b - of_a);
      both += sum;
      apart += difference;
      centre += sum * way;
      lean += difference * way;
      spread += sum * outer(way, way);
    }
    spread =
        both * spread - outer(centre, centre) + kLeast * both * both * Mat<Real, D>::identity();
    return cofactor(spread) * (both * lean - apart * centre);
  }
  // In cells^2: from where nodes count no more, and the spread of nodes in a row across it.
  static constexpr Real kWidest = 9, kLeast = Real(1e-3);
  FIRN_HD Real share_in(int field, std::uint32_t block, int node) const {
    return block == kNoBlock ? Real(0) : share(field, nodes_of(grid.momentum, block)[node].mass());
  }
  // m, not negative: between where the one material ends and where the other one begins along the
  // normal through a node.
  FIRN_HD Real gap_between(const Scratch& s, int a, int b, std::uint32_t i,
                           const Vector& normal) const {
    return max(cells_to(s, b, i, normal) + cells_to(s, a, i, Real(-1) * normal), Real(0)) * grid.dx;
  }
  // From a node to where a material begins that fills more and more along a way: where it first has
  // half of the volume, as at a surface that is flat, or it ends before.
  FIRN_HD Real cells_to(const Scratch& s, int field, std::uint32_t i, const Vector& way) const {
    constexpr int kFarthest = 2;
    Real before = 0, most = 0, at_most = 0;
    for (int k = -kFarthest; k <= kFarthest; ++k) {
      const Real at = static_cast<Real>(k), here = share_at(s, field, i, at * way);
      if (here >= Real(0.5))
        return k == -kFarthest ? at : at - (here - Real(0.5)) / (here - before);
      if (here > most) most = here, at_most = at;
      before = here;
    }
    return at_most + cells_from_share(most, params.degree);
  }
  // Off a node by a way in cells, linearly between nodes.
  FIRN_HD Real share_at(const Scratch& s, int field, std::uint32_t i, const Vector& way) const {
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(i));
    Vec<int, D> low;
    Vector part;
    for (int a = 0; a < D; ++a) {
      const Real down = floor(way[a]);
      low[a] = local[a] + static_cast<int>(down);
      part[a] = way[a] - down;
    }
    Real sum = 0;
    for (int corner = 0; corner < (1 << D); ++corner) {
      Vec<int, D> at = low;
      Real weight = 1;
      int n = 0;
      for (int a = 0; a < D; ++a) {
        const bool up = (corner >> a & 1) != 0;
        at[a] += up ? 1 : 0;
        weight *= up ? part[a] : Real(1) - part[a];
        n = 3 * n + 1 + (at[a] >> BlockTraits<D>::kShift);
        at[a] &= BlockTraits<D>::kSide - 1;
      }
      if (weight > Real(0))
        sum += weight * share_in(field, s.around[field][n], node_in_block<D>(at));
    }
    return sum;
  }
};

template <class Exec, int D, class Real>
void meet_materials(Exec& exec, const GridUpdateParams<Real, D>& params, const GridView<Real>& grid,
                    std::uint32_t max_blocks, const StepControl* control) {
  if (params.contacts.fields > 1)
    launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                  MeetMaterials<D, Real>{{params, grid, control}});
}

}  // namespace firn
