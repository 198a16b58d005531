#include "src/scene/output_channels.h"

#include <algorithm>

#include "kernels/materials/material.h"
#include "src/scene/integrator_traits.h"

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
                     [](const Material& m) { return history_values(m.model, 2) > 0; });
}
bool stressed(const Scene& scene) { return traits_of(scene).stressed; }
bool heated(const Scene& scene) { return scene.solves_heat(); }

constexpr OutputChannel kChannels[] = {
    {"velocity", "m/s", ChannelRank::kVector, "m/s; colours: the speed", always,
     &Snapshot::velocity},
    {"speed", "m/s", ChannelRank::kScalar, "m/s", always, nullptr, true, true, "velocity"},
    {"material", "1", ChannelRank::kScalar, "its index", always, nullptr, true, false},
    {"body", "1", ChannelRank::kScalar, "its index; sources count on after bodies", always, nullptr,
     true, false},
    {"mass", "kg", ChannelRank::kScalar, "kg", always, &Snapshot::mass, false, false},
    {"volume", "m^3", ChannelRank::kScalar, "at rest, m^3; 2D: m^2", always, &Snapshot::volume,
     false, false},
    {"pscale", "m", ChannelRank::kScalar,
     "radius of a ball (2D: of a disc) with the volume at rest, m; what Houdini draws points by",
     always, nullptr, false, false},
    {"deformation_gradient", "1", ChannelRank::kTensor,
     "its elastic part, row by row, of what is not liquid; colours: its determinant", deforms,
     &Snapshot::deformation_gradient},
    {"plastic_state", "1", ChannelRank::kScalar,
     "J_P (snow, sand_clamp), ln of the volume gained (drucker_prager), plastic strain "
     "(von_mises, herschel_bulkley), ln of the plastic volume ratio (cam_clay), "
     "ln of det b_OB over that of F F^T, halved (viscoelastic) or J - 1 (weakly_compressible); not "
     "thermal",
     keeps_history, &Snapshot::plastic_state},
    {"stress", "Pa", ChannelRank::kTensor, "Kirchhoff's, J times Cauchy's, Pa; not incompressible",
     stressed, &Snapshot::kirchhoff_stress, false},
    {"pressure", "Pa", ChannelRank::kScalar,
     "Pa; -tr(stress) / dimension, J times Cauchy's, or where there is a projection, its own",
     always, &Snapshot::pressure},
    {"vorticity", "1/s", ChannelRank::kAxial, "1/s; colours in 3D: its magnitude", always, nullptr,
     true, true, "velocity"},
    {"id", "1", ChannelRank::kScalar, "the same in all frames", always, nullptr, false, false},
    {"temperature", "K", ChannelRank::kScalar, "K, with heat only", heated, &Snapshot::temperature},
    {"phase", "1", ChannelRank::kScalar, "0 solid, 1 liquid; with heat only", heated},
};

// Colours that are no channel themselves.
constexpr OutputColor kMoreColors[] = {
    {"volume_ratio", "determinant of deformation_gradient", "deformation_gradient"},
    {"glow", "with heat only: the light of what is hot", "temperature"},
};

}  // namespace

std::span<const OutputChannel> output_channels() { return kChannels; }

std::vector<OutputColor> output_colors() {
  std::vector<OutputColor> colors;
  for (const OutputChannel& c : kChannels)
    if (c.has_color) colors.push_back({c.name, c.about, c.shown_by.empty() ? c.name : c.shown_by});
  colors.insert(colors.end(), std::begin(kMoreColors), std::end(kMoreColors));
  return colors;
}

std::vector<std::string_view> channels_of(const Scene& scene) {
  std::vector<std::string_view> names;
  for (const OutputChannel& c : kChannels)
    if (c.exists(scene)) names.push_back(c.name);
  return names;
}

std::vector<std::string_view> mean_channels_of(const Scene& scene) {
  std::vector<std::string_view> names;
  for (const OutputChannel& c : kChannels)
    if (c.has_mean && c.exists(scene)) names.push_back(c.name);
  return names;
}

std::vector<std::string_view> colors_of(const Scene& scene) {
  const std::vector<std::string_view> channels = channels_of(scene);
  std::vector<std::string_view> names;
  for (const OutputColor& c : output_colors())
    if (std::find(channels.begin(), channels.end(), c.channel) != channels.end())
      names.push_back(c.name);
  return names;
}

namespace {

bool shows_channel(const Scene& scene, std::string_view name) {
  const OutputSettings& out = scene.output;
  const auto& written = out.channels;
  if (!out.particles.empty() && std::find(written.begin(), written.end(), name) != written.end())
    return true;
  const std::vector<OutputColor> colors = output_colors();
  return out.image && std::any_of(colors.begin(), colors.end(), [&](const OutputColor& c) {
           return c.name == out.color && c.channel == name;
         });
}

}  // namespace

SnapshotParts shown_parts(const Scene& scene) {
  return {shows_channel(scene, "deformation_gradient"), shows_channel(scene, "stress"),
          shows_channel(scene, "pressure")};
}

}  // namespace firn
