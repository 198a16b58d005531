// Colours of particles: by material or body, or a scalar channel through the colour map with a
// range that is fixed by the scene and the first snapshot.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "firn/scene.h"
#include "firn/simulation.h"
#include "src/render/black_body.h"
#include "src/render/color_map.h"
#include "src/render/view.h"

namespace firn {

struct ScalarChannel;

struct ColorRange {
  double low = 0, high = 1;
};

struct LegendEntry {
  std::string name;  // of a material, or of a body that has a colour of its own
  ColorF color;      // sRGB
};
// What the colours of a scene's particles stand for (of bodies, or of materials and the light that
// these send out), each once, in the order of bodies and sources; empty for scalars.
std::vector<LegendEntry> legend_of(const Scene& scene);

// What a colour of those that are scalars shows: a value per particle, NaN where the snapshot lacks
// it, and the label of the colour bar, "speed, m/s". Both throw Error{kScene} for other names.
std::vector<double> scalar_values(const std::string& color, const Snapshot& snapshot);
std::string scalar_label(const std::string& color);

class ParticleColors {
 public:
  // scene.output.color is material, body, speed (or velocity), pressure (or kirchhoff_stress),
  // plastic_state, temperature, phase, volume_ratio (or deformation_gradient) or vorticity (signed
  // in 2D, its magnitude in 3D), or glow, which is material and the light of what is hot; anything
  // else throws Error{kScene}.
  ParticleColors(const Scene& scene, const Snapshot& first, const Stage& stage);

  // One sRGB colour per particle; grey where the snapshot lacks the channel.
  std::vector<ColorF> operator()(const Snapshot& snapshot) const;

  // The light that hot particles add, linear; empty unless scene.output.color is glow and the
  // snapshot has temperatures.
  std::vector<ColorF> glow(const Snapshot& snapshot) const;

  bool is_scalar() const { return channel_ != nullptr; }
  std::string label() const;               // of the colour bar, with the unit
  ColorF color_at(double fraction) const;  // of the range
  ColorRange range;

 private:
  std::vector<ColorF> material_colors_;  // by material
  std::vector<std::pair<bool, ColorF>>
      body_colors_;  // by body: whether it overrides its material's
  const ScalarChannel* channel_ = nullptr;
  bool diverging_ = false;
  bool by_body_ = false;
  std::optional<Glow> glow_;
};

}  // namespace firn
