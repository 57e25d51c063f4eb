// Sums of products over named axes: what `np.einsum` computes, and its gradients.
#ifndef PULLBACK_KERNEL_CONTRACT_H_
#define PULLBACK_KERNEL_CONTRACT_H_

#include "pullback/kernel/matrices/matmul.h"

namespace pb {

constexpr int kMaxLabels = 16;

// A loop over all labels: extents, and the stride of each array along each label.
template <int N>
struct LabelSpace {
    int count = 0;
    char names[kMaxLabels] = {};
    int64_t extents[kMaxLabels] = {};
    int64_t strides[kMaxLabels][N] = {};

    PB_SETUP bool has(char name) const {
        for (int k = 0; k < count; ++k) {
            if (names[k] == name) return true;
        }
        return false;
    }

    PB_SETUP int find(Outcome& outcome, char name) {
        for (int k = 0; k < count; ++k) {
            if (names[k] == name) return k;
        }
        if (!outcome.require(count < kMaxLabels, PB_UNSUPPORTED, "more than 16 subscripts"))
            return 0;
        names[count] = name;
        extents[count] = 1;
        return count++;
    }

    // The array's axes: a letter each, and "..." for those between, which are counted from the end.
    // An axis of length one is repeated along its label.
    PB_SETUP void add(Outcome& outcome, const char* labels, const Shape& shape,
                      const int64_t* steps, int array) {
        const int unnamed = shape.ndim - letters_of(labels);
        int d = 0;
        for (; !ends(*labels) && outcome.ok(); ++labels) {
            if (*labels != '.') {
                add_axis(outcome, *labels, shape, steps, d++, array);
                continue;
            }
            for (int k = unnamed; k > 0; --k)
                add_axis(outcome, static_cast<char>(k), shape, steps, d++, array);
            labels += 2;
        }
        outcome.require(d == shape.ndim, PB_INVALID, "subscripts do not fit the number of axes");
    }

    static bool ends(char label) { return label == '\0' || label == ',' || label == '-'; }

  private:
    static int letters_of(const char* labels) {
        int letters = 0;
        for (; !ends(*labels); ++labels) letters += *labels != '.';
        return letters;
    }

    PB_SETUP void add_axis(Outcome& outcome, char name, const Shape& shape, const int64_t* steps,
                           int d, int array) {
        const int k = find(outcome, name);
        if (!outcome.require(d < shape.ndim, PB_INVALID, "more subscripts than axes")) return;
        const int64_t extent = shape.at[d];
        const bool fits = extent == 1 || extents[k] == 1 || extents[k] == extent;
        if (!outcome.require(fits, PB_INVALID, "axes of one subscript differ in length")) return;
        if (extent == 1) return;
        extents[k] = extent;
        strides[k][array] += steps[d];
    }
};

// `subscripts` past its n-th comma, or past the arrow.
inline const char* group_of(const char* subscripts, int n) {
    for (; n > 0; ++subscripts) n -= *subscripts == ',';
    return subscripts;
}
inline const char* output_of(const char* subscripts) {
    while (*subscripts != '>') ++subscripts;
    return subscripts + 1;
}

// The shape of `contract`. Subscripts are a letter per axis, such as "ij,jk->ik", and "..." for
// axes without one.
template <int N>
PB_SETUP Shape contract_shape(Outcome& outcome, const char* subscripts, const Shape (&shapes)[N]) {
    LabelSpace<1> space;
    const int64_t none[PB_MAX_DIMS] = {};
    for (int k = 0; k < N; ++k) space.add(outcome, group_of(subscripts, k), shapes[k], none, 0);
    Shape result;
    const auto append = [&](char name) {
        if (outcome.require(result.ndim < PB_MAX_DIMS, PB_UNSUPPORTED, "more than 8 axes"))
            result.at[result.ndim++] = space.extents[space.find(outcome, name)];
    };
    for (const char* label = output_of(subscripts); *label && outcome.ok(); ++label) {
        if (*label != '.') {
            append(*label);
            continue;
        }
        for (char unnamed = PB_MAX_DIMS; unnamed > 0; --unnamed) {
            if (space.has(unnamed)) append(unnamed);
        }
        label += 2;
    }
    return result;
}

// As products of matrices. False where that has too many axes.
template <typename T>
PB_SETUP bool contract_matrices(Context& context, const LabelSpace<3>& space, const View<T>& result,
                                const T* left, const T* right) {
    ProductAxes axes;
    int64_t written = 1;
    for (int k = 0; k < space.count; ++k) {
        const int64_t* steps = space.strides[k];
        axes.at[axes.count++] = {space.extents[k], steps[0], steps[1], steps[2]};
        if (steps[0]) written *= space.extents[k];
    }
    if (written != result.shape.size()) fill(context, result, T(0));  // beside a diagonal
    return multiply(context.runtime(), axes, 8 * static_cast<int>(sizeof(T)), result.data, left,
                    right, false);
}

// Adds to array 0, at each place of all labels, the product of the others.
template <typename T, int N>
PB_SETUP void add_products(const LabelSpace<N>& space, T* result, const T* const (&factors)[N]) {
    int64_t index[kMaxLabels] = {};
    int64_t count = 1;
    for (int k = 0; k < space.count; ++k) count *= space.extents[k];
    for (int64_t i = 0; i < count; ++i) {
        int64_t at[N] = {};
        for (int k = 0; k < space.count; ++k) {
            for (int array = 0; array < N; ++array) at[array] += index[k] * space.strides[k][array];
        }
        T product = T(1);
        for (int array = 1; array < N; ++array) product *= factors[array][at[array]];
        result[at[0]] += product;
        for (int k = space.count - 1; k >= 0 && ++index[k] == space.extents[k]; --k) index[k] = 0;
    }
}

// Writes the sums of the factors' products into `result`, whose labels the space has added last.
template <typename T, int N>
PB_SETUP void sum_products(Context& context, const LabelSpace<N>& space,
                           const T* const (&factors)[N], const View<T>& result) {
    if (!context.ok() || context.dry() || !result.data) return;
    if constexpr (N == 3) {
        if (result.shape.size() > 0 &&
            contract_matrices(context, space, result, factors[1], factors[2]))
            return;
    }
    fill(context, result, T(0));
    add_products(space, result.data, factors);
}

// The sum over all labels that `result` does not have of the product of the arrays.
template <typename T, int N>
PB_SETUP void contract(Context& context, const char* subscripts, const View<const T> (&arrays)[N],
                       const View<T>& result) {
    LabelSpace<N + 1> space;
    const T* factors[N + 1] = {};
    for (int k = 0; k < N; ++k) {
        const View<const T>& array = arrays[k];
        space.add(context, group_of(subscripts, k), array.shape, array.strides, k + 1);
        factors[k + 1] = array.data;
    }
    space.add(context, output_of(subscripts), result.shape, result.strides, 0);
    sum_products(context, space, factors, result);
}

// The gradient of `contract` by its array `which`: the gradient takes its place, and it that of the
// result. A label that stands twice is a diagonal, one that nothing else has is repeated.
template <typename T, int N>
PB_SETUP void contract_gradient(Context& context, const char* subscripts, int which,
                                const View<const T>& grad, const View<const T> (&arrays)[N],
                                const View<T>& result) {
    LabelSpace<N + 1> space;
    const T* factors[N + 1] = {};
    space.add(context, output_of(subscripts), grad.shape, grad.strides, 1);
    factors[1] = grad.data;
    int next = 2;
    for (int k = 0; k < N; ++k) {
        if (k == which) continue;
        const View<const T>& array = arrays[k];
        space.add(context, group_of(subscripts, k), array.shape, array.strides, next);
        factors[next++] = array.data;
    }
    space.add(context, group_of(subscripts, which), result.shape, result.strides, 0);
    sum_products(context, space, factors, result);
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_CONTRACT_H_
