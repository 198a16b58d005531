// What all that draws through gnuplot shares.
#pragma once

#include <functional>
#include <string>

namespace firn {

// As a string constant of gnuplot's.
std::string gnuplot_text(const std::string& text);

// The terminal that makes PNG files here.
std::string gnuplot_terminal();

// Runs the script that `script_to` makes for a file that gets its name when it is whole. False if
// there is no gnuplot. Throws Error{kFile} with the reason if the file cannot be written.
bool run_gnuplot(const std::function<std::string(const std::string& output)>& script_to,
                 const std::string& png_path);

}  // namespace firn
