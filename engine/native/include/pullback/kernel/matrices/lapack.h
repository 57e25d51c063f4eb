// LAPACK's routines, by the addresses that scipy.linalg.cython_lapack exports: NumPy's own, or the
// same of another build. Without them a kernel refuses.
#ifndef PULLBACK_KERNEL_LAPACK_H_
#define PULLBACK_KERNEL_LAPACK_H_

#include "pullback/kernel/indexing/places.h"

// Fortran's arguments, in LAPACK's order. pullback.engine.kernels.lapack has the same names.
template <typename T>
struct pb_lapack_of {
    void (*gesv)(int* n, int* columns, T* a, int* lda, int* pivots, T* b, int* ldb, int* info);
    void (*getrf)(int* m, int* n, T* a, int* lda, int* pivots, int* info);
    void (*getri)(int* n, T* a, int* lda, int* pivots, T* work, int* size, int* info);
    void (*potrf)(char* triangle, int* n, T* a, int* lda, int* info);
    void (*gesdd)(char* job, int* m, int* n, T* a, int* lda, T* s, T* u, int* ldu, T* vt, int* ldvt,
                  T* work, int* size, int* integers, int* info);
    void (*syevd)(char* job, char* triangle, int* n, T* a, int* lda, T* w, T* work, int* size,
                  int* integers, int* count, int* info);
    void (*geqrf)(int* m, int* n, T* a, int* lda, T* factors, T* work, int* size, int* info);
    void (*orgqr)(int* m, int* n, int* k, T* a, int* lda, T* factors, T* work, int* size,
                  int* info);
};
typedef struct {
    pb_lapack_of<float> single;
    pb_lapack_of<double> twice;
} pb_lapack_functions;

// Whoever loads kernels that include this header sets it before their first call.
extern "C" {
__attribute__((visibility("default"))) inline const pb_lapack_functions* pb_lapack = nullptr;
}

namespace pb {

inline const pb_lapack_of<float>& lapack(float) { return pb_lapack->single; }
inline const pb_lapack_of<double>& lapack(double) { return pb_lapack->twice; }

// The stack of matrices that a shape is. What NumPy refuses is refused, and NumPy says so.
PB_SETUP inline Shape stack_of(Outcome& outcome, const Shape& shape, bool square) {
    Shape stack = shape;
    outcome.require(pb_lapack != nullptr, PB_UNSUPPORTED, "LAPACK is not set");
    if (!outcome.require(shape.ndim >= 2, PB_UNSUPPORTED, "no matrix")) return Shape{};
    outcome.require(!square || shape[-1] == shape[-2], PB_UNSUPPORTED,
                    "a matrix that is no square");
    for (int back = 1; back <= 2; ++back)
        outcome.require(shape[-back] < 46341, PB_UNSUPPORTED, "more entries than LAPACK counts");
    stack.ndim -= 2;
    return stack;
}

// The shape of a factor: a stack, and an axis per letter: `m` rows, `n` columns, `k` the fewer.
PB_SETUP inline Shape part_shape(Outcome& outcome, const Shape& a, const char* letters) {
    Shape shape = stack_of(outcome, a, false);
    if (!outcome.ok()) return shape;
    for (; *letters; ++letters) {
        const int64_t rows = a[-2];
        const int64_t columns = a[-1];
        const int64_t fewer = rows < columns ? rows : columns;
        shape.at[shape.ndim++] = *letters == 'm' ? rows : *letters == 'n' ? columns : fewer;
    }
    return shape;
}

// Copies a matrix whose rows and columns are so many elements apart. A few rows at a time: of more,
// each would be on a page of its own.
template <typename U, typename T>
void move_matrix(const U* from, int64_t row, int64_t column, T* to, int64_t to_row,
                 int64_t to_column, int64_t rows, int64_t columns) {
    constexpr int64_t kRows = 16;
    for (int64_t first = 0; first < rows; first += kRows) {
        const int64_t last = first + kRows < rows ? first + kRows : rows;
        for (int64_t j = 0; j < columns; ++j) {
            for (int64_t i = first; i < last; ++i)
                to[i * to_row + j * to_column] = from[i * row + j * column];
        }
    }
}

// Copies the matrix at a place of a stack to columns that lie one after the other.
template <typename U, typename T>
void take_columns(const View<U>& a, const int64_t* index, T* to) {
    const int64_t row = a.strides[a.shape.ndim - 2];
    const int64_t column = a.strides[a.shape.ndim - 1];
    move_matrix(&entry(a, index), row, column, to, 1, a.shape[-2], a.shape[-2], a.shape[-1]);
}

// Copies columns that lie `leading` apart to the matrix at a place of a stack.
template <typename T>
void give_columns(const T* from, int64_t leading, const View<T>& result, const int64_t* index) {
    const int64_t row = result.strides[result.shape.ndim - 2];
    const int64_t column = result.strides[result.shape.ndim - 1];
    move_matrix(from, 1, leading, &entry(result, index), row, column, result.shape[-2],
                result.shape[-1]);
}

// What LAPACK says of a matrix: a number from 1 on where it has no such factors.
inline bool factored(Outcome& outcome, int info) {
    return outcome.require(info == 0, PB_UNSUPPORTED, "a matrix without such factors");
}

inline int as_int(int64_t extent) { return static_cast<int>(extent); }

// A matrix in LAPACK's order, of a stack whose matrices are done one after the other.
template <typename T>
T* columns_for(Context& context, int64_t rows, int64_t columns) {
    return reinterpret_cast<T*>(context.any_scratch(shape_of(rows, columns), sizeof(T), 1).data);
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_LAPACK_H_
