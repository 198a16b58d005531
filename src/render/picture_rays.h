// The rays of a picture: from the camera, and from what it sees to the sun and the sky. All come
// from tables, without random numbers.
#pragma once

#include <array>
#include <vector>

#include "src/render/lanes.h"
#include "src/render/mesh.h"
#include "src/render/view.h"

namespace firn {

inline constexpr int kSamples = 4;  // camera rays of a pixel
inline constexpr int kTile =
    kPacket;  // pixels along an edge of the squares that pictures are made in

class CameraRays {
 public:
  CameraRays(const Projection& view, int width, int height);

  // Of a sample of pixel (x, y), and of those from x on; not normalised.
  V3f direction(int x, int y, int sample) const;
  V3p directions(int x, int y, int sample) const;

  V3f eye;

 private:
  // A direction is one vector of its column, which lie side by side, and one of its row.
  std::array<std::array<std::vector<float>, 3>, kSamples> columns_;
  std::array<std::vector<V3f>, kSamples> rows_;
};

// A direction to the sun, and one to the sky above a surface: a point of the unit disc, lifted by
// `height`; a uniform disc lifted to the hemisphere has the cosine distribution.
struct LightSamples {
  Packet3 sun;
  PacketFloats across, along, height;
};

// The light on a surface takes 32 directions to either. Pixels take two of them, by their place in
// squares of 4x4, which together take all.
struct LightDirections {
  LightDirections(const V3f& to_sun);

  V3f to_sun;
  std::array<std::array<LightSamples, 2>, 4> rows;  // of 16 pixels of row y & 3
  std::array<LightSamples, 2> all;                  // of all 16 places
  std::array<V3f, 32> sky;                          // of particles, over the full sphere
  std::array<V3f, 8> sun;                           // of particles
};

}  // namespace firn
