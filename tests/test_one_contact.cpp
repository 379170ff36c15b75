// SPDX-License-Identifier: MIT
// The exact solution of one contact: its backward error, computed here in long double from the
// definition, on random blocks of every kind; what has no solution. Blocks that are singular have
// test_one_contact_singular.cpp.
// PERP_CONTACT_BLOCKS sets how many random blocks each kind of contact gets.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <string>

#include "contact_tools.hpp"

extern "C" {
#include "problem/one_contact.h"
}

namespace {

using namespace contacts;

int blocks() {
  const char *text = std::getenv("PERP_CONTACT_BLOCKS");
  return text != nullptr ? std::atoi(text) : 100000;
}

struct tally {
  long count = 0, ray = 0, huge = 0;
  double worst = 0, residual = 0, moved = 0;
};

void print(const std::map<std::string, tally> &all) {
  for (const auto &[name, t] : all)
    std::printf("%-56s %8ld  none %6ld  huge %5ld  worst %.1e  residual %.1e  change %.1e\n",
                name.c_str(), t.count, t.ray, t.huge, t.worst, t.residual, t.moved);
}

perp_status solve(const block &b, double *r) {
  if (b.parts == 2)
    return perp_contact_rolling_solve(b.size, b.W.data(), b.size, b.q.data(), b.mu[0], b.mu[1], r);
  return b.size == 2 ? perp_contact_2d_solve(b.W.data(), 2, b.q.data(), b.mu[0], r)
                     : perp_contact_3d_solve(b.W.data(), 3, b.q.data(), b.mu[0], r);
}

void random_blocks(int size, int parts, int count, double bound) {
  source s(1000u * static_cast<unsigned>(size) + static_cast<unsigned>(parts));
  std::map<std::string, tally> all;
  int bad = 0, near = 0, huge = 0;
  for (int i = 0; i < count; i++) {
    const block b = random_block(s, size, parts);
    double r[5] = {999, 999, 999, 999, 999};
    const perp_status status = solve(b, r);
    tally &t = all[b.name];
    t.count++;
    const double e = backward_error(b, r);
    if (status == PERP_RAY && !b.solvable) {
      t.ray++;
      continue;
    }
    const double A = amplification(b, r);
    /* where u rounds to more than 1e-6 of q the next best point may be an ordinary one */
    if (status == PERP_INACCURATE && e <= (A > 1e9 ? 1e-12 : 1e-10)) {
      t.huge++;
      huge++;
      continue;
    }
    if (b.hard && (status == PERP_INACCURATE || status == PERP_RAY) && e <= 1e-5) {
      near++;
      continue;
    }
    if (status == PERP_OK) {
      t.worst = std::fmax(t.worst, e);
      t.residual = std::fmax(t.residual, error(b, r));
      t.moved = std::fmax(t.moved, change(b, r));
    }
    if (status == PERP_OK && !b.hard && e > bound && e <= 1e-12) near++;
    if ((status != PERP_OK || !(e <= 1e-12 && e * A <= 3e-6)) && bad++ < 10) {
      ADD_FAILURE() << b.name << " " << i << ": status " << status << " error " << e << "\n"
                    << show(b, r);
    }
  }
  print(all);
  EXPECT_EQ(bad, 0);
  EXPECT_LE(near, 1 + count / 5000);
  EXPECT_LE(huge, 1 + count / 1000);
}

TEST(OneContact, BackwardErrorInSpace) { random_blocks(3, 1, blocks(), 1e-14); }
TEST(OneContact, BackwardErrorInThePlane) { random_blocks(2, 1, blocks(), 1e-14); }
TEST(OneContact, BackwardErrorWithRollingInThePlane) { random_blocks(3, 2, blocks() / 4, 1e-13); }

// Sweeps: any guess gives a solution; what is inline is as good as the exact path where W is tame.
template <class Prepare, class Sweep>
void sweeps(int size, int parts, int count, Prepare prepare, Sweep sweep) {
  source s(77u * static_cast<unsigned>(size));
  int bad = 0;
  long modes[4] = {0, 0, 0, 0};
  double worst = 0;
  for (int i = 0; i < count; i++) {
    const block b = random_block(s, size, parts);
    prepare(b);
    double exact[5], r[5] = {0, 0, 0, 0, 0};
    const perp_status status = solve(b, exact);
    const int guess = s.below(3);
    for (int k = 0; k < size; k++)
      r[k] = guess == 0 ? 0 : guess == 1 ? s.round() : exact[k] * (1 + 1e-3 * s.round());
    int mode = sweep(b.q.data(), r);
    modes[mode]++;
    const double first = error(b, r);
    if (!(first <= 1e-5) && mode != CONTACT_FAILED && bad++ < 10)
      ADD_FAILURE() << b.name << " first " << first << show(b, r);
    for (int again = 0; again < 2; again++) mode = sweep(b.q.data(), r);
    const double e = error(b, r);
    if (mode == CONTACT_FAILED ? status == PERP_OK : !(e <= (b.hard ? 1e-8 : 1e-11))) {
      if (bad++ < 10)
        ADD_FAILURE() << b.name << " mode " << mode << " " << first << " " << e << show(b, r);
    }
    if (mode != CONTACT_FAILED && e > worst) worst = e;
  }
  std::printf("off %ld stick %ld slip %ld failed %ld worst %.2e\n", modes[0], modes[1], modes[2],
              modes[3], worst);
  EXPECT_EQ(bad, 0);
}

TEST(OneContact, BackwardErrorWithRollingInSpace) { random_blocks(5, 2, blocks() / 20, 1e-13); }

TEST(OneContact, SweepsInSpaceSolve) {
  contact_3d c;
  sweeps(
      3, 1, blocks(), [&](const block &b) { perp_contact_3d_prepare(&c, b.W.data(), 3, b.mu[0]); },
      [&](const double *q, double *r) { return contact_3d_sweep(&c, q, r); });
}

TEST(OneContact, SweepsInThePlaneSolve) {
  contact_2d c;
  sweeps(
      2, 1, blocks(), [&](const block &b) { perp_contact_2d_prepare(&c, b.W.data(), 2, b.mu[0]); },
      [&](const double *q, double *r) { return contact_2d_sweep(&c, q, r); });
}

TEST(OneContact, SweepsWithRollingSolve) {
  for (const int size : {3, 5}) {
    contact_rolling c;
    sweeps(
        size, 2, blocks() / 40,
        [&](const block &b) {
          perp_contact_rolling_prepare(&c, size, b.W.data(), size, b.mu[0], b.mu[1]);
        },
        [&](const double *q, double *r) { return perp_contact_rolling_sweep(&c, q, r); });
  }
}

// B Bᵀ + 2⁻²⁹ I with a solution of 8e8: alone it took a million evaluations, 0.3 s.
constexpr double kRaised[] = {0x1.9b6d2afd857a5p-3,
                              -0x1.66dba0ba81cacp-3,
                              0x1.6d4e4fbeea96cp-5,
                              -0x1.6379e54b416cp-2,
                              0x1.4e594b1f80d0ep-3,
                              -0x1.66dba0ba81cacp-3,
                              0x1.3a00002p-3,
                              -0x1.fp-7,
                              0x1.3ep-2,
                              -0x1.54p-3,
                              0x1.6d4e4fbeea96cp-5,
                              -0x1.fp-7,
                              0x1.2c500004p+0,
                              0x1.36p-2,
                              -0x1.1ecp+0,
                              -0x1.6379e54b416cp-2,
                              0x1.3ep-2,
                              0x1.36p-2,
                              0x1.72a00008p-1,
                              -0x1.51cp-1,
                              0x1.4e594b1f80d0ep-3,
                              -0x1.54p-3,
                              -0x1.1ecp+0,
                              -0x1.51cp-1,
                              0x1.48400004p+0};
constexpr double kRaisedQ[] = {-0x1.7fffff83bcb2fp-1, -0x1.500000042p-1, 0x1.85p-29,
                               -0x1.084bbf7c6fa07p-3, -0x1.c9acef3afd337p-5};

// What may lie between two looks at what is left.
constexpr double kOver = 1e6;

TEST(OneContact, ExactSolutionsEndAfterTheirWork) {
  for (const double most : {1e3, 1e5, 1e7, CONTACT_WORK}) {
    double r[5] = {999, 999, 999, 999, 999};
    double left = most;
    EXPECT_GE(perp_contact_rolling_within(5, kRaised, 5, kRaisedQ, 0.875, 0.5, r, &left), 0);
    EXPECT_GE(left, -kOver);
    EXPECT_LE(left, 0); /* it wants more than any of these */
    for (const double x : r) EXPECT_TRUE(std::isfinite(x));
  }
}

// What cannot move is pressed: no force helps, and each sweep looks for one anew.
TEST(OneContact, SweepsEndWithTheWorkOfAContact) {
  const double W[25] = {0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1};
  const double q[5] = {-1, 0.5, 0.25, 0.125, 1};
  contact_rolling c;
  perp_contact_rolling_prepare(&c, 5, W, 5, 0.875, 0.5);
  double r[5] = {0, 0, 0, 0, 0}, before[5];
  for (int k = 0; k < 10000; k++) perp_contact_rolling_sweep(&c, q, r);
  EXPECT_GE(c.work, CONTACT_SWEEPS_WORK);
  EXPECT_LE(c.work, CONTACT_SWEEPS_WORK + kOver);
  std::copy(r, r + 5, before);
  EXPECT_EQ(perp_contact_rolling_sweep(&c, q, r), CONTACT_FAILED);
  EXPECT_TRUE(std::equal(r, r + 5, before));
}

// What a sweep cannot use it leaves as it was, and says so.
TEST(OneContact, SweepsSurviveWhatIsNotFinite) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, inf, -inf})
    for (int place = 0; place < 4 + 9 + 25 + 2 + 3 + 5; place++) {
      block b[3];
      for (int k = 0, at = place; k < 3; k++) {
        b[k].size = k == 0 ? 2 : k == 1 ? 3 : 5;
        b[k].parts = k == 2 ? 2 : 1;
        const int n = b[k].size;
        b[k].W.assign(static_cast<std::size_t>(n * n), 0);
        for (int i = 0; i < n; i++) b[k].at(i, i) = 1;
        b[k].q.assign(static_cast<std::size_t>(n), -1);
        if (at >= 0 && at < n * n) b[k].W[static_cast<std::size_t>(at)] = bad;
        at -= n * n;
        if (at >= 0 && at < n) b[k].q[static_cast<std::size_t>(at)] = bad;
        at -= n;
      }
      contact_2d two;
      contact_3d three;
      contact_rolling five;
      perp_contact_2d_prepare(&two, b[0].W.data(), 2, 0.5);
      perp_contact_3d_prepare(&three, b[1].W.data(), 3, 0.5);
      perp_contact_rolling_prepare(&five, 5, b[2].W.data(), 5, 0.5, 0.1);
      double r[3][5] = {{1, .2}, {1, .1, .2}, {1, .1, .2, .05, .05}};
      const int mode[3] = {contact_2d_sweep(&two, b[0].q.data(), r[0]),
                           contact_3d_sweep(&three, b[1].q.data(), r[1]),
                           perp_contact_rolling_sweep(&five, b[2].q.data(), r[2])};
      int failed = 0;
      for (int k = 0; k < 3; k++) {
        failed += mode[k] == CONTACT_FAILED;
        for (int i = 0; i < b[k].size; i++) EXPECT_TRUE(std::isfinite(r[k][i])) << k << place;
      }
      const bool away = bad == inf && (place == 4 || place == 15 || place == 43); /* q_n */
      EXPECT_TRUE(failed == 1 || away) << bad << " at " << place;
    }
}

}  // namespace
