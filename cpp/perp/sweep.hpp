// SPDX-License-Identifier: MIT
/** @file sweep.hpp
 * One run per parameter, on all processors, with results in the order of the parameters; in
 * perp::perp only. */
#ifndef PERP_CXX_SWEEP_HPP
#define PERP_CXX_SWEEP_HPP

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "perp/heap.h"
#include "perp/view.hpp"

namespace perp {

/** How a sweep runs. */
struct sweep_options {
  std::int32_t workers = 0; /**< threads, at most 256; 0: as many as there are processors */
  /** Called after each run with how many are done and how many there are, by one thread at a time.
   * What it throws ends the sweep. */
  std::function<void(std::size_t done, std::size_t all)> progress;
};

/** n numbers from low to high, at equal distances, both ends among them; 1: low. */
inline std::vector<double> evenly(double low, double high, std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; i++) {
    const double s = n > 1 ? static_cast<double>(i) / static_cast<double>(n - 1) : 0;
    x[i] = i + 1 == n && n > 1 ? high : low + s * (high - low);
  }
  return x;
}

namespace detail {

/** The loop of a sweep: each worker takes the next run that nobody has taken, so that long runs
 * hold nobody up. */
class sweep_loop {
 public:
  sweep_loop(std::size_t size, const sweep_options &o, std::function<void(std::size_t)> run)
      : size_(size), options_(o), run_(std::move(run)) {}

  void go() {
    std::size_t workers = options_.workers > 0 ? static_cast<std::size_t>(options_.workers)
                                               : std::thread::hardware_concurrency();
    workers = std::max<std::size_t>(1, std::min({workers, size_, std::size_t{256}}));
    perp_threads *threads = nullptr;
    check(perp_threads_create(&threads, static_cast<std::int32_t>(workers)), "sweep");
    const std::unique_ptr<perp_threads, void (*)(perp_threads *)> held(threads,
                                                                       perp_threads_destroy);
    perp_threads_for(static_cast<std::int32_t>(workers), &sweep_loop::work, this, threads);
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  static void work(std::int32_t begin, std::int32_t end, std::int32_t, void *self) noexcept {
    for (std::int32_t chunk = begin; chunk < end; chunk++) static_cast<sweep_loop *>(self)->take();
  }

  void take() noexcept {
    while (!failed_) {
      const std::size_t i = next_++;
      if (i >= size_) return;
      try {
        run_(i);
        const std::lock_guard<std::mutex> one(lock_);
        done_++;
        if (options_.progress && !failed_) options_.progress(done_, size_);
      } catch (...) {
        const std::lock_guard<std::mutex> one(lock_);
        if (!thrown_ || i < first_) first_ = i, thrown_ = std::current_exception();
        failed_ = true;
      }
    }
  }

  std::size_t size_;
  const sweep_options &options_;
  std::function<void(std::size_t)> run_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex lock_;
  std::size_t done_ = 0, first_ = 0;
  std::exception_ptr thrown_;
};

}  // namespace detail

/**
 * The results of run(parameter) for each parameter, in their order, whatever number of workers.
 * Calls of run happen at the same time: each makes its own model and simulation, and changes
 * nothing that another one reads. Where runs throw, no further one begins, and the exception of the
 * first of them in the order of the parameters comes out: the same one for any number of workers,
 * as long as no run depends on another.
 */
template <class Parameter, class Run>
auto sweep(const std::vector<Parameter> &parameters, Run &&run, const sweep_options &o = {}) {
  using result = std::decay_t<std::invoke_result_t<Run &, const Parameter &>>;
  static_assert(!std::is_void_v<result>, "a run gives back its result");
  std::vector<std::optional<result>> found(parameters.size());
  if (!parameters.empty()) {
    detail::sweep_loop(parameters.size(), o, [&](std::size_t i) {
      found[i].emplace(run(parameters[i]));
    }).go();
  }
  std::vector<result> results;
  results.reserve(found.size());
  for (auto &f : found) results.push_back(std::move(*f));
  return results;
}

}  // namespace perp

#endif
