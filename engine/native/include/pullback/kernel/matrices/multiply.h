// Definitions for kernel/matrices/product.h: part of kernel/runtime.h.
#ifndef PULLBACK_KERNEL_MULTIPLY_H_
#define PULLBACK_KERNEL_MULTIPLY_H_

#include "pullback/kernel/loops/loop.h"
#include "pullback/kernel/matrices/product.h"

namespace pb {

// Axes of one role. Neighbours in memory become one.
struct AxisGroup {
    int count = 0;
    ProductAxis at[kMaxProductAxes];

    static bool continues(const ProductAxis& outer, const ProductAxis& inner) {
        return outer.result == inner.extent * inner.result &&
               outer.left == inner.extent * inner.left && outer.right == inner.extent * inner.right;
    }

    void add(const ProductAxis& axis) {
        for (int i = 0; i < count; ++i) {
            const bool inside = continues(at[i], axis);
            if (!inside && !continues(axis, at[i])) continue;
            ProductAxis both = inside ? axis : at[i];
            both.extent = at[i].extent * axis.extent;
            at[i] = at[--count];
            return add(both);
        }
        at[count++] = axis;
    }

    // Takes out the axis that a matrix has: the one of unit step in the result, else the longest.
    ProductAxis take() {
        if (count == 0) return ProductAxis{1, 0, 0, 0};
        int best = 0;
        for (int i = 1; i < count; ++i) {
            const bool unit = at[i].result == 1;
            const bool other_unit = at[best].result == 1;
            if (unit != other_unit ? unit : at[i].extent > at[best].extent) best = i;
        }
        const ProductAxis taken = at[best];
        at[best] = at[--count];
        return taken;
    }
};

// True if what is computed is the transpose: columns of the result lie next to each other.
PB_RUNTIME bool is_turned(const ProductAxes& axes) {
    bool turned = false;
    for (int k = 0; k < axes.count; ++k) {
        const ProductAxis& axis = axes.at[k];
        if (axis.extent == 1 || axis.result != 1) continue;
        if (axis.right) return false;
        turned = axis.left != 0;
    }
    return turned;
}

// Finds the matrices. False where they have too many places.
PB_RUNTIME bool find_matrices(const ProductAxes& axes, pb_product& product) {
    AxisGroup rows;
    AxisGroup columns;
    AxisGroup terms;
    AxisGroup places;
    AxisGroup summed;
    bool empty = false;
    for (int k = 0; k < axes.count; ++k) {
        const ProductAxis& axis = axes.at[k];
        empty = empty || (axis.extent == 0 && !axis.result);
        if (axis.extent == 1) continue;
        const bool both = (axis.left && axis.right) || (!axis.left && !axis.right);
        if (axis.result) {
            (both ? places : axis.left ? rows : columns).add(axis);
        } else {
            (axis.left && axis.right ? terms : summed).add(axis);
        }
    }
    const ProductAxis row = rows.take();
    const ProductAxis column = columns.take();
    const ProductAxis term = terms.take();
    product.m = row.extent;
    product.n = column.extent;
    product.k = empty ? 0 : term.extent;
    product.a_row = row.left;
    product.a_column = term.left;
    product.b_row = term.right;
    product.b_column = column.right;
    product.c_row = row.result;
    product.c_column = column.extent == 1 ? 1 : column.result;
    const AxisGroup* const stack[] = {&places, &rows, &columns, &summed, &terms};
    for (const AxisGroup* group : stack) {
        for (int i = 0; i < group->count; ++i) {
            const ProductAxis& axis = group->at[i];
            if (empty && !axis.result) continue;
            if (product.ndim == PB_MAX_DIMS) return false;
            product.shape[product.ndim] = axis.extent;
            product.a_steps[product.ndim] = axis.left;
            product.b_steps[product.ndim] = axis.right;
            product.c_steps[product.ndim++] = axis.result;
        }
    }
    return true;
}

template <typename T>
void multiply_rows(const pb_product& product, const T* a, const T* b, T* c, bool add) {
    for (int64_t i = 0; i < product.m; ++i) {
        T* sums = c + i * product.c_row;
        if (!add) {
            for (int64_t j = 0; j < product.n; ++j) sums[j * product.c_column] = T{0};
        }
        for (int64_t p = 0; p < product.k; ++p) {
            const T factor = a[i * product.a_row + p * product.a_column];
            const T* row = b + p * product.b_row;
            if (product.b_column == 1 && product.c_column == 1) {
                PB_SIMD
                for (int64_t j = 0; j < product.n; ++j) sums[j] += factor * row[j];
            } else {
                for (int64_t j = 0; j < product.n; ++j)
                    sums[j * product.c_column] += factor * row[j * product.b_column];
            }
        }
    }
}

// All places of the stack, one after the other.
template <typename T>
void multiply_here(const pb_product& product) {
    int64_t index[PB_MAX_DIMS] = {};
    int64_t count = 1;
    for (int d = 0; d < product.ndim; ++d) count *= product.shape[d];
    for (int64_t s = 0; s < count; ++s) {
        const T* a = static_cast<const T*>(product.a);
        const T* b = static_cast<const T*>(product.b);
        T* c = static_cast<T*>(product.c);
        bool add = product.add != 0;
        for (int d = 0; d < product.ndim; ++d) {
            a += index[d] * product.a_steps[d];
            b += index[d] * product.b_steps[d];
            c += index[d] * product.c_steps[d];
            add = add || (index[d] != 0 && product.c_steps[d] == 0);
        }
        multiply_rows(product, a, b, c, add);
        for (int d = product.ndim - 1; d >= 0 && ++index[d] == product.shape[d]; --d) index[d] = 0;
    }
}

PB_RUNTIME bool multiply(const pb_runtime* runtime, const ProductAxes& axes, int bits, void* result,
                         const void* left, const void* right, bool add) {
    if (is_turned(axes)) {
        ProductAxes turned = axes;
        for (int k = 0; k < axes.count; ++k) {
            turned.at[k].left = axes.at[k].right;
            turned.at[k].right = axes.at[k].left;
        }
        return multiply(runtime, turned, bits, result, right, left, add);
    }
    pb_product product = {};
    if (!find_matrices(axes, product)) return false;
    product.bits = bits;
    product.add = add;
    product.a = left;
    product.b = right;
    product.c = result;
    const bool dense = product.c_column == 1 && (product.m == 1 || product.c_row >= product.n);
    const bool large = product.m * product.n * product.k >= kSmallProduct;
    if (runtime && runtime->gemm && dense && large) {
        runtime->gemm(runtime->context, &product);
    } else if (bits == 32) {
        multiply_here<float>(product);
    } else {
        multiply_here<double>(product);
    }
    return true;
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_MULTIPLY_H_
