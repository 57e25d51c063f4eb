// Passes over broadcast spaces, a row at a time. A row that does not lie in memory as the loop
// wants it (strided, repeated, reduced, unneeded, too large for the caches) goes through a small
// buffer, so that each loop body is compiled once, for contiguous rows, and vectorizes.
#ifndef PULLBACK_KERNEL_LOOP_H_
#define PULLBACK_KERNEL_LOOP_H_

#include "pullback/kernel/context.h"

// Iterations do not depend on each other.
// Define PB_OPENMP_SIMD where the compiler is given -fopenmp-simd; loops are plain without it.
// PB_SIMD_OVER says besides which variables collect something: PB_SIMD_OVER(reduction(+ : total)).
#define PB_PRAGMA(...) _Pragma(#__VA_ARGS__)
#ifdef PB_OPENMP_SIMD
#define PB_SIMD _Pragma("omp simd")
#define PB_SIMD_OVER(...) PB_PRAGMA(omp simd __VA_ARGS__)
#else
#define PB_SIMD
#define PB_SIMD_OVER(...)
#endif

namespace pb {

class Group;
class Loop;
class RowLoop;

// How rows of terms become totals, and totals a result: one table for each kind and type of term.
struct Reducer {
    int64_t term_bytes;
    int64_t total_bytes;
    DLDataType term;
    bool has_identity;
    void (*clear)(char* totals, int64_t count);
    // Rows of `width` terms, one behind the other, to totals `stride` bytes apart; the first ones
    // of the rows are `step` bytes apart.
    void (*accumulate)(const char* terms, int64_t width, int64_t rows, char* totals, int64_t stride,
                       int64_t step);
    void (*combine)(char* totals, const char* others, int64_t count);
    // Totals, each divided by `divisor`, as elements of a dtype.
    void (*finish)(const char* totals, double divisor, char* to, int64_t stride, int64_t count,
                   DLDataType dtype);
};

PB_RUNTIME const Reducer* reducer(char op, DLDataType term);

template <typename T, char kOp>
struct Reduction {
    using Term = T;
    static const Reducer* table() { return reducer(kOp, TypeOf<T>::kDtype); }
};
template <typename T>
using Sum = Reduction<T, '+'>;
template <typename T>
using Prod = Reduction<T, '*'>;
template <typename T>
using Max = Reduction<T, '>'>;
template <typename T>
using Min = Reduction<T, '<'>;

// Bytes from the first to behind the last element of an array.
struct Stretch {
    const char* begin = nullptr;
    const char* end = nullptr;

    bool meets(const Stretch& other) const {
        return begin && other.begin && begin < other.end && other.begin < end;
    }
};

// An array as a space sees it. Strides are in bytes, 0 along repeated and reduced axes.
struct Operand {
    char* data = nullptr;
    int64_t item = 0;      // bytes of an element of the array
    int64_t row_item = 0;  // and of a row, where a reduction's terms are of another type
    int64_t strides[PB_MAX_DIMS] = {};
    int64_t steps[PB_MAX_DIMS] = {};  // strides of the merged axes
    Stretch stretch;                  // that it reads, or leaves in memory
    bool reads = false;
    bool streams = false;  // is stored past the caches
    bool unit = false;     // a row lies in memory as the loop wants it
    bool dense = false;    // consecutive rows follow each other in memory
    bool flat = false;     // both
    bool along = false;    // so do those along the last but one axis
    bool once = false;     // has one element for all of a row, if the loop goes by rows
    bool still = false;    // is the same for all rows
    int buffer = 0;        // which one its rows go through

    // Of a reduction: how, to what, of how many terms each.
    const Reducer* reducer = nullptr;
    AnyView target = {};
    int64_t target_strides[PB_MAX_DIMS] = {};  // along the space's axes, in bytes
    int64_t target_item = 0;
    DLDataType target_dtype = {};
    bool mean = false;
    int source = -1;     // the operand whose rows are its terms, if the loop does not write them
    int64_t copies = 1;  // of the totals, for as many parts of the space
    int64_t copy_bytes = 0;  // from one to the next, where they are used
    bool crosses = false;    // parts of the rows add to the same totals
    int64_t results = 0;     // of one row of the group, unless they do

    // What it reads, or leaves in memory, and how the space's axes walk that.
    const char* array() const { return reducer ? target.data : data; }
    const int64_t* array_strides() const { return reducer ? target_strides : strides; }
};

// An operand's rows of T, by its number in its space. A constant is no part of a loop's closure.
template <typename T>
struct Rows {
    int operand;
};

// A pass: a broadcast space, the operands that walk it, and the loop's body.
class Space {
  public:
    // Widens the space to a gradient's shape. It can be too small only where every gradient that
    // would have widened it is undefined, and so all terms are zero.
    void cover(const Shape& gradient);

    // Operands, added in the order of their numbers: what is read, and what is written.
    template <typename T>
    void read(Rows<const Plain<T>> rows, const View<T>& view);

    template <typename T>
    void write(Rows<T> rows, const View<T>& view);

    // Reduces rows to `target`, which has length one (or no axis, in front) where terms are summed.
    template <typename Op, typename T>
    void reduce(Rows<typename Op::Term> rows, const View<T>& target, bool mean = false);

    // The same for what has one element for all of a row.
    template <typename T>
    void read_once(Rows<const Plain<T>> rows, const View<T>& view);
    template <typename Op, typename T>
    void reduce_once(Rows<typename Op::Term> rows, const View<T>& target, bool mean = false);

    // The terms of a reduction are an operand's rows as they are: the loop does not write them.
    template <typename T>
    void terms(Rows<T> reduction, Rows<const T> rows) {
        operands[reduction.operand].source = rows.operand;
    }

    // All that the pass does is to reduce rows as they are.
    void no_loop();

    // The loop computes for longer than it takes to bring its rows from memory.
    void computes_long() { long_ = true; }

    // The loop, run when the passes are.
    template <typename Body>
    void each(const Body& body) {
        keep(body);
        body_ = [](const void* closure, Loop& loop) { (*static_cast<const Body*>(closure))(loop); };
    }

    // The same for a loop that goes by rows where they are long enough.
    template <typename Body>
    void each_row(const Body& body) {
        may_go_by_rows = true;
#if !defined(PB_ONLY_ROWS) || PB_ONLY_ROWS == 0
        each(body);
#endif
#if !defined(PB_ONLY_ROWS) || PB_ONLY_ROWS == 1
        keep(body);
        row_body_ = [](const void* closure, RowLoop& loop) {
            (*static_cast<const Body*>(closure))(loop);
        };
#endif
    }

    Shape shape;
    Shape merged;  // axes that every operand walks as one are one
    Operand* operands = nullptr;
    int count = 0;
    Context* context = nullptr;

    bool may_go_by_rows = false;
    int64_t row = 1;  // elements of one row of the group
    bool by_rows = false;
    int buffers = 0;       // that rows go through
    bool streams = false;  // an operand does

    // Rows that are prefetched beside those of the loop: the first one, and the bytes of an
    // element.
    struct Ask {
        const char* rows;
        int64_t item;
    };
    static constexpr int kAsks = 4;
    Ask asks[kAsks] = {};
    int ask_count = 0;

    void run(Loop& loop) const { body_(closure_, loop); }
    void run(RowLoop& loop) const { row_body_(closure_, loop); }
    // True if somebody needs something that the pass writes.
    bool is_needed() const {
        bool needed = false;
        for (int k = 0; k < count; ++k)
            needed = needed || (!operands[k].reads && operands[k].array());
        return needed;
    }
    bool is_long() const { return long_; }
    // True if the loop goes through rows and stores none, which leaves the memory idle.
    bool only_reduces() const {
        bool only = by_rows;
        for (int k = 0; k < count; ++k)
            only = only && (operands[k].reads || (operands[k].reducer && operands[k].once));
        return only;
    }
    // True if the loop is compiled for rows as they are.
    bool is_compiled() const { return by_rows ? row_body_ != nullptr : body_ != nullptr; }

  private:
    Operand& begin(int k);
    PB_APART void add(int k, const AnyView& view, int64_t item, bool reads);
    PB_APART void add_reduction(int k, const Reducer* how, const AnyView& target, DLDataType dtype,
                                bool mean);
    void place(const AnyView& view, int64_t item, int64_t* strides);

    template <typename Body>
    void keep(const Body& body) {
        static_assert(sizeof(Body) <= sizeof closure_, "a loop captures too much");
        __builtin_memcpy(closure_, static_cast<const void*>(&body), sizeof(Body));
    }

    bool long_ = false;
    void (*body_)(const void* closure, Loop& loop) = nullptr;
    void (*row_body_)(const void* closure, RowLoop& loop) = nullptr;
    alignas(16) char closure_[512] = {};
};

// Passes that run one after the other: over all of memory, or, where rows of one need only the
// same rows of those before, over a block of rows that stays in the cache.
class PassList {
  public:
    Space& space(const Shape& shape);
    void run();
    // The same for a kernel that is one loop without reductions: its units are the elements.
    void run_units();

  protected:
    PassList(Context& context, Space* spaces, Operand* operands)
        : context_(context), spaces_(spaces), operands_(operands) {}

  private:
    bool prepare(Group& group);
    void keep_needed();

    Context& context_;
    Space* spaces_;
    Operand* operands_;
    int count_ = 0;
};

// So many passes with so many operands in all.
template <int P, int N>
class Passes : public PassList {
  public:
    explicit Passes(Context& context)
        : PassList(context, reinterpret_cast<Space*>(own_), reinterpret_cast<Operand*>(pool_)) {}

  private:
    // Filled as passes and operands are added.
    alignas(Space) unsigned char own_[P * sizeof(Space)];
    alignas(Operand) unsigned char pool_[N * sizeof(Operand)];
};

// A pass over part of a space: `next` moves to the next stretch, `row` gives an operand's. A
// stretch is a row or a part of one; where rows are short, several at once.
class Loop {
  public:
    bool next();

    template <typename T>
    T* row(Rows<T> rows) const {
        return reinterpret_cast<T*>(rows_[rows.operand]);
    }

    // What has one element for all of a row, and the terms of a reduction along rows, are rows like
    // others here. The total is that of a loop by rows.
    template <typename T>
    T* once(Rows<T> rows) const {
        return row(rows);
    }
    template <typename Total, typename T>
    static Total sum(Total total, T* place, T term) {
        *place = term;
        return total;
    }
    template <typename Total, typename T>
    static Total product(Total total, T* place, T term) {
        return sum(total, place, term);
    }
    template <typename T>
    static T largest(T total, T* place, T term) {
        return sum(total, place, term);
    }
    template <typename T>
    static T smallest(T total, T* place, T term) {
        return sum(total, place, term);
    }
    template <typename T, typename Total>
    void add(Rows<T>, Total) const {}
    template <typename T, typename Total>
    void multiply(Rows<T>, Total) const {}
    template <typename T>
    void raise(Rows<T>, T, int) const {}
    template <typename T>
    void lower(Rows<T>, T, int) const {}

    int64_t size;  // elements of the current stretch

  protected:
    friend class Group;
    struct Memory {
        char** rows;
        const char** held;
        char* buffers;
        int64_t stretch;  // elements that fit each operand's buffer
        char** totals;    // of each operand
        int64_t* moves;
    };
    // A loop has no constructor: it lies in memory of a size that is not known before.
    void start(const Space& space, const Memory& memory, int64_t begin);
    // What follows, up to `end`. Other passes may have used the buffers since.
    void go_on(int64_t end);

    char* address_of(int k, const int64_t* index) const;
    // True if the stretch is used where it lies.
    bool lies_there(const Operand& operand) const {
        if (stretch_rows_ == 1) return operand.unit;
        return width_ == extent_ && (operand.flat || (ends_with_axis_ && operand.along));
    }
    char* buffer_of(int k) const { return buffers_ + space_->operands[k].buffer * buffer_bytes_; }
    bool is_flat(const Space& space) const;
    bool only_streams(const Space& space) const;
    bool next_of_flat();
    bool next_of_streams();
    void begin_rows();
    void load(int k);
    void store(int k, char* rows) const;
    void finish_stretch();
    void advance(int64_t* index, int64_t by) const;
    // Rows from this one to the end of the last but one axis.
    int64_t rows_along(const int64_t* index) const {
        return inner_ > 0 ? space_->merged.at[inner_ - 1] - index[inner_ - 1] : 1;
    }
    template <typename Move>
    void each_run(int k, char* rows, const Move& move) const;

    const Space* space_;
    char** rows_;
    const char** held_;
    char* buffers_;
    char** bases_;
    int64_t buffer_bytes_;
    int64_t position_;
    int64_t end_;
    bool flat_;     // every operand is one stretch of memory
    bool streams_;  // so is each, but some results go past the caches
    int inner_;
    int64_t extent_;              // elements of a row
    int64_t longest_;             // elements of a row that are done at once
    int64_t together_;            // rows that are done at once
    bool ends_with_axis_;         // whether these end where the last but one axis does
    int64_t index_[PB_MAX_DIMS];  // of the current row
    int64_t column_;              // in the current row
    int64_t last_column_;         // where this part of the row ends
    int64_t stretch_rows_;
    int64_t width_;  // elements of each row of the stretch
    int64_t held_size_;
};

}  // namespace pb

#endif  // PULLBACK_KERNEL_LOOP_H_
