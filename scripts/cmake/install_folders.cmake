# Makes those of `folders` that are missing, for anyone to enter whatever the umask of who installs: of itself CMake
# does so for what it copies only, not for the folders above.
get_filename_component(prefix "${CMAKE_INSTALL_PREFIX}" ABSOLUTE)  # --prefix may be relative
foreach(folder IN LISTS folders)
  cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY "${prefix}" NORMALIZE)
  set(path "$ENV{DESTDIR}${folder}")
  set(missing "")
  while(path AND NOT EXISTS "${path}")
    list(PREPEND missing "${path}")
    cmake_path(GET path PARENT_PATH path)
  endwhile()
  foreach(path IN LISTS missing)
    file(MAKE_DIRECTORY "${path}")
    file(CHMOD "${path}" PERMISSIONS ${CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS})
  endforeach()
endforeach()
