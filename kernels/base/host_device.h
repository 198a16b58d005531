// The macros of the physics layer: FIRN_HD marks a function as callable on both sides when nvcc
// compiles it; FIRN_FLAT inlines on the host all that a function calls, down to the last, where
// values that fill vector registers are handed through many small functions; FIRN_APART keeps a
// large function that many instantiations call out of them on the host, FIRN_RARE on CUDA one that
// few blocks need: inlined, the distance to a shape is most of the code and registers of kernels
// that hardly ever ask for it; FIRN_UNROLL is written before loops over arrays that a thread on
// CUDA holds in registers if they are unrolled `kUnrolled` times, FIRN_UNROLL_AXES before those
// over axes of which that holds on the host.
#pragma once

#if defined(__CUDACC__)
#define FIRN_HD __host__ __device__
#define FIRN_FLAT
#define FIRN_APART
#define FIRN_RARE __noinline__
#define FIRN_UNROLL _Pragma("unroll kUnrolled")
#define FIRN_UNROLL_AXES
#else
#define FIRN_HD
#define FIRN_FLAT [[gnu::flatten]]
#define FIRN_APART [[gnu::noinline]]
#define FIRN_RARE
#define FIRN_UNROLL
#define FIRN_UNROLL_AXES _Pragma("GCC unroll 3")
#endif
