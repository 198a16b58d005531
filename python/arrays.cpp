#include "python/arrays.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "python/bindings.h"

namespace firn::python {
namespace {

nb::dlpack::dtype dtype_of(ElementType type) {
  switch (type) {
    case ElementType::kFloat:
      return nb::dtype<float>();
    case ElementType::kDouble:
      return nb::dtype<double>();
    case ElementType::kUint32:
      break;
  }
  return nb::dtype<std::uint32_t>();
}

template <class Framework>
nb::object array_in(const WritableField& view, bool writable, nb::handle owner) {
  const ArrayLayout layout(view);
  const int type = view.device < 0 ? nb::device::cpu::value : nb::device::cuda::value;
  const int device = std::max(view.device, 0);
  if (writable)
    return nb::cast(nb::ndarray<Framework>(view.data, layout.ndim, layout.shape, owner,
                                           layout.strides, layout.dtype, type, device));
  return nb::cast(nb::ndarray<Framework, nb::ro>(view.data, layout.ndim, layout.shape, owner,
                                                 layout.strides, layout.dtype, type, device));
}

// What lies in a device's memory, for CuPy, PyTorch, Numba, JAX and whatever else reads one of the
// two protocols.
struct DeviceArray {
  WritableField view;
  bool writable = false;
  nb::object owner;

  ArrayLayout layout() const { return ArrayLayout(view); }
  nb::tuple shape() const {
    const ArrayLayout l = layout();
    nb::list list;
    for (std::size_t i = 0; i < l.ndim; ++i) list.append(l.shape[i]);
    return nb::tuple(list);
  }
  std::string dtype() const {
    const nb::dlpack::dtype type = layout().dtype;
    const bool is_float = type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float);
    return std::string("<") + (is_float ? "f" : "u") + std::to_string(type.bits / 8);
  }
  nb::dict cuda_array_interface() const {
    const ArrayLayout l = layout();
    nb::list strides;
    for (std::size_t i = 0; i < l.ndim; ++i) strides.append(l.strides[i] * (l.dtype.bits / 8));
    nb::dict dict;
    dict["shape"] = shape();
    dict["typestr"] = dtype();
    dict["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(view.data), !writable);
    dict["strides"] = nb::tuple(strides);
    dict["version"] = 3;
    // 1 is the legacy default stream; 0 is not allowed.
    const auto stream = reinterpret_cast<std::uintptr_t>(view.stream);
    dict["stream"] = stream == 0 ? std::uintptr_t{1} : stream;
    return dict;
  }
  nb::object dlpack(const nb::kwargs& options) const {
    return array_in<nb::array_api>(view, writable, owner).attr("__dlpack__")(**options);
  }
  nb::tuple dlpack_device() const { return nb::make_tuple(nb::device::cuda::value, view.device); }
};

}  // namespace

ArrayLayout::ArrayLayout(const WritableField& view) : dtype(dtype_of(view.type)) {
  std::size_t axis = 0;
  if (view.components > 1) {
    shape[axis] = static_cast<std::size_t>(view.components);
    strides[axis++] = view.component_stride;
  }
  shape[axis] = static_cast<std::size_t>(view.chunks);
  strides[axis++] = view.chunk_stride;
  if (view.lanes > 1) {  // else one number of each chunk, as of counts
    shape[axis] = static_cast<std::size_t>(view.lanes);
    strides[axis++] = view.lane_stride;
  }
  ndim = axis;
}

WritableField untyped(const FieldView& view) {
  return {const_cast<void*>(view.data),
          view.type,
          view.size,
          view.chunks,
          view.components,
          view.lanes,
          view.chunk_stride,
          view.component_stride,
          view.lane_stride,
          view.counts,
          view.count_stride,
          view.stream,
          view.device};
}

AnyArray array_of(const WritableField& view, bool writable, nb::handle owner) {
  if (view.device >= 0) return AnyArray(nb::cast(DeviceArray{view, writable, nb::borrow(owner)}));
  return AnyArray(array_in<nb::numpy>(view, writable, owner));
}

AnyArray copy_of(const WritableField& view, bool writable) {
  const std::size_t bytes = dtype_of(view.type).bits / 8;
  const auto reach = static_cast<std::size_t>(
      view.chunks == 0
          ? 0
          : (view.chunks - 1) * view.chunk_stride + (view.components - 1) * view.component_stride +
                (view.lanes - 1) * view.lane_stride + 1);
  // Of doubles, so that it is aligned for all types.
  auto memory = std::make_unique<std::vector<double>>((reach * bytes + 7) / 8);
  if (reach > 0) std::memcpy(memory->data(), view.data, reach * bytes);
  WritableField copied = view;
  copied.data = memory->data();
  const nb::capsule owner(memory.release(),
                          [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return AnyArray(array_in<nb::numpy>(copied, writable, owner));
}

AnyArray counts_of(const WritableField& view, nb::handle owner) {
  if (view.counts == nullptr)
    return AnyArray(array_of(std::vector<std::uint32_t>(static_cast<std::size_t>(view.chunks),
                                                        static_cast<std::uint32_t>(view.lanes)),
                             {static_cast<std::size_t>(view.chunks)}));
  WritableField counts = view;
  counts.data = const_cast<std::uint32_t*>(view.counts);
  counts.type = ElementType::kUint32;
  counts.components = counts.lanes = 1;
  counts.chunk_stride = view.count_stride;
  return array_of(counts, false, owner);
}

HostArray occupied_lanes_of(const WritableField& view) {
  const auto chunks = static_cast<std::size_t>(view.chunks),
             lanes = static_cast<std::size_t>(view.lanes);
  auto flags = std::make_unique<bool[]>(chunks * lanes);
  for (std::size_t chunk = 0; chunk < chunks; ++chunk)
    std::fill_n(&flags[chunk * lanes], view.count(static_cast<std::int64_t>(chunk)), true);
  bool* data = flags.release();
  const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<bool*>(p); });
  return HostArray(nb::cast(nb::ndarray<nb::numpy, bool>(data, {chunks, lanes}, owner)));
}

void bind_arrays(nb::module_& m) {
  nb::class_<DeviceArray>(
      m, "DeviceArray",
      "An array in a CUDA device's memory: CuPy, PyTorch, Numba, JAX and others take it without a "
      "copy, by `__cuda_array_interface__` or DLPack.")
      .def_prop_ro("shape", &DeviceArray::shape)
      .def_prop_ro("dtype", &DeviceArray::dtype, "\"<f4\", \"<f8\" or \"<u4\".")
      .def_prop_ro("__cuda_array_interface__", &DeviceArray::cuda_array_interface)
      .def("__dlpack__", &DeviceArray::dlpack, nb::arg("options"))
      .def("__dlpack_device__", &DeviceArray::dlpack_device);
}

}  // namespace firn::python
