#include "src/scene/output_channels.h"

#include <algorithm>

#include "src/scene/integrator_traits.h"
#include "src/scene/law_traits.h"

namespace firn {
namespace {

bool always(const Scene&) { return true; }
bool deforms(const Scene& scene) {
  return traits_of(scene).unified ||
         (traits_of(scene).stressed &&
          std::any_of(scene.materials.begin(), scene.materials.end(),
                      [](const Material& m) { return has_deformation(m.model); }));
}
bool keeps_history(const Scene& scene) {
  return traits_of(scene).stressed && !traits_of(scene).unified &&
         std::any_of(scene.materials.begin(), scene.materials.end(),
                     [](const Material& m) { return has_history(m.model); });
}
bool stressed(const Scene& scene) { return traits_of(scene).stressed; }
bool heated(const Scene& scene) { return scene.solves_heat(); }

constexpr OutputChannel kChannels[] = {
    {"velocity", ChannelRank::kVector, "m/s", "velocity", always, "speed"},
    {"speed", ChannelRank::kScalar, "m/s", "magnitude of the velocity", always, "speed"},
    {"material", ChannelRank::kScalar, "", "index of the material", always, "material"},
    {"body", ChannelRank::kScalar, "", "index of the body, or after these of the source", always,
     "body"},
    {"mass", ChannelRank::kScalar, "kg", "mass", always, ""},
    {"volume", ChannelRank::kScalar, "m^d", "volume at rest", always, ""},
    {"deformation_gradient", ChannelRank::kTensor, "", "elastic part of F, row by row", deforms,
     "volume_ratio"},
    {"plastic_state", ChannelRank::kScalar, "",
     "J_P (snow, sand_clamp), plastic strain (drucker_prager, von_mises) or J "
     "(weakly_compressible)",
     keeps_history, "plastic_state"},
    {"stress", ChannelRank::kTensor, "Pa", "Kirchhoff stress, J times Cauchy's", stressed, ""},
    {"pressure", ChannelRank::kScalar, "Pa",
     "-tr(stress) / d, or what the projection has solved for", always, "pressure"},
    {"vorticity", ChannelRank::kAxial, "1/s", "curl of the velocity", always, "vorticity"},
    {"temperature", ChannelRank::kScalar, "K", "temperature", heated, "temperature"},
    {"phase", ChannelRank::kScalar, "", "0 solid, 1 liquid", heated, "phase"},
    {"id", ChannelRank::kScalar, "", "number of the particle", always, ""},
};

}  // namespace

std::span<const OutputChannel> output_channels() { return kChannels; }

std::vector<std::string_view> channels_of(const Scene& scene) {
  std::vector<std::string_view> names;
  for (const OutputChannel& c : kChannels)
    if (c.exists(scene)) names.push_back(c.name);
  return names;
}

std::vector<std::string_view> colors_of(const Scene& scene) {
  std::vector<std::string_view> names;
  const auto add = [&](std::string_view name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const OutputChannel& c : kChannels) {
    if (!c.exists(scene) || c.color.empty()) continue;
    add(c.color);
    add(c.name);
  }
  if (scene.solves_heat()) add("glow");
  return names;
}

bool shows_channel(const Scene& scene, std::string_view name) {
  const OutputSettings& out = scene.output;
  const bool written = !out.particles.empty() && std::find(out.channels.begin(), out.channels.end(),
                                                           name) != out.channels.end();
  const auto colored = [&](const OutputChannel& c) {
    return c.name == name && (out.color == c.name || out.color == c.color);
  };
  return written || (out.image && std::any_of(std::begin(kChannels), std::end(kChannels), colored));
}

}  // namespace firn
