// SPDX-License-Identifier: MIT
// What is precompiled for all tests. Most of what compiling one takes is the code of templates that
// all use: that is made once, in precompiled.cpp, and only declared elsewhere.
#ifndef PERP_TESTS_PRECOMPILED_HPP
#define PERP_TESTS_PRECOMPILED_HPP

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#define EXPAND_COMPARISON(how, A, B, name)                                                      \
  how template AssertionResult internal::CmpHelper##name(const char *, const char *, const A &, \
                                                         const B &);
// EXPECT_EQ() and its kin for an A and a B; how: extern, or nothing where they are made.
#define EXPAND_COMPARISONS(how, A, B)                                                              \
  EXPAND_COMPARISON(how, A, B, EQ)                                                                 \
  EXPAND_COMPARISON(how, A, B, EQFailure)                                                          \
  EXPAND_COMPARISON(how, A, B, NE)                                                                 \
  EXPAND_COMPARISON(how, A, B, LE)                                                                 \
  EXPAND_COMPARISON(how, A, B, LT)                                                                 \
  EXPAND_COMPARISON(how, A, B, GE)                                                                 \
  EXPAND_COMPARISON(how, A, B, GT)                                                                 \
  how template AssertionResult internal::CmpHelperOpFailure(const char *, const char *, const A &, \
                                                            const B &, const char *);
#define EXPAND_TEMPLATES(how)                                  \
  how template class std::vector<double>;                      \
  how template class std::vector<int>;                         \
  how template class std::vector<std::size_t>;                 \
  how template class std::vector<std::string>;                 \
  how template class std::unique_ptr<std::string>;             \
  how template class std::unique_ptr<std::stringstream>;       \
  namespace testing {                                          \
  how template std::string PrintToString(const int &);         \
  how template std::string PrintToString(const double &);      \
  how template std::string PrintToString(const std::size_t &); \
  how template std::string PrintToString(const std::string &); \
  how template struct internal::SuiteApiResolver<Test>;        \
  EXPAND_COMPARISONS(how, int, int)                            \
  EXPAND_COMPARISONS(how, double, double)                      \
  EXPAND_COMPARISONS(how, double, int)                         \
  EXPAND_COMPARISONS(how, std::size_t, std::size_t)            \
  EXPAND_COMPARISONS(how, std::size_t, int)                    \
  EXPAND_COMPARISONS(how, std::string, std::string)            \
  }
EXPAND_TEMPLATES(extern)

#endif
