// The channels of the MAC grid beside the faces (kernels/mac/mac_grid.h), in a backend's memory.
#pragma once

#include "kernels/exec/buffer.h"
#include "kernels/mac/extrapolation.h"
#include "kernels/solve/elliptic_system.h"

namespace firn {

template <class Exec, int D, class Real>
class MacStore {
 public:
  explicit MacStore(Exec& exec) : exec_(exec) {}

  // Nothing in it outlives a step, so a larger one starts empty.
  void reserve(std::uint32_t blocks) {
    const std::size_t n = blocks, cells = n * BlockTraits<D>::kNodes;
    renew(exec_, around_, n * Around<D>::kBlocks);
    renew(exec_, traits_, n);
    renew(exec_, given_, n * 2 * D);
    renew(exec_, read_, n * 2 * D);
    renew(exec_, fluid_, n * 2);
    renew(exec_, valid_, n * 2 * D);
    renew(exec_, reached_, n * 2 * D);
    renew(exec_, separates_, n * 2 * D);
    renew(exec_, opened_, n * 2 * D);
    renew(exec_, area_, cells * D);
    renew(exec_, conductance_, cells * D);
    renew(exec_, dirichlet_, cells);
    renew(exec_, rhs_, cells);
    renew(exec_, pressure_, cells);
    renew(exec_, filled_, cells);
    renew(exec_, layers_, n * layer_words());
  }

  MacView<Real> view(Real* faces) {
    MacView<Real> v;
    v.faces = reinterpret_cast<Node<Real>*>(faces);
    v.around = around_.data();
    v.traits = traits_.data();
    v.given = given_.data();
    v.read = read_.data();
    v.fluid = fluid_.data();
    v.valid = valid_.data();
    v.reached = reached_.data();
    v.separates = separates_.data();
    v.opened = opened_.data();
    v.area = area_.data();
    v.conductance = conductance_.data();
    v.dirichlet = dirichlet_.data();
    v.rhs = rhs_.data();
    v.pressure = pressure_.data();
    v.filled = filled_.data();
    return v;
  }
  EllipticSystem<Real> system(const GridView<Real>& grid, DeviceCount blocks, const Real* mass) {
    return {grid.keys, blocks,      conductance_.data(), dirichlet_.data(),
            mass,      rhs_.data(), pressure_.data(),    grid.periodic};
  }
  FaceLayers layers(int count) {
    return {layers_.data(), layers_.size() / (FaceLayers::kMax + 1), count};
  }
  void clear_pressure() { pressure_.zero(); }

  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const auto* b : {&around_, &traits_, &given_, &read_, &fluid_, &valid_, &reached_,
                          &separates_, &opened_, &layers_})
      sum += b->bytes();
    for (const auto* b : {&area_, &conductance_, &dirichlet_, &rhs_, &pressure_, &filled_})
      sum += b->bytes();
    return sum;
  }

  // What bytes() says once `blocks` are reserved, for estimates.
  static std::size_t bytes_for(std::uint32_t blocks) {
    const std::size_t words = Around<D>::kBlocks + 3 + 12 * D + layer_words();
    const std::size_t reals = BlockTraits<D>::kNodes * (2 * std::size_t{D} + 4);
    return blocks * (4 * words + reals * sizeof(Real));
  }

 private:
  static constexpr std::size_t layer_words() { return 2 * D * (FaceLayers::kMax + 1); }

  Exec& exec_;
  Buffer<Exec, std::uint32_t> around_, traits_, given_, read_, fluid_, valid_, reached_, separates_,
      opened_, layers_;
  Buffer<Exec, Real> area_, conductance_, dirichlet_, rhs_, pressure_, filled_;
};

}  // namespace firn
