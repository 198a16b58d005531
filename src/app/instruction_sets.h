// Instructions that compilers use on their own, and processors of these years have or have not.
#pragma once

namespace firn::app {

enum InstructionSet : unsigned {
  kSse42 = 1,
  kAvx = 2,
  kAvx2 = 4,
  kFma = 8,
  kBmi2 = 16,
  kAvx512 = 32,  // with what all processors that have it have: CD, VL, BW, DQ
};

// Those that this program is built with, of the host's code.
extern const unsigned built_with_instructions;

}  // namespace firn::app
