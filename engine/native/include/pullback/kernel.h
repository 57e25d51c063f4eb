// What every generated kernel includes, besides the headers of what it calls. No standard C++
// headers, which take longer to compile than a kernel.
#ifndef PULLBACK_KERNEL_H_
#define PULLBACK_KERNEL_H_

#include "kernel_context.h"
#include "kernel_loop.h"
#include "kernel_once.h"
#ifndef PB_SEPARATE_RUNTIME
#include "kernel_runtime.h"
#endif

#endif  // PULLBACK_KERNEL_H_
