// The level that a count of voxels gives, against distances whose levels are known.
#include "src/surface/volume_count.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace firn {
namespace {

// Voxels of side 1 about a ball: the level r + L encloses the ball of that radius.
TEST(VolumeCount, OfABallGivesItsRadius) {
  constexpr double kRadius = 12;
  VolumeCount count(-3, 3);
  for (int i = -20; i < 20; ++i)
    for (int j = -20; j < 20; ++j)
      for (int k = -20; k < 20; ++k) {
        const double away = std::hypot(i + 0.5, j + 0.5, k + 0.5) - kRadius;
        count.add(static_cast<float>(std::clamp(away, -3.0, 3.0)), 1);
      }
  for (const double level : {-1.5, 0.0, 1.5}) {
    const double volume = 4.0 / 3 * std::numbers::pi * std::pow(kRadius + level, 3);
    // Lattice points in a ball are off by about the root of those at its surface; over its area.
    const double surface = 4 * std::numbers::pi * std::pow(kRadius + level, 2);
    EXPECT_NEAR(count.level(volume), level, 4 / std::sqrt(surface));
  }
}

TEST(VolumeCount, TakesPartsOfVoxels) {
  VolumeCount count(-1, 1);
  for (int i = 0; i < 1000; ++i) count.add(0.002f * (static_cast<float>(i) + 0.5f) - 1, 0.5f);
  EXPECT_NEAR(count.level(250), 0, 2.0 / 512);
  EXPECT_NEAR(count.level(400), 0.6, 2.0 / 512);
}

TEST(VolumeCount, IsZeroWhereThereIsNoRoomOrNothing) {
  VolumeCount count(-1, 1);
  EXPECT_EQ(count.level(0), 0);
  EXPECT_EQ(count.level(1), 0);
  count.add(-0.5f, 1);
  EXPECT_EQ(count.level(2), 0);
}

}  // namespace
}  // namespace firn
