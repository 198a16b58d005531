// The channels that particles keep, in one table: how many values each has and for whom, how long
// they stay, and what users see of them. Layouts, saved states, estimates, byte counts, snapshots
// and the library's fields follow from it.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "firn/simulation.h"
#include "kernels/base/integers.h"
#include "kernels/heat/enthalpy.h"

namespace firn {

// Which optional channels a scene needs.
struct ChannelNeeds {
  int coefficient_modes = 0;
  bool deformation = false;
  int history = 0;  // values of MaterialState::history
  bool stress = true;
  bool fused = false;    // steps may be fused
  bool velocity = true;  // v outlives a fused step (FLIP)
  bool heat = false;     // enthalpy and phase
};

// In the order of saved states; ids come before them.
enum ParticleChannel {
  kX,
  kV,
  kCoefficients,
  kDisplacement,
  kHistory,
  kStress,
  kMass,
  kVolume,
  kHeat,
  kParticleChannels
};

// What users of the library see (firn/fields.h): all of a channel, or some components.
struct FieldName {
  std::string_view name, unit, about;
  int first = 0, count = 0;  // count 0: all
};

struct ChannelRow {
  ParticleChannel channel;
  int (*components)(const ChannelNeeds&, int d);  // 0: the scene does not have it
  // Whether every fused step makes it anew and leaves it on the grid instead of with the particles.
  bool (*made_anew)(const ChannelNeeds&);
  std::array<FieldName, 3> fields{};
  // In snapshots: where, how many components (0: all), and what has to ask for it, if anything.
  std::vector<float> Snapshot::*shown = nullptr;
  int shown_components = 0;
  bool SnapshotParts::*asked = nullptr;
  bool shown_with_identity = false;  // the channel is a matrix less the identity
};

namespace channels {
inline int vector(const ChannelNeeds&, int d) { return d; }
inline int scalar(const ChannelNeeds&, int) { return 1; }
inline bool always(const ChannelNeeds&) { return true; }
inline bool never(const ChannelNeeds&) { return false; }
}  // namespace channels

inline constexpr ChannelRow kParticleTable[] = {
    {kX,
     channels::vector,
     channels::never,
     {{{"position", "m", "x, y and, in 3D, z"}}},
     &Snapshot::position},
    {kV,
     channels::vector,
     [](const ChannelNeeds& n) { return !n.velocity; },
     {{{"velocity", "m/s", "x, y and, in 3D, z"}}},
     &Snapshot::velocity},
    {kCoefficients,
     [](const ChannelNeeds& n, int d) { return n.coefficient_modes * d; },
     channels::always,
     {{{"coefficients", "m/s",
        "of the affine and polynomial modes, mode by mode, each as a velocity; those of a linear "
        "mode over dx are a column of the velocity gradient"}}}},
    {kDisplacement,
     [](const ChannelNeeds& n, int d) { return n.deformation ? d * d : 0; },
     channels::never,
     {{{"displacement_gradient", "1",
        "F - I, row by row, where F is the elastic part of the deformation gradient, of what is "
        "not liquid: small strains keep all their digits"}}},
     &Snapshot::deformation_gradient,
     0,
     &SnapshotParts::deformation_gradient,
     true},
    {kHistory,
     [](const ChannelNeeds& n, int) { return n.history; },
     channels::never,
     {{{"plastic_state", "1",
        "snow, sand_clamp: J_P; cam_clay: log of the plastic volume ratio; drucker_prager: log of "
        "the volume gained, hardening q; "
        "von_mises: plastic strain; viscoelastic: log of the volume its b_OB has beyond that of F; "
        "herschel_bulkley: plastic shear strain; weakly_compressible: J - 1"}}},
     &Snapshot::plastic_state,
     1},
    // V0 tau; snapshots have tau.
    {kStress, [](const ChannelNeeds& n, int d) { return n.stress ? symmetric_components(d) : 0; },
     channels::always},
    {kMass, channels::scalar, channels::never, {{{"mass", "kg", ""}}}, &Snapshot::mass},
    {kVolume,
     channels::scalar,
     channels::never,
     {{{"volume", "m^d", "at rest"}}},
     &Snapshot::volume},
    {kHeat,
     [](const ChannelNeeds& n, int) { return n.heat ? kHeatComponents : 0; },
     channels::never,
     {{{"enthalpy", "J/kg", "of heat, counted from the solid at its melting point", 0, 1},
       {"liquid", "1", "1, or 0 where it is solid", 1, 1},
       {"log_volume", "1", "ln J as the projection has it", kHeatLogVolume, 1}}}},
};
static_assert(std::size(kParticleTable) == kParticleChannels);

inline const ChannelRow& row_of(int channel) {
  return kParticleTable[static_cast<std::size_t>(channel)];
}

}  // namespace firn
