// Structs that a program fills by the names of some members: with the warnings that many programs
// are compiled with (-Wextra), the members that are left out must not be one. That it compiles is
// the test.
#include "firn/render.h"
#include "firn/scene_file.h"
#include "firn/sensors.h"
#include "firn/simulation.h"

namespace firn {

template <class... Filled>
void take(const Filled&...) {}

void fill_some_members() {
  take(SimulationSettings{.frames = 1});
  take(TransferSettings{.blend = 1});
  take(TimeSettings{.cfl = 1});
  take(Domain{.min = {}});
  take(GridSettings{.dx = 1});
  take(FluidSettings{.tolerance = 1});
  take(SolveSettings{.tolerance = 1});
  take(ThermalSettings{.heat = true});
  take(ImplicitSettings{.tolerance = 1});
  take(TracerSettings{.per_cell = 1});
  take(CameraKeys{.times = {}});
  take(Camera{.fov = 1});
  take(OutputSettings{.image = false});
  take(DiagnosticsSettings{.volume_loss = 1});
  take(LameParameters{.mu = 1});
  take(PhaseValues{.solid = 1});
  take(HeatProperties{.latent_heat = 1});
  take(Material{.density = 1});
  take(ScalarField{.constant = 1});
  take(VectorField{.component = {}});
  take(Shape{.radius = 1});
  take(Body{.material = 1});
  take(Keyframes{.times = {}});
  take(Dynamics{.mass = 1});
  take(Collider{.friction = 1});
  take(Source{.material = 1});
  take(Sink{.name = {}});
  take(ForceField{.drag = 1});
  take(HeatSource{.name = {}});
  take(Sensor{.name = {}});
  take(Scene{.name = {}});
  take(RunOptions{.threads = 1});
  take(NewParticles{.material = {}});
  take(SnapshotParts{.pressure = {}});
  take(Observer{.step = {}});
  take(SceneOptions{.variant = {}});
  take(Shown{.time = 1});
}

}  // namespace firn
