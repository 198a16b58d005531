// Named materials, but for those that melt (melting_presets.cpp). Each says which of its numbers
// are measured or published and which were chosen here, mostly to keep the explicit time step
// (proportional to sqrt(density / stiffness)) affordable.
#include <numbers>

#include "src/scene/presets.h"

namespace firn {
namespace {

MaterialPreset snow_dry() {
  MaterialPreset p =
      elastic_preset("snow_dry", MaterialModel::kSnow, 400, 1.4e5, 0.2, {0.93, 0.96, 1.0});
  p.material.critical_compression = 2.5e-2;
  p.material.critical_stretch = 7.5e-3;
  p.material.hardening = 10;
  p.description = "packed dry snow that breaks into chunks and powder";
  p.source =
      "Stomakhin, Schroeder, Chai, Teran, Selle 2013, A material point method for snow simulation, "
      "ACM TOG "
      "32(4), table 2 (all values)";
  return p;
}

MaterialPreset snow_wet() {
  MaterialPreset p =
      elastic_preset("snow_wet", MaterialModel::kSnow, 500, 1.4e5, 0.2, {0.84, 0.90, 0.96});
  p.material.critical_compression = 4.0e-2;
  p.material.critical_stretch = 1.5e-2;
  p.material.hardening = 10;
  p.description = "wet snow that holds together and packs";
  p.source =
      "As snow_dry (Stomakhin et al. 2013), who note that larger critical strains give wetter, "
      "chunkier snow; "
      "the two critical strains are chosen here. Density between settled and very wet snow of "
      "Cuffey and "
      "Paterson 2010, The Physics of Glaciers, table 2.1";
  return p;
}

MaterialPreset sand() {
  MaterialPreset p =
      elastic_preset("sand", MaterialModel::kDruckerPrager, 1600, 3.537e5, 0.3, {0.86, 0.74, 0.52});
  p.material.friction_angle = 33 * std::numbers::pi / 180;
  p.description = "dry quartz sand";
  p.source =
      "Friction angle: quartz at critical state, Bolton 1986, The strength and dilatancy of sands, "
      "Geotechnique "
      "36(1). Stiffness: Klar et al. 2016, Drucker-Prager elastoplasticity for sand animation, ACM "
      "TOG 35(4), "
      "itself far below measured sand for the time step. Density: quartz (2650) at a solid "
      "fraction of 0.6";
  return p;
}

MaterialPreset sand_wet() {
  MaterialPreset p = elastic_preset("sand_wet", MaterialModel::kDruckerPrager, 1800, 3.537e5, 0.3,
                                    {0.62, 0.50, 0.34});
  p.material.friction_angle = 33 * std::numbers::pi / 180;
  p.material.cohesion = 1e-3;
  p.description = "moist sand that stands in a vertical wall of some centimetres";
  p.source =
      "As sand, with water in part of the pores. Liquid bridges give a cohesion of the order of 1 "
      "kPa (Mitarai "
      "and Nori 2006, Wet granular materials, Advances in Physics 55); the cohesive strain is "
      "chosen here to "
      "give that order at the lowered stiffness";
  return p;
}

MaterialPreset jello() {
  MaterialPreset p =
      elastic_preset("jello", MaterialModel::kFixedCorotated, 1000, 1e4, 0.45, {0.85, 0.20, 0.28});
  p.description = "soft gelatin dessert";
  p.source =
      "Stiffness: order of soft gelatin gels, Hall, Bilgen, Insana, Krouskop 1997, Phantom "
      "materials for "
      "elastography, IEEE Trans. UFFC 44(6). Poisson's ratio is lowered from nearly 0.5 for the "
      "time step";
  return p;
}

MaterialPreset rubber() {
  MaterialPreset p =
      elastic_preset("rubber", MaterialModel::kNeoHookean, 930, 2e6, 0.45, {0.22, 0.22, 0.24});
  p.description = "natural rubber";
  p.source =
      "Density and stiffness: natural rubber in Ashby 2011, Materials Selection in Mechanical "
      "Design, appendix "
      "A. Poisson's ratio is lowered from 0.499 for the time step";
  return p;
}

MaterialPreset clay() {
  MaterialPreset p =
      elastic_preset("clay", MaterialModel::kVonMises, 1700, 2e6, 0.4, {0.60, 0.40, 0.30});
  p.material.yield_stress = 4e4;
  p.material.finish = Finish::kMatte;
  p.description = "soft saturated clay, undrained";
  p.source =
      "Stiffness: lower end of very soft clay in Bowles 1996, Foundation Analysis and Design, "
      "table 2-8. Yield: "
      "twice an undrained shear strength of 20 kPa, soft clay of Terzaghi, Peck, Mesri 1996, Soil "
      "Mechanics in "
      "Engineering Practice. Poisson's ratio is lowered from nearly 0.5 for the time step";
  return p;
}

MaterialPreset kaolin() {
  MaterialPreset p =
      elastic_preset("kaolin", MaterialModel::kCamClay, 1580, 3.3e6, 0.3, {0.80, 0.74, 0.66});
  p.material.friction_angle = 0.4511;  // M = 1.02
  p.material.preconsolidation = 1e5;
  p.material.hardening = 13;
  p.description = "kaolin clay, drained, normally consolidated at 100 kPa";
  p.source =
      "lambda 0.26, kappa 0.05, M 1.02, and by its critical state line a specific volume of 2.8 at "
      "100 kPa: Schofield and Wroth 1968, Critical State Soil Mechanics. hardening is that volume "
      "over lambda - kappa; the stiffness is that of kappa at 50 kPa; the density that of "
      "saturated "
      "clay with grains of 2610 kg/m^3. The preconsolidation and Poisson's ratio are chosen here";
  return p;
}

MaterialPreset concrete() {
  MaterialPreset p =
      elastic_preset("concrete", MaterialModel::kVonMises, 2400, 3.3e8, 0.2, {0.66, 0.66, 0.64});
  p.material.yield_stress = 3e5;
  p.material.finish = Finish::kMatte;
  p.description = "a stiff block that dents instead of cracking";
  p.source =
      "Density, Poisson's ratio, and the ratio of strength to stiffness: class C30/37 of EN "
      "1992-1-1 (33 GPa, "
      "30 MPa). Stiffness and strength are both divided by 100, chosen here for the time step";
  return p;
}

MaterialPreset metal() {
  MaterialPreset p =
      elastic_preset("metal", MaterialModel::kVonMises, 7850, 2.1e9, 0.3, {0.70, 0.72, 0.76});
  p.material.yield_stress = 2.35e6;
  p.description = "mild steel in feel: heavy, stiff, ductile";
  p.source =
      "Density, Poisson's ratio, and the ratio of yield to stiffness: steel S235 of EN 10025-2 and "
      "EN 1993-1-1 "
      "(210 GPa, 235 MPa). Stiffness and yield are both divided by 100, chosen here for the time "
      "step";
  return p;
}

MaterialPreset liquid(const char* name, double density, double viscosity, const Vec3& color) {
  MaterialPreset p;
  p.material.name = name;
  p.material.model = MaterialModel::kWeaklyCompressible;
  p.material.density = density;
  p.material.viscosity = viscosity;
  p.material.bulk_modulus = 1e5;
  p.material.gamma = 7;
  p.material.color = color;
  return p;
}

MaterialPreset water() {
  MaterialPreset p = liquid("water", 1000, 1.0e-3, {0.25, 0.52, 0.86});
  p.material.heat.capacity = {4184, 4184};
  p.material.heat.conductivity = {0.598, 0.598};
  p.description = "water at 20 C for flows up to about 3 m/s; never freezes (see ice)";
  p.source =
      "Viscosity: IAPWS 2008 formulation. Exponent, and the sound speed (26 m/s here) as ten times "
      "the speed of "
      "the flow instead of the real one: Monaghan 1994, Simulating free surface flows with SPH, J. "
      "Comp. Phys. "
      "110; bulk modulus chosen here accordingly. Heat: capacity of IAPWS-95, conductivity of "
      "IAPWS "
      "2011";
  return p;
}

MaterialPreset honey() {
  MaterialPreset p = liquid("honey", 1420, 10, {0.89, 0.62, 0.12});
  p.description = "liquid honey at room temperature";
  p.source =
      "Viscosity: order at 25 C of Yanniotis, Skaltsi, Karaburnioti 2006, Effect of moisture "
      "content on the "
      "viscosity of honey at different temperatures, J. Food Eng. 72. Bulk modulus chosen as for "
      "water";
  return p;
}

MaterialPreset foam() {
  MaterialPreset p =
      elastic_preset("foam", MaterialModel::kFixedCorotated, 30, 3e4, 0.33, {0.95, 0.88, 0.62});
  p.description = "flexible open-cell polyurethane foam";
  p.source =
      "Gibson and Ashby 1997, Cellular Solids: E = E_s (rho / rho_s)^2 with E_s = 45 MPa, rho_s = "
      "1200 kg/m^3, "
      "Poisson's ratio 1/3; no densification at large compression";
  return p;
}

// Of the source's table, whose numbers have no unit, with mass in other units: density and stresses
// times the same factor, by which nothing moves otherwise. Lengths and times are the source's.
MaterialPreset viscoelastic(const char* name, double density, double mu, double lambda,
                            double viscosity, double relaxation_time, double factor,
                            const Vec3& color) {
  MaterialPreset p = elastic_preset(name, MaterialModel::kViscoelastic, factor * density,
                                    factor * mu * (3 * lambda + 2 * mu) / (lambda + mu),
                                    lambda / (2 * (lambda + mu)), color);
  p.material.viscosity = factor * viscosity;
  p.material.relaxation_time = relaxation_time;
  p.source =
      "Jiang 2015, The Material Point Method for the Physics-Based Simulation of Solids and "
      "Fluids, "
      "table 4.1 (the viscoelastic materials of Ram et al. 2015), in units of mass in which the "
      "density is the one given here";
  return p;
}

MaterialPreset sponge() {
  MaterialPreset p = viscoelastic("sponge", 2, 3.6e2, 1.4e3, 0, 50, 15, {0.93, 0.80, 0.38});
  p.description = "a soft sponge of metres that tears";
  return p;
}

MaterialPreset shaving_foam() {
  MaterialPreset p = viscoelastic("shaving_foam", 0.2, 5, 50, 1e-4, 0.5, 300, {0.94, 0.96, 0.97});
  p.description = "foam that folds, holds its shape for half a second, and merges";
  return p;
}

MaterialPreset toothpaste() {
  MaterialPreset p =
      viscoelastic("toothpaste", 1, 0.839, 8.39, 1e-1, 0.4, 1300, {0.35, 0.72, 0.78});
  p.description = "a paste of which viscosity decides, at the source's scale of metres";
  return p;
}

MaterialPreset ice_cream() {
  MaterialPreset p = viscoelastic("ice_cream", 1, 1, 10, 5e-5, 0.1, 550, {0.96, 0.90, 0.76});
  p.description = "soft ice cream that folds in a ribbon";
  return p;
}

MaterialPreset pie_cream() {
  MaterialPreset p = viscoelastic("pie_cream", 0.2, 5, 50, 1e-7, 1e-4, 2000, {0.99, 0.97, 0.90});
  p.description = "whipped cream that splits and merges";
  return p;
}

MaterialPreset pie_crust() {
  MaterialPreset p = viscoelastic("pie_crust", 0.5, 5e5, 4e6, 1e-8, 1e30, 1200, {0.80, 0.58, 0.30});
  p.description = "a stiff baked crust; for implicit steps";
  return p;
}

MaterialPreset pie_crust_scored() {
  MaterialPreset p =
      viscoelastic("pie_crust_scored", 0.5, 5, 10, 1e-5, 1, 1200, {0.66, 0.44, 0.22});
  p.description = "the weak lines along which a crust breaks";
  return p;
}

// Fluids with a yield stress. Poisson's ratio close to 0.5 keeps their volume under their weight.
MaterialPreset paste(const char* name, double density, double youngs_modulus, double yield_stress,
                     double consistency, double flow_index, const Vec3& color) {
  MaterialPreset p =
      elastic_preset(name, MaterialModel::kHerschelBulkley, density, youngs_modulus, 0.49, color);
  p.material.yield_stress = yield_stress;
  p.material.consistency = consistency;
  p.material.flow_index = flow_index;
  return p;
}

MaterialPreset ketchup() {
  MaterialPreset p = paste("ketchup", 1140, 1e4, 32, 18.7, 0.27, {0.72, 0.10, 0.06});
  p.description = "tomato ketchup: stays on the plate, runs when shaken";
  p.source =
      "That it thins when sheared: Kumbar, Ondrusikova, Nedomova 2019, Rheological properties of "
      "tomato ketchup, Potravinarstvo 13. All values are chosen here, the stiffness for the time "
      "step";
  return p;
}

MaterialPreset mud() {
  MaterialPreset p = paste("mud", 1600, 5e4, 100, 30, 1.0 / 3, {0.40, 0.29, 0.19});
  p.description = "a mudflow of fine sediment";
  p.source =
      "Exponent 1/3: Coussot 1997, Mudflow Rheology and Dynamics. Yield stress: within the three "
      "decades that O'Brien and Julien 1988, Laboratory analysis of mudflow properties, J. "
      "Hydraulic "
      "Eng. 114, find for sediment of 10 to 40 % by volume; it, the consistency, density and "
      "stiffness are chosen here";
  return p;
}

MaterialPreset paint() {
  MaterialPreset p = paste("paint", 1300, 1e4, 5, 3, 0.6, {0.20, 0.42, 0.72});
  p.description = "wall paint: a film of 0.4 mm does not run";
  p.source =
      "All values are chosen here, the yield stress as the weight of a film of 0.4 mm; that it "
      "decides what sags is in Eley 2005, Rheology Reviews, Applied rheology in the protective "
      "and decorative coatings industry";
  return p;
}

MaterialPreset dough() {
  MaterialPreset p = paste("dough", 1100, 5e4, 300, 2395, 0.34, {0.92, 0.83, 0.64});
  p.description = "wheat dough";
  p.source =
      "Consistency and flow index: Sharma, Hanna, Chen 1993, Flow behavior of wheat flour-water "
      "dough "
      "using a capillary rheometer, Cereal Chemistry 70. Yield stress, density and stiffness are "
      "chosen here";
  return p;
}

}  // namespace

MaterialPreset elastic_preset(const char* name, MaterialModel model, double density,
                              double youngs_modulus, double poisson_ratio, const Vec3& color) {
  MaterialPreset preset;
  preset.material.name = name;
  preset.material.model = model;
  preset.material.density = density;
  preset.material.youngs_modulus = youngs_modulus;
  preset.material.poisson_ratio = poisson_ratio;
  preset.material.color = color;
  return preset;
}

const std::vector<MaterialPreset>& material_presets() {
  static const std::vector<MaterialPreset> presets = [] {
    std::vector<MaterialPreset> all = {
        snow_dry(),  snow_wet(),         sand(),         sand_wet(),   jello(),     rubber(),
        clay(),      kaolin(),           concrete(),     metal(),      water(),     honey(),
        foam(),      sponge(),           shaving_foam(), toothpaste(), ice_cream(), pie_cream(),
        pie_crust(), pie_crust_scored(), ketchup(),      mud(),        paint(),     dough()};
    for (MaterialPreset& preset : melting_presets()) all.push_back(std::move(preset));
    return all;
  }();
  return presets;
}

}  // namespace firn
