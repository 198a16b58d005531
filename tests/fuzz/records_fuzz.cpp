// What a run reads of its own records: the ledger, whose columns are of one length, and the sums
// over frames that a saved state carries, which come back from what they are written as. The first
// byte chooses.
#include <cstdlib>

#include "firn/error.h"
#include "src/diagnostics/ledger.h"
#include "tests/fuzz/input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace firn;
  if (size == 0) return 0;
  const auto bytes = std::as_bytes(std::span(data, size)).subspan(1);
  try {
    if (data[0] % 2 == 0) {
      const std::vector<Column> columns = read_ledger(fuzz::InputFile(bytes).path());
      for (const Column& column : columns)
        if (column.values.size() != columns[0].values.size()) std::abort();
    } else {
      const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      const std::string written = RunTotals::from_json(text, "input").to_json();
      if (RunTotals::from_json(written, "copy").to_json() != written) std::abort();
    }
  } catch (const Error& error) {
    if (error.category() != ErrorCategory::kFile) std::abort();
  }
  return 0;
}
