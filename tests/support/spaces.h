// Dimension and precision as a type, for tests that run in all four combinations; and with backend
// and the places of velocities beside them, for those of the transfers.
#pragma once

#include <gtest/gtest.h>

#include "kernels/exec/backend.h"

namespace firn::test {

template <int Dim, class Scalar>
struct Space {
  static constexpr int D = Dim;
  using Real = Scalar;
};
using Spaces = testing::Types<Space<2, float>, Space<2, double>, Space<3, float>, Space<3, double>>;

enum class Places { kNodes, kFaces };  // of the grid, where velocities lie

template <Places Where, class Backend, int Dim, class Scalar>
struct TransferSpace : Space<Dim, Scalar> {
  static constexpr Places kPlaces = Where;
  using Exec = Backend;
};
template <Places Where, class Exec>
using TransferSpaces =
    testing::Types<TransferSpace<Where, Exec, 2, float>, TransferSpace<Where, Exec, 2, double>,
                   TransferSpace<Where, Exec, 3, float>, TransferSpace<Where, Exec, 3, double>>;
using CpuNodes = TransferSpaces<Places::kNodes, Cpu>;
using CpuFaces = TransferSpaces<Places::kFaces, Cpu>;
#if defined(FIRN_WITH_CUDA)
using GpuNodes = TransferSpaces<Places::kNodes, Cuda>;
using GpuFaces = TransferSpaces<Places::kFaces, Cuda>;
#endif

// Makes the tests of a suite: CpuNodes/Suite/0 to 3, CpuFaces/Suite/0 to 3 and, where that backend
// is built, GpuNodes/ and GpuFaces/.
#define FIRN_ON(Spaces, Suite) INSTANTIATE_TYPED_TEST_SUITE_P(Spaces, Suite, ::firn::test::Spaces)
#if defined(FIRN_WITH_CUDA)
#define FIRN_ON_NODES(Suite) \
  FIRN_ON(CpuNodes, Suite);  \
  FIRN_ON(GpuNodes, Suite)
#define FIRN_ON_FACES(Suite) \
  FIRN_ON(CpuFaces, Suite);  \
  FIRN_ON(GpuFaces, Suite)
#else
#define FIRN_ON_NODES(Suite) FIRN_ON(CpuNodes, Suite)
#define FIRN_ON_FACES(Suite) FIRN_ON(CpuFaces, Suite)
#endif

}  // namespace firn::test
