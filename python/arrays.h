// NumPy arrays of what the library has: of vectors that they take over, and of its own memory,
// which an owner keeps from going away. Arrays on CUDA are DeviceArrays.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "firn/fields.h"

namespace firn::python {

namespace nb = nanobind;

// What type checkers are told that an object is.
class HostArray : public nb::object {
 public:
  static constexpr auto Name = nb::detail::const_name("numpy.ndarray");
  HostArray() = default;
  explicit HostArray(const nb::object& array) : nb::object(array) {}
};
// On CUDA a DeviceArray, which whoever asks for it there knows.
class AnyArray : public nb::object {
 public:
  static constexpr auto Name = nb::detail::const_name("typing.Any");
  AnyArray() = default;
  explicit AnyArray(const nb::object& array) : nb::object(array) {}
};

// A view of memory with shape (components, chunks, lanes), or (chunks, lanes) of one component.
struct ArrayLayout {
  explicit ArrayLayout(const WritableField& view);
  std::size_t ndim = 2;
  std::size_t shape[3] = {0, 0, 0};
  std::int64_t strides[3] = {0, 0, 0};  // in elements
  nb::dlpack::dtype dtype;
};

// Views differ in whether they may be written to; arrays carry that beside them.
WritableField untyped(const FieldView& view);
inline WritableField untyped(const WritableField& view) { return view; }

// As long as such an array lives, so does `owner`.
AnyArray array_of(const WritableField& view, bool writable, nb::handle owner);
// The same with memory of its own.
AnyArray copy_of(const WritableField& view, bool writable);
// How many lanes of each chunk hold something, of shape (chunks).
AnyArray counts_of(const WritableField& view, nb::handle owner);
// Which lanes do, as booleans of shape (chunks, lanes).
HostArray occupied_lanes_of(const WritableField& view);

// An array that takes the vector over.
template <class T>
HostArray array_of(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* data = owned->data();
  const nb::capsule owner(owned.release(),
                          [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return HostArray(nb::cast(nb::ndarray<nb::numpy, T>(data, shape.size(), shape.begin(), owner)));
}

}  // namespace firn::python
