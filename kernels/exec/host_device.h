// The one macro of the physics layer: marks a function as callable on both sides when nvcc compiles
// it.
#pragma once

#if defined(__CUDACC__)
#define FIRN_HD __host__ __device__
#else
#define FIRN_HD
#endif
