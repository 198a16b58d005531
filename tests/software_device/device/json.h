// Writes JSON text, with the commas where they belong.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace emulator::core {

class Json {
 public:
  void begin(char bracket) { separate(), text_ += bracket, first_ = true; }
  void end(char bracket) { text_ += bracket, first_ = false; }
  void key(std::string_view name) { value(name), text_ += ": ", first_ = true; }
  void line() { separate(), text_ += '\n', first_ = true; }

  void value(std::string_view text) {
    separate(), text_ += '"';
    for (const char c : text) {
      if (c == '"' || c == '\\') text_ += '\\';
      if (static_cast<unsigned char>(c) >= 32) text_ += c;
    }
    text_ += '"';
  }
  void value(std::uint64_t number) { separate(), text_ += std::to_string(number); }
  void value(double number) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.6g", number);
    separate(), text_ += digits;
  }
  template <class T>
  void member(std::string_view name, const T& v) {
    key(name), value(v);
  }

  const std::string& text() const { return text_; }

 private:
  void separate() {
    if (!first_) text_ += ", ";
    first_ = false;
  }

  std::string text_;
  bool first_ = true;  // nothing stands before the next value that it must be separated from
};

}  // namespace emulator::core
