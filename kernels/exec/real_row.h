// kSide values that follow each other as one, in a vector of the compiler on the CPU; a thread on
// CUDA takes them one by one. The two live in different inline namespaces, so that the linker never
// mixes them.
#pragma once

#include "kernels/base/host_device.h"

namespace firn {

#if defined(__CUDACC__)
inline namespace row_plain {

template <class Real, int kSide>
struct RealRow {
  static constexpr int kLanes = 1;
  using Value = Real;
  FIRN_HD static Value zero() { return Real(0); }
  FIRN_HD static Value load(const Real* from) { return *from; }
  FIRN_HD static Real lane(const Value& value, int) { return value; }
};

#else
inline namespace row_vector {

template <class Real, int kSide>
struct RealRow {
  static constexpr int kLanes = kSide;
  typedef Real Value __attribute__((vector_size(kSide * sizeof(Real))));
  typedef Real Loose __attribute__((vector_size(kSide * sizeof(Real)), aligned(sizeof(Real))));
  static Value zero() { return Value{}; }
  static Value load(const Real* from) { return *reinterpret_cast<const Loose*>(from); }
  static Real lane(const Value& value, int n) { return value[n]; }
};

#endif

}  // inline namespace
}  // namespace firn
