// The settings of a scene, read-only, by the names that files have.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "firn/scene.h"
#include "python/bindings.h"
#include "python/names.h"
#include "python/records.h"

namespace firn::python {
namespace {

void bind_solver_settings(nb::module_& m) {
  Record<FluidSettings>(m, "FluidSettings", "integrator = \"incompressible\".")
      .def_ro("tolerance", &FluidSettings::tolerance)
      .def_ro("absolute_tolerance", &FluidSettings::absolute_tolerance, "1/s.")
      .def_ro("max_iterations", &FluidSettings::max_iterations)
      .def_ro("viscosity_tolerance", &FluidSettings::viscosity_tolerance)
      .def_prop_ro("free_surface", named(&FluidSettings::free_surface))
      .def_ro("density_correction", &FluidSettings::density_correction);
  Record<ImplicitSettings>(m, "ImplicitSettings",
                           "integrator = \"optimization\" or \"semi_implicit\".")
      .def_ro("tolerance", &ImplicitSettings::tolerance)
      .def_ro("max_iterations", &ImplicitSettings::max_iterations)
      .def_ro("max_linear_iterations", &ImplicitSettings::max_linear_iterations)
      .def_prop_ro("preconditioner", named(&ImplicitSettings::preconditioner))
      .def_prop_ro("plasticity", named(&ImplicitSettings::plasticity))
      .def_ro("mass_damping", &ImplicitSettings::mass_damping, "1/s.")
      .def_prop_ro("positions", named(&ImplicitSettings::positions));
  Record<SolveSettings>(m, "SolveSettings", "Of one linear solve of a step.")
      .def_ro("tolerance", &SolveSettings::tolerance)
      .def_ro("max_iterations", &SolveSettings::max_iterations);
  Record<ThermalSettings>(m, "ThermalSettings", "integrator = \"thermal\".")
      .def_ro("heat", &ThermalSettings::heat)
      .def_ro("ambient", &ThermalSettings::ambient, "Of the air, K; None: insulated.")
      .def_ro("heat_transfer_coefficient", &ThermalSettings::heat_transfer_coefficient,
              "W/(m^2 K); None: surfaces have the temperature of the air.")
      .def_ro("temperature_flip", &ThermalSettings::temperature_flip)
      .def_prop_ro("forces", named(&ThermalSettings::forces))
      .def_prop_ro("face_density", named(&ThermalSettings::face_density))
      .def_ro("force_solve", &ThermalSettings::force_solve)
      .def_ro("pressure_solve", &ThermalSettings::pressure_solve)
      .def_ro("heat_solve", &ThermalSettings::heat_solve);
  Record<TracerSettings>(m, "TracerSettings", "Massless points that a liquid carries along.")
      .def_ro("per_cell", &TracerSettings::per_cell, "0: none.")
      .def_ro("bodies", &TracerSettings::bodies, "Indices of the scene's bodies; empty: all.")
      .def_ro("alone", &TracerSettings::alone);
}

void bind_grid(nb::module_& m) {
  Record<Domain>(m, "Domain", "A box; its faces in the order -x, +x, -y, +y, -z, +z.")
      .def_ro("min", &Domain::min, "m.")
      .def_ro("max", &Domain::max, "m.")
      .def_prop_ro("boundary", named(&Domain::boundary))
      .def_ro("friction", &Domain::friction)
      .def_ro("temperature", &Domain::temperature, "K; None: insulated.");
  Record<GridSettings>(m, "GridSettings")
      .def_ro("dx", &GridSettings::dx, "Side of a cell, m.")
      .def_ro("domain", &GridSettings::domain, "None: space is unbounded.");
}

void bind_output(nb::module_& m) {
  Record<CameraKeys>(m, "CameraKeys", "What is empty does not move.")
      .def_ro("times", &CameraKeys::times, "s.")
      .def_ro("eye", &CameraKeys::eye, "m.")
      .def_ro("target", &CameraKeys::target, "m.")
      .def_ro("fov", &CameraKeys::fov, "Vertical, radians.");
  Record<Camera>(m, "Camera")
      .def_ro("eye", &Camera::eye)
      .def_ro("target", &Camera::target)
      .def_ro("up", &Camera::up)
      .def_ro("fov", &Camera::fov, "Vertical, radians.")
      .def_ro("orbit", &Camera::orbit, "About up through the target, radians/s.")
      .def_ro("motion", &Camera::motion, "None: but for the orbit it stands still.")
      .def("at", &Camera::at, nb::arg("time"),
           "One that stands still where this one is at a time, s.");
  Record<OutputSettings>(m, "OutputSettings", "What the program `firn run` writes.")
      .def_ro("directory", &OutputSettings::directory)
      .def_ro("particles", &OutputSettings::particles)
      .def_ro("volumes", &OutputSettings::volumes)
      .def_ro("surface", &OutputSettings::surface)
      .def_prop_ro("surface_kernel", named(&OutputSettings::surface_kernel))
      .def_ro("surface_voxel", &OutputSettings::surface_voxel, "Over the spacing of particles.")
      .def_ro("surface_smoothing", &OutputSettings::surface_smoothing)
      .def_prop_ro("look", named(&OutputSettings::look))
      .def_ro("image", &OutputSettings::image)
      .def_ro("video", &OutputSettings::video)
      .def_ro("alpha", &OutputSettings::alpha, "Whether pictures leave their background out.")
      .def_ro("exr", &OutputSettings::exr, "Whether their light is written beside them.")
      .def_ro("color", &OutputSettings::color)
      .def_ro("color_range", &OutputSettings::color_range, "Of a scalar, or None.")
      .def_ro("resolution", &OutputSettings::resolution, "Of pictures: width and height.")
      .def_ro("follow", &OutputSettings::follow, "Whether the automatic camera moves back.")
      .def_ro("motion_blur", &OutputSettings::motion_blur, "Of a frame's duration.")
      .def_prop_ro("legend", named(&OutputSettings::legend))
      .def_prop_ro("outline", named(&OutputSettings::outline))
      .def_prop_ro("glass", named(&OutputSettings::glass))
      .def_ro("channels", &OutputSettings::channels)
      .def_ro("checkpoint_every", &OutputSettings::checkpoint_every)
      .def_ro("keep_checkpoints", &OutputSettings::keep_checkpoints)
      .def_prop_ro("diagnostics", named(&OutputSettings::diagnostics))
      .def_ro("camera", &OutputSettings::camera);
  Record<DiagnosticsSettings>(m, "DiagnosticsSettings", "What a run is warned of, or ended by.")
      .def_ro("energy_growth", &DiagnosticsSettings::energy_growth)
      .def_prop_ro("on_energy_growth", named(&DiagnosticsSettings::on_energy_growth))
      .def_ro("volume_loss", &DiagnosticsSettings::volume_loss);
}

}  // namespace

void bind_scene_settings(nb::module_& m) {
  Record<SimulationSettings>(m, "SimulationSettings")
      .def_ro("dimension", &SimulationSettings::dimension, "2 or 3.")
      .def_ro("frames", &SimulationSettings::frames)
      .def_ro("fps", &SimulationSettings::fps, "Frames per second.")
      .def_ro("gravity", &SimulationSettings::gravity, "m/s^2.")
      .def_prop_ro("integrator", named(&SimulationSettings::integrator))
      .def_prop_ro("precision", named(&SimulationSettings::precision))
      .def_ro("seed", &SimulationSettings::seed)
      .def_ro("reproducible", &SimulationSettings::reproducible)
      .def_ro("fused", &SimulationSettings::fused);
  Record<TransferSettings>(m, "TransferSettings")
      .def_prop_ro("type", named(&TransferSettings::type))
      .def_ro("blend", &TransferSettings::blend)
      .def_ro("modes", &TransferSettings::modes)
      .def_prop_ro("advection", named(&TransferSettings::advection))
      .def_ro("kernel", &TransferSettings::kernel, "Degree of the B-spline.")
      .def_prop_ro("force", named(&TransferSettings::force));
  Record<TimeSettings>(m, "TimeSettings")
      .def_ro("cfl", &TimeSettings::cfl)
      .def_ro("cfl_material", &TimeSettings::cfl_material)
      .def_ro("dt_max", &TimeSettings::dt_max, "s.")
      .def_ro("dt_min", &TimeSettings::dt_min, "s.");
  bind_solver_settings(m);
  bind_grid(m);
  bind_output(m);
}

}  // namespace firn::python
