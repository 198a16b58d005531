// The names that scene files and reports have for the values of enumerations.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "firn/scene.h"
#include "firn/simulation.h"

namespace firn::python {

// In the order of the values.
template <class Enum>
inline constexpr std::array<std::string_view, 0> kNames{};
template <>
inline constexpr auto kNames<Integrator> = std::to_array<std::string_view>(
    {"explicit", "semi_implicit", "optimization", "incompressible", "thermal"});
template <>
inline constexpr auto kNames<Precision> = std::to_array<std::string_view>({"single", "double"});
template <>
inline constexpr auto kNames<TransferType> =
    std::to_array<std::string_view>({"pic", "flip", "rpic", "apic", "aflip", "polypic"});
template <>
inline constexpr auto kNames<AdvectionMap> = std::to_array<std::string_view>({"translation",
                                                                              "affine"});
template <>
inline constexpr auto kNames<ForceForm> = std::to_array<std::string_view>({"mls", "gradient"});
template <>
inline constexpr auto kNames<BoundaryType> =
    std::to_array<std::string_view>({"sticky", "slip", "separate", "periodic", "open"});
template <>
inline constexpr auto kNames<MaterialModel> = std::to_array<std::string_view>(
    {"neo_hookean", "fixed_corotated", "corotated_deviatoric", "stvk_hencky", "snow", "sand_clamp",
     "drucker_prager", "von_mises", "viscoelastic", "herschel_bulkley", "weakly_compressible",
     "incompressible"});
template <>
inline constexpr auto kNames<ShapeType> = std::to_array<std::string_view>(
    {"sphere", "box", "half_space", "cylinder", "capsule", "cone", "torus", "ellipsoid",
     "height_field", "mesh", "mesh_sequence", "vdb", "text", "union", "intersection", "difference",
     "transform"});
template <>
inline constexpr auto kNames<Sampling> = std::to_array<std::string_view>({"uniform", "random",
                                                                          "poisson"});
template <>
inline constexpr auto kNames<Phase> = std::to_array<std::string_view>({"solid", "liquid"});
template <>
inline constexpr auto kNames<DtLimit> = std::to_array<std::string_view>(
    {"none", "velocity", "wave_speed", "viscosity", "solver", "force", "dt_max", "frame_end"});
template <>
inline constexpr auto kNames<DiagnosticsLevel> = std::to_array<std::string_view>({"off", "totals",
                                                                                  "stages"});
template <>
inline constexpr auto kNames<Look> = std::to_array<std::string_view>({"auto", "surface",
                                                                      "particles"});
template <>
inline constexpr auto kNames<Drawn> = std::to_array<std::string_view>({"auto", "always", "never"});
template <>
inline constexpr auto kNames<SurfaceKernel> = std::to_array<std::string_view>({"isotropic",
                                                                               "anisotropic"});
template <>
inline constexpr auto kNames<Finish> = std::to_array<std::string_view>({"auto", "matte", "glossy",
                                                                        "soft", "metal", "clear"});
template <>
inline constexpr auto kNames<FrictionMatch> =
    std::to_array<std::string_view>({"compression", "extension", "plane_strain"});
template <>
inline constexpr auto kNames<SensorKind> =
    std::to_array<std::string_view>({"point", "region", "plane", "height", "collider"});
template <>
inline constexpr auto kNames<FreeSurface> = std::to_array<std::string_view>({"ghost_fluid",
                                                                             "first_order"});
template <>
inline constexpr auto kNames<ImplicitPreconditioner> =
    std::to_array<std::string_view>({"diagonal", "blocks", "multigrid"});
template <>
inline constexpr auto kNames<PlasticFlow> = std::to_array<std::string_view>({"inside", "after"});
template <>
inline constexpr auto kNames<ParticlePositions> =
    std::to_array<std::string_view>({"forward_euler", "backward_euler"});
template <>
inline constexpr auto kNames<ForceIntegration> = std::to_array<std::string_view>({"explicit",
                                                                                  "semi_implicit"});
template <>
inline constexpr auto kNames<FaceDensity> = std::to_array<std::string_view>({"material", "cell"});
template <>
inline constexpr auto kNames<MeshSolid> = std::to_array<std::string_view>({"winding", "shell"});
template <>
inline constexpr auto kNames<OnGrowth> = std::to_array<std::string_view>({"warn", "stop"});
static_assert(kNames<MaterialModel>.size() == kMaterialModels);
static_assert(kNames<ShapeType>.size() == static_cast<std::size_t>(ShapeType::kTransform) + 1);
static_assert(kNames<DtLimit>.size() == static_cast<std::size_t>(DtLimit::kFrameEnd) + 1);

template <class Enum>
constexpr std::string_view name_of(Enum value) {
  return kNames<Enum>.at(static_cast<std::size_t>(value));
}

// A getter of a member that is an enumeration, as a string.
template <class Class, class Enum>
auto named(Enum Class::*member) {
  return [member](const Class& object) { return name_of(object.*member); };
}

// The same where there may be none.
template <class Class, class Enum>
auto named(std::optional<Enum> Class::*member) {
  return [member](const Class& object) -> std::optional<std::string_view> {
    if (!(object.*member)) return {};
    return name_of(*(object.*member));
  };
}

}  // namespace firn::python
