#include <type_traits>

#include "firn/error.h"
#include "src/sim/explicit_stepper.h"
#include "src/sim/incompressible_stepper.h"
#include "src/sim/on_device.h"
#include "src/sim/thermal_stepper.h"

namespace firn {

namespace {

template <class Exec, int D, class Real>
std::unique_ptr<Stepper> make_integrator(const Scene& scene, std::unique_ptr<Exec> exec,
                                         ParticleNamer namer) {
  if (scene.simulation.integrator == Integrator::kIncompressible)
    return std::make_unique<IncompressibleStepper<Exec, D, Real>>(scene, std::move(exec),
                                                                  std::move(namer));
  if (scene.simulation.integrator == Integrator::kThermal)
    return std::make_unique<ThermalStepper<Exec, D, Real>>(scene, std::move(exec),
                                                           std::move(namer));
  return std::make_unique<ExplicitStepper<Exec, D, Real>>(scene, std::move(exec), std::move(namer));
}

template <class Exec>
std::unique_ptr<Stepper> make_on(const Scene& scene, std::unique_ptr<Exec> exec,
                                 ParticleNamer namer) {
  const bool single = scene.simulation.precision == Precision::kSingle;
  const auto make = [&](auto dimension) {
    constexpr int kD = decltype(dimension)::value;
    return single ? make_integrator<Exec, kD, float>(scene, std::move(exec), std::move(namer))
                  : make_integrator<Exec, kD, double>(scene, std::move(exec), std::move(namer));
  };
  return scene.simulation.dimension == 2 ? make(std::integral_constant<int, 2>{})
                                         : make(std::integral_constant<int, 3>{});
}

}  // namespace

std::unique_ptr<Stepper> make_stepper(const Scene& scene, Device device, int threads,
                                      ParticleNamer namer) {
  const Integrator integrator = scene.simulation.integrator;
  if (integrator == Integrator::kSemiImplicit || integrator == Integrator::kOptimization)
    throw Error(ErrorCategory::kScene,
                "simulation.integrator: only \"explicit\", \"incompressible\" and \"thermal\" are "
                "available in "
                "this version");
  if (chosen_device(device) == Device::kCpu)
    return make_on(scene, std::make_unique<Cpu>(threads), std::move(namer));
#if defined(FIRN_WITH_CUDA)
  auto exec = std::make_unique<Cuda>();
  exec->set_reproducible(scene.simulation.reproducible);
  return make_on(scene, std::move(exec), std::move(namer));
#else
  throw Error(ErrorCategory::kDevice, "this firn was built without CUDA; use --device cpu");
#endif
}

}  // namespace firn
