#include "src/render/picture_rays.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "src/render/shading.h"

namespace firn {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;

// Low-discrepancy points: the golden ratio spiral on the sphere, and the same on a disc.
V3f sphere_direction(int i, int count) {
  const float z = 1 - (2 * static_cast<float>(i) + 1) / static_cast<float>(count);
  const float angle = static_cast<float>(i) * kPi * (3 - std::sqrt(5.0f));
  const float r = std::sqrt(1 - z * z);
  return {{r * std::cos(angle), z, r * std::sin(angle)}};
}
std::array<float, 2> disc_point(int i, int count) {
  const float r = std::sqrt((static_cast<float>(i) + 0.5f) / static_cast<float>(count));
  const float angle = static_cast<float>(i) * kPi * (3 - std::sqrt(5.0f));
  return {r * std::cos(angle), r * std::sin(angle)};
}

void set(Packet3& packet, int i, const V3f& x) {
  for (int c = 0; c < 3; ++c) packet[c][i] = x[c];
}

V3f sun_direction(const V3f& to_sun, const std::array<float, 2>& disc) {
  const auto [u, w] = perpendicular(to_sun);
  return normalized(to_sun + u * (kSunRadius * disc[0]) + w * (kSunRadius * disc[1]));
}

// Two of 32 directions to either light, for pattern = 0 .. 15.
void set(LightSamples& samples, int i, const V3f& to_sun, int pattern, int k) {
  const std::array<float, 2> p = disc_point(2 * pattern + k, 32);
  set(samples.sun, i, sun_direction(to_sun, p));
  samples.across[i] = p[0];
  samples.along[i] = p[1];
  samples.height[i] = std::sqrt(std::max(0.0f, 1 - p[0] * p[0] - p[1] * p[1]));
}

}  // namespace

// Four samples on a rotated square, so that near-horizontal and near-vertical edges get four steps.
CameraRays::CameraRays(const Projection& view, int width, int height) : eye(to_float(view.eye)) {
  constexpr double kOffset[kSamples][2] = {
      {0.375, 0.125}, {0.875, 0.375}, {0.625, 0.875}, {0.125, 0.625}};
  const int columns = (width + kTile - 1) / kTile * kTile;  // packets reach beyond the last pixel
  const int rows = (height + kTile - 1) / kTile * kTile;
  for (std::size_t s = 0; s < kSamples; ++s) {
    for (int x = 0; x < columns; ++x) {
      const V3f side = to_float(view.right * ((2 * (x + kOffset[s][0]) / width - 1) * view.tan_x));
      for (int c = 0; c < 3; ++c) columns_[s][c].push_back(side[c]);
    }
    for (int y = 0; y < rows; ++y)
      rows_[s].push_back(to_float(view.direction(0, 1 - 2 * (y + kOffset[s][1]) / height)));
  }
}

V3f CameraRays::direction(int x, int y, int sample) const {
  V3f direction = rows_[sample][y];
  for (int c = 0; c < 3; ++c) direction[c] += columns_[sample][c][x];
  return direction;
}

V3p CameraRays::directions(int x, int y, int sample) const {
  const auto& columns = columns_[sample];
  return spread(rows_[sample][y]) +
         V3p{{load(&columns[0][x]), load(&columns[1][x]), load(&columns[2][x])}};
}

LightDirections::LightDirections(const V3f& sun_at) : to_sun(sun_at) {
  for (int i = 0; i < kPacket; ++i)
    for (int k = 0; k < 2; ++k) {
      for (int row = 0; row < 4; ++row) set(rows[row][k], i, to_sun, (i & 3) + 4 * row, k);
      set(all[k], i, to_sun, i, k);
    }
  const int skies = static_cast<int>(sky.size()), suns = static_cast<int>(sun.size());
  for (int i = 0; i < skies; ++i) sky[i] = sphere_direction(i, skies);
  for (int i = 0; i < suns; ++i) sun[i] = sun_direction(to_sun, disc_point(i, suns));
}

}  // namespace firn
