#include "src/app/estimate_memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "src/app/estimate_disk.h"
#include "src/app/frame_writer.h"
#include "src/io/particle_formats.h"
#include "src/io/volume_file.h"
#include "src/render/render.h"
#include "src/run/host_memory.h"
#include "src/scene/output_channels.h"
#include "src/surface/material_surfaces.h"

namespace firn::app {
namespace {

// Tracers stand for the particles of their bodies, unless colours show what only particles have.
double drawn_particles(const Scene& scene, const SceneEstimate& need) {
  const std::string& color = scene.output.color;
  if (need.tracers == 0 || (color != "material" && color != "body"))
    return static_cast<double>(need.particles);
  std::int64_t drawn = 0;
  for (std::size_t b = 0; b < need.particles_per_body.size(); ++b)
    if (!scene.tracers.alone && !scene.tracers.fills(static_cast<int>(b)))
      drawn += need.particles_per_body[b];
  return static_cast<double>(drawn);
}

// One frame: snapshot and tracers are held, then the particle files are written from copies of
// their channels, then the picture is made.
double output_bytes(const Scene& scene, const SceneEstimate& need) {
  const OutputSettings& out = scene.output;
  if (!out.image && out.particles.empty() && out.volumes.empty() && out.surface.empty()) return 0;
  MemoryTally tally = snapshot_bytes(scene, need, shown_parts(scene));
  const auto particles = static_cast<double>(need.particles),
             tracers = static_cast<double>(need.tracers);
  const double tracer = 4.0 * scene.simulation.dimension + 8;  // with id, body, material
  tally.hold(tracers * tracer);
  if (!out.particles.empty()) {
    const double columns = bytes_per_particle(scene, out.channels);
    double held = 0;
    for (const std::string& name : out.particles)
      if (const ParticleFormat* format = find_particle_format(name))
        held = std::max(held, format->held * columns + format->held_each);
    tally.pass(particles * (columns + held));
  }
  if (!out.volumes.empty()) {
    // Sums of doubles in blocks of which about half is filled, and the grids made of them.
    constexpr double kNode = 40 + 20, kNodesPerBlock = 64;
    tally.pass(particles * bytes_per_particle(scene, volume_channels(scene)) +
               2 * kNode * kNodesPerBlock * static_cast<double>(need.blocks));
  }
  if (!out.surface.empty()) tally.pass(particles * surface_bytes(scene));
  if (out.image) tally.pass(picture_bytes(scene, drawn_particles(scene, need), tracers));
  return tally.peak();
}

}  // namespace

MemoryEstimate estimate_memory(const Scene& scene, const SceneEstimate& need, double process) {
  MemoryEstimate e;
  e.process = process;
  // What OpenVDB and the threads that it works with keep once it has written a file, or made a
  // mesh.
  constexpr double kFileOfOpenVdb = 30e6, kMeshOfOpenVdb = 20e6;
  const auto& formats = scene.output.particles;
  if (!scene.output.volumes.empty() || std::count(formats.begin(), formats.end(), "vdb") > 0)
    e.process += kFileOfOpenVdb;
  else if (makes_surfaces(scene))
    e.process += kMeshOfOpenVdb;
  const auto particles = static_cast<double>(need.particle_bytes);
  e.stores =
      particles + static_cast<double>(need.grid_bytes + need.scratch_bytes + need.tracer_bytes);
  e.filling = fill_bytes(scene, need);
  e.output = output_bytes(scene, need);
  e.checkpoint = save_bytes(scene, need);
  // Bodies are filled before there is a grid.
  const double while_filling = particles + e.filling, while_stepping = e.stores,
               while_writing = e.stores + e.output, while_saving = e.stores + e.checkpoint;
  const double most = std::max({while_filling, while_stepping, while_writing, while_saving});
  e.peak = e.process + most;
  // The first frame, by which pictures are framed, and the state that is loaded lie beside it all.
  e.resumed = std::max(e.peak, e.process + e.stores + static_cast<double>(need.state_bytes) +
                                   snapshot_bytes(scene, need, shown_parts(scene)).held());
  e.moment = most == while_saving    ? "while a checkpoint is written"
             : most == while_writing ? "while a frame is written"
             : most == while_filling ? "while bodies are filled"
                                     : "while stepping";
  return e;
}

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

}  // namespace firn::app
