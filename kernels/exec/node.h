// Four values of a grid node side by side: velocity or momentum in 0..d-1, mass in 3. Aligned for
// one vector access. On the CPU the arithmetic is written on the compiler's vector type; nvcc gets
// plain loops. The two live in different inline namespaces, so that the linker never mixes them.
#pragma once

#include "kernels/base/host_device.h"

namespace firn {

#if defined(__CUDACC__)
inline namespace node_plain {
#else
inline namespace node_vector {
#endif

template <class Real>
struct alignas(4 * sizeof(Real)) Node {
#if defined(__CUDACC__)
  Real c[4];
  FIRN_HD static Node make(Real a, Real b, Real g, Real d) { return {{a, b, g, d}}; }
  FIRN_HD Node& operator+=(const Node& o) {
    for (int i = 0; i < 4; ++i) c[i] += o.c[i];
    return *this;
  }
  FIRN_HD friend Node operator*(Real s, const Node& a) {
    return {{s * a.c[0], s * a.c[1], s * a.c[2], s * a.c[3]}};
  }
#else
  typedef Real Vector __attribute__((vector_size(4 * sizeof(Real))));
  Vector c;
  static Node make(Real a, Real b, Real g, Real d) { return {Vector{a, b, g, d}}; }
  Node& operator+=(const Node& o) {
    c += o.c;
    return *this;
  }
  friend Node operator*(Real s, const Node& a) { return {a.c * s}; }
#endif
  FIRN_HD static Node zero() { return make(Real(0), Real(0), Real(0), Real(0)); }
  FIRN_HD static Node mass(Real m) { return make(Real(0), Real(0), Real(0), m); }
  FIRN_HD Real operator[](int i) const { return c[i]; }
  FIRN_HD void set(int i, Real value) { c[i] = value; }
  FIRN_HD Real mass() const { return c[3]; }
  FIRN_HD friend Node operator+(Node a, const Node& b) { return a += b; }
};

}  // inline namespace
}  // namespace firn
