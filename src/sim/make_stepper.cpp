#include "firn/error.h"
#include "src/sim/explicit_stepper.h"

namespace firn {

namespace {

template <class Exec>
std::unique_ptr<Stepper> make_on(const Scene& scene, std::unique_ptr<Exec> exec,
                                 ParticleNamer namer) {
  const bool single = scene.simulation.precision == Precision::kSingle;
  if (scene.simulation.dimension == 2) {
    if (single)
      return std::make_unique<ExplicitStepper<Exec, 2, float>>(scene, std::move(exec),
                                                               std::move(namer));
    return std::make_unique<ExplicitStepper<Exec, 2, double>>(scene, std::move(exec),
                                                              std::move(namer));
  }
  if (single)
    return std::make_unique<ExplicitStepper<Exec, 3, float>>(scene, std::move(exec),
                                                             std::move(namer));
  return std::make_unique<ExplicitStepper<Exec, 3, double>>(scene, std::move(exec),
                                                            std::move(namer));
}

}  // namespace

std::unique_ptr<Stepper> make_stepper(const Scene& scene, Device device, int threads,
                                      ParticleNamer namer) {
  if (scene.simulation.integrator != Integrator::kExplicit)
    throw Error(ErrorCategory::kScene,
                "simulation.integrator: only \"explicit\" is available in this version");
  if (device == Device::kAuto) device = cuda_device_names().empty() ? Device::kCpu : Device::kCuda;
  if (device == Device::kCpu)
    return make_on(scene, std::make_unique<Cpu>(threads), std::move(namer));
#if defined(FIRN_WITH_CUDA)
  if (scene.simulation.reproducible)
    throw Error(ErrorCategory::kScene,
                "simulation.reproducible: order-independent accumulation on CUDA is not available "
                "in this version; "
                "the CPU (--device cpu) always repeats bitwise");
  return make_on(scene, std::make_unique<Cuda>(), std::move(namer));
#else
  throw Error(ErrorCategory::kDevice, "this firn was built without CUDA; use --device cpu");
#endif
}

}  // namespace firn
