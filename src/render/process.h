// Running another program (ffmpeg, gnuplot) without a shell, so that no file name is ever taken for
// syntax.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace firn {

struct ProgramResult {
  bool found = false;   // false: there is no such program on the PATH
  int exit_status = 0;  // 128 + signal if it was killed
  std::string errors;   // what it wrote to standard error
  bool succeeded() const { return found && exit_status == 0; }
};

// What Ctrl-C in a terminal does to a program beside this one.
enum class OnInterrupt { kEnds, kGoesOn };

// Runs arguments[0] with `input` on its standard input, discards its standard output and waits for
// its end. Throws Error{kFile} if the system cannot start a program that exists.
ProgramResult run_program(const std::vector<std::string>& arguments, std::string_view input = {},
                          OnInterrupt on_interrupt = OnInterrupt::kEnds);

// Runs arguments[0] beside this program, which waits for it at no time; Ctrl-C does not end it.
class ProgramBeside {
 public:
  // Throws as run_program.
  explicit ProgramBeside(const std::vector<std::string>& arguments);
  // What came of it, without its errors, once that is known.
  const std::optional<ProgramResult>& result();

 private:
  int child_ = 0;
  std::optional<ProgramResult> result_;
};

// The last `count` lines of a program's complaints, for error messages.
std::string last_lines(const std::string& text, int count);

}  // namespace firn
