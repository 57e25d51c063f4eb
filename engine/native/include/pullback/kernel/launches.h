// Definitions for kernel/launch.h: part of kernel/runtime.h.
#ifndef PULLBACK_KERNEL_LAUNCHES_H_
#define PULLBACK_KERNEL_LAUNCHES_H_

#include "pullback/kernel/calls.h"
#include "pullback/kernel/launch.h"

namespace pb {

constexpr int64_t kWide = int64_t{1} << 30;  // entries from which indices take 64 bits
constexpr int64_t kBlocks = 1024;            // that keep a device busy
constexpr int64_t kPacks = 4;                // of a row that a thread has in registers
constexpr int64_t kColumns = 8;              // of totals over all rows that a block joins
constexpr int64_t kColumnParts = 264;        // of such totals: two for each of 132 multiprocessors

PB_RUNTIME void AnyLaunch::add(const AnyView& view, int64_t item) {
    const int k = operands++;
    items[k] = item;
    const int lead = whole.ndim - view.shape.ndim;
    if (!context.fits(broadcasts(view.shape, whole), "shapes do not broadcast")) return;
    for (int d = lead; d < whole.ndim; ++d)
        strides[k][d] = view.shape.at[d - lead] == 1 ? 0 : view.strides[d - lead];
    data[k] = view.data;
    const pb_runtime* runtime = context.runtime();
    if (view.data == kZero && runtime)
        data[k] = static_cast<char*>(const_cast<void*>(runtime->zero));
}

PB_RUNTIME void AnyLaunch::writes(const AnyView& view, int64_t item) {
    add(view, item);
    is_needed = is_needed || view.data;
}

PB_RUNTIME void AnyLaunch::reduces(const AnyView& view, int64_t item, bool has_identity) {
    writes(view, item);
    ++totals;
    target = view.shape;
    const int front = whole.ndim - target.ndim;
    for (int d = 0; d < whole.ndim && !has_identity; ++d) {
        const bool nothing = whole.at[d] == 0 && (d < front || target.at[d - front] == 1);
        context.require(!nothing, PB_INVALID, "a reduction without an identity over nothing");
    }
}

PB_RUNTIME void AnyLaunch::sums_columns(const AnyView& view, int64_t item) {
    add(view, item);
    ++columns;
    is_column_needed = is_column_needed || view.data;
    const int last = view.shape.ndim - 1;
    are_columns = are_columns && last >= 0 && whole.ndim > 0 &&
                  view.shape.at[last] == whole.at[whole.ndim - 1];
    for (int d = 0; d < last; ++d) are_columns = are_columns && view.shape.at[d] == 1;
}

// The axes of groups first, then those of fibres; neighbours in step are one axis, and those of
// length one are none.
struct LaunchAxes {
    AnyLaunch& launch;
    int64_t order[PB_MAX_DIMS] = {};
    int rank = 0, begin = 0;

    bool is_inner(int d) const {
        if (launch.over == Over::kEntries) return false;
        if (launch.over == Over::kRows) return d == launch.whole.ndim - 1;
        const int front = launch.whole.ndim - launch.target.ndim;
        return (d < front ? 1 : launch.target.at[d - front]) != launch.whole.at[d];
    }

    bool is_in_step(int64_t axis) const {
        if (rank == begin) return false;
        for (int k = 0; k < launch.operands; ++k) {
            const int64_t* own = launch.strides[k];
            if (own[order[rank - 1]] != own[axis] * launch.whole.at[axis]) return false;
        }
        return true;
    }

    // Takes the axes in that are inner ones or are not; returns how many entries they have.
    int64_t take(bool inner) {
        begin = rank;
        int64_t entries = 1;
        for (int d = 0; d < launch.whole.ndim; ++d) {
            if (is_inner(d) != inner) continue;
            const int64_t size = launch.whole.at[d];
            entries *= size;
            if (size == 1) continue;
            if (is_in_step(d)) {
                launch.space.size[rank - 1] *= size;
                order[rank - 1] = d;
            } else {
                launch.space.size[rank] = size;
                order[rank++] = d;
            }
        }
        return entries;
    }

    // Strides along these axes in the place of those along the shape's; the farthest that one
    // reaches.
    int64_t settle() {
        int64_t farthest = 0;
        for (int k = 0; k < launch.operands; ++k) {
            int64_t own[PB_MAX_DIMS] = {};
            int64_t reach = 0;
            for (int axis = 0; axis < rank; ++axis) {
                own[axis] = launch.strides[k][order[axis]];
                reach += (own[axis] < 0 ? -own[axis] : own[axis]) * launch.space.size[axis];
            }
            __builtin_memcpy(launch.strides[k], own, sizeof own);
            farthest = reach > farthest ? reach : farthest;
        }
        return farthest;
    }
};

// True where fibres lie next to each other, as those of a sum over rows: more operands have their
// entries side by side along groups than along a fibre.
PB_RUNTIME bool has_columns(const AnyLaunch& launch) {
    const LaunchSpace& space = launch.space;
    if (launch.over != Over::kFibres || space.outer == 0 || space.rank == space.outer) return false;
    int votes = 0;
    for (int k = 0; k < launch.operands; ++k) {
        const int64_t between = launch.strides[k][space.outer - 1];
        const int64_t within = launch.strides[k][space.rank - 1];
        if (between == 1 && within != 0 && within != 1) ++votes;
        if (within == 1 && between != 0 && between != 1) --votes;
    }
    return votes > 0 && space.size[space.outer - 1] >= 32;
}

// Threads for each fibre: for a long one a block, and where there are few such, several blocks. Of
// columns a warp has an entry each, of rows in registers a thread its packs.
PB_RUNTIME void share_fibres(LaunchSpace& space, Over over, int threads, pb_variant variant) {
    space.lanes = space.parts = 1;
    if (over == Over::kEntries) return;
    if (variant == PB_RESIDENT) {
        // Two at least, so that threads read 32 bytes side by side.
        while (space.lanes * kPacks < space.length || (space.lanes == 1 && space.length > 1)) {
            space.lanes *= 2;
        }
        return;
    }
    int64_t blocks = space.groups;
    if (space.columns) {
        space.lanes = threads / 32;
        blocks = (space.groups + 31) / 32;
    } else if (over == Over::kRows || space.length <= 4 * threads) {
        // A pass over a row finds in the cache what those before it have read where few rows share
        // it.
        const int most = over == Over::kRows ? threads : 32;
        while (space.lanes < most && space.lanes < space.length) space.lanes *= 2;
        return;
    } else {
        space.lanes = threads;
    }
    const int64_t shares = space.length / (4 * space.lanes);
    const int64_t room = kBlocks / (blocks > 1 ? blocks : 1);
    const int64_t parts = shares < room ? shares : room;
    space.parts = static_cast<int>(parts < 1 ? 1 : parts);
}

// Granlund and Montgomery, "Division by invariant integers using multiplication" (1994),
// figure 4.1.
PB_RUNTIME void prepare_quotients(LaunchSpace& space) {
    for (int axis = 0; axis < space.rank; ++axis) {
        const auto size = static_cast<uint64_t>(space.size[axis]);
        if (size == 0 || size >= static_cast<uint64_t>(kWide)) continue;
        int shift = 0;
        while ((uint64_t{1} << shift) < size) ++shift;
        const uint64_t above = ((uint64_t{1} << shift) - size) << 32;
        space.factor[axis] = static_cast<unsigned>(above / size + 1);
        space.shift[axis] = shift;
    }
}

// Makes the entries along the last axis packs, which are one transfer for each operand. Returns how
// many entries remain behind the packs of a lone axis, or -1 where there are no packs.
PB_RUNTIME int64_t AnyLaunch::pack(int bits) {
    const int64_t width = 128 / bits;
    const int last = space.rank - 1;
    const bool is_lone = over == Over::kEntries && last == 0;
    if (last < 0 || space.size[last] < width) return -1;
    if (over != Over::kEntries && space.rank == space.outer) return -1;
    const int64_t rest = space.size[last] % width;
    if (rest != 0 && !is_lone) return -1;
    for (int k = 0; k < operands; ++k) {
        const int64_t bytes = items[k] * width < 16 ? items[k] * width : 16;
        const auto address = reinterpret_cast<uintptr_t>(data[k]);
        if (strides[k][last] == 0 || (space.columns && strides[k][last] != 1)) continue;
        if (strides[k][last] != 1 || address % static_cast<uintptr_t>(bytes) != 0) return -1;
        for (int axis = 0; axis < last; ++axis) {
            if (strides[k][axis] % width != 0) return -1;
        }
    }
    for (int k = 0; k < operands; ++k) strides[k][last] *= width;
    space.size[last] /= width;
    int64_t& entries = over == Over::kEntries ? space.groups : space.length;
    entries = (entries - rest) / width;
    return rest;
}

// Goes on behind so many packs of a lone axis, with what is left of it.
PB_RUNTIME void AnyLaunch::skip(int64_t rest) {
    for (int k = 0; k < operands; ++k) {
        if (data[k]) data[k] += space.groups * strides[k][0] * items[k];
        strides[k][0] = strides[k][0] == 0 ? 0 : 1;
    }
    space.size[0] = space.groups = rest;
}

PB_RUNTIME bool AnyLaunch::start(int bits) {
    if (!context.ok() || context.dry()) return true;
    if (columns > 0 && !(is_needed && is_column_needed && are_columns)) return false;
    if (!is_needed) return true;
    const pb_runtime* runtime = context.runtime();
    if (!context.require(runtime && runtime->launch, PB_UNSUPPORTED, "there is no device"))
        return true;
    LaunchAxes axes{*this};
    space.groups = axes.take(false);
    space.outer = axes.rank;
    space.length = axes.take(true);
    space.rank = axes.rank;
    const int64_t reach = axes.settle();
    if (columns > 0 && space.groups < 2) return false;
    if (space.groups == 0) return true;
    space.columns = has_columns(*this) ? 1 : 0;
    const int64_t entries = space.groups * space.length;
    const bool is_wide = (reach > entries ? reach : entries) >= kWide;
    const int64_t rest = is_wide ? -1 : pack(bits);
    const bool is_short = over == Over::kRows && space.length <= kPacks * runtime->threads;
    const pb_variant packed = is_short ? PB_RESIDENT : PB_PACKED;
    const pb_variant variant = is_wide ? PB_I64 : rest < 0 ? PB_I32 : packed;
    if (columns > 0 && variant != PB_RESIDENT) return false;
    share_fibres(space, over, runtime->threads, variant);
    if (columns > 0) {
        const int64_t together = threads(variant) / space.lanes;
        const int64_t parts = (space.groups + together - 1) / together;
        space.parts = static_cast<int>(parts < kColumnParts ? parts : kColumnParts);
    }
    prepare_quotients(space);
    start(bits, variant);
    if (rest <= 0) return true;
    skip(rest);
    start(bits, PB_I32);
    return true;
}

// Threads of a block. Small ones end sooner, and others take their place.
PB_RUNTIME int64_t AnyLaunch::threads(pb_variant variant) const {
    const int most = context.runtime()->threads;
    if (over == Over::kEntries) return most / 2;
    if (variant != PB_RESIDENT || columns > 0) return most;
    return space.lanes > most / 4 ? space.lanes : most / 4;
}

PB_RUNTIME void AnyLaunch::start(int bits, pb_variant variant) {
    const pb_runtime* runtime = context.runtime();
    pb_work work{};
    int next = 0;
    arguments[next++] = &space;
    for (int k = 0; k < operands; ++k) arguments[next++] = &data[k];
    for (int k = 0; k < count; ++k) arguments[next++] = &numbers[k];
    const bool is_shared = space.parts > 1 || columns > 0;
    const int64_t row = space.length * (128 / bits);
    const auto slots = static_cast<size_t>(columns > 0 ? row * columns : space.groups * totals);
    if (over == Over::kFibres || columns > 0) arguments[next] = &work;
    const int64_t together = space.columns ? runtime->threads / space.lanes : 1;
    const int64_t busy =
        (space.groups + together - 1) / together * together * space.parts * space.lanes;
    pb_launch launch{};
    launch.kernel = kernel;
    launch.bits = bits;
    launch.variant = variant;
    launch.threads = threads(variant);
    const int64_t share = launch.threads * packs;
    launch.blocks = columns > 0 ? space.parts : (busy + share - 1) / share;
    launch.arguments = arguments;
    launch.work = is_shared ? &work : nullptr;
    launch.totals_bytes = is_shared ? 8 * slots * static_cast<size_t>(space.parts) : 0;
    launch.arrived_bytes = is_shared && columns == 0 ? sizeof(unsigned) * slots : 0;
    launch.joining = columns > 0 ? (row + kColumns - 1) / kColumns : 0;
    context.require(runtime->launch(runtime->context, &launch) == 0, PB_UNSUPPORTED,
                    "a kernel of the device did not start");
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_LAUNCHES_H_
