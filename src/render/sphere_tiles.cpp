#include "src/render/sphere_tiles.h"

#include <algorithm>
#include <cmath>

#include "kernels/exec/in_parallel.h"

namespace firn {
namespace {

constexpr std::size_t kDepths = 1024;  // to which spheres are put in order

// Tangents of the angles between which a sphere is seen, along one axis of the picture.
std::array<double, 2> seen_between(double side, double depth, double radius) {
  const double root = radius * std::sqrt(side * side + depth * depth - radius * radius);
  const double square = depth * depth - radius * radius;
  return {(side * depth - root) / square, (side * depth + root) / square};
}

int pixel_of(double x, int pixels) {
  return static_cast<int>(std::clamp(std::floor(x), -1.0, static_cast<double>(pixels)));
}

}  // namespace

SphereTiles::Place SphereTiles::find(const std::array<float, 4>& sphere,
                                     const Projection& view) const {
  const double radius = 1.001 * static_cast<double>(sphere[3]);
  const V3d d = V3d{{sphere[0], sphere[1], sphere[2]}} - view.eye;
  const double depth = dot(d, view.forward);
  const auto nearest = static_cast<float>(depth - radius);
  if (depth <= -radius) return {nearest, 0, -1, 0, -1};
  if (depth <= 1.1 * radius) return {nearest, 0, width_ - 1, 0, height_ - 1};  // about the camera
  const auto [left, right] = seen_between(dot(d, view.right), depth, radius);
  const auto [low, high] = seen_between(dot(d, view.up), depth, radius);
  const double x = 0.5 * width_, y = 0.5 * height_;
  return {nearest, std::max(pixel_of(x * (1 + left / view.tan_x), width_), 0),
          std::min(pixel_of(x * (1 + right / view.tan_x), width_), width_ - 1),
          std::max(pixel_of(y * (1 - high / view.tan_y), height_), 0),
          std::min(pixel_of(y * (1 - low / view.tan_y), height_), height_ - 1)};
}

template <class F>
void SphereTiles::for_each_tile(const Place& place, F f) const {
  if (place.right < place.left) return;
  for (int row = place.top / kTile; row * kTile <= place.bottom; ++row)
    for (int column = place.left / kTile; column * kTile <= place.right; ++column)
      f(row * columns_ + column);
}

std::vector<std::uint32_t> SphereTiles::front_to_back() const {
  float low = INFINITY, high = -INFINITY;
  for (const Place& place : places_) {
    low = std::min(low, place.depth);
    high = std::max(high, place.depth);
  }
  const float scale = high > low ? static_cast<float>(kDepths - 1) / (high - low) : 0;
  const auto depth_of = [&](const Place& place) {
    return static_cast<std::size_t>((place.depth - low) * scale);
  };
  std::vector<std::size_t> next(kDepths + 1, 0);
  for (const Place& place : places_) ++next[depth_of(place) + 1];
  for (std::size_t i = 0; i < kDepths; ++i) next[i + 1] += next[i];
  std::vector<std::uint32_t> order(places_.size());
  for (std::uint32_t i = 0; i < places_.size(); ++i) order[next[depth_of(places_[i])]++] = i;
  return order;
}

SphereTiles::SphereTiles(const std::vector<std::array<float, 4>>& spheres, const Projection& view,
                         int width, int height)
    : width_(width),
      height_(height),
      columns_((width + kTile - 1) / kTile),
      places_(spheres.size()),
      first_(static_cast<std::size_t>(columns_) * ((height + kTile - 1) / kTile) + 1, 0) {
  in_parallel(spheres.size(), [&](std::size_t i) { places_[i] = find(spheres[i], view); });
  for (const Place& place : places_) for_each_tile(place, [&](int tile) { ++first_[tile + 1]; });
  for (std::size_t i = 0; i + 1 < first_.size(); ++i) first_[i + 1] += first_[i];
  entries_.resize(first_.back());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (const std::uint32_t i : front_to_back())
    for_each_tile(places_[i], [&](int tile) { entries_[next[tile]++] = i; });
}

}  // namespace firn
