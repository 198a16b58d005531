// The commands of the program; each lives in a file of its own and returns the exit code. Failures
// that end a command are thrown as firn::Error.
#pragma once

#include <vector>

#include "src/app/options.h"

namespace firn::app {

int run(const Options& options);
int resume(const Options& options);
int video(const Options& options);
int mesh(const Options& options);
int render(const Options& options);
int view(const Options& options);
int convert(const Options& options);
int info(const Options& options);
int compare(const Options& options);
int bench(const Options& options);
int list_materials(const Options& options);
int list_scenes(const Options& options);
int list_devices(const Options& options);
int print_schema(const Options& options);
int create(const Options& options);
int completion(const Options& options);
int man(const Options& options);

const std::vector<Command>& command_table();

}  // namespace firn::app
