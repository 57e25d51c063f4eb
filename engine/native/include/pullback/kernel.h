// The header of every generated kernel, besides the headers of what it calls. No standard C++
// headers, which take longer to compile than a kernel.
#ifndef PULLBACK_KERNEL_H_
#define PULLBACK_KERNEL_H_

#include "pullback/kernel/context.h"
#include "pullback/kernel/loops/loop.h"
#include "pullback/kernel/loops/once.h"
#ifndef PB_SEPARATE_RUNTIME
#include "pullback/kernel/runtime.h"
#endif

#endif  // PULLBACK_KERNEL_H_
