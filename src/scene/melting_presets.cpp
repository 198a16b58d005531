#include "src/scene/presets.h"

namespace firn {
namespace {

// Solids that melt under the thermal integrator and are elastic under the explicit one. A
// particle keeps the density of the solid when it melts.
MaterialPreset melting(const char* name, double density, double youngs_modulus,
                       double poisson_ratio, const HeatProperties& heat, const Vec3& color) {
  MaterialPreset p = elastic_preset(name, MaterialModel::kCorotatedDeviatoric, density,
                                    youngs_modulus, poisson_ratio, color);
  p.material.heat = heat;
  return p;
}

MaterialPreset ice() {
  const HeatProperties heat = {{2110, 4220}, {2.14, 0.556}, 273.15, 0, 3.336e5};
  MaterialPreset p = melting("ice", 917, 9.3e6, 0.33, heat, {0.78, 0.89, 0.96});
  p.description = "ice, and the water it melts to; liquid it starts as water that can freeze";
  p.source =
      "Density, heat capacity, conductivity and heat of fusion at 0 C: CRC Handbook of Chemistry "
      "and "
      "Physics, 91st edition 2010, section 6, properties of ice and supercooled water; water at 0 "
      "C: "
      "IAPWS-95 and IAPWS 2011. Stiffness: Petrenko and Whitworth 1999, Physics of Ice (9.3 GPa), "
      "divided by 1000, chosen here for the time step";
  return p;
}

MaterialPreset butter() {
  const HeatProperties heat = {{2300, 2430}, {0.2, 0.2}, 305.35, 3, 7e4};
  MaterialPreset p = melting("butter", 911, 1e5, 0.49, heat, {0.97, 0.88, 0.50});
  p.material.critical_compression = 0.02;
  p.material.critical_stretch = 0.02;
  p.description = "butter that melts at 32 C, give or take 3 K";
  p.source =
      "Heat capacity at 4 C: Geankoplis 2003, Transport Processes and Separation Process "
      "Principles, "
      "table A.4-1; molten: a mixture of milk fat (2.1 kJ/(kg K) at 40 C) with 16 % of water. "
      "Conductivity: between that of milk fat (0.17) and of water. Melting point of butterfat: CRC "
      "Handbook, 61st edition 1980; the range because milk fat melts bit by bit, up to 37 C. "
      "Density: "
      "that of milk fat (915) with its water and air. Latent heat, stiffness, Poisson's ratio and "
      "yield strains are chosen here: the heat half that of cocoa butter, since part of the fat is "
      "liquid at any temperature";
  return p;
}

MaterialPreset paraffin() {
  const HeatProperties heat = {{2100, 2400}, {0.346, 0.167}, 337.15, 0, 1.736e5};
  MaterialPreset p = melting("paraffin", 916, 1e6, 0.45, heat, {0.94, 0.93, 0.88});
  p.description = "paraffin wax that melts at 64 C";
  p.source =
      "Melting point, latent heat, conductivity of solid and liquid, density of the solid: Zalba, "
      "Marin, Cabeza, Mehling 2003, Review on thermal energy storage with phase change, Applied "
      "Thermal Engineering 23, the table of organic substances. Heat capacities: rounded from "
      "those of "
      "long n-alkanes. Stiffness and Poisson's ratio are chosen here";
  return p;
}

MaterialPreset chocolate() {
  const HeatProperties heat = {{1590, 1670}, {0.27, 0.26}, 306.95, 0, 4.6e4};
  MaterialPreset p = melting("chocolate", 1300, 1e6, 0.45, heat, {0.29, 0.16, 0.09});
  p.material.critical_compression = 0.02;
  p.material.critical_stretch = 0.02;
  p.description = "dark chocolate that melts at 34 C";
  p.source =
      "Heat capacity, conductivity, latent heat of dark chocolate, density of the solid: Beckett "
      "2009, "
      "Industrial Chocolate Manufacture and Use, 4th edition, useful physical constants. Melting "
      "point: cocoa butter of form V (33.8 C), Wille and Lutton 1966, J. Am. Oil Chem. Soc. 43. "
      "Stiffness, Poisson's ratio and yield strains are chosen here";
  return p;
}

MaterialPreset lava() {
  const HeatProperties heat = {{1230, 1230}, {1.8, 1.8}, 1343, 15, 3.5e5};
  MaterialPreset p = melting("lava", 2600, 5e6, 0.3, heat, {0.85, 0.32, 0.12});
  p.material.critical_compression = 0.025;
  p.material.critical_stretch = 0.01;
  p.material.viscosity = 100;
  p.description = "basaltic lava with a crust below 1070 C; erupts at 1150 C";
  p.source =
      "Temperature at which crust turns to liquid: Hon, Kauahikaua, Denlinger, Mackay 1994, "
      "Emplacement and inflation of pahoehoe sheet flows, GSA Bulletin 106. Heat capacity and "
      "conductivity: the formulas for crustal rock of Whittington, Hofmeister, Nabelek 2009, "
      "Nature "
      "458, at that temperature. Density and latent heat of crystallization: Harris and Rowland "
      "2001, "
      "FLOWGO, Bull. Volcanology 63. The viscosity (as it erupts; as it cools it has far more), "
      "stiffness (rock has tens of GPa), yield strains and the spread of the melting point are "
      "chosen here";
  return p;
}

}  // namespace

std::vector<MaterialPreset> melting_presets() {
  return {ice(), butter(), paraffin(), chocolate(), lava()};
}

}  // namespace firn
