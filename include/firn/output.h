// What a run writes and shows, and what it looks out for: the [output] and [diagnostics] of a
// scene.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "firn/shape.h"

namespace firn {

enum class DiagnosticsLevel { kOff, kTotals, kStages };

// How pictures in 3D show a material. kAuto: snow and sand as particles, all others as surfaces.
enum class Look { kAuto, kSurface, kParticles };

// Where a camera is at each of `times`, s, which increase. What is empty does not move.
struct CameraKeys {
  std::vector<double> times{};
  std::vector<Vec3> eye{}, target{};
  std::vector<double> fov{};
  bool operator==(const CameraKeys&) const = default;
};

struct Camera {
  Vec3 eye{}, target{}, up{0, 1, 0};      // in files `up` is against gravity unless they say so
  double fov = 0.61;                      // vertical, radians
  double orbit = 0;                       // about `up` through the target, rad/s, from time 0 on
  std::optional<CameraKeys> motion = {};  // what it has goes before eye, target and fov

  bool moves() const { return orbit != 0 || motion; }
  // One that stands still where this one is at a time, s: on a curve through its keys whose
  // velocity has no jumps, at rest at the first and the last one; and then turned. Keys as
  // `validate` wants them.
  Camera at(double time) const;
  bool operator==(const Camera&) const = default;
};

// What pictures say beside what they show. kAuto: where it tells something.
enum class Drawn { kAuto, kAlways, kNever };

// What of a particle its surface is found from: a sphere, or an ellipsoid that lies along its
// neighbours.
enum class SurfaceKernel { kIsotropic, kAnisotropic };

struct OutputSettings {
  std::string directory{};               // empty: out/<scene name>
  std::vector<std::string> particles{};  // any of "ply", "npz", "vtp", "vdb", "bgeo"
  std::vector<std::string> volumes{};    // any of "vdb"
  std::vector<std::string> surface{};    // any of obj, ply, vdb
  bool image = true, video = true;
  bool alpha = false;  // pictures without their background; 3D
  bool exr = false;    // beside each picture its light as OpenEXR; 3D, in builds with it
  std::string color = "material";  // material | glow (thermal) | any channel name
  std::optional<std::array<double, 2>> color_range{};  // of a scalar; none: as it is foretold
  Look look = Look::kAuto;
  SurfaceKernel surface_kernel = SurfaceKernel::kIsotropic;
  double surface_voxel = 0.67;  // over the spacing of particles
  int surface_smoothing = 10;   // rounds
  std::array<int, 2> resolution{960, 540};
  bool follow = true;            // what leaves the picture: the automatic camera moves back
  double motion_blur = 0;        // for how much of a frame's duration the shutter is open
  bool captions = true;          // the time, the legend and the scale of colours in pictures
  Drawn legend = Drawn::kAuto;   // names of materials or bodies beside their colours
  Drawn outline = Drawn::kAuto;  // edges of the domain; 3D
  Drawn glass = Drawn::kAuto;    // its walls, as panes; 3D
  std::vector<std::string> channels{"velocity", "material"};
  int checkpoint_every = 24;  // frames; 0 = only the last one
  int keep_checkpoints = 2;   // the newest ones; older ones are removed
  DiagnosticsLevel diagnostics = DiagnosticsLevel::kTotals;
  std::optional<Camera> camera{};
  bool operator==(const OutputSettings&) const = default;
};

enum class OnGrowth { kWarn, kStop };

struct DiagnosticsSettings {
  // Of the largest energy in motion and strain so far (EnergyBalance::growth): more is told of, or
  // ends the run.
  double energy_growth = 0.05;
  OnGrowth on_energy_growth = OnGrowth::kWarn;
  double volume_loss = 0.02;  // FrameStats::lost_volume: more is told of
  bool operator==(const DiagnosticsSettings&) const = default;
};

}  // namespace firn
