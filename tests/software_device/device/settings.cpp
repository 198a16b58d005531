#include "device/settings.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace emulator {

namespace {

std::string text_of(const char* variable) {
  const char* text = std::getenv(variable);
  return text != nullptr ? text : "";
}

// Destructors of a program that has hardly begun are left out: they may call the runtime.
[[noreturn]] void refuse(const char* variable, const char* expected) {
  std::fprintf(stderr, "emulator: %s=%s is not understood: %s is expected\n", variable,
               text_of(variable).c_str(), expected);
  _exit(2);
}

// A number at the begin of `text`, which is shortened by it.
std::uint64_t take_number(std::string_view& text, const char* variable, const char* expected) {
  const std::string digits(text);
  char* end = nullptr;
  const std::uint64_t value = std::strtoull(digits.c_str(), &end, 0);
  if (end == digits.c_str() || digits[0] == '-') refuse(variable, expected);
  text.remove_prefix(static_cast<std::size_t>(end - digits.c_str()));
  return value;
}

std::uint64_t number(const char* variable, std::uint64_t otherwise,
                     std::uint64_t most = ~std::uint64_t{0}) {
  const std::string text = text_of(variable);
  if (text.empty()) return otherwise;
  std::string_view rest = text;
  const std::uint64_t value = take_number(rest, variable, "a number");
  if (!rest.empty() || value > most) refuse(variable, "a number that is not too large");
  return value;
}

bool flag(const char* variable, bool otherwise) { return number(variable, otherwise) != 0; }

TurnOrder order(const char* variable) {
  constexpr const char* kExpected = "'forward', 'reverse', 'random' or 'random:SEED'";
  const std::string text = text_of(variable);
  if (text.empty() || text == "forward") return {};
  if (text == "reverse") return {Arrangement::kReverse};
  if (text == "random") return {Arrangement::kRandom};
  std::string_view rest = text;
  if (!rest.starts_with("random:")) refuse(variable, kExpected);
  rest.remove_prefix(7);
  const std::uint64_t seed = take_number(rest, variable, kExpected);
  if (!rest.empty()) refuse(variable, kExpected);
  return {Arrangement::kRandom, seed};
}

Checks checks() {
  const std::string text = text_of("EMULATOR_CHECK");
  Checks found{false, false, false, false};
  if (text.empty()) return {};
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string name = text.substr(begin, end - begin);
    if (name == "all")
      found = {};
    else if (name == "memory")
      found.memory = true;
    else if (name == "init")
      found.init = true;
    else if (name == "race")
      found.race = true;
    else if (name == "sync")
      found.sync = true;
    else if (name != "none")
      refuse("EMULATOR_CHECK", "'all', 'none' or a list of memory,init,race,sync");
    begin = end + 1;
  }
  return found;
}

// "9.0" is 90.
unsigned capability() {
  constexpr const char* kVariable = "EMULATOR_COMPUTE_CAPABILITY";
  constexpr const char* kExpected = "a compute capability as 9.0";
  const std::string text = text_of(kVariable);
  if (text.empty()) return 90;
  std::string_view rest = text;
  const auto major = take_number(rest, kVariable, kExpected);
  if (!rest.starts_with('.')) refuse(kVariable, kExpected);
  rest.remove_prefix(1);
  const auto minor = take_number(rest, kVariable, kExpected);
  if (!rest.empty() || major < 1 || major > 99 || minor > 9) refuse(kVariable, kExpected);
  return static_cast<unsigned>(major * 10 + minor);
}

// N or N:CODE
void read_loss(Settings& s) {
  constexpr const char* kVariable = "EMULATOR_LOSE_AFTER";
  constexpr const char* kExpected = "a number of kernels, or it and an error's number as 5:214";
  s.lose_after = ~std::uint64_t{0};
  s.lose_code = 719;  // cudaErrorLaunchFailure
  const std::string text = text_of(kVariable);
  if (text.empty()) return;
  std::string_view rest = text;
  s.lose_after = take_number(rest, kVariable, kExpected);
  if (rest.starts_with(':')) {
    rest.remove_prefix(1);
    s.lose_code = static_cast<int>(take_number(rest, kVariable, kExpected));
  }
  if (!rest.empty() || s.lose_code < 1 || s.lose_code > 999) refuse(kVariable, kExpected);
}

Settings read() {
  Settings s{};
  s.multiprocessors = static_cast<int>(std::max(number("EMULATOR_SMS", 4, 1024), std::uint64_t{1}));
  s.memory = number("EMULATOR_MEMORY", std::uint64_t{8} << 30, std::uint64_t{1} << 44);
  s.capability = capability();
  s.driver_version = static_cast<int>(number("EMULATOR_DRIVER_VERSION", 13000, 999999));
  s.devices = static_cast<int>(number("EMULATOR_DEVICES", 1, 8));
  read_loss(s);
  s.lazy = flag("EMULATOR_LAZY", false);
  s.protect = flag("EMULATOR_PROTECT", true);
  s.garbage = static_cast<unsigned char>(number("EMULATOR_GARBAGE", 0xA5, 0xFF));
  s.warp_order = order("EMULATOR_WARP_ORDER");
  s.block_order = order("EMULATOR_BLOCK_ORDER");
  s.resident = std::max(number("EMULATOR_RESIDENT", 1), std::uint64_t{1});
  s.limit = number("EMULATOR_LIMIT", std::uint64_t{1} << 32);
  s.checks = checks();
  s.counters = flag("EMULATOR_COUNTERS", false);
  s.report = text_of("EMULATOR_REPORT");
  s.strict = flag("EMULATOR_STRICT", false);
  return s;
}

}  // namespace

// Never destroyed: the report at the end of a program asks for them.
const Settings& settings() {
  static const Settings& kept = *new Settings(read());
  return kept;
}

}  // namespace emulator
