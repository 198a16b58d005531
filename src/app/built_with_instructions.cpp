// Compiled as all host code is, and a constant: nothing of it runs.
#include "src/app/instruction_sets.h"

namespace firn::app {

const unsigned built_with_instructions = 0u
#ifdef __SSE4_2__
                                         | kSse42
#endif
#ifdef __AVX__
                                         | kAvx
#endif
#ifdef __AVX2__
                                         | kAvx2
#endif
#ifdef __FMA__
                                         | kFma
#endif
#ifdef __BMI2__
                                         | kBmi2
#endif
#ifdef __AVX512F__
                                         | kAvx512
#endif
    ;

}  // namespace firn::app
