// The channels of the MAC grid beside the faces (kernels/mac/mac_grid.h), in a backend's memory.
#pragma once

#include "kernels/mac/face_layers.h"
#include "kernels/solve/elliptic_system.h"
#include "src/state/block_fields.h"

namespace firn {

template <class Exec, int D, class Real>
class MacStore {
 public:
  // `clings`: with what sticky boundaries that hold shear need.
  MacStore(Exec& exec, bool clings) : words_(exec, kWords), reals_(exec, reals(clings)) {}

  // Nothing that is not found again outlives a step, so a larger one starts empty.
  void reserve(std::uint32_t blocks) {
    words_.reserve(blocks);
    reals_.reserve(blocks);
  }

  MacView<Real> view(Real* faces) {
    MacView<Real> v;
    v.faces = reinterpret_cast<Node<Real>*>(faces);
    v.around = words_.data(kAround);
    v.traits = words_.data(kTraits);
    v.measured = words_.data(kMeasured);
    v.given = words_.data(kGiven);
    v.read = words_.data(kRead);
    v.fluid = words_.data(kFluid);
    v.valid = words_.data(kValid);
    v.reached = words_.data(kReached);
    v.separates = words_.data(kSeparates);
    v.opened = words_.data(kOpened);
    v.area = reals_.data(kArea);
    if (!reals_[kMirrored].empty()) v.mirrored = reals_.data(kMirrored);
    v.conductance = reals_.data(kConductance);
    v.dirichlet = reals_.data(kDirichlet);
    v.rhs = reals_.data(kRhs);
    v.pressure = reals_.data(kPressure);
    v.filled = reals_.data(kFilled);
    return v;
  }
  EllipticSystem<Real> system(const GridView<Real>& grid, DeviceCount blocks, const Real* mass) {
    return {grid.keys,
            blocks,
            reals_.data(kConductance),
            reals_.data(kDirichlet),
            mass,
            reals_.data(kRhs),
            reals_.data(kPressure),
            grid.periodic};
  }
  FaceLayers layers(int count) {
    return {words_.data(kLayers), words_[kLayers].size() / (FaceLayers::kMax + 1), count,
            words_.data(kHeirs)};
  }
  // Of faces, kg: see stress_reactions. Null if none cling.
  Real* clinging() { return reals_[kClinging].empty() ? nullptr : reals_.data(kClinging); }
  void clear_pressure() { reals_[kPressure].zero(); }

  std::size_t bytes() const { return words_.bytes() + reals_.bytes(); }
  // What bytes() says once `blocks` are reserved, for estimates.
  static std::size_t bytes_for(std::uint32_t blocks, bool clings) {
    return Words::bytes_for(kWords, blocks) + Reals::bytes_for(reals(clings), blocks);
  }

 private:
  static constexpr std::size_t kCells = BlockTraits<D>::kNodes;
  // Masks have a bit a cell, two words a block.
  enum Word {
    kAround,
    kTraits,
    kMeasured,
    kGiven,
    kRead,
    kFluid,
    kValid,
    kReached,
    kSeparates,
    kOpened,
    kLayers,
    kHeirs,
    kWordFields
  };
  static constexpr FieldTable<kWordFields> kWords{{{kAround, Around<D>::kBlocks},
                                                   {kTraits, 1},
                                                   {kMeasured, 2},
                                                   {kGiven, 2 * D},
                                                   {kRead, 2 * D},
                                                   {kFluid, 2},
                                                   {kValid, 2 * D},
                                                   {kReached, 2 * D},
                                                   {kSeparates, 2 * D},
                                                   {kOpened, 2 * D},
                                                   {kLayers, (FaceLayers::kMax + 1) * D * 2},
                                                   {kHeirs, FaceLayers::kHeirWords* D}}};
  enum RealField {
    kArea,
    kConductance,
    kDirichlet,
    kRhs,
    kPressure,
    kFilled,
    kMirrored,
    kClinging,
    kRealFields
  };
  static constexpr FieldTable<kRealFields> reals(bool clings) {
    return {{{kArea, kCells * D},
             {kConductance, kCells * D},
             {kDirichlet, kCells},
             {kRhs, kCells},
             {kPressure, kCells},
             {kFilled, kCells},
             {kMirrored, clings ? kCells * D : 0},
             {kClinging, clings ? kCells * D : 0}}};
  }
  static_assert(in_order(kWords) && in_order(reals(true)));
  using Words = BlockFields<Exec, std::uint32_t, kWordFields>;
  using Reals = BlockFields<Exec, Real, kRealFields>;

  Words words_;
  Reals reals_;
};

}  // namespace firn
