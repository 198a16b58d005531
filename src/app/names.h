// The names that scene files use for a scene's choices.
#pragma once

#include <array>
#include <string_view>

#include "firn/scene.h"

namespace firn::app {

inline std::string_view name_of(Precision precision) {
  return precision == Precision::kDouble ? "double" : "single";
}

inline std::string_view name_of(TransferType type) {
  constexpr std::array<std::string_view, 6> kNames{"pic",  "flip",  "rpic",
                                                   "apic", "aflip", "polypic"};
  return kNames.at(static_cast<std::size_t>(type));
}

inline std::string_view name_of(Phase phase) { return phase == Phase::kSolid ? "solid" : "liquid"; }

inline std::string_view name_of(ForceIntegration forces) {
  return forces == ForceIntegration::kExplicit ? "explicit" : "semi_implicit";
}

inline std::string_view name_of(FaceDensity density) {
  return density == FaceDensity::kMaterial ? "material" : "cell";
}

inline std::string_view kernel_name(int degree) {
  constexpr std::array<std::string_view, 4> kNames{"", "linear", "quadratic", "cubic"};
  return kNames.at(static_cast<std::size_t>(degree));
}

}  // namespace firn::app
