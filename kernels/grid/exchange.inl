#pragma once

#include "kernels/exec/node.h"
#include "kernels/grid/exchange.h"
#include "kernels/grid/update.h"

namespace firn {

// A block's rows of one of the arrays.
template <class Real>
FIRN_HD inline Real* node_row(Real* array, std::uint32_t block, int components, int k) {
  return array + (static_cast<std::uint64_t>(block) * components + k) * 64;
}
template <class Real>
FIRN_HD inline Node<Real>* nodes_of_block(Real* channel, std::uint32_t block) {
  return reinterpret_cast<Node<Real>*>(channel) + std::uint64_t{block} * 64;
}

template <int D, class Real>
struct GiveNodes {
  static constexpr const char* kName = "give_nodes";
  static constexpr int kThreads = 64;
  struct Scratch {};
  GridView<Real> grid;
  NodeArrays<Real> arrays;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = g.index();
    const Node<Real>* nodes = nodes_of_block(grid.nodes, block);
    const Vec<int, D> origin = block_of_key<D>(grid.keys[block]);
    g.for_each(BlockTraits<D>::kNodes, [&](std::uint32_t i) {
      const Vec<int, D> local = local_of_node<D>(static_cast<int>(i));
      for (int a = 0; a < D; ++a) {
        node_row(arrays.position, block, D, a)[i] =
            static_cast<Real>(origin[a] * BlockTraits<D>::kSide + local[a]) * grid.dx;
        node_row(arrays.velocity, block, D, a)[i] = nodes[i][a];
      }
      node_row(arrays.mass, block, 1, 0)[i] = nodes[i].mass();
    });
  }
};

template <int D, class Real>
struct TakeNodes {
  static constexpr const char* kName = "take_nodes";
  static constexpr int kThreads = 64;
  struct Scratch {
    double kinetic[BlockTraits<D>::kNodes];
  };
  GridView<Real> grid;
  NodeArrays<Real> arrays;
  double* stage_energies;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = g.index();
    Node<Real>* nodes = nodes_of_block(grid.nodes, block);
    g.for_each(BlockTraits<D>::kNodes, [&](std::uint32_t i) {
      Node<Real> node = nodes[i], change = Node<Real>::zero();
      g.scratch.kinetic[i] = 0;
      if (!(node.mass() > Real(0))) return;
      for (int a = 0; a < D; ++a) {
        const Real v = node_row(arrays.velocity, block, D, a)[i];
        change.set(a, v - node[a]);
        node.set(a, v);
        g.scratch.kinetic[i] += 0.5 * static_cast<double>(node.mass()) * static_cast<double>(v) *
                                static_cast<double>(v);
      }
      nodes[i] = node;
      if (grid.increments != nullptr) nodes_of_block(grid.increments, block)[i] += change;
    });
    if (stage_energies == nullptr) return;
    g.sync();
    g.once([&] {
      double sum = 0;
      for (const double energy : g.scratch.kinetic) sum += energy;
      stage_energies[block * kStageColumns + 2] = sum;
    });
  }
};

template <class Exec, int D, class Real>
void give_nodes(Exec& exec, const GridView<Real>& grid, const NodeArrays<Real>& arrays,
                std::uint32_t max_blocks, const StepControl* control) {
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                GiveNodes<D, Real>{grid, arrays});
}
template <class Exec, int D, class Real>
void take_nodes(Exec& exec, const GridView<Real>& grid, const NodeArrays<Real>& arrays,
                double* stage_energies, std::uint32_t max_blocks, const StepControl* control) {
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                TakeNodes<D, Real>{grid, arrays, stage_energies});
}

}  // namespace firn
