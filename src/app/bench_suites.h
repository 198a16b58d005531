// The suites of `firn bench`; each prints its tables, writes --json's file and returns the exit
// code.
#pragma once

#include "src/app/options.h"

namespace firn::app {

int bench_step(const Options& options);      // one configuration, stage by stage
int bench_sweep(const Options& options);     // step --sweep
int bench_scaling(const Options& options);   // step --scaling
int bench_liquid(const Options& options);    // the incompressible step
int bench_spray(const Options& options);     // the same of scattered drops
int bench_thermal(const Options& options);   // the thermal step
int bench_implicit(const Options& options);  // frames by implicit steps beside explicit ones
int bench_transfer(const Options& options);  // P2G and G2P of all transfers and kernels
int bench_stress(const Options& options);    // the constitutive stage of all material models
int bench_sort(const Options& options);      // the rebuild stage at rest, in motion, shuffled
int bench_io(const Options& options);        // checkpoints, particle files, pictures
int bench_pressure_solver(const Options& options);

}  // namespace firn::app
