// Plots of ledgers: of one run (energies, momenta, time step, forces on colliders), and of several
// runs against each other.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace firn::app {

struct LedgerCurve {
  std::string label;
  std::filesystem::path ledger;
};

// Both return false if there is no gnuplot, and throw Error{kFile} if a ledger cannot be read or
// the plot not be written.
bool plot_ledger(const std::filesystem::path& ledger, const std::string& title, int dimension,
                 const std::filesystem::path& png);
bool plot_comparison(const std::vector<LedgerCurve>& curves, const std::string& title,
                     int dimension, const std::filesystem::path& png);

}  // namespace firn::app
