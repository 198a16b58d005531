// Rules of solid and liquid.
#include "src/scene/phases.h"

#include <fmt/format.h>

namespace firn {

bool never_solid(const Material& material) {
  return material.model == MaterialModel::kIncompressible ||
         (material.lame && material.lame->mu == 0);
}

bool may_flow(const Material& material) {
  return never_solid(material) || material.heat.melting_point.has_value();
}

std::optional<std::string> phase_conflict(const Material& material, Phase phase,
                                          double temperature) {
  const HeatProperties& heat = material.heat;
  if (!heat.melting_point) return std::nullopt;
  const double lowest = *heat.melting_point - heat.melting_jitter,
               highest = *heat.melting_point + heat.melting_jitter;
  const bool solid = phase == Phase::kSolid;
  if (solid ? temperature <= lowest : temperature >= highest) return std::nullopt;
  const std::string jitter = heat.melting_jitter > 0
                                 ? fmt::format("{} of its melting points, {} +- {} K",
                                               solid ? "the lowest" : "the highest",
                                               *heat.melting_point, heat.melting_jitter)
                                 : fmt::format("its melting point, {} K", *heat.melting_point);
  return fmt::format(
      "it starts {} at {} K, but '{}' has {} there: that is {} {}; {} 'temperature' or remove "
      "'phase'",
      solid ? "solid" : "liquid", temperature, material.name, solid ? "molten" : "frozen",
      solid ? "above" : "below", jitter, solid ? "lower" : "raise");
}

Phase starting_phase(const Material& material, std::optional<Phase> said, double temperature,
                     double melting_point) {
  if (never_solid(material)) return Phase::kLiquid;
  if (!material.heat.melting_point) return Phase::kSolid;
  return said.value_or(temperature > melting_point ? Phase::kLiquid : Phase::kSolid);
}

}  // namespace firn
