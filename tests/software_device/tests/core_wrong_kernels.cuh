// Kernels of core_test with faults that the device must report. Part of core_kernels.cu: tests find
// kernels in one module.
#pragma once

#include <cassert>

extern "C" {

__global__ void beyond(float* a, int n) { a[threadIdx.x + n] = 1; }
__global__ void misaligned(char* a) { *reinterpret_cast<float*>(a + 2 * threadIdx.x) = 1; }
__global__ void shared_beyond(float* out, int n) {
  __shared__ float v[32];
  v[threadIdx.x + n] = 1;
  __syncthreads();
  out[threadIdx.x] = v[31 - threadIdx.x];
}
__global__ void read_fresh(const float* a, float* out) { out[threadIdx.x] = a[threadIdx.x]; }
__global__ void read_fresh_shared(float* out) {
  __shared__ float v[64];
  v[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = v[threadIdx.x + 16];
}
__global__ void shared_race(float* out) {
  __shared__ float v[128];
  v[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = v[127 - threadIdx.x];  // no barrier
}
__global__ void warp_race(float* out) {
  __shared__ float v[32];
  v[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = v[31 - threadIdx.x];  // no __syncwarp
}
// reads_again without the first synchronisation.
__global__ void reads_again_race(int* out) {
  __shared__ int v;
  if (threadIdx.x == 31) v = 1;
  __syncthreads();
  out[threadIdx.x] = v;
  if (threadIdx.x == 31) v += out[31];
  __syncwarp();
  out[threadIdx.x] += v;
}
__global__ void late_write(float* out) {
  __shared__ float v[128];
  v[threadIdx.x] = threadIdx.x;
  __syncthreads();
  const float w = v[127 - threadIdx.x];
  v[threadIdx.x] = w;  // others may not have read yet
  __syncthreads();
  out[threadIdx.x] = v[threadIdx.x];
}
__global__ void global_race(int* v) { v[threadIdx.x] = blockIdx.x; }
__global__ void same_value(int* v) { v[threadIdx.x / 2] = 7; }
__global__ void neighbours(int* v) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  v[i] = v[(i + blockDim.x) % n] + 1;
}
__global__ void atomic_and_plain(int* v) {
  if (blockIdx.x == 0)
    atomicAdd(v, 1);
  else if (threadIdx.x == 0)
    *v = 3;
}
__global__ void divergent_barrier(int* out) {
  if (threadIdx.x % 2 == 0) {
    out[threadIdx.x] = 1;
    __syncthreads();
  } else {
    out[threadIdx.x] = 2;
  }
  out[threadIdx.x] += 1;
  __syncthreads();
}
__global__ void lost_lane(int* out) {
  if (threadIdx.x != 5)
    out[threadIdx.x] = __shfl_xor_sync(~0u, threadIdx.x, 1);
  else
    while (*reinterpret_cast<volatile int*>(out + 5) == 0) {
    }
}
__global__ void foreign_mask(int* out) { out[threadIdx.x] = __any_sync(0xFFFEu, threadIdx.x > 3); }
__global__ void from_absent(unsigned* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_down_sync(0xFFFFu, threadIdx.x, 4);
}
__global__ void ended_lanes(int* out) {
  if (threadIdx.x >= 24) return;
  out[threadIdx.x] = __ballot_sync(~0u, threadIdx.x > 3);
}
__global__ void asserts(int* a) { assert(a[threadIdx.x] != 3); }

}  // extern "C"
