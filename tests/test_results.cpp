// SPDX-License-Identifier: MIT
// What is shown of a log: names of columns, their values, and curves of few points, judged from the
// definition of each.
#include "tool/results.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "tool/usage.hpp"

namespace {

using perp::tool::column;
using perp::tool::curve;
using perp::tool::decimation;
using perp::tool::results;

curve thinned(const std::vector<double> &y, std::size_t most) {
  decimation d(static_cast<std::int64_t>(y.size()), most);
  for (std::size_t i = 0; i < y.size(); i++) d.add(static_cast<double>(i), y[i]);
  return d.take();
}

// What stays is a part of the curve, in order; between two that stay nothing lies outside what the
// points of a stretch of `width` samples around it span.
void expect_thin(const std::vector<double> &y, std::size_t most, std::size_t width) {
  const curve c = thinned(y, most);
  ASSERT_EQ(c.x.size(), c.y.size());
  ASSERT_LE(c.x.size(), most);
  ASSERT_FALSE(c.x.empty());
  EXPECT_EQ(c.x.front(), 0);
  EXPECT_EQ(c.x.back(), static_cast<double>(y.size() - 1));
  for (std::size_t i = 0; i < c.x.size(); i++) {
    ASSERT_TRUE(i == 0 || c.x[i] > c.x[i - 1]);
    const double of = y[static_cast<std::size_t>(c.x[i])];
    ASSERT_TRUE(of == c.y[i] || (std::isnan(of) && std::isnan(c.y[i])));
  }
  std::size_t from = 0;
  for (std::size_t i = 0; i < y.size(); i++) {
    while (c.x[from] + static_cast<double>(width) < static_cast<double>(i)) from++;
    double low = HUGE_VAL, high = -HUGE_VAL;
    bool gap = false;
    for (std::size_t k = from; k < c.x.size() && c.x[k] <= static_cast<double>(i + width); k++) {
      if (std::isnan(c.y[k])) gap = true;
      low = std::fmin(low, c.y[k]), high = std::fmax(high, c.y[k]);
    }
    ASSERT_TRUE(std::isnan(y[i]) ? gap : low <= y[i] && y[i] <= high) << i << " of " << y.size();
  }
}

TEST(Decimation, FewSamplesStayAsTheyAre) {
  for (std::size_t n = 0; n <= 8; n++) {
    std::vector<double> y(n);
    for (std::size_t i = 0; i < n; i++) y[i] = i == 3 ? std::nan("") : 1.0 / static_cast<double>(i);
    const curve c = thinned(y, 8);
    ASSERT_EQ(c.y.size(), n);
    for (std::size_t i = 0; i < n; i++) {
      EXPECT_EQ(c.x[i], static_cast<double>(i));
      EXPECT_TRUE(c.y[i] == y[i] || i == 3);
    }
  }
}

TEST(Decimation, KeepsTheExtremesOfEachStretch) {
  std::srand(7);
  for (const std::size_t n : {9u, 10u, 17u, 100u, 101u, 1000u, 4001u, 12345u})
    for (const std::size_t most : {8u, 9u, 50u, 4000u}) {
      std::vector<double> y(n);
      for (double &v : y) v = std::rand() % 7 == 0 ? 0 : std::rand() / 1e6;
      /* a bucket has no more samples than this */
      expect_thin(y, most, n / ((most - 2) / 2) + 1);
    }
}

TEST(Decimation, KeepsASpikeOfOneSample) {
  std::vector<double> y(1000000, 1.0);
  y[654321] = -3;
  y[123456] = HUGE_VAL;
  const curve c = thinned(y, 4000);
  EXPECT_LE(c.x.size(), 4000u);
  const std::set<double> at(c.x.begin(), c.x.end());
  EXPECT_EQ(at.count(654321), 1u);
  EXPECT_EQ(at.count(123456), 1u);
}

TEST(Decimation, NaNStaysAsAGapAndTakesNoMorePoints) {
  for (const std::size_t n : {100u, 4001u, 50000u}) {
    std::vector<double> y(n);
    for (std::size_t i = 0; i < n; i++)
      y[i] = i % 3 == 0 ? std::nan("") : std::sin(static_cast<double>(i));
    for (const std::size_t most : {8u, 50u, 4000u})
      expect_thin(y, most, 4 * (n / ((most - 2) / 2) + 1));
  }
  expect_thin(std::vector<double>(10000, std::nan("")), 50, 10000);
}

// A log with two kinds: one without names, one with them.
class Results : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = std::filesystem::temp_directory_path() / "perp-results-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = folder_ + "/a.log";
    static const char *const names[] = {"box[a]", "box[b.c]"};
    static const char *const parts[] = {"n", "t"};
    static const char *const units[] = {"m", "m/s"};
    perp_log_quantity q[3] = {};
    q[0].kind = "bead", q[0].name = "q", q[0].unit = "m", q[0].members = 11, q[0].components = 1;
    q[1].kind = "box", q[1].name = "y", q[1].members = 2, q[1].components = 2;
    q[1].member_names = names, q[1].component_names = parts, q[1].component_units = units;
    q[2].kind = "bead", q[2].name = "x", q[2].members = 1, q[2].components = 3;
    perp_log_schema schema = PERP_LOG_SCHEMA_INIT;
    schema.quantities = q, schema.n_quantities = 3;
    perp::log log(path_, schema);
    for (int k = 0; k < samples; k++) {
      std::vector<double> values;
      for (int i = 0; i < 18; i++) values.push_back(100 * k + i);
      log.sample(0.5 * k, values);
    }
    log.end(7, 3, "why", "{}");
    log.close();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::vector<std::string> names(const std::vector<column> &columns) {
    std::vector<std::string> all;
    for (const column &c : columns) all.push_back(c.name);
    return all;
  }
  std::string refusal(const results &r, const std::string &pattern) {
    try {
      (void)r.find(pattern);
    } catch (const perp::tool::usage_error &e) {
      return e.what();
    }
    return "found";
  }

  static constexpr int samples = 9001; /* several stretches */
  std::string folder_, path_;
};

TEST_F(Results, NamesFindColumns) {
  const results r(path_);
  using list = std::vector<std::string>;
  EXPECT_EQ(names(r.find("bead.q")).size(), 11u);
  EXPECT_EQ(names(r.find("bead")).size(), 14u);
  EXPECT_EQ(names(r.find("*")).size(), 18u);
  EXPECT_EQ(names(r.find("*.y")),
            (list{"box[a].y.n", "box[a].y.t", "box[b.c].y.n", "box[b.c].y.t"}));
  EXPECT_EQ(names(r.find("box[b.c]")), (list{"box[b.c].y.n", "box[b.c].y.t"}));
  EXPECT_EQ(names(r.find("box[b.c].y.t , bead[10].q")), (list{"box[b.c].y.t", "bead[10].q"}));
  EXPECT_EQ(names(r.find("box.y.1")), (list{"box[a].y.t", "box[b.c].y.t"}));
  EXPECT_EQ(names(r.find("bead[1*].q,bead[1].q")), (list{"bead[1].q", "bead[10].q"}));
  EXPECT_EQ(names(r.find("*.x")), (list{"bead.x.0", "bead.x.1", "bead.x.2"}));
  EXPECT_EQ(r.find("box[a].y.t")[0].unit, "m/s");
  EXPECT_EQ(r.find("bead[3].q")[0].unit, "m");
  for (const char *none :
       {"", "baed.q", "bead.z", "q", "bead[11].q", "bead.q,", "*[11]", "box.y.2"})
    EXPECT_NE(refusal(r, none).find("there is no '"), std::string::npos) << none;
  EXPECT_NE(refusal(r, "baed.q").find("did you mean 'bead.q'"), std::string::npos);
}

TEST_F(Results, ValuesAreThoseOfTheColumn) {
  results r(path_);
  const std::vector<double> t = r.times();
  ASSERT_EQ(t.size(), static_cast<std::size_t>(samples));
  const std::vector<column> columns = r.find("box[a].y.t,bead[2].q,bead.x.2");
  const std::size_t places[] = {12, 2, 17};
  for (std::size_t i = 0; i < 3; i++) {
    const std::vector<double> v = r.values(columns[i]);
    ASSERT_EQ(v.size(), t.size());
    for (std::size_t k = 0; k < v.size(); k++)
      ASSERT_EQ(v[k], static_cast<double>(100 * k + places[i]));
  }
  std::int64_t seen = 0;
  r.each(
      columns,
      [&](std::int64_t count, const double *times, const double *values) {
        for (std::int64_t k = 0; k < count; k++, seen++) {
          ASSERT_EQ(times[k], 3.5 * static_cast<double>(seen));
          for (std::size_t i = 0; i < 3; i++)
            ASSERT_EQ(*values++, static_cast<double>(700 * seen) + static_cast<double>(places[i]));
        }
      },
      7);
  EXPECT_EQ(seen, (samples + 6) / 7);
  EXPECT_EQ(r.curves(columns)[1].y.back(), 100.0 * (samples - 1) + 2);
}

TEST_F(Results, DefaultsAreFewAndSpread) {
  const results r(path_);
  const std::vector<std::string> all = names(r.defaults(4));
  EXPECT_EQ(all, (std::vector<std::string>{"bead[0].q", "bead[3].q", "bead[6].q", "bead[10].q",
                                           "box[a].y.n", "box[a].y.t", "box[b.c].y.n",
                                           "box[b.c].y.t", "bead.x.0", "bead.x.1", "bead.x.2"}));
}

TEST_F(Results, TheEnd) {
  results r(path_);
  EXPECT_TRUE(r.end().ended);
  EXPECT_EQ(r.end().t, 7);
  EXPECT_EQ(r.end().status, 3);
  EXPECT_EQ(r.end().reason, "why");
}

TEST_F(Results, WhatIsNoLogIsRefused) {
  std::ofstream(folder_ + "/b.h5", std::ios::binary) << "\x89HDF\r\n\x1a\n rest";
  for (const char *name : {"/b.h5", "/none.log", ""})
    EXPECT_THROW(results(folder_ + name), perp::tool::usage_error) << name;
}

}  // namespace
