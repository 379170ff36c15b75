// SPDX-License-Identifier: MIT
/** @file pool.hpp
 * Contacts that come and go: found by a callable at the begin of each step, see perp/pool.h. */
#ifndef PERP_CXX_POOL_HPP
#define PERP_CXX_POOL_HPP

#include <cstdint>
#include <utility>
#include <vector>

#include "perp/c_law.hpp"
#include "perp/callable.hpp"
#include "perp/pool.h"

namespace perp {

/** A system of a model, by its place: `system_id{3}` is the fourth. */
enum class system_id : std::int32_t {};
/** The other side of a contact with what does not move. */
inline constexpr system_id ground{PERP_GROUND};

/** What a callable of a contact_pool looks at and writes to, while it is called. */
class contact_search {
 public:
  /** Positions and velocities of a Lagrangian system or a body at the begin of the step. */
  /**@{*/
  view q(system_id s) const { return of(s, perp_simulation_q, *n_q_); }
  view v(system_id s) const { return of(s, perp_simulation_v, *n_); }
  /**@}*/
  /** Whether a system sleeps, so far in this step (simulation_options::sleep_energy). Contacts of
   * two that do, or of one with ground that does not move, need not be added. */
  bool is_asleep(system_id s) const {
    return perp_simulation_is_asleep(sim_, static_cast<std::int32_t>(s)) != 0;
  }
  /** Systems that are neither asleep nor off. */
  std::int32_t awake() const { return perp_simulation_awake(sim_); }
  /** Systems of the model. */
  std::int32_t systems() const { return static_cast<std::int32_t>(n_->size()); }

  /** Add a contact of a with b, or the ground: the normal points to a. law is its place in the laws
   * of the pool; identity tells it from others of the same pair.
   * @return whether it is among those kept so far; what is no contact of this model lets the step
   * fail */
  bool add(system_id a, system_id b, const contact_place &place, std::int32_t law = 0,
           std::uint64_t identity = 0) {
    perp_pool_contact c{};
    c.systems[0] = static_cast<std::int32_t>(a);
    c.systems[1] = static_cast<std::int32_t>(b);
    c.law = law;
    c.identity[0] = static_cast<std::uint32_t>(identity);
    c.identity[1] = static_cast<std::uint32_t>(identity >> 32);
    c.place = place;
    std::int32_t kept = 0;
    (void)perp_pool_add(out_, &c, &kept); /* what is refused ends the step */
    return kept != 0;
  }

  /** Add n contacts as C has them, by all threads of the run: for callables that find them by
   * several threads. What is refused lets the step fail. */
  void add(const perp_pool_contact *contacts, std::int32_t n) {
    (void)perp_pool_add_all(out_, n, contacts, nullptr);
  }

  /** Of C's callback, with positions and velocities of each system. */
  contact_search(const perp_simulation *sim, perp_pool_writer *out,
                 const detail::list<std::int32_t> &n_q, const detail::list<std::int32_t> &n)
      : sim_(sim), out_(out), n_q_(&n_q), n_(&n) {}

 private:
  view of(system_id s, const double *(*read)(const perp_simulation *, std::int32_t),
          const detail::list<std::int32_t> &sizes) const {
    const auto i = static_cast<std::int32_t>(s);
    const double *data = read(sim_, i);
    if (data == nullptr) detail::no_such("q", "system", i, " of order 2");
    return {data, static_cast<std::size_t>(sizes[static_cast<std::size_t>(i)])};
  }

  const perp_simulation *sim_;
  perp_pool_writer *out_;
  const detail::list<std::int32_t> *n_q_, *n_;
};

/** Room for contacts between any Lagrangian systems and bodies of a model. */
struct contact_pool {
  std::int32_t capacity = 0;               /**< contacts at a time, >= 1                          */
  std::int32_t max_per_system = 0;         /**< of one system; 0: capacity. Bounds memory         */
  bool plane = false;                      /**< systems are (x, y, angle) or (x, y)               */
  std::vector<law> laws;                   /**< of size 1, 2, 3 or 5                              */
  callable<double, contact_search &> find; /**< adds all that may act in the step to come */

  /** The most common fields; the others are set by name. */
  contact_pool(std::int32_t room, law of_contacts, callable<double, contact_search &> f)
      : capacity(room), laws{std::move(of_contacts)}, find(std::move(f)) {}
};

namespace detail {

/** The C description of a pool, and where C calls its callable back. */
class c_pool {
 public:
  c_pool(shared<const contact_pool> from, list<std::int32_t> n_q, list<std::int32_t> n)
      : from_(std::move(from)), n_q_(std::move(n_q)), n_(std::move(n)) {
    for (const law &l : from_->laws) {
      laws_.push_back(owned<c_law>(new c_law(l)));
      heads_.push_back(laws_[laws_.size() - 1]->head);
    }
    pool_.capacity = from_->capacity;
    pool_.max_per_system = from_->max_per_system;
    pool_.plane = from_->plane ? 1 : 0;
    pool_.n_laws = static_cast<std::int32_t>(heads_.size());
    pool_.laws = heads_.data();
    pool_.find = from_->find ? find : nullptr;
    pool_.user = this;
  }
  c_pool(const c_pool &) = delete;
  c_pool &operator=(const c_pool &) = delete;
  const perp_contact_pool *get() const { return &pool_; }
  /** As that of c_model. */
  void rethrow() const {
    for (auto &l : laws_) {
      if (l->functions) l->functions->rethrow();
    }
  }

 private:
  static std::int32_t find(double t, const perp_simulation *sim, perp_pool_writer *out,
                           void *user) noexcept {
    auto *const self = static_cast<c_pool *>(user);
    return caught([&] {
      contact_search search(sim, out, self->n_q_, self->n_);
      return self->from_->find(t, search);
    });
  }

  shared<const contact_pool> from_;
  list<std::int32_t> n_q_, n_;
  list<owned<c_law>> laws_;
  list<const perp_law *> heads_;
  perp_contact_pool pool_ = PERP_CONTACT_POOL_INIT;
};

}  // namespace detail

}  // namespace perp

#endif
