#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <bit>

#include "kernels/exec/algorithms.h"
#include "kernels/exec/cuda.cuh"
#include "kernels/exec/cuda_check.h"

namespace firn {

namespace {

std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

struct Enumerate {
  static constexpr const char* kName = "enumerate";
  std::uint32_t* out;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t i) const {
    out[i] = i;
  }
};

// begin[b] is the first sorted position whose bin is >= b: each position fills the bins between its
// own and its predecessor's.
struct FindBinBegins {
  static constexpr const char* kName = "find_bin_begins";
  const std::uint32_t* sorted;
  std::uint32_t items;
  DeviceCount bins;
  std::uint32_t* begin;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t i) const {
    const std::uint32_t n_bins =
        bins.value != nullptr ? min_u32(*bins.value, bins.bound) : bins.bound;
    const std::uint32_t here = i < items ? min_u32(sorted[i], n_bins) : n_bins;
    const std::uint32_t from = i == 0 ? 0 : min_u32(sorted[i - 1], n_bins) + 1;
    for (std::uint32_t b = from; b <= here; ++b) begin[b] = i;
  }
  FIRN_HD static std::uint32_t min_u32(std::uint32_t a, std::uint32_t b) { return a < b ? a : b; }
};

}  // namespace

void sort_keys(Cuda& exec, std::uint64_t* keys, DeviceCount count, const std::uint32_t*) {
  if (count.bound == 0) return;
  const Cuda::Guard guard(exec);
  std::size_t temp = 0;
  check_cuda(cub::DeviceRadixSort::SortKeys(nullptr, temp, keys, keys, count.bound, 0, 64,
                                            stream_of(exec)),
             "sort");
  const std::size_t sorted_bytes = aligned(count.bound * sizeof(std::uint64_t));
  auto* bytes = static_cast<unsigned char*>(exec.workspace(sorted_bytes + temp));
  auto* sorted = reinterpret_cast<std::uint64_t*>(bytes);
  check_cuda(cub::DeviceRadixSort::SortKeys(bytes + sorted_bytes, temp, keys, sorted, count.bound,
                                            0, 64, stream_of(exec)),
             "sort");
  exec.copy(keys, sorted, count.bound * sizeof(std::uint64_t));
}

void bucket_permutation(Cuda& exec, std::uint32_t* bin_of, DeviceCount items, DeviceCount bins,
                        const std::uint32_t* stop, std::uint32_t* spare, std::uint32_t* order,
                        std::uint32_t* begin) {
  if (items.bound == 0) return;
  const Cuda::Guard guard(exec);
  // Only as many key bits as bins need; kNoBin keeps all its bits set, so it stays last.
  const int bits = std::bit_width(bins.bound) + 1 < 32 ? std::bit_width(bins.bound) + 1 : 32;
  const auto sort = [&](void* temp, std::size_t& bytes, cub::DoubleBuffer<std::uint32_t>& keys,
                        cub::DoubleBuffer<std::uint32_t>& values) {
    check_cuda(cub::DeviceRadixSort::SortPairs(temp, bytes, keys, values, items.bound, 0, bits,
                                               stream_of(exec)),
               "bucket sort");
  };
  cub::DoubleBuffer<std::uint32_t> keys(bin_of, nullptr), values(order, nullptr);
  std::size_t temp = 0;
  sort(nullptr, temp, keys, values);
  const std::size_t array = aligned(items.bound * sizeof(std::uint32_t));
  const std::size_t own = spare == nullptr ? 3 * array : 0;
  auto* bytes = static_cast<unsigned char*>(exec.workspace(own + temp));
  if (spare == nullptr) {
    const auto at = [&](int i) { return reinterpret_cast<std::uint32_t*>(bytes + i * array); };
    exec.copy(at(0), bin_of, items.bound * sizeof(std::uint32_t));
    keys = {at(0), at(1)};
    values = {order, at(2)};
  } else {
    keys = {bin_of, spare};
    values = {order, spare + items.bound};
  }
  // Whatever *stop says: the sort cannot be skipped, and is to find again what it has found.
  launch_items(exec, {{nullptr, items.bound}, nullptr}, Enumerate{order});
  sort(bytes + own, temp, keys, values);
  if (values.Current() != order)
    exec.copy(order, values.Current(), items.bound * sizeof(std::uint32_t));
  launch_items(exec, {{nullptr, items.bound + 1}, stop},
               FindBinBegins{keys.Current(), items.bound, bins, begin});
}

void exclusive_scan(Cuda& exec, const std::uint32_t* in, DeviceCount count, const std::uint32_t*,
                    std::uint32_t* out) {
  const Cuda::Guard guard(exec);
  std::size_t temp = 0;
  check_cuda(cudaMemsetAsync(out, 0, sizeof(std::uint32_t), stream_of(exec)), "scan");
  if (count.bound == 0) return;
  check_cuda(
      cub::DeviceScan::InclusiveSum(nullptr, temp, in, out + 1, count.bound, stream_of(exec)),
      "scan");
  void* bytes = exec.workspace(temp);
  check_cuda(cub::DeviceScan::InclusiveSum(bytes, temp, in, out + 1, count.bound, stream_of(exec)),
             "scan");
}

}  // namespace firn
