// Loops that are compiled several times, for what processors have.
#pragma once

#include <cstdint>

/// Before a function: the best of its copies is chosen when the module is loaded. Sanitizers
/// instrument that choice, which comes before they are ready, so with them there is one copy.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define PB_LEVELS [[gnu::target_clones("avx512f", "avx2", "default")]]
#else
#define PB_LEVELS
#endif
