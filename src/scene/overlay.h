// What changes a scene after it is parsed and before it is understood: the chosen variant, then the
// overrides of the command line, and the anchoring of relative paths.
#pragma once

#include <string>
#include <vector>

#include "src/scene/document.h"

namespace firn::scene {

// Lays `layer` over `base`: tables merge key by key unless they are `whole`, arrays by
// index where the layer has a table whose keys are all integers ([variants.paper.body.0]), anything
// else is replaced. An index beyond the array is a finding.
void overlay(Node& base, Node&& layer, Findings& findings);

// Removes [variants] from the document and lays the named one (none if empty) over the rest.
void apply_variant(Node& root, const std::string& variant, Findings& findings);

// Applies "a.b.0.c=value" overrides. The value is TOML if it parses as that, else a string; a table
// replaces the whole table that was there.
// Positions of what an override brings in read "--set a.b.0.c".
void apply_overrides(Node& root, const std::vector<std::string>& overrides, Findings& findings);

// Makes the `file` of every mesh shape absolute: relative to `directory`, or to the current
// directory where an override brought it in. In the folder of a run, which has moved together with
// what it read, files are looked for where they are now.
void anchor_paths(Node& node, const std::string& directory);

}  // namespace firn::scene
