#include "src/app/build_info.h"

#include "firn/simulation.h"
#include "firn/version.h"
#include "src/app/machine.h"

namespace firn::app {

const char* build_flags() { return FIRN_BUILD_FLAGS; }

Json build_json() {
  return {{"version", kVersion},
          {"compiler", compiler_name()},
          {"flags", build_flags()},
          {"cuda", built_with_cuda()},
          {"openvdb", FIRN_BUILT_WITH_OPENVDB != 0},
          {"embree", FIRN_BUILT_WITH_EMBREE != 0},
          {"openexr", FIRN_BUILT_WITH_OPENEXR != 0},
          {"text", FIRN_BUILT_WITH_TEXT != 0},
          {"viewer", FIRN_BUILT_WITH_VIEWER != 0},
          {"cpu", cpu_model()}};
}

}  // namespace firn::app
