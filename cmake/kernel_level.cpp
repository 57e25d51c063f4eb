// What a library of kernels for one level of processors exports: the table of them, and what
// sources it was built from, which have to be the module's.
#include "dispatch/builtin_kernels.h"
#include "sources.h"  // written by the build

extern "C" __attribute__((visibility("default"))) const char* pullback_kernels_built_from() {
    return PULLBACK_SOURCES;
}

extern "C" __attribute__((visibility("default"))) const pullback::BuiltinFormula* pullback_kernels(
    size_t* count) {
    const auto formulas = pullback::builtin_formulas();
    *count = formulas.size();
    return formulas.data();
}
