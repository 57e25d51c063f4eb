// Loops over a broadcast space, a row at a time. A row that does not lie in memory as the loop
// wants it (strided, repeated, reduced, unneeded) goes through a small buffer, so that each loop
// body is compiled once, for contiguous rows, and vectorizes.
#ifndef PULLBACK_KERNEL_LOOP_H_
#define PULLBACK_KERNEL_LOOP_H_

#include "kernel_context.h"

// Iterations do not depend on each other.
#define PB_SIMD _Pragma("omp simd")

namespace pb {

constexpr int64_t kTile = 512;  // elements of a buffered row
constexpr int64_t kTileBytes = 8 * kTile;
constexpr int64_t kGrain = 32768;  // fewer elements are not worth a second thread

// An array as a space sees it.
struct Operand {
    char* data = nullptr;
    int64_t item = 0;                   // bytes of an element of the array
    int64_t strides[PB_MAX_DIMS] = {};  // in bytes; 0 along repeated and reduced axes
    void (*load)(char* row, const char* from, int64_t stride, int64_t n) = nullptr;
    void (*store)(const char* row, char* to, int64_t stride, int64_t n) = nullptr;
    bool through = false;  // rows always go through the buffer
    bool direct = false;   // rows are used where they lie
};

// A handle to an operand's rows of T.
template <typename T>
struct Rows {
    int operand;
};

template <typename T>
PB_SETUP void load_row(char* row, const char* from, int64_t stride, int64_t n) {
    T* to = reinterpret_cast<T*>(row);
    if (stride == 0) {
        const T value = *reinterpret_cast<const T*>(from);
        for (int64_t i = 0; i < n; ++i) to[i] = value;
    } else {
        for (int64_t i = 0; i < n; ++i) to[i] = *reinterpret_cast<const T*>(from + i * stride);
    }
}

template <typename T>
PB_SETUP void store_row(const char* row, char* to, int64_t stride, int64_t n) {
    const T* from = reinterpret_cast<const T*>(row);
    for (int64_t i = 0; i < n; ++i) *reinterpret_cast<T*>(to + i * stride) = from[i];
}

class SpaceBase {
  public:
    // Merges axes that every operand walks as one, and finds which rows need no buffer.
    PB_SETUP void coalesce() {
        int last = -1;
        for (int d = 0; d < shape.ndim; ++d) {
            if (shape.at[d] == 1) continue;
            if (last >= 0 && merges(last, d)) {
                shape.at[last] *= shape.at[d];
                for (int k = 0; k < count; ++k) operands[k].strides[last] = operands[k].strides[d];
                continue;
            }
            shape.at[++last] = shape.at[d];
            for (int k = 0; k < count; ++k) operands[k].strides[last] = operands[k].strides[d];
        }
        shape.ndim = last + 1;
        for (int k = 0; k < count; ++k) {
            Operand& operand = operands[k];
            operand.direct = operand.data && !operand.through &&
                             (last < 0 || operand.strides[last] == operand.item);
        }
    }

    Shape shape;
    Operand* operands;
    int count = 0;
    bool reduces = false;

  protected:
    explicit SpaceBase(Operand* storage) : operands(storage) {}

    template <typename T, typename U>
    PB_SETUP int add(Context& context, const View<T>& view, U* data) {
        Operand& operand = operands[count];
        operand.data = const_cast<char*>(reinterpret_cast<const char*>(data));
        operand.item = sizeof(T);
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

// The space that some views broadcast to, and up to N operands that walk it.
template <int N>
class Space : public SpaceBase {
  public:
    template <typename... Shapes>
    explicit Space(Context& context, const Shapes&... shapes) : SpaceBase(storage_) {
        shape = broadcast(context, shapes...);
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
        operand.through = true;
        reduces = true;
        if (!context.dry() && context.ok()) {
            const int64_t size = target.shape.size();
            for (int64_t i = 0; i < size; ++i) reduction.totals.data[i] = Op::identity();
        }
        return reduction;
    }

  private:
    Operand storage_[N];
};

// A pass over part of a space: `next` moves to the next row, `row` gives an operand's.
class Loop {
  public:
    Loop(const SpaceBase& space, char** rows, const char** held, char* buffers, int64_t begin,
         int64_t end)
        : space_(space), rows_(rows), held_(held), buffers_(buffers), position_(begin), end_(end) {
        for (int k = 0; k < space.count; ++k) {
            held_[k] = nullptr;
            buffered_ = buffered_ || !space.operands[k].direct;
        }
    }

    PB_SETUP bool next() {
        if (size > 0) store();
        if (position_ >= end_) return false;
        const int inner = space_.shape.ndim - 1;
        int64_t index[PB_MAX_DIMS];
        int64_t rest = position_;
        for (int d = inner; d >= 0; --d) {
            index[d] = rest % space_.shape.at[d];
            rest /= space_.shape.at[d];
        }
        size = inner < 0 ? 1 : space_.shape.at[inner] - index[inner];
        if (size > end_ - position_) size = end_ - position_;
        if (buffered_ && size > kTile) size = kTile;
        for (int k = 0; k < space_.count; ++k) {
            const Operand& operand = space_.operands[k];
            char* address = operand.data;
            for (int d = 0; d <= inner && address; ++d) address += index[d] * operand.strides[d];
            rows_[k] = address;
            if (operand.load && !operand.direct)
                load(k, address, inner < 0 ? 0 : operand.strides[inner]);
        }
        position_ += size;
        return true;
    }

    template <typename T>
    T* row(Rows<T> rows) const {
        char* address =
            space_.operands[rows.operand].direct ? rows_[rows.operand] : buffer(rows.operand);
        return reinterpret_cast<T*>(address);
    }

    // The row in which a reduction's terms are left.
    template <typename Op, typename T>
    typename Op::Term* row(const Reduction<Op, T>& reduction) const {
        return row(Rows<typename Op::Term>{reduction.operand});
    }

    int64_t size = 0;  // elements of the current row

  private:
    char* buffer(int k) const { return buffers_ + k * kTileBytes; }

    // A repeated element stays in its buffer, filled once to the end.
    PB_SETUP void load(int k, const char* address, int64_t stride) {
        if (stride == 0 && held_[k] == address) return;
        space_.operands[k].load(buffer(k), address, stride, stride == 0 ? kTile : size);
        held_[k] = address;
    }

    PB_SETUP void store() {
        const int inner = space_.shape.ndim - 1;
        for (int k = 0; k < space_.count; ++k) {
            const Operand& operand = space_.operands[k];
            if (!operand.store || !operand.data || operand.direct) continue;
            operand.store(buffer(k), rows_[k], inner < 0 ? 0 : operand.strides[inner], size);
        }
    }

    const SpaceBase& space_;
    char** rows_;
    const char** held_;
    char* buffers_;
    int64_t position_;
    int64_t end_;
    bool buffered_ = false;
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
    if (context.ok() && !context.dry())
        each_between(context, space, body, context.begin(), context.end());
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_LOOP_H_
