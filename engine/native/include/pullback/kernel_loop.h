// Loops over a broadcast space, a row at a time. A row that does not lie in memory as the loop
// wants it (strided, repeated, reduced, unneeded) goes through a small buffer, so that each loop
// body is compiled once, for contiguous rows, and vectorizes.
#ifndef PULLBACK_KERNEL_LOOP_H_
#define PULLBACK_KERNEL_LOOP_H_

#include "kernel_context.h"

// Iterations do not depend on each other.
// Define PB_OPENMP_SIMD where the compiler is given -fopenmp-simd; loops are plain without it.
#ifdef PB_OPENMP_SIMD
#define PB_SIMD _Pragma("omp simd")
#else
#define PB_SIMD
#endif

namespace pb {

constexpr int64_t kTile = 512;  // elements of a buffered row
constexpr int64_t kTileBytes = 8 * kTile;
constexpr int64_t kGrain = 32768;  // fewer elements are not worth a second thread

// An array as a space sees it.
struct Operand {
    char* data = nullptr;
    int64_t item = 0;      // bytes of an element of the array
    int64_t row_item = 0;  // and of a row, where a reduction's terms are of another type
    int64_t strides[PB_MAX_DIMS] = {};  // in bytes; 0 along repeated and reduced axes
    void (*load)(char* row, const char* from, int64_t stride, int64_t n) = nullptr;
    void (*store)(const char* row, char* to, int64_t stride, int64_t n) = nullptr;
    bool through = false;  // rows always go through the buffer
    bool unit = false;     // a row lies in memory as the loop wants it
    bool flat = false;     // so do consecutive rows
};

// A handle to an operand's rows of T.
template <typename T>
struct Rows {
    int operand;
};

template <typename T>
__attribute__((noinline)) void load_row(char* row, const char* from, int64_t stride, int64_t n) {
    T* to = reinterpret_cast<T*>(row);
    if (stride == 0) {
        const T value = *reinterpret_cast<const T*>(from);
        for (int64_t i = 0; i < n; ++i) to[i] = value;
    } else {
        for (int64_t i = 0; i < n; ++i) to[i] = *reinterpret_cast<const T*>(from + i * stride);
    }
}

template <typename T>
__attribute__((noinline)) void store_row(const char* row, char* to, int64_t stride, int64_t n) {
    const T* from = reinterpret_cast<const T*>(row);
    for (int64_t i = 0; i < n; ++i) *reinterpret_cast<T*>(to + i * stride) = from[i];
}

// The accumulated form of a reduction's result.
template <typename Op, typename T>
struct Reduction {
    View<T> target;
    View<typename Op::Total> totals;  // data is null where nothing is reduced
    int operand = 0;
    int64_t terms = 1;  // how many each result is made of

    // Once all rows are in. Only the mean divides.
    PB_SETUP void finish(const Context& context, bool mean = false) const {
        if (!context.ok() || context.dry() || !totals.data || !target.data) return;
        int64_t index[PB_MAX_DIMS] = {};
        const int64_t size = target.shape.size();
        for (int64_t i = 0; i < size; ++i) {
            int64_t offset = 0;
            for (int d = 0; d < target.shape.ndim; ++d) offset += index[d] * target.strides[d];
            const auto total = totals.data[i];
            target.data[offset] =
                static_cast<T>(mean ? total / static_cast<typename Op::Total>(terms) : total);
            for (int d = target.shape.ndim - 1; d >= 0 && ++index[d] == target.shape.at[d]; --d)
                index[d] = 0;
        }
    }
};

class SpaceBase {
  public:
    // Merges axes that every operand walks as one, and finds which rows need no buffer.
    PB_SETUP void coalesce() {
        int last = -1;
        for (int d = 0; d < shape.ndim; ++d) {
            if (shape.at[d] == 1) continue;
            const bool merged = last >= 0 && merges(last, d);
            if (!merged) ++last;
            shape.at[last] = shape.at[d] * (merged ? shape.at[last] : 1);
            for (int k = 0; k < count; ++k) operands[k].strides[last] = operands[k].strides[d];
        }
        shape.ndim = last + 1;
        for (int k = 0; k < count; ++k) {
            Operand& operand = operands[k];
            int64_t expected = operand.item;
            operand.unit = operand.data && !operand.through;
            operand.unit = operand.unit && (last < 0 || operand.strides[last] == expected);
            operand.flat = operand.unit;
            for (int d = last; d >= 0; --d) {
                operand.flat = operand.flat && operand.strides[d] == expected;
                expected *= shape.at[d];
            }
        }
    }

    // Widens the space to a gradient's shape. It can be too small only where every gradient that
    // would have widened it is undefined, and so all terms are zero.
    PB_SETUP void cover(Context& context, const Shape& gradient) {
        if (context.some_undefined) join(shape, gradient);
    }

    template <typename T>
    PB_SETUP Rows<const Plain<T>> read(Context& context, const View<T>& view) {
        const int k = add(context, view, view.data);
        operands[k].load = load_row<Plain<T>>;
        return {k};
    }

    template <typename T>
    PB_SETUP Rows<T> write(Context& context, const View<T>& view) {
        const int k = add(context, view, view.data);
        operands[k].store = store_row<T>;
        return {k};
    }

    // Reduces rows to `target`, which has length one (or no axis, in front) where terms are summed.
    template <typename Op, typename T>
    PB_SETUP Reduction<Op, T> reduce(Context& context, const View<T>& target) {
        Reduction<Op, T> reduction{target, {}, count, 1};
        context.require(Op::kHasIdentity || shape.size() > 0 || target.shape.size() == 0,
                        PB_INVALID, "a reduction without an identity over nothing");
        if (target.shape.size() > 0) reduction.terms = shape.size() / target.shape.size();
        if (Op::template keeps<T>() && reduction.terms == 1 && shape.size() > 0) {
            add(context, target, target.data);
            operands[reduction.operand].store = store_row<T>;
            return reduction;
        }
        reduction.totals = context.scratch<typename Op::Total>(target.shape);
        add(context, reduction.totals, reduction.totals.data);
        Operand& operand = operands[reduction.operand];
        operand.store = Op::accumulate;
        operand.row_item = sizeof(typename Op::Term);
        operand.through = true;
        reduces = true;
        if (!context.dry() && context.ok()) {
            const int64_t size = target.shape.size();
            for (int64_t i = 0; i < size; ++i) reduction.totals.data[i] = Op::identity();
        }
        return reduction;
    }

    Shape shape;
    Operand* operands;
    int count = 0;
    bool reduces = false;

  protected:
    SpaceBase(Operand* storage, const Shape& broadcast) : shape(broadcast), operands(storage) {}

    template <typename T, typename U>
    PB_SETUP int add(Context& context, const View<T>& view, U* data) {
        Operand& operand = operands[count];
        operand.data = const_cast<char*>(reinterpret_cast<const char*>(data));
        operand.item = sizeof(T);
        operand.row_item = sizeof(T);
        const int lead = shape.ndim - view.shape.ndim;
        if (!context.require(broadcasts(view.shape, shape), PB_INVALID, "shapes do not broadcast"))
            return count++;
        for (int d = lead; d < shape.ndim; ++d) {
            const bool repeated = view.shape.at[d - lead] == 1;
            operand.strides[d] = repeated ? 0 : view.strides[d - lead] * operand.item;
        }
        return count++;
    }

  private:
    bool merges(int outer, int inner) const {
        for (int k = 0; k < count; ++k) {
            const int64_t* strides = operands[k].strides;
            if (strides[outer] != strides[inner] * shape.at[inner]) return false;
        }
        return true;
    }
};

// The space of a broadcast, and up to N operands that walk it.
template <int N>
class Space : public SpaceBase {
  public:
    Space(Context& context, const Shape& broadcast) : SpaceBase(storage_, broadcast) {
        context.require(broadcast.ndim <= PB_MAX_DIMS, PB_UNSUPPORTED, "more than 8 axes");
    }

  private:
    Operand storage_[N];
};

// A pass over part of a space: `next` moves to the next stretch, `row` gives an operand's. A
// stretch is a row or a part of one; where rows are short, several at once.
class Loop {
  public:
    Loop(const SpaceBase& space, char** rows, const char** held, char* buffers, int64_t begin,
         int64_t end)
        : space_(space), rows_(rows), held_(held), buffers_(buffers), position_(begin), end_(end) {
        inner_ = space.shape.ndim - 1;
        extent_ = inner_ < 0 ? 1 : space.shape.at[inner_];
        bool buffered = false;
        for (int k = 0; k < space.count; ++k) {
            held_[k] = nullptr;
            buffered = buffered || !space.operands[k].unit;
        }
        longest_ = buffered ? kTile : extent_;
        together_ = extent_ <= kTile / 2 ? kTile / extent_ : 1;
        int64_t rest = extent_ > 0 ? begin / extent_ : 0;
        for (int d = inner_ - 1; d >= 0; --d) {
            index_[d] = rest % space.shape.at[d];
            rest /= space.shape.at[d];
        }
        offset_ = extent_ > 0 ? begin % extent_ : 0;
    }

    __attribute__((noinline)) bool next() {
        if (size > 0) finish_stretch();
        if (position_ >= end_) return false;
        const int64_t left = end_ - position_;
        stretch_rows_ = offset_ == 0 && left >= extent_ ? left / extent_ : 1;
        if (stretch_rows_ > together_) stretch_rows_ = together_;
        width_ = extent_ - offset_;
        if (width_ > longest_) width_ = longest_;
        if (width_ > left) width_ = left;
        size = stretch_rows_ * width_;
        for (int k = 0; k < space_.count; ++k) {
            const Operand& operand = space_.operands[k];
            char* address = address_of(operand, index_);
            const bool direct = stretch_rows_ > 1 ? operand.flat : operand.unit;
            rows_[k] = direct ? address : buffers_ + k * kTileBytes;
            if (!direct && operand.load) load(k, address);
        }
        return true;
    }

    template <typename T>
    T* row(Rows<T> rows) const {
        return reinterpret_cast<T*>(rows_[rows.operand]);
    }

    // The row in which a reduction's terms are left.
    template <typename Op, typename T>
    typename Op::Term* row(const Reduction<Op, T>& reduction) const {
        return row(Rows<typename Op::Term>{reduction.operand});
    }

    int64_t size = 0;  // elements of the current stretch

  private:
    char* address_of(const Operand& operand, const int64_t* index) const {
        if (!operand.data) return nullptr;
        char* address = operand.data;
        for (int d = 0; d < inner_; ++d) address += index[d] * operand.strides[d];
        return inner_ < 0 ? address : address + offset_ * operand.strides[inner_];
    }

    int64_t stride_of(const Operand& operand) const {
        return inner_ < 0 ? 0 : operand.strides[inner_];
    }

    void advance(int64_t* index) const {
        for (int d = inner_ - 1; d >= 0; --d) {
            if (++index[d] < space_.shape.at[d]) return;
            index[d] = 0;
        }
    }

    // Calls move(buffer row, address) for each row of the stretch.
    template <typename Move>
    void each_row(int k, const Move& move) const {
        const Operand& operand = space_.operands[k];
        char* buffer = buffers_ + k * kTileBytes;
        int64_t index[PB_MAX_DIMS];
        for (int d = 0; d < inner_; ++d) index[d] = index_[d];
        for (int64_t r = 0; r < stretch_rows_; ++r) {
            move(buffer, address_of(operand, index));
            buffer += width_ * operand.row_item;
            advance(index);
        }
    }

    // What is the same for every row stays in its buffer, filled once.
    void load(int k, const char* address) {
        const Operand& operand = space_.operands[k];
        const int64_t stride = stride_of(operand);
        bool same = stride == 0 || extent_ <= longest_;
        for (int d = 0; d < inner_; ++d) same = same && operand.strides[d] == 0;
        if (same && held_[k] == address && held_size_ >= size) return;
        each_row(k, [&](char* row, const char* from) { operand.load(row, from, stride, width_); });
        held_[k] = address;
    }

    void finish_stretch() {
        for (int k = 0; k < space_.count; ++k) {
            const Operand& operand = space_.operands[k];
            const bool direct = stretch_rows_ > 1 ? operand.flat : operand.unit;
            if (!operand.store || !operand.data || direct) continue;
            const int64_t stride = stride_of(operand);
            each_row(k, [&](const char* row, char* to) { operand.store(row, to, stride, width_); });
        }
        held_size_ = size;
        position_ += size;
        offset_ += width_;
        if (offset_ < extent_) return;
        offset_ = 0;
        for (int64_t r = 0; r < stretch_rows_; ++r) advance(index_);
    }

    const SpaceBase& space_;
    char** rows_;
    const char** held_;
    char* buffers_;
    int64_t position_;
    int64_t end_;
    int inner_;
    int64_t extent_;              // elements of a row
    int64_t longest_;             // elements of a row that are done at once
    int64_t together_;            // rows that are done at once
    int64_t index_[PB_MAX_DIMS];  // of the current row
    int64_t offset_;              // in the current row
    int64_t stretch_rows_ = 1;
    int64_t width_ = 0;  // elements of each row of the stretch
    int64_t held_size_ = 0;
};

// Calls `body(loop)` for the elements [begin, end) of the space, in parallel where that pays.
template <int N, typename Body>
void each_between(Context& context, Space<N>& space, const Body& body, int64_t begin, int64_t end) {
    struct Job {
        const Space<N>& space;
        const Body& body;
        int64_t first;
    };
    space.coalesce();
    Job job{space, body, begin};
    const auto work = [](void* argument, int64_t from, int64_t to) {
        const Job& mine = *static_cast<Job*>(argument);
        alignas(64) char buffers[N * kTileBytes];
        char* rows[N];
        const char* held[N];
        Loop loop(mine.space, rows, held, buffers, mine.first + from, mine.first + to);
        mine.body(loop);
    };
    const pb_runtime* runtime = context.runtime();
    const int64_t size = end - begin;
    if (runtime && runtime->parallel_for && size >= 2 * kGrain && !space.reduces) {
        runtime->parallel_for(runtime->context, size, kGrain, work, &job);
    } else if (size > 0) {
        work(&job, 0, size);
    }
}

template <int N, typename Body>
void each(Context& context, Space<N>& space, const Body& body) {
    if (context.ok() && !context.dry()) each_between(context, space, body, 0, space.shape.size());
}

// The same for a kernel that is this one loop: its units are the elements.
template <int N, typename Body>
void each_unit(Context& context, Space<N>& space, const Body& body) {
    context.units = space.shape.size();
    if (!context.ok() || context.dry()) return;
    const int64_t end = context.end() < context.units ? context.end() : context.units;
    each_between(context, space, body, context.begin(), end);
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_LOOP_H_
