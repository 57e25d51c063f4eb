// Kernels of a device, as the host starts them: over which space, on which memory, with which
// numbers.
//
// The text of the device and what a space is are printed by `pullback.transpile.emit.cuda`;
// LaunchSpace here is pb::Space there.
#ifndef PULLBACK_KERNEL_LAUNCH_H_
#define PULLBACK_KERNEL_LAUNCH_H_

#include "pullback/kernel/context.h"

namespace pb {

// What a launch goes over: all entries of a shape, its rows, or fibres that are each reduced to
// one.
enum class Over { kEntries, kRows, kFibres };

// The head of a space; strides of so many operands follow it.
struct LaunchSpace {
    int64_t groups, length;
    int outer, rank, lanes, parts, columns, unused;
    int64_t size[PB_MAX_DIMS];
    // A position by a size, without a division: ((position * factor >> 32) + position) >> shift.
    unsigned factor[PB_MAX_DIMS];
    int shift[PB_MAX_DIMS];
};
using Strides = int64_t[PB_MAX_DIMS];

// A launch whose memory is somebody else's.
struct AnyLaunch {
    Context& context;
    const char* kernel;
    Over over;
    Shape whole;
    LaunchSpace& space;
    Strides* strides;  // of operands: along the axes of `whole`, then of `space`
    char** data;       // of operands
    int64_t* items;    // bytes of an element of each
    pb_scalar* numbers;
    void** arguments;
    int operands = 0, count = 0, totals = 0;
    bool is_needed = false;  // somebody has memory for what it writes
    Shape target{};          // that fibres are reduced to
    int columns = 0;         // totals over all rows
    int packs = 1;           // that a thread takes of the entries at once
    bool is_column_needed = false, are_columns = true;

    PB_APART void add(const AnyView& view, int64_t item);
    PB_APART void writes(const AnyView& view, int64_t item);
    PB_APART void reduces(const AnyView& view, int64_t item, bool has_identity);
    PB_APART void sums_columns(const AnyView& view, int64_t item);
    PB_APART bool start(int bits);
    void start(int bits, pb_variant variant);
    int64_t threads(pb_variant variant) const;
    int64_t pack(int bits);
    void skip(int64_t entries);
};

// A launch with so many operands and numbers at most.
template <int N, int M>
class Launch {
  public:
    Launch(Context& context, const char* kernel, Over over, const Shape& shape)
        : any_{context,        kernel, over,   shape,    space_.head,
               space_.strides, data_,  items_, numbers_, arguments_} {}

    template <typename T>
    void reads(const View<T>& view) {
        any_.add(erased(view), sizeof(T));
    }
    template <typename T>
    void writes(const View<T>& view) {
        any_.writes(erased(view), sizeof(T));
    }
    // Totals to a view; of nothing they are an error where the reduction has no identity.
    template <typename T>
    void reduces(const View<T>& view, bool has_identity = true) {
        any_.reduces(erased(view), sizeof(T), has_identity);
    }
    // Totals over all rows, one for each of their entries; only where rows stay in registers.
    template <typename T>
    void sums_columns(const View<T>& view) {
        any_.sums_columns(erased(view), sizeof(T));
    }
    void number(int64_t value) { any_.numbers[any_.count++].i = value; }
    void number(double value) { any_.numbers[any_.count++].f = value; }
    void number(bool value) { any_.numbers[any_.count++].i = value ? 1 : 0; }

    void takes(int packs) { any_.packs = packs; }

    // False where it has columns and must be done in another way.
    template <typename T>
    bool start() {
        return any_.start(8 * static_cast<int>(sizeof(T)));
    }

  private:
    struct {
        LaunchSpace head{};
        Strides strides[N]{};
    } space_;
    char* data_[N]{};
    int64_t items_[N]{};
    pb_scalar numbers_[M == 0 ? 1 : M]{};
    void* arguments_[N + M + 2]{};
    AnyLaunch any_;
};

}  // namespace pb

#endif  // PULLBACK_KERNEL_LAUNCH_H_
