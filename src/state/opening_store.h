// The openings of a scene's sources in a backend's memory.
#pragma once

#include <span>
#include <vector>

#include "kernels/exec/buffer.h"
#include "kernels/grid/openings.h"
#include "src/state/source_openings.h"

namespace firn {

template <class Exec, int D, class Real>
class OpeningStore {
 public:
  OpeningStore(Exec& exec, const Scene& scene) {
    std::vector<Opening<Real, D>> openings;
    std::vector<std::uint32_t> bits;
    for (const SourceOpening& o : source_openings(scene)) {
      Opening<Real, D> opening;
      for (int a = 0; a < D; ++a) {
        const auto c = static_cast<std::size_t>(a);
        opening.first[a] = o.first[c];
        opening.count[a] = o.count[c];
        opening.flow[a] = static_cast<Real>(o.flow[c]);
      }
      opening.bit = 32 * std::uint64_t{bits.size()};
      opening.begin = o.begin;
      opening.end = o.end;
      openings.push_back(opening);
      for (std::size_t i = 0; i < o.open.size(); ++i) {
        if (i % 32 == 0) bits.push_back(0);
        if (o.open[i]) bits.back() |= std::uint32_t{1} << (i % 32);
      }
    }
    openings_ = Buffer<Exec, Opening<Real, D>>(exec, std::span<const Opening<Real, D>>(openings));
    bits_ = Buffer<Exec, std::uint32_t>(exec, std::span<const std::uint32_t>(bits));
  }

  OpeningView<Real, D> view() const {
    return {openings_.data(), bits_.data(), static_cast<int>(openings_.size())};
  }
  std::size_t bytes() const { return openings_.bytes() + bits_.bytes(); }

 private:
  Buffer<Exec, Opening<Real, D>> openings_;
  Buffer<Exec, std::uint32_t> bits_;
};

}  // namespace firn
