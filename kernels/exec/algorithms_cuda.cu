#include <cub/block/block_scan.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <bit>

#include "kernels/exec/algorithms.h"
#include "kernels/exec/cuda.cuh"
#include "kernels/exec/cuda_check.h"

namespace firn {

// Of few numbers each finds its own place: a warp compares it with all others. That is one launch,
// and every multiprocessor takes part; a sort by digits has a dozen launches, or one thread block.
constexpr std::uint32_t kFew = 4096;
constexpr int kWarpsPerBlock = 8;
constexpr int kPlacingThreads = kWarpsPerBlock * kLanes;

// How many of n numbers come before this warp's, by a test of their index.
template <class Before>
__device__ inline std::uint32_t count_before(std::uint32_t n, Before&& before) {
  std::uint32_t count = 0;
  for (std::uint32_t j = threadIdx.x % kLanes; j < n; j += kLanes) count += before(j) ? 1 : 0;
  return __reduce_add_sync(0xffffffffu, count);
}
__device__ inline std::uint32_t warp_index() {
  return (blockIdx.x * blockDim.x + threadIdx.x) / kLanes;
}
__device__ inline bool is_first_lane() { return threadIdx.x % kLanes == 0; }
__device__ inline std::uint32_t value_of(const DeviceCount& count) {
  return count.value != nullptr ? ::min(*count.value, count.bound) : count.bound;
}

// Those beyond the count are ~0 and stay behind.
static __global__ void __launch_bounds__(kPlacingThreads)
    place_keys(const std::uint64_t* keys, DeviceCount count, std::uint64_t* sorted) {
  const std::uint32_t i = warp_index(), n = value_of(count);
  if (i >= count.bound) return;
  const std::uint64_t key = keys[i];
  std::uint32_t place = i;
  if (i < n)
    place = count_before(n, [=](std::uint32_t j) {
      const std::uint64_t other = keys[j];
      return other < key || (other == key && j < i);
    });
  if (is_first_lane()) sorted[place] = key;
}

// A warp for each item, then one for the beginning of each bin.
static __global__ void __launch_bounds__(kPlacingThreads)
    place_items(const std::uint32_t* bin_of, std::uint32_t items, DeviceCount bins,
                const std::uint32_t* stop, std::uint32_t* order, std::uint32_t* begin) {
  if (stop != nullptr && *stop != 0) return;
  const std::uint32_t i = warp_index(), n_bins = value_of(bins);
  if (i < items) {
    const std::uint32_t bin = bin_of[i];
    if (bin >= n_bins) return;
    const std::uint32_t place = count_before(items, [=](std::uint32_t j) {
      const std::uint32_t other = bin_of[j];
      return other < bin || (other == bin && j < i);
    });
    if (is_first_lane()) order[place] = i;
  } else if (i - items <= n_bins) {
    const std::uint32_t bin = i - items;
    const std::uint32_t place =
        count_before(items, [=](std::uint32_t j) { return bin_of[j] < bin; });
    if (is_first_lane()) begin[bin] = place;
  }
}

// Of few numbers, by one thread block.
constexpr int kScanThreads = 1024;
constexpr std::uint32_t kFewToScan = 16 * kScanThreads;
static __global__ void __launch_bounds__(kScanThreads)
    scan_few(const std::uint32_t* in, std::uint32_t n, std::uint32_t* out) {
  using Scan = cub::BlockScan<std::uint32_t, kScanThreads>;
  __shared__ typename Scan::TempStorage storage;
  std::uint32_t before = 0;
  for (std::uint32_t first = 0; first < n; first += kScanThreads) {
    const std::uint32_t i = first + threadIdx.x;
    std::uint32_t sum = 0, total = 0;
    Scan(storage).ExclusiveSum(i < n ? in[i] : 0, sum, total);
    if (i < n) out[i] = before + sum;
    before += total;
    __syncthreads();
  }
  if (threadIdx.x == 0) out[n] = before;
}

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

std::uint32_t blocks_of_warps(std::uint32_t warps) {
  return (warps + kWarpsPerBlock - 1) / kWarpsPerBlock;
}

void sort_few(Cuda& exec, std::uint64_t* keys, DeviceCount count) {
  const std::size_t bytes = count.bound * sizeof(std::uint64_t);
  auto* sorted = static_cast<std::uint64_t*>(exec.workspace(bytes));
  place_keys<<<blocks_of_warps(count.bound), kPlacingThreads, 0, stream_of(exec)>>>(keys, count,
                                                                                    sorted);
  check_launch("place_keys");
  exec.copy(keys, sorted, bytes);
}

}  // namespace

void sort_keys(Cuda& exec, std::uint64_t* keys, DeviceCount count, const std::uint32_t*) {
  if (count.bound == 0) return;
  const Cuda::Guard guard(exec);
  if (count.bound <= kFew) return sort_few(exec, keys, count);
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
  if (items.bound <= kFew && bins.bound <= kFew) {
    place_items<<<blocks_of_warps(items.bound + bins.bound + 1), kPlacingThreads, 0,
                  stream_of(exec)>>>(bin_of, items.bound, bins, stop, order, begin);
    return check_launch("place_items");
  }
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
  if (count.bound <= kFewToScan) {
    scan_few<<<1, kScanThreads, 0, stream_of(exec)>>>(in, count.bound, out);
    return check_launch("scan_few");
  }
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
