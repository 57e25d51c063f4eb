# find_package(pullback): what a C++ program needs of the installed package. None of it needs Python at run time.
#
#   pullback::pullback   tensors, operators and gradients, see pullback/pullback.h
#   pullback::operators  a shared library of operators for `pullback.load_operator`, see pullback/define_operator.h
#   pullback::headers    headers of the kernel interface: for programs that call generated kernels
#
# `pullback config --cmakedir` prints the folder of this file, for -Dpullback_DIR.
include(CMakeFindDependencyMacro)
find_dependency(Threads)

get_filename_component(_pullback_native "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
set(_pullback_library "${_pullback_native}/libpullback.a")
if(NOT EXISTS "${_pullback_library}")
  # Installed from a source tree that is still used: the library is where the package's module is.
  find_dependency(Python COMPONENTS Interpreter)
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -m pullback config --library
    OUTPUT_VARIABLE _pullback_library
    OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()

if(NOT TARGET pullback::headers)
  add_library(pullback::headers INTERFACE IMPORTED)
  set_target_properties(
    pullback::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_pullback_native}/include"
                                 INTERFACE_COMPILE_FEATURES cxx_std_20)
  add_library(pullback::operators INTERFACE IMPORTED)
  set_target_properties(
    pullback::operators PROPERTIES INTERFACE_LINK_LIBRARIES pullback::headers INTERFACE_COMPILE_DEFINITIONS
                                                                              PULLBACK_OPERATOR_LIBRARY)
  # Vectorized functions of glibc, which the kernels of a build beside such a library call.
  find_library(PULLBACK_MVEC NAMES mvec libmvec.so.1)
  mark_as_advanced(PULLBACK_MVEC)
  add_library(pullback::pullback STATIC IMPORTED)
  set_target_properties(
    pullback::pullback
    PROPERTIES IMPORTED_LOCATION "${_pullback_library}"
               INTERFACE_LINK_LIBRARIES
               "pullback::headers;$<$<BOOL:${PULLBACK_MVEC}>:${PULLBACK_MVEC}>;Threads::Threads;${CMAKE_DL_LIBS};m")
endif()
unset(_pullback_native)
unset(_pullback_library)
