#include "src/run/liquid_volume.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <vector>

namespace firn {
namespace {

constexpr int kShift = 3, kSide = 1 << kShift;  // cells along a block

using Index = std::array<std::int64_t, 3>;

struct IndexHash {
  std::size_t operator()(const Index& at) const {
    std::uint64_t sum = 0;
    for (const std::int64_t i : at)
      sum = (sum ^ static_cast<std::uint64_t>(i)) * 0x9e3779b97f4a7c15u;
    return static_cast<std::size_t>(sum ^ (sum >> 32));
  }
};

// Sums of cells in blocks, made where something falls.
class Cells {
 public:
  explicit Cells(int dimension) : dimension_(dimension) {}

  double& operator[](const Index& at) {
    Index block{};
    std::size_t within = 0;
    for (int a = 0; a < dimension_; ++a) {
      const auto i = static_cast<std::size_t>(a);
      block[i] = at[i] >> kShift;
      within = within * kSide + static_cast<std::size_t>(at[i] & (kSide - 1));
    }
    if (last_ == nullptr || block != last_block_) {
      std::vector<double>& cells = blocks_[block];
      cells.resize(dimension_ == 2 ? kSide * kSide : kSide * kSide * kSide);
      last_ = cells.data();
      last_block_ = block;
    }
    return last_[within];
  }
  double beyond(double full) const {
    double sum = 0;
    for (const auto& [block, cells] : blocks_)
      for (const double cell : cells) sum += std::max(cell - full, 0.0);
    return sum;
  }

 private:
  int dimension_;
  std::unordered_map<Index, std::vector<double>, IndexHash> blocks_;
  double* last_ = nullptr;
  Index last_block_{};
};

}  // namespace

double lost_volume(const Snapshot& particles) {
  const auto d = static_cast<std::size_t>(particles.dimension);
  const double size = 2 * particles.dx;
  Cells cells(particles.dimension);
  double all = 0;
  for (std::size_t p = 0; p < particles.size(); ++p) {
    Index base{};
    std::array<double, 3> offset{};
    for (std::size_t a = 0; a < d; ++a) {
      const double x = static_cast<double>(particles.position[d * p + a]) / size - 0.5;
      base[a] = static_cast<std::int64_t>(std::floor(x));
      offset[a] = x - static_cast<double>(base[a]);
    }
    const double volume = static_cast<double>(particles.volume[p]);
    all += volume;
    for (std::size_t corner = 0; corner < std::size_t{1} << d; ++corner) {
      Index at = base;
      double share = volume;
      for (std::size_t a = 0; a < d; ++a) {
        const std::size_t up = corner >> a & 1;
        at[a] += static_cast<std::int64_t>(up);
        share *= up == 1 ? offset[a] : 1 - offset[a];
      }
      cells[at] += share;
    }
  }
  return all > 0 ? cells.beyond(std::pow(size, particles.dimension)) / all : 0;
}

}  // namespace firn
