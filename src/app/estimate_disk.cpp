#include "src/app/estimate_disk.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "src/io/particle_files.h"
#include "src/io/particle_formats.h"

namespace firn::app {
namespace {

// PNG needs between 0.1 (a lone ball) and 1 byte (the frame full of grains) per pixel.
constexpr double kPngBytesPerPixel = 0.5;
// Halves of light, compressed: between nothing (the background alone) and 5 (the frame full).
constexpr double kExrBytesPerPixel = 3;

// Between 0.006 (a lone cube) and 0.04 (grains that all move).
constexpr double kVideoBytesPerPixel = 0.03;

// A particle with these channels, as writers get it.
std::vector<ChannelArray> one_particle(const Scene& scene,
                                       const std::vector<std::string>& channels) {
  const auto d = static_cast<std::size_t>(scene.simulation.dimension);
  Snapshot one;
  one.dimension = scene.simulation.dimension;
  one.dx = scene.grid.dx;
  one.id = {0};
  one.material = one.body = one.phase = {0};
  one.mass = one.volume = one.plastic_state = one.pressure = one.temperature = {0.0f};
  one.position = one.velocity = std::vector<float>(d);
  one.deformation_gradient = one.kirchhoff_stress = std::vector<float>(d * d);
  return gather_channels(one, channels);
}

// Of a frame, in all formats.
double particle_file_bytes(const Scene& scene, const SceneEstimate& need) {
  const int d = scene.simulation.dimension;
  double bytes = 0;
  for (const std::string& name : scene.output.particles)
    if (const ParticleFormat* format = find_particle_format(name))
      bytes += format->bytes(one_particle(scene, scene.output.channels), d) *
                   static_cast<double>(need.particles) +
               format->bytes(one_particle(scene, tracer_channels()), d) *
                   static_cast<double>(need.tracers);
  return bytes;
}

// Half of the nodes of blocks have mass, and little of it compresses.
double volume_bytes(const Scene& scene, const SceneEstimate& need) {
  constexpr double kNodesPerBlock = 64, kFilled = 0.5;
  const int floats = scene.solves_heat() ? 5 : 4;
  return kFilled * kNodesPerBlock * static_cast<double>(need.blocks) * 4 * floats;
}

// Of a body as compact as the dam of scenes/dam-break.toml, whose OBJ and PLY it tells to 3 %; what
// sprays has more.
double surface_bytes(const Scene& scene, const SceneEstimate& need) {
  const double particles = static_cast<double>(need.particles), voxel = scene.output.surface_voxel;
  const double vertices = 9 * std::pow(particles, 2.0 / 3) / (voxel * voxel);
  double bytes = 0;
  for (const std::string& format : scene.output.surface)
    bytes += format == "vdb"   ? 4 * particles / (voxel * voxel * voxel)
             : format == "ply" ? 67 * vertices
                               : 156 * vertices;
  return bytes;
}

// Text, and one plot of the ledger and of each sensor.
double record_bytes(const Scene& scene, int frames) {
  constexpr double kStatistics = 1200, kLedger = 300, kReading = 60, kLedgerPlot = 1e5,
                   kSensorPlot = 3e4;
  double bytes = frames * kStatistics;
  if (scene.output.diagnostics != DiagnosticsLevel::kOff) bytes += frames * kLedger + kLedgerPlot;
  for (const Sensor& sensor : scene.sensors) {
    const double fps = scene.simulation.fps, seconds = scene.simulation.frames / fps;
    bytes += kReading * seconds * sensor.rate.value_or(fps) + kSensorPlot;
  }
  return bytes;
}

}  // namespace

double bytes_per_particle(const Scene& scene, const std::vector<std::string>& channels) {
  double bytes = 0;
  for (const ChannelArray& channel : one_particle(scene, channels))
    bytes += std::visit(
        [](const auto& values) {
          return static_cast<double>(values.size() * sizeof(values.front()));
        },
        channel.values);
  return bytes;
}

DiskEstimate estimate_disk(const Scene& scene, const SceneEstimate& need) {
  const OutputSettings& out = scene.output;
  DiskEstimate disk;
  disk.frames = scene.simulation.frames + 1;
  disk.particle_files = particle_file_bytes(scene, need);
  if (!out.volumes.empty()) disk.particle_files += volume_bytes(scene, need);
  disk.particle_files += surface_bytes(scene, need);
  const double pixels = static_cast<double>(out.resolution[0]) * out.resolution[1];
  if (out.image) disk.picture = (kPngBytesPerPixel + (out.exr ? kExrBytesPerPixel : 0)) * pixels;
  if (out.image && out.video) disk.video = disk.frames * kVideoBytesPerPixel * pixels;
  disk.records = record_bytes(scene, disk.frames);
  disk.checkpoint = static_cast<double>(need.state_bytes);
  // Of the frames before the last, and the last itself.
  const int written = out.checkpoint_every > 0
                          ? 1 + std::max(scene.simulation.frames - 1, 0) / out.checkpoint_every
                          : 1;
  disk.checkpoints_kept = std::min(written, out.keep_checkpoints);
  return disk;
}

}  // namespace firn::app
