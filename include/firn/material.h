// The materials of a scene: a law and its numbers, heat, and looks. SI units, angles in radians.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "firn/kinds.h"
#include "firn/output.h"
#include "firn/shape.h"

namespace firn {

struct LameParameters {  // Pa
  double mu = 0;         // 0: a liquid
  double lambda = 0;     // > 0; infinite: incompressible
  bool operator==(const LameParameters&) const = default;
};

struct PhaseValues {
  double solid = 0, liquid = 0;
  bool operator==(const PhaseValues&) const = default;
};

// What heat does to a material (integrator = "thermal"). A particle that would cross its melting
// point stays there until it has taken up, or given off, the latent heat of its mass.
struct HeatProperties {
  PhaseValues capacity{};                 // J/(kg K); zero: the material says nothing about heat
  PhaseValues conductivity{};             // W/(m K)
  std::optional<double> melting_point{};  // K; none: the phase never changes
  double melting_jitter = 0;              // K: the melting points of the particles are uniformly
                                          // distributed over melting_point +- melting_jitter
  double latent_heat = 0;                 // J/kg
  bool operator==(const HeatProperties&) const = default;
};

// drucker_prager: in which states of stress its cone has Mohr and Coulomb's strength: triaxial
// compression, triaxial extension, or plane strain (2D: all there are; 3D: of flow at constant
// volume).
enum class FrictionMatch { kCompression, kExtension, kPlaneStrain };

// cam_clay: p0 grows with compaction by plastic flow, a volume strain of e, as e^(xi e), or as
// sinh(xi (e + what had been compacted at the start)), which is nothing left once that is undone.
enum class HardeningLaw { kExponential, kSinh };

// What its surface looks like. kAuto: thin liquids clear, von_mises metal, cam_clay matte, others
// soft.
enum class Finish { kAuto, kMatte, kGlossy, kSoft, kMetal, kClear };

struct Material {
  std::string name{};
  MaterialModel model = MaterialModel::kFixedCorotated;
  double density = 0;         // kg/m^3 (kg/m^2 in 2D)
  double youngs_modulus = 0;  // Pa
  double poisson_ratio = 0;   // thermal: up to 0.5, where lambda is infinite
  // snow, sand_clamp: theta_c and theta_s; thermal corotated_deviatoric: both 0 is elastic
  double critical_compression = 0;
  double critical_stretch = 0;
  // snow, cam_clay: xi; von_mises: slope of the yield stress against plastic strain, Pa
  double hardening = 0;
  HardeningLaw hardening_law = HardeningLaw::kExponential;
  double preconsolidation = 0;  // cam_clay: p0, Pa, the pressure at which it compacts
  double tension_ratio = 0;     // cam_clay: beta; it bears tension of beta p0
  double friction_angle = 0;    // drucker_prager, cam_clay: phi in radians
  double cohesion = 0;  // drucker_prager: Hencky strain by which the cone's tip moves into tension
  FrictionMatch friction_match = FrictionMatch::kCompression;
  std::array<double, 4> friction_hardening{};  // drucker_prager: h0..h3 of Klar et al. 2016,
                                               // radians; all 0 = constant phi
  // drucker_prager: psi in radians, at most the friction angle: what slides gains volume, until ln
  // of the volume gained is the limit (none: for ever)
  double dilatancy_angle = 0;
  std::optional<double> dilatancy_limit{};
  bool volume_correction = true;  // drucker_prager; thermal corotated_deviatoric: plastic flow
                                  // keeps J_P = 1
  double yield_stress = 0;        // von_mises: uniaxial sigma_Y, Pa; herschel_bulkley: in shear
  double consistency = 0;         // herschel_bulkley: K, Pa s^n
  double flow_index = 0;          // herschel_bulkley: n
  double relaxation_time = 0;     // viscoelastic: s
  double bulk_modulus = 0;        // weakly_compressible: K, Pa
  double gamma = 7;               // weakly_compressible: exponent
  // weakly_compressible: the tension, Pa, beyond which it opens; none: it bears any
  std::optional<double> tension_limit{};
  double viscosity = 0;  // Newtonian mu^N, Pa s, added to any model
  // implicit integrators: Rayleigh's damping by stiffness, s, lagged [T A.4.2]
  double stiffness_damping = 0;
  // thermal corotated_deviatoric, in place of youngs_modulus (and poisson_ratio); read both through
  // StiffnessCurve (src/scene/stiffness_curve.h)
  std::string youngs_modulus_of_temperature{};  // Pa, an expression of T in K; empty: none
  std::optional<LameParameters> lame{};
  HeatProperties heat{};
  Vec3 color{0.8, 0.8, 0.8};  // sRGB in [0,1]
  Look look = Look::kAuto;    // kAuto: as OutputSettings::look says
  Finish finish = Finish::kAuto;
  bool operator==(const Material&) const = default;
};

}  // namespace firn
