// The spheres of a picture by the squares of pixels that may show them, from front to back: camera
// rays then find theirs without a search, and most of what lies hidden is passed over.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "src/render/picture_rays.h"

namespace firn {

class SphereTiles {
 public:
  struct Place {
    float depth;                   // of the nearest point, along the line of sight
    int left, right, top, bottom;  // first and last pixels; none: last < first
  };

  // For each sphere: its place, its rank, and an entry of one tile or two.
  static constexpr double kBytes = sizeof(Place) + 2.5 * sizeof(std::uint32_t);

  SphereTiles(const std::vector<std::array<float, 4>>& spheres, const Projection& view, int width,
              int height);

  std::span<const std::uint32_t> in(int tile) const {
    return std::span(entries_).subspan(first_[tile], first_[tile + 1] - first_[tile]);
  }
  const Place& place(std::uint32_t sphere) const { return places_[sphere]; }

 private:
  Place find(const std::array<float, 4>& sphere, const Projection& view) const;
  std::vector<std::uint32_t> front_to_back() const;
  template <class F>
  void for_each_tile(const Place& place, F f) const;

  int width_, height_, columns_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> entries_;
  std::vector<std::size_t> first_;  // entry of each tile, and the end
};

}  // namespace firn
