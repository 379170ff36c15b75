// SPDX-License-Identifier: MIT
// Published trajectories: files that are not part of this repository, in PERP_DATA/reference.
#ifndef PERP_TESTS_REFERENCE_TOOLS_HPP
#define PERP_TESTS_REFERENCE_TOOLS_HPP

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "figure.hpp"

namespace tools {

/** A file of `rows columns` and then the rows. */
class Reference {
 public:
  explicit Reference(const std::string &name) : name_(name) {
    const char *data = std::getenv("PERP_DATA");
    const std::string folder = data != nullptr ? data : PERP_SOURCE_DIR "/../shared/data";
    std::ifstream file(folder + "/reference/" + name);
    std::size_t n = 0;
    if (!(file >> n >> columns_)) return;
    values_.resize(n * columns_);
    for (double &value : values_) file >> value;
    if (!file) values_.clear();
  }
  ~Reference() {
    if (found()) figure(name_ + ", largest deviation over its tolerance", largest_);
  }
  Reference(const Reference &) = delete;
  bool found() const { return !values_.empty(); }
  std::size_t size() const { return values_.size() / columns_; }
  const double *row(std::size_t k) const { return &values_[k * columns_]; }

  /** Compare the first columns of row k, NaN is never equal. */
  void expect(std::size_t k, const std::vector<double> &mine,
              const std::vector<double> &tolerance) {
    ASSERT_LE(mine.size(), columns_);
    ASSERT_LT(k, size());
    for (std::size_t j = 0; j < mine.size(); j++) {
      const double tol = j < tolerance.size() ? tolerance[j] : tolerance.back();
      const double deviation = std::abs(mine[j] - row(k)[j]);
      largest_ = std::max(largest_, deviation / tol);
      if (!(deviation <= tol)) {
        ADD_FAILURE() << "row " << k << ", column " << j << ": " << mine[j] << " instead of "
                      << row(k)[j] << ", difference " << deviation;
        failures_++;
      }
    }
    ASSERT_LT(failures_, 10) << "and so on";
  }

 private:
  std::string name_;
  std::size_t columns_ = 1;
  std::vector<double> values_;
  double largest_ = 0;
  int failures_ = 0;
};

}  // namespace tools

#define OPEN_OR_SKIP(ref, name) \
  tools::Reference ref(name);   \
  if (!ref.found()) GTEST_SKIP() << "no " name " under PERP_DATA/reference"

#endif
