// The files that a run has read, where its folder has moved together with them.
#pragma once

#include <string>
#include <string_view>

namespace firn::scene {

// What the folder of a run holds, and no other.
inline constexpr std::string_view kRunMarker = ".firn-run";

bool is_of_run(const std::string& directory);

// Where the file `path`, which is not there any more, is now: of the folders that lead to
// `directory`, the nearest one from which the longest end of `path` leads to a file (M1/geo/x.obj
// to M2/geo/x.obj for M2/out). `path` itself if there is none. `first` is the number of the first
// file of a sequence.
std::string moved_file(const std::string& path, const std::string& directory, int first = 0);

bool is_file(const std::string& path);

}  // namespace firn::scene
