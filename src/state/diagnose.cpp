#include "src/state/diagnose.h"

#include <fmt/format.h>

namespace firn {

namespace {

std::string quantity(Fault fault) {
  switch (fault) {
    case Fault::kAcceleration:
      return "velocity is not finite with the acceleration that forces give it";
    case Fault::kPositionRange:
      return "position is not finite or outside the addressable grid";
    case Fault::kVelocity:
      return "velocity is not finite or too large to square";
    case Fault::kDeformation:
      return "deformation gradient or plastic state is not finite";
    case Fault::kInverted:
      return "deformation gradient is inverted (J <= 0), which its model forbids";
    case Fault::kTemperature:
      return "temperature is not finite or not above absolute zero";
    default:
      return "state is invalid";
  }
}

std::string limit_name(StepLimit limit, const std::string& material) {
  switch (limit) {
    case StepLimit::kVelocity:
      return "the fastest particle (time.cfl)";
    case StepLimit::kWaveSpeed:
      return "elastic waves in material \"" + material + "\" (time.cfl_material)";
    case StepLimit::kViscosity:
      return "the viscosity of material \"" + material + "\"";
    case StepLimit::kSolver:
      return "a pressure solve that missed its tolerance";
    case StepLimit::kForce:
      return "the strongest of the forces beside gravity (time.cfl)";
    default:
      return "time.dt_max";
  }
}

std::string format_vector(const std::array<double, 3>& v, int n) {
  std::string s = "(";
  for (int i = 0; i < n; ++i)
    s += fmt::format("{}{:.6g}", i > 0 ? ", " : "", v[static_cast<std::size_t>(i)]);
  return s + ")";
}

std::string remedy_of(Fault fault) {
  switch (fault) {
    case Fault::kAcceleration:
      return "look at the forces of the scene, or of the program";
    case Fault::kTemperature:
      return "a heat source that cools, or a conductivity or heat capacity in other units, may do "
             "that";
    default:
      return "try a smaller time.cfl_material or time.dt_max";
  }
}

// Of a step that was not made.
Divergence next_step(const StepControl& control) {
  return {static_cast<std::int64_t>(control.step) + 1, control.time, {}, {}, {}};
}
Divergence last_step(const StepControl& control, const FaultyParticle& particle) {
  return {static_cast<std::int64_t>(control.step), control.time, particle.id, particle.position,
          particle.material};
}

Error refused_step(const StepControl& control, const std::string& limiting_material,
                   double dt_min) {
  Divergence where = next_step(control);
  if (control.limit == StepLimit::kWaveSpeed || control.limit == StepLimit::kViscosity)
    where.material = limiting_material;
  return Error(
      ErrorCategory::kDiverged,
      fmt::format(
          "step {} at t = {:.6g} s was refused: the stable time step is {:.4g} s, set by "
          "{}, below time.dt_min = {:.4g} s; use a smaller time.dt_min, a larger grid.dx "
          "or {}",
          where.step, control.time, control.dt, limit_name(control.limit, limiting_material),
          dt_min,
          control.limit == StepLimit::kViscosity ? "a lower viscosity" : "a softer material"),
      where);
}

}  // namespace

Error diverged_error(const StepControl& control, const FaultyParticle& particle,
                     const ParticleNamer& namer, const std::string& limiting_material,
                     double dt_min) {
  const auto fault = static_cast<Fault>(control.fault >> 32);
  if (fault == Fault::kTimeStep) return refused_step(control, limiting_material, dt_min);
  Divergence where = last_step(control, particle);
  if (fault == Fault::kAcceleration) where.step = next_step(control).step;
  const auto text = [&](const auto& v, const char* unknown) {
    return v ? format_vector(*v, particle.dimension) : unknown;
  };
  return Error(ErrorCategory::kDiverged,
               fmt::format("the simulation diverged in step {} at t = {:.6g} s (dt = {:.4g} s): {} "
                           "at {} with velocity "
                           "{}: its {}; {}",
                           where.step, control.time, control.dt, namer(particle.id),
                           text(particle.position, "an unknown place"),
                           text(particle.velocity, "unknown"), quantity(fault), remedy_of(fault)),
               where);
}

Error unsolved_error(const StepControl& control, const SystemName& system, double residual,
                     double tolerance, std::uint32_t iterations) {
  const std::string advice = system.advice != nullptr
                                 ? system.advice
                                 : fmt::format("raise {}.{} or {}.tolerance{}", system.settings,
                                               system.limit, system.settings, system.remedy);
  return Error(
      ErrorCategory::kDiverged,
      fmt::format("the simulation diverged in step {} at t = {:.6g} s (dt = {:.4g} s): the "
                  "{} solve stopped after {} iterations with {} of {:.3g}{} where {:.3g} "
                  "is allowed; {}",
                  control.step + 1, control.time, control.dt, system.solve, iterations,
                  system.residual, residual, system.unit, tolerance, advice),
      next_step(control));
}

Error squeezed_error(const StepControl& control, double excess) {
  return Error(ErrorCategory::kDiverged,
               fmt::format("the simulation diverged in step {} at t = {:.6g} s: a closed region "
                           "without air holds {:.0f} % more liquid than fits; look for a source or "
                           "a collider that pushes liquid into a closed space",
                           control.step + 1, control.time, 100 * excess),
               next_step(control));
}

}  // namespace firn
