# Lays out below OUTPUT what PROGRAM tells of itself, the manual page and the completions of shells:
#   cmake -DPROGRAM=... -DOUTPUT=... -P program_files.cmake
# One that does not run where it is installed, as for another processor, leaves them out.
file(REMOVE_RECURSE ${OUTPUT})
file(MAKE_DIRECTORY ${OUTPUT})
foreach(pair "firn.1|man" "firn|completion;bash" "_firn|completion;zsh" "firn.fish|completion;fish")
  string(REGEX REPLACE "\\|.*" "" file "${pair}")
  string(REGEX REPLACE ".*\\|" "" arguments "${pair}")
  execute_process(COMMAND ${PROGRAM} ${arguments} OUTPUT_FILE ${OUTPUT}/${file}
    RESULT_VARIABLE failed ERROR_VARIABLE reason)
  if(failed)
    file(REMOVE_RECURSE ${OUTPUT})
    message(WARNING "neither manual page nor completions are installed: ${PROGRAM} does not run here "
      "(${failed} ${reason})")
    break()
  endif()
endforeach()
