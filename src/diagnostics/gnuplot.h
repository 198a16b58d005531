// What all that draws through gnuplot shares.
#pragma once

#include <functional>
#include <string>

namespace firn {

// Lines that colour-blind readers can tell apart [Okabe & Ito 2008].
inline constexpr const char* kLineColors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                              "#e69f00", "#56b4e9", "#000000"};

// As a string constant of gnuplot's.
std::string gnuplot_text(const std::string& text);

// The terminal that makes PNG files here.
std::string gnuplot_terminal();

// Runs the script that `script_to` makes for a file that gets its name when it is whole. False if
// there is no gnuplot. Throws Error{kFile} with the reason if the file cannot be written.
bool run_gnuplot(const std::function<std::string(const std::string& output)>& script_to,
                 const std::string& png_path);

}  // namespace firn
