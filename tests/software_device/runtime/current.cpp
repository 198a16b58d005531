// The driver's functions about the current context are here too: the runtime hands them out by
// name.
#include "current.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstring>

#include "device/settings.h"
#include "status.h"

namespace emulator {
namespace {

thread_local int current = kNoDevice;

// A device's primary context is the address of its entry.
char contexts[kMostDevices];

CUresult get_context(CUcontext* context) {
  *context = current == kNoDevice ? nullptr : reinterpret_cast<CUcontext>(&contexts[current]);
  return CUDA_SUCCESS;
}
CUresult set_context(CUcontext context) {
  if (context == nullptr) {
    current = kNoDevice;
    return CUDA_SUCCESS;
  }
  const auto device = reinterpret_cast<char*>(context) - contexts;
  if (device < 0 || device >= settings().devices) return CUDA_ERROR_INVALID_CONTEXT;
  current = static_cast<int>(device);
  return CUDA_SUCCESS;
}

}  // namespace

int current_device() { return current; }
void make_current(int device) { current = device; }
int needed_device() {
  if (current == kNoDevice) current = 0;
  return current;
}

}  // namespace emulator

using namespace emulator;

extern "C" cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned,
                                                        unsigned long long,
                                                        cudaDriverEntryPointQueryResult* result) {
  return call([&] {
    require(name != nullptr && function != nullptr);
    *function = std::strcmp(name, "cuCtxGetCurrent") == 0   ? reinterpret_cast<void*>(get_context)
                : std::strcmp(name, "cuCtxSetCurrent") == 0 ? reinterpret_cast<void*>(set_context)
                                                            : nullptr;
    if (result != nullptr)
      *result =
          *function == nullptr ? cudaDriverEntryPointSymbolNotFound : cudaDriverEntryPointSuccess;
  });
}
