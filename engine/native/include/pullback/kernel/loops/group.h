// Passes that go through memory together, in parts that threads share: part of kernel/runtime.h.
#ifndef PULLBACK_KERNEL_GROUP_H_
#define PULLBACK_KERNEL_GROUP_H_

#include "pullback/kernel/loops/row_loop.h"
#include "pullback/kernel/loops/spaces.h"

namespace pb {

constexpr int64_t kBlockBytes = 131072;     // of a block of rows that goes through several passes
constexpr int64_t kLocalBytes = 65536;      // of a reduction's totals on the stack
constexpr int64_t kAheadBytes = 1 << 20;    // of an input; smaller ones are near after their use
constexpr int64_t kStreamBytes = 16 << 20;  // of an output; larger ones are stored past the caches

// Consecutive passes that go through memory together.
class Group {
  public:
    Group(Space* spaces, int count, int axes) : spaces_(spaces), count_(count) {
        for (int d = 0; d < axes; ++d) rows_ *= spaces[0].shape.at[d];
        axes_ = axes;
    }

    void prepare();
    bool is_compiled() const {
        bool all = true;
        for (int p = 0; p < count_; ++p) all = all && spaces_[p].is_compiled();
        return all;
    }
    void run(const pb_runtime* runtime, int64_t begin, int64_t end);

  private:
    static void part(void* argument, int64_t from, int64_t to);
    void run_rows(int64_t begin, int64_t end, int64_t copy) const;
    // A pass of one thread: it goes on where it stopped.
    struct Going {
        Loop::Memory memory;
        RowLoop loop;
    };
    void run_pass(const Space& space, Going& going, int64_t begin, int64_t end, int64_t copy,
                  char* local) const;
    bool crosses(const Space& space, const Operand& operand) const;
    void look_ahead();
    // Elements of a pass's buffers.
    int64_t stretch_for(const Space& space) const {
        if (!space.streams || space.by_rows) return stretch_;
        const int64_t streamed = space.count <= 3 ? kStreamFew : kStreamStretch;
        return stretch_ < streamed ? stretch_ : streamed;
    }
    bool is_used_after(int pass, const Operand& operand) const;
    int who_asks(int pass, const Operand& operand) const;
    static bool has(const Space& space, const Operand& operand);
    bool is_from_memory(int pass, const Operand& operand) const;
    void finish(const Space& space, const Operand& operand, const char* totals, int64_t begin,
                int64_t end) const;

    Space* spaces_;
    int count_;
    int axes_;
    int64_t rows_ = 1;
    int64_t begin_ = 0;
    int64_t end_ = 0;
    int64_t parts_ = 1;
    // In every other job a thread begins with the last of its parts, which the one before may have
    // left in its caches.
    bool backwards_ = false;
    int64_t block_ = 1;  // rows that go through all passes together
    int64_t stretch_ = kStretch;
    int64_t local_bytes_ = 0;
    int operands_ = 0;
    int buffers_ = 0;
};

// Merges axes that every operand walks as one, and finds which rows need no buffer.
PB_RUNTIME void merge(Space& space) {
    int last = -1;
    const Shape& shape = space.shape;
    Shape& merged = space.merged;
    for (int d = 0; d < shape.ndim; ++d) {
        if (shape.at[d] == 1) continue;
        bool joins = last >= 0;
        for (int k = 0; k < space.count && joins; ++k) {
            const Operand& operand = space.operands[k];
            joins = operand.steps[last] == operand.strides[d] * shape.at[d];
        }
        if (!joins) ++last;
        merged.at[last] = shape.at[d] * (joins ? merged.at[last] : 1);
        for (int k = 0; k < space.count; ++k)
            space.operands[k].steps[last] = space.operands[k].strides[d];
    }
    merged.ndim = last + 1;
    for (int k = 0; k < space.count; ++k) {
        Operand& operand = space.operands[k];
        int64_t expected = operand.item;
        operand.unit = operand.data && !operand.reducer && !operand.streams && operand.source < 0;
        operand.unit = operand.unit && (last < 0 || operand.steps[last] == expected);
        operand.dense = true;
        const int64_t row = last < 0 ? 0 : expected * merged.at[last];
        operand.along = operand.unit && (last < 1 || operand.steps[last - 1] == row);
        for (int d = last; d >= 0; --d) {
            operand.dense = operand.dense && operand.steps[d] == expected;
            expected *= merged.at[d];
        }
        operand.flat = operand.unit && operand.dense;
    }
    space.by_rows = goes_by_rows(space);
    bool across = false;
    for (int k = 0; k < space.count; ++k) across = across || lies_across(space.operands[k], last);
    space.buffers = 0;
    for (int k = 0; k < space.count; ++k) {
        Operand& operand = space.operands[k];
        operand.buffer = space.buffers;
        const bool well = space.by_rows ? lies_well(operand) : operand.flat && !across;
        if (!well && operand.source < 0) ++space.buffers;
    }
}

// True if parts of the rows add to the same totals.
PB_RUNTIME bool Group::crosses(const Space& space, const Operand& operand) const {
    if (!operand.reducer) return false;
    for (int d = 0; d < axes_; ++d) {
        if (space.shape.at[d] > 1 && operand.strides[d] == 0) return true;
    }
    return false;
}

PB_RUNTIME void Group::prepare() {
    int64_t row_bytes = 0;
    int64_t elements = 0;
    int64_t copies = kParts;
    for (int p = 0; p < count_; ++p) {
        Space& space = spaces_[p];
        elements += space.shape.size();
        space.row = space.shape.size() / rows_;
        if (space.count > operands_) operands_ = space.count;
        for (int k = 0; k < space.count; ++k) {
            Operand& operand = space.operands[k];
            const int64_t bytes = operand.stretch.end - operand.stretch.begin;
            row_bytes += bytes / rows_;
            operand.crosses = crosses(space, operand);
            operand.results = operand.reducer ? operand.target.shape.size() / rows_ : 0;
            if (operand.crosses) {
                if (operand.copies < copies) copies = operand.copies;
                operand.copy_bytes = operand.target.shape.size() * operand.item;
            }
            operand.streams = !operand.reads && !operand.reducer && bytes >= kStreamBytes &&
                              !is_used_after(p, operand);
            space.streams = space.streams || operand.streams;
        }
        merge(space);
        if (space.buffers > buffers_) buffers_ = space.buffers;
    }
    const int64_t fits = kBuffers / (kItem * (buffers_ > 0 ? buffers_ : 1)) & ~int64_t{63};
    if (stretch_ > fits) stretch_ = fits;
    if (stretch_ < 64) stretch_ = 64;
    parts_ = elements / kGrain;
    if (parts_ > copies) parts_ = copies;
    if (parts_ < 1) parts_ = 1;
    block_ = rows_;
    if (count_ > 1) block_ = row_bytes > 0 ? kBlockBytes / row_bytes : rows_;
    if (block_ < 1) block_ = 1;
    // Totals that no other part adds to stay on the stack, as many as fit.
    int64_t totals = 0;
    for (int p = 0; p < count_; ++p) {
        for (int k = 0; k < spaces_[p].count; ++k) {
            const Operand& operand = spaces_[p].operands[k];
            if (operand.reducer && !operand.crosses) totals += operand.results * operand.item;
        }
    }
    if (totals > 0 && totals <= kLocalBytes) {
        if (block_ > kLocalBytes / totals) block_ = kLocalBytes / totals;
        local_bytes_ = totals * block_;
    }
    look_ahead();
}

// A pass that stores no rows leaves the memory idle while it goes through those that the cache has.
// Meanwhile it asks for what comes next: of this block, or of the next one if that is an earlier
// pass. One that computes long asks for all that others bring from memory, once each; where there
// is none, a pass asks for what it reads again.
PB_RUNTIME void Group::look_ahead() {
    if (block_ >= rows_) return;
    for (int p = 0; p < count_; ++p) {
        for (int k = 0; k < spaces_[p].count; ++k) {
            const Operand& operand = spaces_[p].operands[k];
            if (!is_from_memory(p, operand)) continue;
            const int asks = who_asks(p, operand);
            if (asks < 0 || spaces_[asks].ask_count == Space::kAsks) continue;
            const int64_t block = asks > p ? block_ * spaces_[p].row * operand.item : 0;
            Space& space = spaces_[asks];
            space.asks[space.ask_count++] = {operand.data + block, operand.item};
        }
    }
}

// Which pass asks for what this one brings from memory, or -1.
PB_RUNTIME int Group::who_asks(int pass, const Operand& operand) const {
    const int64_t row = spaces_[pass].row;
    for (int p = 0; p < count_; ++p) {
        const Space& space = spaces_[p];
        if (p != pass && space.row == row && space.is_long() && space.only_reduces()) return p;
    }
    for (int p = pass + 1; p < count_; ++p) {
        const Space& space = spaces_[p];
        if (has(space, operand)) return space.row == row && space.only_reduces() ? p : -1;
    }
    return -1;
}

PB_RUNTIME bool Group::has(const Space& space, const Operand& operand) {
    bool found = false;
    for (int k = 0; k < space.count; ++k) found = found || space.operands[k].data == operand.data;
    return found;
}

// True if a pass is the first that has to do with an array, which it reads row by row.
PB_RUNTIME bool Group::is_from_memory(int pass, const Operand& operand) const {
    const int64_t bytes = operand.stretch.end - operand.stretch.begin;
    bool first = operand.reads && operand.flat && bytes >= kAheadBytes;
    for (int p = 0; p < pass; ++p) first = first && !has(spaces_[p], operand);
    return first;
}

// True if a later pass has to do with the same memory.
PB_RUNTIME bool Group::is_used_after(int pass, const Operand& operand) const {
    bool used = false;
    for (int p = pass + 1; p < count_; ++p) {
        for (int k = 0; k < spaces_[p].count; ++k)
            used = used || operand.stretch.meets(spaces_[p].operands[k].stretch);
    }
    return used;
}

PB_RUNTIME void Group::run(const pb_runtime* runtime, int64_t begin, int64_t end) {
    begin_ = begin;
    end_ = end;
    if (parts_ > end - begin) parts_ = end - begin;
    static unsigned direction = 0;
    backwards_ = parts_ > 1 && (__atomic_fetch_xor(&direction, 1U, __ATOMIC_RELAXED) & 1U) != 0;
    if (runtime && runtime->parallel_for && parts_ > 1) {
        runtime->parallel_for(runtime->context, parts_, 1, part, this);
    } else {
        part(this, 0, parts_);
    }
    for (int p = 0; p < count_; ++p) {
        for (int k = 0; k < spaces_[p].count; ++k) {
            const Operand& operand = spaces_[p].operands[k];
            if (!operand.crosses || !operand.data) continue;
            const int64_t count = operand.target.shape.size();
            for (int64_t copy = 1; copy < parts_; ++copy)
                operand.reducer->combine(operand.data, operand.data + copy * operand.copy_bytes,
                                         count);
            finish(spaces_[p], operand, operand.data, 0, count);
        }
    }
}

PB_RUNTIME void Group::part(void* argument, int64_t from, int64_t to) {
    const Group& group = *static_cast<const Group*>(argument);
    for (int64_t step = from; step < to; ++step) {
        const int64_t k = group.backwards_ ? from + to - 1 - step : step;
        const int64_t rows = group.end_ - group.begin_;
        // Parts of a long row begin at a line of the cache.
        const int64_t align = rows >= 64 * group.parts_ ? 63 : 0;
        const int64_t first = rows * k / group.parts_ & ~align;
        const int64_t last = k + 1 == group.parts_ ? rows : rows * (k + 1) / group.parts_ & ~align;
        group.run_rows(group.begin_ + first, group.begin_ + last, k);
    }
}

PB_RUNTIME void Group::run_rows(int64_t begin, int64_t end, int64_t copy) const {
    const size_t count = static_cast<size_t>(operands_ > 0 ? operands_ : 1);
    const size_t bytes = static_cast<size_t>(buffers_ * stretch_ * kItem);
    char* memory = static_cast<char*>(__builtin_alloca(bytes + 64));
    memory += -reinterpret_cast<uintptr_t>(memory) & 63;
    char* local = nullptr;
    if (local_bytes_ > 0) {
        local = static_cast<char*>(__builtin_alloca(static_cast<size_t>(local_bytes_) + 64));
        local += -reinterpret_cast<uintptr_t>(local) & 63;
    }
    const size_t passes = static_cast<size_t>(count_);
    char** pointers = static_cast<char**>(__builtin_alloca(passes * 3 * count * sizeof(char*)));
    int64_t* moves = static_cast<int64_t*>(__builtin_alloca(passes * count * sizeof(int64_t)));
    Going* going = static_cast<Going*>(__builtin_alloca(passes * sizeof(Going)));
    for (int p = 0; p < count_; ++p, pointers += 3 * count, moves += count) {
        const int64_t row = spaces_[p].row;
        going[p].memory = {pointers,
                           const_cast<const char**>(pointers + count),
                           memory,
                           stretch_for(spaces_[p]),
                           pointers + 2 * count,
                           moves};
        Loop& loop = going[p].loop;
        if (spaces_[p].by_rows)
            going[p].loop.start(spaces_[p], going[p].memory, begin * row);
        else
            loop.start(spaces_[p], going[p].memory, begin * row);
        for (int k = 0; k < spaces_[p].count; ++k) {
            const Operand& operand = spaces_[p].operands[k];
            if (operand.crosses && operand.data)
                operand.reducer->clear(operand.data + copy * operand.copy_bytes,
                                       operand.target.shape.size());
        }
    }
    for (int64_t first = begin; first < end; first += block_) {
        const int64_t last = first + block_ < end ? first + block_ : end;
        char* own = local;
        for (int p = 0; p < count_; ++p) {
            run_pass(spaces_[p], going[p], first, last, copy, own);
            for (int k = 0; own && k < spaces_[p].count; ++k) {
                const Operand& operand = spaces_[p].operands[k];
                if (operand.reducer && !operand.crosses)
                    own += block_ * operand.results * operand.item;
            }
        }
    }
    end_streams();
}

// One pass over a block of rows. Totals of the block are cleared before and finished after it.
PB_RUNTIME void Group::run_pass(const Space& space, Going& going, int64_t begin, int64_t end,
                                int64_t copy, char* local) const {
    const int64_t row = space.row;
    const Loop::Memory& memory = going.memory;
    for (int k = 0; k < space.count; ++k) {
        const Operand& operand = space.operands[k];
        if (!operand.reducer) continue;
        memory.totals[k] = nullptr;
        if (!operand.data) continue;
        if (operand.crosses) {
            memory.totals[k] = operand.data + copy * operand.copy_bytes;
            continue;
        }
        const int64_t totals = operand.results;
        char* first = operand.data + begin * totals * operand.item;
        if (local) {
            first = local;
            local += block_ * totals * operand.item;
        }
        operand.reducer->clear(first, (end - begin) * totals);
        memory.totals[k] = first - begin * totals * operand.item;
    }
    if (row > 0) {
        if (space.by_rows) {
            going.loop.go_on(end * row);
            space.run(going.loop);
        } else {
            Loop& loop = going.loop;
            loop.go_on(end * row);
            space.run(loop);
        }
    }
    for (int k = 0; k < space.count; ++k) {
        const Operand& operand = space.operands[k];
        if (!operand.reducer || !operand.data || operand.crosses) continue;
        const int64_t totals = operand.results;
        finish(space, operand, memory.totals[k] + begin * totals * operand.item, begin * totals,
               end * totals);
    }
}

// Totals as results number `begin` to `end` of the target.
PB_RUNTIME void Group::finish(const Space& space, const Operand& operand, const char* totals,
                              int64_t begin, int64_t end) const {
    const AnyView& target = operand.target;
    const int64_t results = target.shape.size();
    if (results == 0) return;
    const int64_t terms = space.shape.size() / results;
    const double divisor = operand.mean ? static_cast<double>(terms) : 1.0;
    const auto finish = operand.reducer->finish;
    if (any::contiguous(target)) {
        finish(totals, divisor, target.data + begin * operand.target_item, operand.target_item,
               end - begin, operand.target_dtype);
        return;
    }
    for (int64_t i = begin; i < end; ++i) {
        int64_t rest = i;
        char* to = target.data;
        for (int d = target.shape.ndim - 1; d >= 0; --d) {
            to += rest % target.shape.at[d] * target.strides[d] * operand.target_item;
            rest /= target.shape.at[d];
        }
        finish(totals + (i - begin) * operand.item, divisor, to, 0, 1, operand.target_dtype);
    }
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_GROUP_H_
