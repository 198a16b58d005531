// Runs a scene file and prints a line per frame. Nothing is saved; Ctrl-C stops it after a step.
//   run_scene SCENE.toml
#include <csignal>
#include <cstdio>

#include "firn/error.h"
#include "firn/scene_file.h"
#include "firn/simulation.h"

namespace {

volatile std::sig_atomic_t interrupted = 0;

void print_frame(const firn::FrameStats& frame) {
  std::printf("frame %d: t = %.4f s, %lld steps, %lld particles, at most %.3g m/s, %.2f s\n",
              frame.frame, frame.time, static_cast<long long>(frame.steps),
              static_cast<long long>(frame.particles), frame.max_speed, frame.wall_seconds);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: run_scene SCENE.toml\n");
    return 2;
  }
  std::signal(SIGINT, [](int) { interrupted = 1; });

  // What fails in the library is a firn::Error: a scene that makes no sense, a file that is not
  // there, too little memory, a simulation that went wrong. Its text says what to do about it.
  try {
    const firn::Scene scene = firn::load_scene(argv[1]);

    // Samples the bodies. The options may ask for a device and a number of threads; this takes a
    // GPU where there is one, and all cores of the CPU otherwise.
    firn::Simulation simulation(scene, {});
    std::printf("%s on %s\n", scene.name.c_str(), simulation.device_name().c_str());

    firn::Observer observer;
    observer.interrupted = [] { return interrupted != 0; };
    observer.frame = [](const firn::FrameStats& frame) {
      print_frame(frame);
      return true;  // go on
    };
    const bool completed =
        simulation.advance_until(scene.simulation.frames / scene.simulation.fps, observer);
    if (!completed) std::printf("stopped at t = %.4f s\n", simulation.time());
    return completed ? 0 : 130;
  } catch (const firn::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    // Where a simulation went wrong is there as numbers, too.
    if (const firn::Divergence* where = error.divergence(); where && where->particle)
      std::fprintf(stderr, "look at particle %u in step %lld\n", *where->particle,
                   static_cast<long long>(where->step));
    return error.exit_code();
  }
}
