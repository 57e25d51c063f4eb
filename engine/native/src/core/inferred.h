// What kernels' `infer` said before.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pullback/kernel_abi.h"

namespace pullback {

/// The last answers of a kernel's `infer`, for one that reads no data. Guarded by the GIL.
class Inferred {
  public:
    /// Fills the query as the kernel would, which is asked where it was not asked this lately.
    int answer(pb_infer_function infer, pb_infer& query);

  private:
    struct Answer {
        std::vector<std::int64_t> arguments;
        std::vector<pb_spec> outputs;
        std::size_t workspace_bytes = 0;
        std::int64_t units = 0;
        std::uint64_t can_add = 0;

        bool is_for(const pb_infer& query) const;
    };

    std::array<Answer, 4> answers_;  // one without arguments was not given yet
    std::size_t next_ = 0;           // which the next one replaces
};

}  // namespace pullback
