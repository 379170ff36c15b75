// SPDX-License-Identifier: MIT
/** @file held.hpp
 * What a simulation works on, kept until the last call of C that uses it has returned: a callback
 * may destroy or move the simulation that calls it. */
#ifndef PERP_CXX_HELD_HPP
#define PERP_CXX_HELD_HPP

#include <cstdint>
#include <exception>
#include <utility>

#include "perp/callable.hpp"

namespace perp::detail {

/** What every simulation works on has this. */
struct core_state {
  const void *owner = nullptr; /**< the handle that has it; none once that is gone */
  int calls = 0;               /**< of C under way                                 */
  perp_status status = PERP_OK;
  perp_info info = PERP_INFO_INIT;
  std::exception_ptr thrown; /**< by a callable, in the last call */

  /** Throw that, if there is any. */
  void rethrow() {
    if (thrown) std::rethrow_exception(std::exchange(thrown, nullptr));
  }
};

/** A call of C, while it is there. */
struct counted {
  explicit counted(core_state &s) : calls(s.calls), in(s.thrown) {
    calls++;
    s.thrown = nullptr;
  }
  counted(const counted &) = delete;
  counted &operator=(const counted &) = delete;
  ~counted() { calls--; }
  int &calls;
  catching in;
};

/** The core of one simulation, which is a core_state. Movable. */
template <class Core>
class handle {
 public:
  explicit handle(shared<Core> core) : core_(std::move(core)) { own(this); }
  handle(handle &&other) noexcept : core_(std::move(other.core_)) { own(this); }
  handle &operator=(handle &&other) noexcept {
    if (this == &other) return *this;
    own(nullptr);
    core_ = std::move(other.core_);
    own(this);
    return *this;
  }
  ~handle() { own(nullptr); }

  explicit operator bool() const noexcept { return static_cast<bool>(core_); }
  Core *operator->() const noexcept { return core_.get(); }
  Core &operator*() const noexcept { return *core_; }

  /** For a call: it stays as long as what this returns is copied to. */
  const shared<Core> &in_use() const {
    if (!core_) detail::refuse(PERP_EINVAL, "simulation: it was moved from", "sim");
    return core_;
  }
  /** Whether this is still there, and still has it; not to be touched before. */
  void require_owner(const Core &held, const char *what) const {
    if (held.owner != this) detail::refuse(PERP_EINVAL, what, "simulation");
  }

 private:
  void own(const void *owner) const noexcept {
    if (core_) core_->owner = owner;
  }

  shared<Core> core_;
};

}  // namespace perp::detail

#endif
