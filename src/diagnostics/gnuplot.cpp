// A script with its data inline goes to gnuplot's standard input: no data file is left behind, and
// no text of ours is ever seen by a shell.
#include "src/diagnostics/gnuplot.h"

#include <cstdio>
#include <vector>

#include "firn/error.h"
#include "src/io/atomic_file.h"
#include "src/io/posix_file.h"
#include "src/render/process.h"

namespace firn {

// In single quotes only the quote itself is special, doubled.
std::string gnuplot_text(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    result += c == '\n' ? ' ' : c;
  }
  return result + "'";
}

// The cairo terminal is the better one, but some packages have only the plain one.
std::string gnuplot_terminal() {
  const ProgramResult cairo =
      run_program({"gnuplot", "-e", "set terminal pngcairo"}, {}, OnInterrupt::kGoesOn);
  return cairo.succeeded() && cairo.errors.empty() ? "pngcairo noenhanced font 'Sans,11'" : "png";
}

// A plot takes a moment; gnuplot that is interrupted may hang in its libraries for ever.
bool run_gnuplot(const std::function<std::string(const std::string& output)>& script_to,
                 const std::string& png_path) {
  const std::string temporary = png_path + ".part";
  const ProgramResult result =
      run_program({"gnuplot", "-"}, script_to(temporary), OnInterrupt::kGoesOn);
  if (!result.found) return false;
  std::vector<std::byte> picture;
  if (result.succeeded()) picture = read_file(temporary);
  std::remove(temporary.c_str());
  if (!result.succeeded())
    throw Error(ErrorCategory::kFile,
                png_path + ": cannot write the plot: gnuplot: " + last_lines(result.errors, 3));
  write_file_atomically(png_path, picture);
  return true;
}

}  // namespace firn
