// Entries picked and put by positions that are data.
#ifndef PULLBACK_KERNEL_PICK_H_
#define PULLBACK_KERNEL_PICK_H_

#include "pullback/kernel/indexing/scan.h"

namespace pb {

// A position as Python counts it. Out of bounds, the kernel refuses and NumPy says so.
inline int64_t position_in(Outcome& outcome, int64_t at, int64_t extent) {
    const int64_t counted = at < 0 ? at + extent : at;
    outcome.require(counted >= 0 && counted < extent, PB_INVALID, "index out of bounds");
    return outcome.ok() ? counted : 0;
}

// One item of an index that has arrays: a number, a slice, positions or a mask.
struct Item {
    Item(const Index& basic) : index(basic) {}
    Item(const View<const int64_t>& array) : positions(array), is_positions(true) {}
    Item(const View<const bool>& array) : mask(array), is_mask(true) {}

    Index index = {Index::kAt};
    View<const int64_t> positions;
    View<const bool> mask;
    bool is_positions = false;
    bool is_mask = false;

    // The axes that it stands for; an ellipsis stands for those that are left.
    int axes() const {
        if (is_mask) return mask.shape.ndim;
        return is_positions || index.kind == Index::kAt || index.kind == Index::kSlice ? 1 : 0;
    }
};

// Where the entries of `x[items...]` lie. `basic` leaves the axes whole that positions stand for;
// then `axes` are these, and the axes of the positions together stand at `place` of the result.
struct Picked {
    Shape whole;
    Shape shape;
    Shape together;
    int place = 0;
    int count = 0;
    int axes[PB_MAX_DIMS] = {};
    View<const int64_t> positions[PB_MAX_DIMS];
    int items = 0;
    Index basic[2 * PB_MAX_DIMS] = {};

    void add_basic(const Index& index) {
        if (items < 2 * PB_MAX_DIMS) basic[items++] = index;
    }
    void add_positions(int axis, const View<const int64_t>& where) {
        axes[count] = axis;
        positions[count++] = where;
        add_basic(slice(kNone, kNone));
    }
};

// The positions of a mask's true entries, a row per axis. Before there are any data, as many as
// there may be.
PB_SETUP inline View<const int64_t> places_of(Context& context, const View<const bool>& mask) {
    const int64_t size = mask.shape.size();
    const View<int64_t> places = context.scratch<int64_t>(shape_of(mask.shape.ndim, size));
    View<const int64_t> result = places.read_only();
    context.varies = true;
    context.guessed = context.dry();
    if (!computes(context, places)) return result;
    int64_t found = 0;
    each_place(mask.shape, [&](const int64_t* index) {
        if (!entry(mask, index)) return;
        for (int d = 0; d < mask.shape.ndim; ++d) places.data[d * size + found] = index[d];
        ++found;
    });
    result.shape.at[1] = found;
    return result;
}

// Reads the items of an index, one after the other.
class Picking {
  public:
    Picking(Context& context, const Shape& whole, int named) : context_(context), named_(named) {
        picked.whole = whole;
    }

    PB_SETUP void add(const Item& item) {
        if (item.is_mask) {
            add_mask(item.mask);
        } else if (item.is_positions) {
            add_positions(item.positions);
        } else if (item.index.kind == Index::kAt) {
            const View<int64_t> where = context_.scratch<int64_t>({});
            if (computes(context_, where)) *where.data = item.index.start;
            add_positions(where.read_only());
        } else if (item.index.kind == Index::kEllipsis) {
            context_.require(!ellipsis_seen_, PB_INVALID, "more than one ellipsis");
            ellipsis_seen_ = true;
            closed_ = closed_ || picked.count > 0;
            for (int left = picked.whole.ndim - named_; left > 0; --left) keep(slice(kNone, kNone));
        } else {
            keep(item.index);
        }
    }
    // After the last item: the axes that no item names.
    PB_SETUP void add_rest() {
        while (from_ < picked.whole.ndim && context_.ok()) keep(slice(kNone, kNone));
        if (apart_) picked.place = 0;
    }

    Picked picked;

  private:
    PB_SETUP void add_mask(const View<const bool>& mask) {
        for (int d = 0; d < mask.shape.ndim; ++d)
            context_.require(mask.shape.at[d] == picked.whole.at[from_ + d], PB_INVALID,
                             "a mask of another shape");
        open();
        const View<const int64_t> places = places_of(context_, mask);
        for (int d = 0; d < mask.shape.ndim; ++d, ++from_)
            picked.add_positions(axis_++, take(context_, places, {at(d)}));
    }
    PB_SETUP void add_positions(const View<const int64_t>& positions) {
        open();
        picked.add_positions(axis_++, positions);
        ++from_;
    }
    void open() {
        if (picked.count == 0) picked.place = axis_;
        apart_ = apart_ || closed_;
    }
    PB_SETUP void keep(const Index& index) {
        picked.add_basic(index);
        closed_ = closed_ || picked.count > 0;
        from_ += index.kind == Index::kSlice;
        ++axis_;
    }

    Context& context_;
    const int named_;      // axes of the whole that the items stand for
    int from_ = 0;         // the axis of the whole that is next
    int axis_ = 0;         // the axis of what `basic` leaves that is next
    bool closed_ = false;  // something basic stands behind the first positions
    bool apart_ = false;   // and before others
    bool ellipsis_seen_ = false;
};

// The shape of what is picked: the axes that `basic` leaves, those of the positions at their place.
PB_SETUP inline Shape picked_shape(Context& context, const Picked& picked) {
    Shape shape;
    const View<const char> all{nullptr, picked.whole, {}};
    const Shape left =
        typed<const char>(any::take(context, erased(all), picked.basic, picked.items, 1)).shape;
    const int ndim = left.ndim - picked.count + picked.together.ndim;
    if (!context.require(ndim <= PB_MAX_DIMS, PB_UNSUPPORTED, "more than 8 axes")) return shape;
    unsigned taken = 0;
    for (int k = 0; k < picked.count; ++k) taken |= 1u << picked.axes[k];
    int rest = 0;
    for (int d = 0; d < left.ndim; ++d) rest += !((taken >> d) & 1u);
    for (int d = 0, next = 0; d <= rest; ++d) {
        if (d == picked.place) {
            for (int t = 0; t < picked.together.ndim; ++t)
                shape.at[shape.ndim++] = picked.together.at[t];
        }
        while (next < left.ndim && ((taken >> next) & 1u)) ++next;
        if (next < left.ndim) shape.at[shape.ndim++] = left.at[next++];
    }
    return shape;
}

PB_SETUP inline Picked picked_at(Context& context, const Shape& whole, const Item* items,
                                 int count) {
    int named = 0;
    for (int k = 0; k < count; ++k) named += items[k].axes();
    Picking picking(context, whole, named);
    Picked& picked = picking.picked;
    if (!context.require(named <= whole.ndim, PB_INVALID, "too many indices")) return picked;
    for (int k = 0; k < count && context.ok(); ++k) picking.add(items[k]);
    picking.add_rest();
    for (int k = 0; k < picked.count; ++k)
        context.fits(join(picked.together, picked.positions[k].shape), "indices do not broadcast");
    if (context.ok()) picked.shape = picked_shape(context, picked);
    return picked;
}
template <int N>
Picked picked_at(Context& context, const Shape& whole, const Item (&items)[N]) {
    return picked_at(context, whole, items, N);
}

// Calls `move(entry of the picked array, entry of the whole)` for every entry that is picked.
template <typename T, typename U, typename Move>
void each_picked(Context& context, const View<T>& whole, const Picked& picked, const View<U>& part,
                 const Move& move) {
    const View<T> base =
        typed<T>(any::take(context, erased(whole), picked.basic, picked.items, sizeof(T)));
    if (!context.ok()) return;
    unsigned taken = 0;
    for (int k = 0; k < picked.count; ++k) taken |= 1u << picked.axes[k];
    each_place(part.shape, [&](const int64_t* index) {
        int64_t where[PB_MAX_DIMS] = {};
        const int64_t* together = index + picked.place;
        for (int d = 0, next = 0; d < base.shape.ndim; ++d) {
            if ((taken >> d) & 1u) continue;
            where[d] = index[next < picked.place ? next : next + picked.together.ndim];
            ++next;
        }
        for (int k = 0; k < picked.count; ++k) {
            const View<const int64_t>& own = picked.positions[k];
            const int64_t* from = own.data;
            for (int d = 0; d < own.shape.ndim; ++d) {
                const int64_t i = together[d + picked.together.ndim - own.shape.ndim];
                from += own.shape.at[d] == 1 ? 0 : i * own.strides[d];
            }
            where[picked.axes[k]] = position_in(context, *from, base.shape.at[picked.axes[k]]);
        }
        if (context.ok()) move(entry(part, index), entry(base, where));
    });
}

template <typename U, typename T>
PB_SETUP void pick(Context& context, const View<U>& from, const Picked& picked,
                   const View<T>& result) {
    if (!computes(context, result)) return;
    each_picked(context, from, picked, result, [](T& part, const U& whole) { part = whole; });
}

// Zeros, with each entry added where it was picked.
template <typename U, typename T>
PB_SETUP void unpick(Context& context, const View<U>& from, const Picked& picked,
                     const View<T>& result) {
    fill(context, result, T(0));
    if (!computes(context, result)) return;
    const View<const Plain<U>> parts = broadcast_to(context, from.read_only(), picked.shape);
    if (!context.ok()) return;
    each_picked(context, result, picked, parts,
                [](const Plain<U>& part, T& whole) { whole += part; });
}

// The array, with a value written where it is picked; of two writes to one place the last one
// stays.
template <typename U, typename V, typename T>
PB_SETUP void put(Context& context, const View<U>& whole, const View<V>& value,
                  const Picked& picked, const View<T>& result) {
    copy(context, whole, result);
    if (!computes(context, result)) return;
    const View<const Plain<V>> parts = broadcast_to(context, value.read_only(), picked.shape);
    if (!context.ok()) return;
    each_picked(context, result, picked, parts,
                [](const Plain<V>& part, T& place) { place = part; });
}

// Which entries of the picked array no later one has the place of.
PB_SETUP inline void last_written(Context& context, const Picked& picked,
                                  const View<bool>& result) {
    const View<int64_t> places = context.scratch<int64_t>(picked.whole);
    if (!computes(context, result)) return;
    int64_t next = 0;
    each_picked(context, places, picked, result, [&](bool&, int64_t& place) { place = next++; });
    next = 0;
    each_picked(context, places, picked, result,
                [&](bool& last, const int64_t& place) { last = place == next++; });
}

// The shape of `take_along_axis`: that of the positions, other axes broadcast.
PB_SETUP inline Shape along_shape(Outcome& outcome, const Shape& from, const Shape& positions,
                                  int64_t axis) {
    const int d = axis_of(outcome, axis, from.ndim);
    Shape others = from;
    others.at[d] = 1;
    outcome.require(from.ndim == positions.ndim && join(others, positions), PB_INVALID,
                    "positions do not fit the array");
    return others;
}

// Calls `body(part, whole)` for each entry of `parts` and the one of `whole` that its position along
// an axis names, line by line.
template <typename U, typename T, typename Body>
void each_along(Context& context, const View<U>& parts, const View<const int64_t>& positions, int d,
                const View<T>& whole, const Body& body) {
    const View<const int64_t> where = broadcast_to(context, positions, parts.shape);
    if (!context.ok()) return;
    const int64_t extent = whole.shape.at[d], step = whole.strides[d];
    each_place(lines_of(parts.shape, d), [&](const int64_t* index) {
        int64_t at[PB_MAX_DIMS] = {};
        for (int k = 0; k < whole.shape.ndim; ++k) at[k] = whole.shape.at[k] == 1 ? 0 : index[k];
        at[d] = 0;
        T* line = &entry(whole, at);
        U* part = &entry(parts, index);
        const int64_t* place = &entry(where, index);
        for (int64_t i = 0; i < parts.shape.at[d]; ++i) {
            const int64_t position = *place < 0 ? *place + extent : *place;
            if (position < 0 || position >= extent) {
                position_in(context, *place, extent);
                return;
            }
            body(*part, line[position * step]);
            part += parts.strides[d];
            place += where.strides[d];
        }
    });
}

template <typename U, typename T>
PB_SETUP void take_along_axis(Context& context, const View<U>& from,
                              const View<const int64_t>& positions, int64_t axis,
                              const View<T>& result) {
    const int d = axis_of(context, axis, from.shape.ndim);
    if (!computes(context, result)) return;
    each_along(context, result, positions, d, from, [](T& part, const U& whole) { part = whole; });
}

// Zeros, with each entry added where `take_along_axis` took it.
template <typename U, typename T>
PB_SETUP void put_along(Context& context, const View<U>& from, const View<const int64_t>& positions,
                        int64_t axis, const View<T>& result) {
    const int d = axis_of(context, axis, result.shape.ndim);
    fill(context, result, T(0));
    if (!computes(context, result)) return;
    each_along(context, from, positions, d, result, [](const U& part, T& whole) { whole += part; });
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_PICK_H_
