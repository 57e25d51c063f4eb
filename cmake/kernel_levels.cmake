# The library's kernels once more, for what newer processors of this kind have: a library per level beside
# the module, of which it loads the best that the processor can run (engine/native/levels.py).
include(CheckCXXCompilerFlag)
option(PULLBACK_LEVELS "Build the library's kernels for newer x86-64 processors too" ON)
set(kernel_levels)
if(PULLBACK_LEVELS AND UNIX AND NOT APPLE AND NOT PULLBACK_SANITIZE
   AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  foreach(level x86-64-v3 x86-64-v4)
    check_cxx_compiler_flag(-march=${level} PULLBACK_HAS_${level})
    if(PULLBACK_HAS_${level})
      list(APPEND kernel_levels ${level})
    endif()
  endforeach()
endif()

# One formula takes the compiler a third of a second, most of it for what all begin with: several at once.
foreach(level ${kernel_levels})
  set(target kernels-${level})
  add_library(${target} MODULE ${kernel_sources} ${engine_folder}/kernel_runtime.cpp cmake/kernel_level.cpp
                               ${sources_header})
  set_target_properties(${target} PROPERTIES PREFIX "" UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  set_source_files_properties(${engine_folder}/kernel_runtime.cpp cmake/kernel_level.cpp
                              ${kernel_folder}/library.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_compile_definitions(${target} PRIVATE PB_SEPARATE_RUNTIME)
  target_include_directories(${target} PRIVATE ${engine_folder}/include ${engine_folder}/src ${written_folder})
  target_compile_options(${target} PRIVATE -march=${level} ${kernel_options})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -mprefer-vector-width=512)
  endif()
  if(PULLBACK_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(PULLBACK_HAS_MVEC)
    target_link_libraries(${target} PRIVATE mvec m)
  endif()
  install(TARGETS ${target} LIBRARY DESTINATION pullback/engine/native)
endforeach()
