// SPDX-License-Identifier: MIT
#include "tool/model_run_schedules.hpp"

#include <cmath>

#include "tool/model_run.hpp"

namespace perp::tool {

double scheduled_behind(const perp_schedule &s, double behind) {
  if (s.n_times > 0) {
    for (std::int32_t k = 0; k < s.n_times; k++)
      if (s.times[k] > behind) return s.times[k];
    return HUGE_VAL;
  }
  if (s.first > behind) return s.first;
  if (!(s.period > 0)) return HUGE_VAL;
  const double k = std::floor((behind - s.first) / s.period);  // but for rounding
  for (const double each : {k, k + 1, k + 2})
    if (s.first + each * s.period > behind) return s.first + each * s.period;
  return std::nextafter(behind, HUGE_VAL);  // closer together than doubles
}

double scheduled_within(const perp_schedule &s, double first, bool at_first, double last,
                        double h) {
  const double near = 1e-6 * h;  // as of the run
  const double from = at_first ? std::nextafter(first - near, -HUGE_VAL) : first + near;
  const auto step = [&](double t) { return h > 0 ? std::ceil((t - first - near) / h) : t; };
  double n = 0, before = -HUGE_VAL; /* the step of the last that counts */
  for (std::int32_t k = 0; k < s.n_times; k++) {
    if (!(s.times[k] > from && s.times[k] <= last + near)) continue;
    if (step(s.times[k]) > before) n++;
    before = step(s.times[k]);
  }
  const double next = s.n_times > 0 ? HUGE_VAL : scheduled_behind(s, from);
  if (!(next <= last + near)) return n;
  if (!(s.period > 0)) return 1;
  const double times = 1 + std::floor((last + near - next) / s.period);
  return h > 0 ? std::fmin(times, 1 + step(last) - step(next)) : times;
}

schedules::schedules(const io::loaded_model &m, double near)
    : m_(m), near_(near), next_(static_cast<std::size_t>(m.events.n_schedules)) {}

void schedules::begin(const perp_simulation *sim, bool resumed) {
  const double t = perp_simulation_time(sim);
  for (std::size_t k = 0; k < next_.size(); k++)
    next_[k] = resumed
                   ? scheduled_behind(m_.events.schedules[k], t + near_)
                   : scheduled_behind(m_.events.schedules[k], std::nextafter(t - near_, -HUGE_VAL));
}

perp_status schedules::happen(perp_simulation *sim, perp_log *log, perp_info *info) {
  const double t = perp_simulation_time(sim);
  happened_.clear();
  for (std::size_t k = 0; k < next_.size(); k++) {
    if (!(next_[k] <= t + near_)) continue;
    happened_.push_back(static_cast<std::int32_t>(k));
    next_[k] = scheduled_behind(m_.events.schedules[k], t + near_);
  }
  if (happened_.empty()) return PERP_OK;
  events++;
  const auto systems = static_cast<std::int32_t>(m_.systems.size());
  const auto take = [&](std::vector<double> *to,
                        const double *(*of)(const perp_simulation *, std::int32_t),
                        std::int32_t (*size)(const perp_simulation *, std::int32_t)) {
    to->clear();
    for (std::int32_t s = 0; s < systems; s++)
      if (const std::int32_t n = size(sim, s)) to->insert(to->end(), of(sim, s), of(sim, s) + n);
  };
  take(&q_, perp_simulation_q, perp_simulation_n_q);
  take(&v_, perp_simulation_v, perp_simulation_n_v);
  take(&x_, perp_simulation_x, perp_simulation_n_x);
  perp_event_state at = {t,
                         q_.data(),
                         v_.data(),
                         x_.data(),
                         static_cast<std::int32_t>(q_.size()),
                         static_cast<std::int32_t>(v_.size()),
                         static_cast<std::int32_t>(x_.size()),
                         0};
  for (const std::int32_t k : happened_) {
    const perp_schedule &s = m_.events.schedules[k];
    if (s.reset != nullptr) (void)s.reset(&at, s.user);
  }
  perp_status status = perp_simulation_set_state(sim, 0, systems, at.q, at.v, at.x, info);
  for (std::size_t i = 0; status == PERP_OK && i < happened_.size(); i++) {
    const perp_log_event e = {t, PERP_EVENT_SCHEDULE, happened_[i], -1, -1, -1, 0, 0, t, nullptr};
    perp_info of_log = PERP_INFO_INIT;
    check(perp_log_add_event(log, &e, &of_log), of_log, "log");
  }
  return status;
}

std::string schedules::names(bool stopping) const {
  const std::vector<const io::model_hook *> all = m_.all_of(false);
  std::string text;
  for (const std::int32_t k : happened_) {
    const io::model_hook &hook = *all[static_cast<std::size_t>(k)];
    if (!stopping || hook.stop) text += (text.empty() ? "schedule " : " and schedule ") + hook.name;
  }
  return text;
}

}  // namespace perp::tool
