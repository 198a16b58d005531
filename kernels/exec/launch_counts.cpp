// Looks the counters up by name, so that a program that is linked to NVIDIA's runtime needs
// nothing.
#include "kernels/exec/launch_counts.h"

#include <dlfcn.h>

namespace firn {

namespace {

template <class Function>
Function* find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

bool counts_launches() { return find<const char*()>("firn_software_device_counters") != nullptr; }

void reset_launch_counts() {
  if (const auto reset = find<void()>("firn_software_device_reset_counters")) reset();
}

std::string launch_counts() {
  const auto counters = find<const char*()>("firn_software_device_counters");
  return counters != nullptr ? counters() : "";
}

}  // namespace firn
