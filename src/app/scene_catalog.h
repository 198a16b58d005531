// Where scene files are looked for: the folders named by FIRN_SCENES (separated by colons), those
// that are installed with the program, those of the sources that it was built from, and ./scenes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace firn::app {

// Every scene file in those folders, by name; of several with one name the first folder's wins.
std::vector<std::filesystem::path> scene_files();

// The path of a scene given as a path, or as a bare name of the list above ("snowball-drop").
// Throws Error{kFile}, with the nearest name, if there is no such file.
std::string find_scene(const std::string& name_or_path);

}  // namespace firn::app
