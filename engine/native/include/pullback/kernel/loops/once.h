// A pass by rows: what a generated loop sees of it.
#ifndef PULLBACK_KERNEL_ONCE_H_
#define PULLBACK_KERNEL_ONCE_H_

#include "pullback/kernel/loops/loop.h"

namespace pb {

// A row of one value.
template <typename T>
struct Once {
    T value;
    T operator[](int64_t) const { return value; }
};

// A pass that goes row by row, where some operand has one element for all of a row. That is a
// number here, and what is reduced along the row stays in registers until its end.
class RowLoop : private Loop {
  public:
    bool next() {
        if (turn_ + 1 >= done_) return go_to_next();
        ++turn_;
        return true;
    }

    using Loop::size;

    template <typename T>
    T* row(Rows<T> rows) const {
        return row_at<T>(rows.operand);
    }
    template <typename T>
    Once<T> once(Rows<const T> rows) const {
        return {*row(rows)};
    }
    template <typename Total, typename T>
    static Total sum(Total total, T*, T term) {
        return total + static_cast<Total>(term);
    }
    template <typename Total, typename T>
    static Total product(Total total, T*, T term) {
        return total * static_cast<Total>(term);
    }
    template <typename T>
    static T largest(T total, T*, T term) {
        return term > total ? term : total;
    }
    template <typename T>
    static T smallest(T total, T*, T term) {
        return term < total ? term : total;
    }

    // Joins the row's total to what the operand has, which is in double where terms are floats.
    template <typename T>
    void add(Rows<T> rows, double total) const {
        *row_at<double>(rows.operand) += total;
    }
    template <typename T>
    void add(Rows<T> rows, int64_t total) const {
        *row_at<int64_t>(rows.operand) += total;
    }
    template <typename T, typename Total>
    void multiply(Rows<T> rows, Total total) const {
        *row_at<Total>(rows.operand) *= total;
    }
    // The largest or smallest term, unless some are NaN.
    template <typename T>
    void raise(Rows<T> rows, T total, int nans) const {
        T* place = row_at<T>(rows.operand);
        *place = nans != 0 ? static_cast<T>(__builtin_nan("")) : total > *place ? total : *place;
    }
    template <typename T>
    void lower(Rows<T> rows, T total, int nans) const {
        T* place = row_at<T>(rows.operand);
        *place = nans != 0 ? static_cast<T>(__builtin_nan("")) : total < *place ? total : *place;
    }

  private:
    friend class Group;
    void start(const Space& space, const Memory& memory, int64_t begin);

    // Worked out from what does not change from row to row: an address that was just stored could
    // not be loaded before the rows that are on their way to memory.
    template <typename T>
    T* row_at(int k) const {
        return reinterpret_cast<T*>(rows_[k] + turn_ * moves_[k]);
    }
    void go_on(int64_t end);
    bool go_to_next();
    bool leap();
    void place(bool follows);
    void store_waiting();
    bool follows_itself(int k) const;

    bool leaps_;                  // whether whole rows follow along one axis, none to be brought
    int64_t* moves_;              // bytes from each operand's row to the next one
    int64_t done_;                // rows that follow each other by these moves
    int64_t turn_;                // which of them this is
    bool loads_;                  // whether some rows are brought into a buffer one by one
    bool stores_;                 // whether some go through a buffer to memory
    int64_t waiting_;             // rows in buffers that are not stored yet
    int64_t most_;                // that wait
    int64_t first_[PB_MAX_DIMS];  // index of the first of them
};

}  // namespace pb

#endif  // PULLBACK_KERNEL_ONCE_H_
