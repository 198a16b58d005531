// What `firn bench` tells on a device that counts (tests/software_device) in place of times: what
// the kernels of a step do, per particle or cell, and the least time that a GPU would need for it.
#pragma once

#include <cstdint>
#include <string>

#include "src/app/json_out.h"
#include "src/app/options.h"

namespace firn::app {

// The suites step, liquid, thermal and pressure. Throws Error{kScene} for another.
int bench_counts(const std::string& suite, const Options& options);

// What `text` (firn::launch_counts) says, one entry for each operator, the one with the most
// instructions first, and their sum: launches in each of `rounds`, all else also for each of
// `units`, particles or cells. Throws std::exception where the text is not what it should be.
Json counts_json(const std::string& text, double rounds, double units);

// firn::G2P2G of "void firn::run_groups<firn::G2P2G<3, 2, float> >(...)"; of another library's
// kernel its own name behind the library's, without the namespaces of versions between.
std::string operator_name(const std::string& kernel);

}  // namespace firn::app
