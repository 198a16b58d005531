// Light on surfaces: each pixel takes one sample set of a pattern of 4x4, which is then averaged
// over 4x4 pixels.
#pragma once

#include <vector>

#include "src/render/picture_hits.h"
#include "src/render/surface_values.h"

namespace firn {

// One number for each pixel, with a margin that packets and windows may reach into.
class PixelMap {
 public:
  PixelMap(int width, int height, float value)
      : stride_(width + 2 * kMargin),
        values_(static_cast<std::size_t>(stride_) * (height + 2 * kMargin), value) {}
  float* at(int x, int y) { return &values_[index(x, y)]; }
  const float* at(int x, int y) const { return &values_[index(x, y)]; }

 private:
  static constexpr int kMargin = kTile;
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y + kMargin) * stride_ + x + kMargin;
  }
  int stride_;
  std::vector<float> values_;
};

class SurfaceLight {
 public:
  static constexpr double kBytes = 5 * sizeof(float) + sizeof(V3f);  // for each pixel
  static constexpr double kTintBytes = 3 * sizeof(float);            // likewise, is_tinted()

  struct Light {
    float sun, sky;
    V3f passed = V3f::filled(1);  // of each colour of that sun
  };

  // `pixel` is the height of a pixel over its distance.
  SurfaceLight(const PictureHits& hits, const LightDirections& lights, float pixel);

  void measure(int tile);  // where hits are traced; all tiles before the first is smoothed
  void smooth(int tile);

  // Of the pixel's first sample, side by side along a row.
  const float* object(int x, int y) const { return object_.at(x, y); }
  const float* sun(int x, int y) const { return sun_.at(x, y); }
  const float* sky(int x, int y) const { return sky_.at(x, y); }
  // Whether there are clear surfaces that change the sun's colours, and what is left of each.
  bool is_tinted() const { return !passed_.empty(); }
  const float* passed(int x, int y, int c) const { return passed_[c].at(x, y); }
  // For any sample of a pixel. At an edge the pixel's own light may be that of another surface; a
  // neighbour's then stands in, or else rays are traced from there.
  Light at(int x, int y, float object, const V3f& position, const V3f& normal) const;

 private:
  struct Points {  // that camera rays meet
    PacketFloats object;
    Packet3 position, normal;
    PacketFloats lit;  // 1, or 0: nothing there that takes light from the maps
  };
  struct Counts {  // of open rays of two
    PacketFloats sun, sky;
  };

  Points points_of_row(int x, int y) const;
  Counts count_open(const Points& points, const std::array<LightSamples, 2>& samples) const;
  bool is_surface(float object) const { return object > kSpheres; }
  bool is_plane(float object) const { return object >= hits_.embree.first_plane(); }
  V3f normal_at(int x, int y) const;
  bool is_plainly_lit(int tile) const;
  void smooth_row(int x, int y);
  Light light_at(int x, int y) const;
  Light smoothed_on_mesh(int x, int y, const Points& points) const;
  Light all_samples(const V3f& position, const V3f& normal) const;
  Light all_samples_at(const Points& points, int lane) const;

  const PictureHits& hits_;
  const LightDirections& lights_;
  const float pixel_;
  PixelMap object_, open_sun_, open_sky_, sun_, sky_;
  std::vector<PixelMap> passed_;     // three, or none without clear surfaces
  std::vector<V3f> normals_;         // by pixel, where there are meshes
  std::vector<float> plain_object_;  // by tile: what all of it shows in full light, or kMixed
};

}  // namespace firn
