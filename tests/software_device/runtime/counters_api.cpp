// What programs ask about the counters.
#include "counters_api.h"

#include <string>

#include "device/machine.h"
#include "status.h"
#include "stream.h"

namespace emulator {
namespace {

// What fails here is told by the next call of the runtime that waits.
void finish_outstanding() {
  try {
    finish_all();
  } catch (const Status& status) {
    remember(status.code);
  }
}

}  // namespace
}  // namespace emulator

using namespace emulator;

extern "C" {

void firn_software_device_reset_counters() {
  const std::scoped_lock lock(runtime_lock());
  finish_outstanding();
  reset_counters();
}

const char* firn_software_device_counters() {
  const std::scoped_lock lock(runtime_lock());
  finish_outstanding();
  static auto* text = new std::string;
  *text = report_json();
  return text->c_str();
}

}  // extern "C"
