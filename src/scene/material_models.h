// The models of [material.<name>] and which parameters each of them has. A new model is a line of
// kModels.
#pragma once

#include "src/scene/parse.h"

namespace firn::scene {

inline constexpr std::string_view kElastic[] = {"youngs_modulus", "poisson_ratio"};
inline constexpr std::string_view kSnow[] = {
    "youngs_modulus", "poisson_ratio", "critical_compression", "critical_stretch", "hardening"};
inline constexpr std::string_view kSandClamp[] = {"youngs_modulus", "poisson_ratio",
                                                  "critical_compression"};
inline constexpr std::string_view kMoreSandClamp[] = {"critical_stretch"};
inline constexpr std::string_view kDruckerPrager[] = {"youngs_modulus", "poisson_ratio",
                                                      "friction_angle"};
inline constexpr std::string_view kMoreDruckerPrager[] = {"friction_match",  "friction_hardening",
                                                          "cohesion",        "dilatancy_angle",
                                                          "dilatancy_limit", "volume_correction"};
inline constexpr std::string_view kVonMises[] = {"youngs_modulus", "poisson_ratio", "yield_stress"};
inline constexpr std::string_view kMoreVonMises[] = {"hardening"};
inline constexpr std::string_view kCamClay[] = {"youngs_modulus", "poisson_ratio", "friction_angle",
                                                "preconsolidation", "hardening"};
inline constexpr std::string_view kMoreCamClay[] = {"hardening_law", "tension_ratio"};
inline constexpr std::string_view kViscoelastic[] = {"youngs_modulus", "poisson_ratio",
                                                     "relaxation_time"};
inline constexpr std::string_view kHerschelBulkley[] = {
    "youngs_modulus", "poisson_ratio", "yield_stress", "consistency", "flow_index"};
inline constexpr std::string_view kLiquid[] = {"bulk_modulus"};
inline constexpr std::string_view kMoreLiquid[] = {"gamma", "tension_limit"};

inline constexpr ModelKeys kModels[] = {
    {"neo_hookean", MaterialModel::kNeoHookean, "hyperelastic", kElastic, {}},
    {"fixed_corotated", MaterialModel::kFixedCorotated, "hyperelastic", kElastic, {}},
    {"corotated_deviatoric",
     MaterialModel::kCorotatedDeviatoric,
     "hyperelastic; under thermal also plastic, melting and incompressible",
     kElastic,
     {}},
    {"stvk_hencky", MaterialModel::kStvkHencky, "hyperelastic", kElastic, {}},
    {"snow", MaterialModel::kSnow, "Stomakhin et al. 2013", kSnow, {}},
    {"sand_clamp", MaterialModel::kSandClamp, "granular limit of snow: Jiang et al. 2015",
     kSandClamp, kMoreSandClamp},
    {"drucker_prager", MaterialModel::kDruckerPrager, "sand: Klar et al. 2016", kDruckerPrager,
     kMoreDruckerPrager},
    {"von_mises", MaterialModel::kVonMises, "metal and clay", kVonMises, kMoreVonMises},
    {"cam_clay", MaterialModel::kCamClay,
     "soil and porous snow that compact: Roscoe & Burland 1968, Gaume et al. 2018", kCamClay,
     kMoreCamClay},
    {"viscoelastic",
     MaterialModel::kViscoelastic,
     "foam, sponge, cream: Oldroyd-B that keeps its volume, Ram et al. 2015",
     kViscoelastic,
     {}},
    {"herschel_bulkley",
     MaterialModel::kHerschelBulkley,
     "mud, ketchup, paint: a yield stress, and a power of the rate beyond, as Yue et al. 2015",
     kHerschelBulkley,
     {}},
    {"weakly_compressible", MaterialModel::kWeaklyCompressible, "water by an equation of state",
     kLiquid, kMoreLiquid},
    {"incompressible",
     MaterialModel::kIncompressible,
     "liquids of the integrators on MAC grids",
     {},
     {}},
};

inline constexpr Unavailable kLaterModels[] = {
    {"phase_change", "use \"corotated_deviatoric\" with a melting_point (integrator \"thermal\")"},
    {"newtonian", "give 'viscosity' to another model, e.g. \"weakly_compressible\""}};

}  // namespace firn::scene
