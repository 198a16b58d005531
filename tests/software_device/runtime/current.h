// Which device is current on the calling thread, as the runtime and the driver see it: a thread has
// none until it chooses one or makes a call that needs one, which is then device 0.
#pragma once

namespace emulator {

inline constexpr int kMostDevices = 8, kNoDevice = -1;

int current_device();  // or kNoDevice
void make_current(int device);
// For what is made on the current device, or works on it alone.
int needed_device();

}  // namespace emulator
