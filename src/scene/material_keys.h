// The keys of [material.<name>] with their ranges; which of them a model has is said in
// material_models.h.
#pragma once

#include <vector>

#include "firn/scene_file.h"
#include "src/scene/material_models.h"

namespace firn::scene {

inline std::vector<Word> preset_words() {
  std::vector<Word> words;
  for (const MaterialPreset& preset : material_presets())
    words.push_back({preset.material.name, preset.description});
  return words;
}

inline constexpr Key kPhaseKeys[] = {
    key("solid", "below the melting point", {.kind = Kind::kSame, .required = true}),
    key("liquid", "above it", {.kind = Kind::kSame, .required = true})};
inline constexpr Key kByPhase = table_key("", kPhaseValues, "a value for each phase");

inline constexpr Choice<FrictionMatch> kFrictionMatches[] = {
    {"compression", FrictionMatch::kCompression, "triaxial"},
    {"extension", FrictionMatch::kExtension, "triaxial"},
    {"plane_strain", FrictionMatch::kPlaneStrain, "2D: in all states; 3D: where volume is kept"}};
inline constexpr Choice<HardeningLaw> kHardeningLaws[] = {
    {"exponential", HardeningLaw::kExponential, "soil: hardening is 1 / (lambda* - kappa*)"},
    {"sinh", HardeningLaw::kSinh, "snow: nothing is left once dilation has undone its compaction"}};
inline constexpr Choice<Finish> kFinishes[] = {
    {"auto", Finish::kAuto,
     "clear for thin liquids, glossy for thick ones (0.1 Pa s), metal for von_mises, matte for "
     "cam_clay, else soft"},
    {"matte", Finish::kMatte},
    {"glossy", Finish::kGlossy, "varnished"},
    {"soft", Finish::kSoft, "light enters it, as into wax, jelly or ice cream"},
    {"metal", Finish::kMetal},
    {"clear", Finish::kClear, "refracts and absorbs, as water and ice"}};

inline constexpr Key kMaterialKeys[] = {
    key("model", "the law of the material",
        {.kind = Kind::kChoice,
         .stand_in = "preset",
         .words = kWordsOf<kModels>,
         .unavailable = kLaterModels}),
    key("preset",
        "a named material (`firn materials`) whose model and values hold for all keys that are "
        "left out; with another `model` only density, viscosity, elastic moduli, heat and looks do",
        {.kind = Kind::kChoice, .more_words = preset_words}),
    key<&Material::color>("color", "in pictures",
                          {.kind = Kind::kColor,
                           .otherwise = "the preset's, or one of a palette",
                           .by_hand = true,
                           .value = no_default}),
    choice_key<&Material::look, kLooks>("look", "of pictures in 3D; auto: what output.look says"),
    choice_key<&Material::finish, kFinishes>("finish", "of its surface in pictures"),
    key<&Material::density>("density", "at rest",
                            {.unit = "kg/m^3; 2D: kg/m^2", .range = Range::positive()}),
    key<&Material::youngs_modulus>(
        "youngs_modulus", "stiffness; an expression needs heat and gives that of the solid, T in K",
        {.kind = Kind::kField,
         .unit = "Pa",
         .range = Range::positive(),
         .stand_in = "shear_modulus",
         .variables = "T",
         .by_hand = true}),
    key<&Material::poisson_ratio>("poisson_ratio",
                                  "how far stretch makes thin; thermal: 0.5 is incompressible",
                                  {.range = Range::right_open(0, 0.5),
                                   .thermal_range = Range::left_open(0, 0.5),
                                   .stand_in = "lambda",
                                   .by_hand = true}),
    key<&Material::critical_compression>(
        "critical_compression", "theta_c: principal strain at which compression turns plastic",
        {.range = Range::right_open(0, 1)}),
    key<&Material::critical_stretch>("critical_stretch",
                                     "theta_s: principal strain at which stretch turns plastic",
                                     {.range = Range::non_negative()}),
    key<&Material::hardening>("hardening",
                              "snow, cam_clay: exponent xi; von_mises: slope of the yield stress "
                              "against plastic strain, in Pa",
                              {.range = Range::non_negative()}),
    choice_key<&Material::hardening_law, kHardeningLaws>(
        "hardening_law", "of the preconsolidation, in the volume lost by plastic flow"),
    key<&Material::preconsolidation>("preconsolidation",
                                     "p0 at the start: the pressure at which the material compacts",
                                     {.unit = "Pa", .range = Range::positive()}),
    key<&Material::tension_ratio>("tension_ratio", "beta: it bears the tension beta p0",
                                  {.range = Range::right_open(0, 1)}),
    key<&Material::friction_angle>("friction_angle",
                                   "of internal friction; cam_clay: M = 6 sin / (3 - sin)",
                                   {.kind = Kind::kAngle,
                                    .unit = "degrees",
                                    .range = Range::right_open(0, 90),
                                    .stand_in = "friction_hardening"}),
    choice_key<&Material::friction_match, kFrictionMatches>(
        "friction_match", "where the cone has Mohr-Coulomb's strength"),
    key<&Material::cohesion>("cohesion",
                             "Hencky strain by which the tip of the yield cone moves into tension",
                             {.range = Range::non_negative()}),
    key<&Material::dilatancy_angle>(
        "dilatancy_angle",
        "psi: what slides gains volume as Mohr-Coulomb's law does; at most the friction angle",
        {.kind = Kind::kAngle, .unit = "degrees", .range = Range::right_open(0, 90)}),
    key<&Material::dilatancy_limit>("dilatancy_limit",
                                    "ln of the volume gained so, at which that ends",
                                    {.range = Range::positive(), .otherwise = "none"}),
    key<&Material::yield_stress>("yield_stress", "von_mises: uniaxial; herschel_bulkley: in shear",
                                 {.unit = "Pa", .range = Range::positive()}),
    key<&Material::consistency>("consistency",
                                "K of the shear stress yield_stress + K (shear rate)^flow_index",
                                {.unit = "Pa s^n", .range = Range::positive()}),
    key<&Material::flow_index>("flow_index",
                               "its exponent: below 1 stirring makes thin, above 1 thick",
                               {.range = Range::closed(0.05, 5)}),
    key<&Material::relaxation_time>("relaxation_time",
                                    "in which stress falls to 1/e of itself where nothing moves",
                                    {.unit = "s", .range = Range::positive()}),
    key<&Material::bulk_modulus>(
        "bulk_modulus", "K of p = K (J^-gamma - 1): sound crosses it at sqrt(gamma K / density)",
        {.unit = "Pa", .range = Range::positive()}),
    key<&Material::gamma>("gamma", "exponent of the equation of state",
                          {.range = Range::positive()}),
    key<&Material::tension_limit>(
        "tension_limit",
        "the tension beyond which a liquid opens; it has to close again "
        "before its pressure returns",
        {.unit = "Pa", .range = Range::non_negative(), .otherwise = "none"}),
    key<&Material::viscosity>("viscosity", "Newtonian, on top of any model",
                              {.unit = "Pa s", .range = Range::non_negative()}),
    key<&Material::stiffness_damping>(
        "stiffness_damping",
        "Rayleigh's damping by stiffness: the stress of a rate of strain over that of a strain",
        {.unit = "s", .range = Range::non_negative(), .under = Under::kImplicit}),
    key("friction_hardening",
        "h0, h1, h2, h3 of Klar et al. 2016: all angles in degrees but the rate h2; the friction "
        "angle h0 + (h1 q - h3) exp(-h2 q) of slip q stays in [0, 90)",
        {.kind = Kind::kNumber, .range = Range::right_open(0, 90), .list = Count{4, 4}}),
    key<&Material::volume_correction>("volume_correction",
                                      "gives back the volume that plastic flow made up"),
    key("shear_modulus", "Lamé's mu, 0 for a liquid; in place of youngs_modulus",
        {.kind = Kind::kNumber,
         .unit = "Pa",
         .range = Range::non_negative(),
         .under = Under::kThermal}),
    key("lambda", "Lamé's, inf if incompressible; in place of poisson_ratio",
        {.kind = Kind::kNumber,
         .unit = "Pa",
         .range = Range::positive(),
         .under = Under::kThermal}),
    key("heat_capacity", "per mass; a preset may have it",
        {.kind = Kind::kNumber,
         .unit = "J/(kg K)",
         .range = Range::positive(),
         .under = Under::kHeat,
         .also = &kByPhase}),
    key("conductivity", "of heat; a preset may have it",
        {.kind = Kind::kNumber,
         .unit = "W/(m K)",
         .range = Range::positive(),
         .under = Under::kHeat,
         .also = &kByPhase}),
    key<&HeatProperties::melting_point>(
        "melting_point", "where solid turns to liquid and back",
        {.unit = "K", .range = Range::positive(), .under = Under::kHeat, .otherwise = "never"}),
    key<&HeatProperties::melting_jitter>(
        "melting_jitter",
        "the particles' melting points are spread evenly over melting_point ± this; at most a "
        "tenth of it",
        {.unit = "K", .range = Range::non_negative(), .under = Under::kHeat}),
    key<&HeatProperties::latent_heat>(
        "latent_heat", "taken up in melting, given off in freezing",
        {.unit = "J/kg", .range = Range::non_negative(), .under = Under::kHeat}),
};

}  // namespace firn::scene
