// Every overload of the scalar functions that this backend has: plain scalars, and SIMD packs
// unless nvcc compiles. Physics that runs on packs includes this first, because templates find
// `select` and the fast `exp` and `log` of packs only where they are declared before use.
#pragma once

#include "kernels/math/scalar.h"

#if !defined(__CUDACC__)
#include "kernels/math/pack.h"
#endif
