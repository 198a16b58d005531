#pragma once

#include "kernels/exec/launch.h"
#include "kernels/grid/add_given.h"

namespace firn {

struct AddGiven {
  static constexpr const char* kName = "add_given";
  static constexpr int kThreads = 128;
  static constexpr std::uint32_t kParts = 128;
  struct Scratch {
    double part[kParts][kReactionColumns];
  };
  const double* given;
  const std::uint64_t* keys;
  DeviceCount blocks;
  double* sums;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t n =
        blocks.value != nullptr && *blocks.value < blocks.bound ? *blocks.value : blocks.bound;
    g.for_each(kParts, [&](std::uint32_t p) {
      double* part = g.scratch.part[p];
      for (int k = 0; k < kReactionColumns; ++k) part[k] = 0;
      for (std::uint64_t block = p; block < n; block += kParts)
        if (field_of_key(keys[block]) == static_cast<int>(g.index()))
          for (int k = 0; k < kReactionColumns; ++k)
            part[k] += given[block * kReactionColumns + static_cast<std::uint64_t>(k)];
    });
    g.sync();
    g.for_each(kReactionColumns, [&](std::uint32_t k) {
      double sum = 0;
      for (std::uint32_t p = 0; p < kParts; ++p) sum += g.scratch.part[p][k];
      sums[g.index() * kReactionColumns + k] += sum;
    });
  }
};

template <class Exec, class Real>
void add_given(Exec& exec, const ContactPairs<Real>& contacts, const GridView<Real>& grid,
               double* sums, std::uint32_t max_blocks, const StepControl* control) {
  if (contacts.fields > 1)
    launch_groups(exec, {{nullptr, static_cast<std::uint32_t>(contacts.fields)}, &control->stop},
                  AddGiven{contacts.given, grid.keys, {&control->n_blocks, max_blocks}, sums});
}

}  // namespace firn
