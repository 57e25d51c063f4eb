// A backward inside of a backward: each takes stack, and after some a fresh thread has a new one.
#pragma once

#include <functional>

namespace pullback {

/// `pullback.engine.core.reentrant.on_a_fresh_thread`: runs the function on a new thread, in the
/// caller's context, and waits. Throws ErrorSet where the function did.
void on_a_fresh_thread(const std::function<void()>& run);

}  // namespace pullback
