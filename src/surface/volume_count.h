// Voxels counted by the values of a level set: at which of its levels they fill a volume, without a
// mesh.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>

namespace firn {

class VolumeCount {
 public:
  // Values lie between `low` and `high`.
  VolumeCount(float low, float high) : low_(low), per_unit_(kBins / (high - low)) {}

  // `part` of a voxel.
  void add(float value, float part) {
    const int bin = static_cast<int>((value - low_) * per_unit_);
    parts_[static_cast<std::size_t>(std::clamp(bin, 0, kBins - 1))] += part;
  }

  // Below which the voxels are so many; 0 where there are not as many at all, or none wanted.
  double level(double voxels) const {
    std::array<double, kBins> below;
    std::partial_sum(parts_.begin(), parts_.end(), below.begin());
    const auto at = std::lower_bound(below.begin(), below.end(), voxels);
    if (at == below.end() || !(voxels > 0)) return 0;
    const double before = at == below.begin() ? 0 : *(at - 1);
    const double bin = static_cast<double>(at - below.begin()) + (voxels - before) / (*at - before);
    return bin / per_unit_ + low_;
  }

 private:
  static constexpr int kBins = 512;
  float low_, per_unit_;
  std::array<double, kBins> parts_{};
};

}  // namespace firn
