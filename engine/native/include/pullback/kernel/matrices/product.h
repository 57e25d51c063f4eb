// Sums of products of two arrays as products of matrices: the axes that matrices have, and those of
// a stack of them.
#ifndef PULLBACK_KERNEL_PRODUCT_H_
#define PULLBACK_KERNEL_PRODUCT_H_

#include "pullback/kernel/context.h"

namespace pb {

// An axis, and how far a step along it goes in each array; 0 where an array does not have it.
// A sum runs over the axes that the result does not have.
struct ProductAxis {
    int64_t extent;
    int64_t result;
    int64_t left;
    int64_t right;
};

constexpr int kMaxProductAxes = 16;
constexpr int64_t kSmallProduct = 16384;  // multiplications; fewer are not worth a call

struct ProductAxes {
    int count = 0;
    ProductAxis at[kMaxProductAxes];
};

// Computes it: by the caller's `gemm` where that is worth a call, else by loops. `add`: on top of
// what the result holds. False, with nothing done, where there are too many axes.
PB_RUNTIME bool multiply(const pb_runtime* runtime, const ProductAxes& axes, int bits, void* result,
                         const void* left, const void* right, bool add);

}  // namespace pb

#endif  // PULLBACK_KERNEL_PRODUCT_H_
