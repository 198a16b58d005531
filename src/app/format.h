// Quantities as people read them: 1.23 M, 4.5 GiB, 1:02:03, and tables with aligned columns.
#pragma once

#include <string>
#include <vector>

#include "firn/simulation.h"

namespace firn::app {

std::string format_count(double count);       // "950", "1.23 M"
std::string format_bytes(double bytes);       // "4.5 MiB"
std::string format_time(double seconds);      // simulated: "1.2500 s", "2.5 us"
std::string format_duration(double seconds);  // "0:07", "1:02:03"

// What sets the time step: "wave speed in snow", "largest speed", ...
std::string describe_limit(DtLimit limit, const std::string& material);

// The words of `text` in lines of up to 100 columns, each after `indent`.
std::string wrapped(const std::string& text, const std::string& indent);

// Rows of cells with two spaces between columns; numbers (and the header above them) to the right.
// The first row is the header, underlined.
std::string format_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace firn::app
