// Definitions for elements of any type, made once for each type that
// kernels have: part of kernel/runtime.h.
#ifndef PULLBACK_KERNEL_TYPED_H_
#define PULLBACK_KERNEL_TYPED_H_

#include "pullback/kernel/context.h"
#include "pullback/kernel/loops/loop.h"

namespace pb {

template <typename T>
bool View<T>::contiguous() const {
    return any::contiguous(erased(*this));
}

template <typename T>
View<const T> View<T>::read_only() const {
    return typed<const T>(erased(*this));
}

template <typename T>
View<T> in_c_order(T* data, const Shape& shape) {
    void* plain = const_cast<Plain<T>*>(data);
    return typed<T>(any::in_c_order(static_cast<char*>(plain), shape));
}

template <typename T>
View<T> expand_dims(const View<T>& view, unsigned axes) {
    return typed<T>(any::expand_dims(erased(view), axes));
}

template <typename T>
View<T> squeeze(Outcome& outcome, const View<T>& view, unsigned axes) {
    return typed<T>(any::squeeze(outcome, erased(view), axes));
}

template <typename T>
View<T> swapaxes(Outcome& outcome, const View<T>& view, int axis1, int axis2) {
    return typed<T>(any::swapaxes(outcome, erased(view), axis1, axis2));
}

template <typename T>
View<T> transpose(const View<T>& view) {
    return typed<T>(any::transpose(erased(view)));
}

template <typename T>
View<T> flip(const View<T>& view, unsigned axes) {
    return typed<T>(any::flip(erased(view), axes, sizeof(T)));
}

template <typename T>
View<T> broadcast_to(Outcome& outcome, const View<T>& view, const Shape& shape) {
    return typed<T>(any::broadcast_to(outcome, erased(view), shape));
}

template <typename T>
View<T> part(Outcome& outcome, const View<T>& view, int axis, int64_t start, int64_t extent) {
    return typed<T>(any::part(outcome, erased(view), axis, start, extent, sizeof(T)));
}

template <typename T>
View<const T> Context::input(int k) {
    return typed<const T>(any_input(k, TypeOf<T>::kDtype));
}

template <typename T>
View<const T> Context::gradient(int k) {
    return typed<const T>(any_gradient(k, TypeOf<T>::kDtype));
}

template <typename T>
Shape Context::like(int k) {
    return any_like(k, TypeOf<T>::kDtype);
}

template <typename T>
View<T> Context::output(int k, const Shape& shape) {
    return typed<T>(any_output(k, shape, TypeOf<T>::kDtype));
}

template <typename T>
View<T> Context::readable_output(int k, const Shape& shape) {
    return typed<T>(any_readable_output(k, shape, TypeOf<T>::kDtype));
}

template <typename T>
View<T> Context::scratch(const Shape& shape) {
    return typed<T>(any_scratch(shape, sizeof(T), 1));
}

template <typename T>
void Space::read(Rows<const Plain<T>> rows, const View<T>& view) {
    add(rows.operand, erased(view), sizeof(T), true);
}

template <typename T>
void Space::write(Rows<T> rows, const View<T>& view) {
    add(rows.operand, erased(view), sizeof(T), false);
}

template <typename Op, typename T>
void Space::reduce(Rows<typename Op::Term> rows, const View<T>& target, bool mean) {
    add_reduction(rows.operand, Op::table(), erased(target), TypeOf<T>::kDtype, mean);
}

template <typename T>
void Space::read_once(Rows<const Plain<T>> rows, const View<T>& view) {
    read(rows, view);
    operands[rows.operand].once = true;
}

template <typename Op, typename T>
void Space::reduce_once(Rows<typename Op::Term> rows, const View<T>& target, bool mean) {
    reduce<Op>(rows, target, mean);
    operands[rows.operand].once = true;
}

#ifdef PB_SEPARATE_RUNTIME

#define PB_FOR_ELEMENT(T)                                                   \
    template bool View<T>::contiguous() const;                              \
    template View<T> in_c_order(T*, const Shape&);                          \
    template View<T> expand_dims(const View<T>&, unsigned);                 \
    template View<T> squeeze(Outcome&, const View<T>&, unsigned);           \
    template View<T> swapaxes(Outcome&, const View<T>&, int, int);          \
    template View<T> transpose(const View<T>&);                             \
    template View<T> flip(const View<T>&, unsigned);                        \
    template View<T> broadcast_to(Outcome&, const View<T>&, const Shape&);  \
    template View<T> part(Outcome&, const View<T>&, int, int64_t, int64_t); \
    template void Space::read(Rows<const Plain<T>>, const View<T>&);        \
    template void Space::read_once(Rows<const Plain<T>>, const View<T>&);
#define PB_FOR_TYPE(T)                                               \
    PB_FOR_ELEMENT(T)                                                \
    PB_FOR_ELEMENT(const T)                                          \
    template View<const T> View<T>::read_only() const;               \
    template View<const T> View<const T>::read_only() const;         \
    template View<const T> Context::input<T>(int);                   \
    template View<const T> Context::gradient<T>(int);                \
    template Shape Context::like<T>(int);                            \
    template View<T> Context::output<T>(int, const Shape&);          \
    template View<T> Context::readable_output<T>(int, const Shape&); \
    template View<T> Context::scratch<T>(const Shape&);              \
    template void Space::write(Rows<T>, const View<T>&);
PB_FOR_TYPE(float)
PB_FOR_TYPE(double)
PB_FOR_TYPE(int64_t)
PB_FOR_TYPE(bool)
#undef PB_FOR_TYPE
#undef PB_FOR_ELEMENT

// Terms of T, reduced to elements of U.
#define PB_FOR_OP(Op, U)                                                   \
    template void Space::reduce<Op>(Rows<Op::Term>, const View<U>&, bool); \
    template void Space::reduce_once<Op>(Rows<Op::Term>, const View<U>&, bool);
#define PB_FOR_PAIR(T, U) \
    PB_FOR_OP(Sum<T>, U)  \
    PB_FOR_OP(Prod<T>, U) \
    PB_FOR_OP(Max<T>, U)  \
    PB_FOR_OP(Min<T>, U)
#define PB_FOR_TERM(T)      \
    PB_FOR_PAIR(T, float)   \
    PB_FOR_PAIR(T, double)  \
    PB_FOR_PAIR(T, int64_t) \
    PB_FOR_PAIR(T, bool)
PB_FOR_TERM(float)
PB_FOR_TERM(double)
PB_FOR_TERM(int64_t)
PB_FOR_TERM(bool)
#undef PB_FOR_TERM
#undef PB_FOR_PAIR
#undef PB_FOR_OP

#endif

}  // namespace pb

#endif  // PULLBACK_KERNEL_TYPED_H_
