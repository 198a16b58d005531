// Four neighbouring nodes of a row as vectors of the compiler: what a stencil of up to four nodes
// per axis does to a row is then a few instructions. The CPU's alone: a thread on CUDA takes node
// after node.
#pragma once

#include <utility>

#include "kernels/exec/node.h"
#if !defined(__CUDACC__)
#include "kernels/base/vector_bytes.h"
#endif

namespace firn {

#if defined(__CUDACC__)
inline namespace node_plain {

inline constexpr bool kHasNodeRows = false;
template <class Real>
struct NodeRow;

#else
inline namespace node_vector {

inline constexpr bool kHasNodeRows = true;

template <class Real>
struct NodeRow {
  static constexpr int kNodes = 4, kValues = 4 * kNodes;
  static constexpr int kPart =  // values of one vector
      static_cast<int>(kVectorBytes / sizeof(Real)) < kValues
          ? static_cast<int>(kVectorBytes / sizeof(Real))
          : kValues;
  static constexpr int kParts = kValues / kPart;
  static_assert(kPart >= 2);
  typedef Real Vector __attribute__((vector_size(kPart * sizeof(Real))));
  typedef Real Loose __attribute__((vector_size(kPart * sizeof(Real)), aligned(sizeof(Real))));
  Vector part[kParts];

  static NodeRow load(const Node<Real>* nodes) {
    NodeRow row;
    const Real* values = reinterpret_cast<const Real*>(nodes);
    for (int p = 0; p < kParts; ++p)
      row.part[p] = *reinterpret_cast<const Loose*>(values + p * kPart);
    return row;
  }
  void store(Node<Real>* nodes) const {
    Real* values = reinterpret_cast<Real*>(nodes);
    for (int p = 0; p < kParts; ++p) *reinterpret_cast<Loose*>(values + p * kPart) = part[p];
  }
  static NodeRow zero() {
    NodeRow row;
    for (auto& p : row.part) p = Vector{};
    return row;
  }
  // The same node four times, and a weight for each of the first kCount nodes with 0 for the rest.
  static NodeRow repeat(const Node<Real>& node) {
    return from_four(node.c, [](int i) { return i % 4; });
  }
  template <int kCount>
  static NodeRow weights(const Real (&w)[kCount]) {
    typename Node<Real>::Vector four{};
    for (int k = 0; k < kCount; ++k) four[k] = w[k];
    return from_four(four, [](int i) { return i / 4; });
  }

  NodeRow& operator+=(const NodeRow& o) {
    for (int p = 0; p < kParts; ++p) part[p] += o.part[p];
    return *this;
  }
  friend NodeRow operator+(NodeRow a, const NodeRow& b) { return a += b; }
  friend NodeRow operator*(NodeRow a, const NodeRow& b) {
    for (int p = 0; p < kParts; ++p) a.part[p] *= b.part[p];
    return a;
  }
  friend NodeRow operator*(Real s, NodeRow a) {
    for (int p = 0; p < kParts; ++p) a.part[p] *= s;
    return a;
  }
  Node<Real> operator[](int k) const {
    Node<Real> node;
    __builtin_memcpy(&node, reinterpret_cast<const Real*>(this) + 4 * k, sizeof(node));
    return node;
  }
  Node<Real> sum() const { return ((*this)[0] + (*this)[1]) + ((*this)[2] + (*this)[3]); }

 private:
  // Value i of the row is four[of(i)], of(i) < 4.
  template <class Of>
  static NodeRow from_four(const typename Node<Real>::Vector& four, Of of) {
    return from_four(widened(four), of, std::make_integer_sequence<int, kPart>{});
  }
  template <class Wide, class Of, int... I>
  static NodeRow from_four(const Wide& four, Of, std::integer_sequence<int, I...>) {
    NodeRow row;
    constexpr Of of{};
    row.part[0] = __builtin_shufflevector(four, four, of(I)...);
    if constexpr (kParts > 1) row.part[1] = __builtin_shufflevector(four, four, of(kPart + I)...);
    if constexpr (kParts > 2) {
      row.part[2] = __builtin_shufflevector(four, four, of(2 * kPart + I)...);
      row.part[3] = __builtin_shufflevector(four, four, of(3 * kPart + I)...);
    }
    if constexpr (kParts > 4) {
      row.part[4] = __builtin_shufflevector(four, four, of(4 * kPart + I)...);
      row.part[5] = __builtin_shufflevector(four, four, of(5 * kPart + I)...);
      row.part[6] = __builtin_shufflevector(four, four, of(6 * kPart + I)...);
      row.part[7] = __builtin_shufflevector(four, four, of(7 * kPart + I)...);
    }
    return row;
  }
  // g++ 12 widens a vector by more than two through memory.
  static auto widened(const typename Node<Real>::Vector& four) {
    if constexpr (kPart == 16)
      return __builtin_shufflevector(four, four, 0, 1, 2, 3, 0, 1, 2, 3);
    else
      return four;
  }
};

#endif
}  // inline namespace
}  // namespace firn
