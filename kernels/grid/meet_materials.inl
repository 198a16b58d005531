#pragma once

#include "kernels/grid/contact.h"
#include "kernels/grid/dependence.h"
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
  // Pairs of which a node remembers how they lie to each other; more are looked at in each round.
  static constexpr int kRemembered = 6;
  struct Scratch {
    std::uint32_t home[kMostFields];  // rank of each field's block, or kNoBlock
    // Of the fields that have the block: which they are, and the ranks of the blocks around it
    // (neighbour_block), or kNoBlock.
    int field[kMostFields];
    std::uint32_t around[kMostFields][kAround];
    int count;
    // Of a node, by field as above: what it has been given, with the work in `mass`.
    Node<Real> given[kNodes][kMostFields];
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
    // Alone, or the first of those that meet here, whose rows are then filled below.
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
    g.for_each(kNodes, [&](std::uint32_t i) {
      int sharing = 0;
      for (int f = 0; f < s.count; ++f) {
        sharing += mass_at(s, f, i) > Real(0) ? 1 : 0;
        s.given[i][f] = Node<Real>::zero();
      }
      if (sharing > 1) meet(s, i, sharing > 2 ? kRounds : 1);
    });
    g.sync();
    g.for_each(static_cast<std::uint32_t>(s.count), [&](std::uint32_t f) {
      double* sums = given_to(s, static_cast<int>(f));
      for (std::uint32_t i = 0; i < kNodes; ++i) {
        const Node<Real>& given = s.given[i][f];
        add_impulse(sums, this->position_of(origin, i), vector_of<D>(given));
        sums[kWork] += static_cast<double>(given.mass());
      }
    });
  }

 private:
  // How two materials lie to each other at a node.
  struct Meeting {
    Vector normal;  // from the one into the other; zero where that is not known
    Real gap;       // m, not negative
  };

  FIRN_HD std::uint32_t rank_of(const Vec<int, D>& block, int field) const {
    const std::uint32_t slot = grid.hash.find(block_key<D>(grid.periodic.wrapped(block), field));
    return slot == kNoBlock ? kNoBlock : grid.hash.ranks[slot];
  }
  // From here on fields are counted among those that have the block.
  FIRN_HD static std::uint32_t home(const Scratch& s, int f) { return s.around[f][kAround / 2]; }
  FIRN_HD double* given_to(const Scratch& s, int f) const {
    return contacts.given + std::uint64_t{s.home[s.field[f]]} * kReactionColumns;
  }
  FIRN_HD Real mass_at(const Scratch& s, int f, std::uint32_t i) const {
    return nodes_of(grid.momentum, home(s, f))[i].mass();
  }

  // What is bonded last, so that it has one velocity however few the rounds.
  FIRN_HD void meet(Scratch& s, std::uint32_t i, int rounds) const {
    Meeting remembered[kRemembered];
    for (int round = 0; round < rounds; ++round)
      for (int bonded = 0; bonded < 2; ++bonded) {
        int pair = 0;
        for (int a = 0; a < s.count; ++a)
          for (int b = a + 1; b < s.count; ++b) {
            const Real friction = contacts.between(s.field[a], s.field[b]);
            if ((friction < Real(0)) != (bonded != 0) || !(mass_at(s, a, i) > Real(0)) ||
                !(mass_at(s, b, i) > Real(0)))
              continue;
            if (bonded != 0) {
              hold_together(s, i, a, b);
            } else if (pair < kRemembered) {
              if (round == 0) remembered[pair] = meeting_of(s, i, a, b);
              touch(s, i, a, b, friction, remembered[pair++]);
            } else {
              touch(s, i, a, b, friction, meeting_of(s, i, a, b));
            }
          }
      }
  }
  // What ends all motion relative to each other.
  FIRN_HD Vector impulse_between(const Scratch& s, std::uint32_t i, int a, int b) const {
    return reduced_mass(s, i, a, b) * (velocity(s, a, i) - velocity(s, b, i));
  }
  FIRN_HD Real reduced_mass(const Scratch& s, std::uint32_t i, int a, int b) const {
    const Real of_a = mass_at(s, a, i), of_b = mass_at(s, b, i);
    return of_a / (of_a + of_b) * of_b;
  }
  FIRN_HD void hold_together(Scratch& s, std::uint32_t i, int a, int b) const {
    exchange(s, i, a, b, impulse_between(s, i, a, b));
  }
  FIRN_HD void touch(Scratch& s, std::uint32_t i, int a, int b, Real friction,
                     const Meeting& meeting) const {
    const Vector all = impulse_between(s, i, a, b);
    const Real closing = dot(all, meeting.normal),
               push = closing -
                      reduced_mass(s, i, a, b) * meeting.gap / static_cast<Real>(control->dt);
    if (!(push > Real(0))) return;
    const Vector along = all - closing * meeting.normal;
    const Real slip = norm(along), rub = min(slip, friction * push);
    Vector impulse = push * meeting.normal;
    if (slip > Real(0)) impulse += (rub / slip) * along;
    exchange(s, i, a, b, impulse);
  }
  FIRN_HD void exchange(Scratch& s, std::uint32_t i, int a, int b, const Vector& impulse) const {
    give(s, a, i, Real(-1) * impulse);
    give(s, b, i, impulse);
  }
  // But for gravity, which all fields have alike.
  FIRN_HD Vector velocity(const Scratch& s, int f, std::uint32_t i) const {
    const std::uint32_t block = home(s, f);
    const Node<Real>* impulses = params.separate_force ? nodes_of(grid.impulse, block) : nullptr;
    return this->forced(nodes_of(grid.momentum, block)[i], impulses, i).after;
  }
  FIRN_HD void give(Scratch& s, int f, std::uint32_t i, const Vector& impulse) const {
    Node<Real>& node =
        nodes_of(params.separate_force ? grid.impulse : grid.momentum, home(s, f))[i];
    Node<Real>& given = s.given[i][f];
    const Vector half_way = velocity(s, f, i) + (Real(0.5) / mass_at(s, f, i)) * impulse;
    given += Node<Real>::mass(dot(half_way, impulse));
    for (int a = 0; a < D; ++a) {
      node.set(a, node[a] + impulse[a]);
      given.set(a, given[a] + impulse[a]);
    }
  }

  // The nodes up to kReach from one along every axis: what their blocks and places in these are,
  // an axis apart. Nodes are counted with the last axis fastest, as blocks around.
  static constexpr int kReach = 3, kAcross = 2 * kReach + 1;
  struct Neighbours {
    int block[D][kAcross], node[D][kAcross];
  };
  FIRN_HD static Neighbours neighbours_of(std::uint32_t i) {
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(i));
    Neighbours around;
    int across = 1, along = 1;
    for (int a = D - 1; a >= 0; --a, across *= 3, along *= BlockTraits<D>::kSide)
      for (int k = 0; k < kAcross; ++k) {
        const int at = local[a] + k - kReach;
        around.block[a][k] = (1 + (at >> BlockTraits<D>::kShift)) * across;
        around.node[a][k] = (at & (BlockTraits<D>::kSide - 1)) * along;
      }
    return around;
  }
  // Of the volume around a node, as far as its mass tells.
  FIRN_HD Real share_in(const Scratch& s, int f, int block, int node) const {
    const std::uint32_t rank = s.around[f][block];
    if (rank == kNoBlock) return Real(0);
    return nodes_of(grid.momentum, rank)[node].mass() * contacts.fill[s.field[f]];
  }

  FIRN_HD Meeting meeting_of(const Scratch& s, std::uint32_t i, int a, int b) const {
    const Neighbours around = neighbours_of(i);
    const Vector way = way_between(s, around, a, b);
    const Real length = norm(way);
    if (!(length > Real(0))) return {Vector::zero(), Real(0)};
    const Vector normal = (Real(1) / length) * way;
    const Real cells = cells_to(s, around, b, normal) + cells_to(s, around, a, Real(-1) * normal);
    return {normal, max(cells, Real(0)) * grid.dx};
  }
  // From the one material into the other, of no length in particular: along which one is told from
  // the other best, by least squares over the nodes around. A difference of shares would also lead
  // away from where there is neither, and at its front edge what slides would push against what it
  // slides over.
  FIRN_HD Vector way_between(const Scratch& s, const Neighbours& around, int a, int b) const {
    constexpr int kWide = 2;
    // In cells^2: from where nodes count no more, and the spread of nodes in a row across it.
    constexpr Real kWidest = 9, kLeast = Real(1e-3);
    Real both = 0, apart = 0;  // sums of the shares and of their differences
    Vector centre = Vector::zero(), lean = Vector::zero();  // of these times the way from here
    auto spread = Mat<Real, D>::zero();
    for (int z = D == 3 ? -kWide : 0; z <= (D == 3 ? kWide : 0); ++z)
      for (int y = -kWide; y <= kWide; ++y) {
        const int second = D == 3 ? z : y;  // along axis 1; y along axis 2 in 3D, none in 2D
        int block = around.block[1][second + kReach], node = around.node[1][second + kReach];
        Real aside = static_cast<Real>(second * second);
        if constexpr (D == 3) {
          block += around.block[2][y + kReach], node += around.node[2][y + kReach];
          aside += static_cast<Real>(y * y);
        }
        Real sum = 0, sum_x = 0, sum_xx = 0, difference = 0, difference_x = 0;
        for (int x = -kWide; x <= kWide; ++x) {
          const Real at = static_cast<Real>(x);
          // Round, or the corners of a square would turn the fit towards its axes.
          const Real within = Real(1) - (aside + at * at) / kWidest;
          if (!(within > Real(0))) continue;
          const Real weight = within * within;
          const int in = block + around.block[0][x + kReach],
                    of = node + around.node[0][x + kReach];
          const Real of_a = weight * share_in(s, a, in, of), of_b = weight * share_in(s, b, in, of);
          const Real here = of_a + of_b, more = of_b - of_a;
          sum += here, sum_x += here * at, sum_xx += here * at * at;
          difference += more, difference_x += more * at;
        }
        Vector row = Vector::zero();  // from here to its middle
        row[1] = static_cast<Real>(second);
        if constexpr (D == 3) row[2] = static_cast<Real>(y);
        both += sum;
        apart += difference;
        centre += sum * row;
        lean += difference * row;
        spread += sum * outer(row, row);
        centre[0] += sum_x;
        lean[0] += difference_x;
        spread(0, 0) += sum_xx;
        for (int c = 1; c < D; ++c) spread(0, c) += sum_x * row[c], spread(c, 0) += sum_x * row[c];
      }
    spread =
        both * spread - outer(centre, centre) + kLeast * both * both * Mat<Real, D>::identity();
    return cofactor(spread) * (both * lean - apart * centre);
  }
  // From a node to where a material begins that fills more and more along a way: where it has half
  // of the volume, as at a surface that is flat, or it ends before.
  FIRN_HD Real cells_to(const Scratch& s, const Neighbours& around, int f,
                        const Vector& way) const {
    constexpr int kFarthest = 2;
    const Real half = Real(0.5), here = share_at(s, around, f, Vector::zero());
    Real last = here;
    if (here >= half) {
      for (int k = 1; k <= kFarthest; ++k) {
        const Real next = share_at(s, around, f, static_cast<Real>(-k) * way);
        if (next < half) return (half - next) / (last - next) - static_cast<Real>(k);
        last = next;
      }
      return static_cast<Real>(-kFarthest);
    }
    Real most = here, at_most = 0;
    for (int k = 1; k <= kFarthest; ++k) {
      const Real next = share_at(s, around, f, static_cast<Real>(k) * way);
      if (next >= half) return static_cast<Real>(k) - (next - half) / (next - last);
      if (next > most) most = next, at_most = static_cast<Real>(k);
      last = next;
    }
    return at_most + cells_from_share(most, params.degree);
  }
  // Off a node by a way of at most two cells, linearly between nodes.
  FIRN_HD Real share_at(const Scratch& s, const Neighbours& around, int f,
                        const Vector& way) const {
    int low[D];
    Vector part;
    for (int a = 0; a < D; ++a) {
      const Real down = floor(way[a]);
      low[a] = static_cast<int>(down) + kReach;
      part[a] = way[a] - down;
    }
    Real sum = 0;
    for (int corner = 0; corner < (1 << D); ++corner) {
      Real weight = 1;
      int block = 0, node = 0;
      for (int a = 0; a < D; ++a) {
        const int up = corner >> a & 1;
        weight *= up != 0 ? part[a] : Real(1) - part[a];
        block += around.block[a][low[a] + up];
        node += around.node[a][low[a] + up];
      }
      if (weight > Real(0)) sum += weight * share_in(s, f, block, node);
    }
    return sum;
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
