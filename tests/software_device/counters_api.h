// The counters of the software device, for programs that count a region of their run. The functions
// are the library's (libfirn-software-device.so); a program that also runs on hardware looks for
// them with dlsym(RTLD_DEFAULT, ...) and finds none there. Both first wait for all outstanding
// work.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// Counts begin anew. Findings, and which kernels were launched at all, stay.
void firn_software_device_reset_counters(void);

// What EMULATOR_REPORT would hold now (README.md describes it), as JSON text. It belongs to the
// library and is valid until the next call.
const char* firn_software_device_counters(void);

#ifdef __cplusplus
}
#endif
