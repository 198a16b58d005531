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
     "drucker_prager", "von_mises", "cam_clay", "viscoelastic", "herschel_bulkley",
     "weakly_compressible", "incompressible"});
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
inline constexpr auto kNames<HardeningLaw> = std::to_array<std::string_view>({"exponential",
                                                                              "sinh"});
template <>
inline constexpr auto kNames<SensorKind> = std::to_array<std::string_view>(
    {"point", "region", "plane", "height", "collider", "contact", "motion"});
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
template <>
inline constexpr auto kNames<ElementType> = std::to_array<std::string_view>({"float32", "float64",
                                                                             "uint32"});
static_assert(kNames<MaterialModel>.size() == kMaterialModels);
static_assert(kNames<ShapeType>.size() == static_cast<std::size_t>(ShapeType::kTransform) + 1);
static_assert(kNames<DtLimit>.size() == static_cast<std::size_t>(DtLimit::kFrameEnd) + 1);

template <class Enum>
constexpr std::string_view name_of(Enum value) {
  return kNames<Enum>.at(static_cast<std::size_t>(value));
}

// The value of a name of name_of. Throws std::out_of_range, IndexError in Python, for one that is
// none.
template <class Enum>
constexpr Enum value_of(std::string_view name) {
  std::size_t value = 0;
  while (kNames<Enum>.at(value) != name) ++value;
  return static_cast<Enum>(value);
}

// What gets a member that is an enumeration as a string, as records.h has it, and sets it by one.
template <class Class, class Kind>
struct Named {
  using Text = std::string_view;
  Kind Class::*member;
  Text operator()(const Class& object) const { return python::name_of<Kind>(object.*member); }
  void set(Class& object, Text name) const { object.*member = value_of<Kind>(name); }
};

// The same where there may be none.
template <class Class, class Enum>
struct Named<Class, std::optional<Enum>> {
  using Text = std::optional<std::string_view>;
  std::optional<Enum> Class::*member;
  Text operator()(const Class& object) const {
    if (!(object.*member)) return {};
    return python::name_of<Enum>(*(object.*member));
  }
  void set(Class& object, Text name) const {
    object.*member = name ? std::optional<Enum>(value_of<Enum>(*name)) : std::nullopt;
  }
};

template <class Class, class Enum, std::size_t n>
struct Named<Class, std::array<Enum, n>> {
  using Text = std::array<std::string_view, n>;
  std::array<Enum, n> Class::*member;
  Text operator()(const Class& object) const {
    Text names;
    for (std::size_t i = 0; i < n; ++i) names[i] = python::name_of<Enum>((object.*member)[i]);
    return names;
  }
  void set(Class& object, const Text& names) const {
    for (std::size_t i = 0; i < n; ++i) (object.*member)[i] = value_of<Enum>(names[i]);
  }
};

template <class Class, class Kind>
Named<Class, Kind> named(Kind Class::*member) {
  return {member};
}

}  // namespace firn::python
