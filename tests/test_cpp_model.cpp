// SPDX-License-Identifier: MIT
// The builder of models: equal descriptions are stored once, wrong shapes are refused in words, and
// the C description says what was written.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "perp/perp.hpp"

namespace {

using perp::rows;
using perp::span;
using perp::system_id;
using perp::view;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/** What the call threw: its text must hold all of words, its status be EINVAL. */
template <class Call>
void expect_refusal(Call &&call, const std::vector<std::string> &words) {
  try {
    call();
    FAIL() << "accepted";
  } catch (const perp::error &e) {
    EXPECT_EQ(e.status(), PERP_EINVAL);
    for (const auto &word : words) {
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
    }
  }
}

TEST(CppModel, AThousandBeadsAreOneDescription) {
  perp::model m;
  std::vector<system_id> z;
  for (int i = 0; i < 1000; i++) {
    const perp::lagrangian_linear bead(1, 1.0, -9.81);  // a new object each time
    perp::lagrangian_linear_relation contact({-1.0, 1.0});
    contact.b = -0.2;
    z.push_back(m.add(bead, {0.25 * i}));
    if (i > 0) m.connect(contact, perp::newton_impact(0.9), {z.end()[-2], z.end()[-1]});
  }
  EXPECT_EQ(m.systems(), 1000u);
  EXPECT_EQ(m.interactions(), 999u);
  EXPECT_EQ(m.descriptions(), 3u) << "bead, contact, law";
  const perp::c_model c(m);
  const perp_model *p = c.get();
  ASSERT_EQ(p->n_systems, 1000);
  for (int i = 1; i < 1000; i++) EXPECT_EQ(p->systems[i], p->systems[0]);
  for (int i = 1; i < 999; i++) {
    EXPECT_EQ(p->interactions[i]->relation, p->interactions[0]->relation);
    EXPECT_EQ(p->interactions[i]->law, p->interactions[0]->law);
    EXPECT_EQ(p->interactions[i]->systems[0], i);
    EXPECT_EQ(p->interactions[i]->systems[1], i + 1);
  }
  EXPECT_EQ(p->q0[999], 0.25 * 999);
  EXPECT_EQ(perp_model_check(p, nullptr), PERP_OK);
}

TEST(CppModel, ADifferenceInAnyFieldIsAnotherDescription) {
  const auto different = [](auto &&change) {
    perp::model m;
    perp::lagrangian_linear s(1, 1.0, -9.81);
    m.add(s);
    change(s);
    m.add(s);
    return m.descriptions();
  };
  EXPECT_EQ(different([](auto &) {}), 1u);
  EXPECT_EQ(different([](auto &s) { s.M = std::nextafter(1.0, 2.0); }), 2u);
  EXPECT_EQ(different([](auto &s) { s.C = 1.0; }), 2u);
  EXPECT_EQ(different([](auto &s) { s.K = 1.0; }), 2u);
  EXPECT_EQ(different([](auto &s) { s.f = {}; }), 2u);
  EXPECT_EQ(different([](auto &s) { s.force = [](double, perp::span) {}; }), 2u);
}

TEST(CppModel, TheSameEntriesInOtherFieldsAreAnotherDescription) {
  perp::model m;
  perp::lagrangian_linear s(1, 1.0);
  s.C = 2.0;
  m.add(s);
  s.C = {};
  s.K = 2.0;
  m.add(s);
  EXPECT_EQ(m.descriptions(), 2u);
  const auto b = m.add(perp::lagrangian_linear(2, {1, 1}));
  m.connect(perp::lagrangian_linear_relation({1, 0}), perp::complementarity(), system_id{0});
  m.connect(perp::lagrangian_linear_relation({1, 0}), perp::complementarity(), b);
  EXPECT_EQ(m.descriptions(), 6u) << "the same matrix has two rows over one, and one over two";
}

TEST(CppModel, CopiesOfACallableAreOneDescription) {
  perp::model m;
  perp::lagrangian_linear s(1, 1.0);
  s.force = [](double t, perp::span f) { f[0] = t; };
  m.add(s);
  const perp::lagrangian_linear copy = s;
  m.add(copy);
  EXPECT_EQ(m.descriptions(), 1u);
}

struct from_a_pointer {  // constructible from nullptr, and no bool
  explicit from_a_pointer(const double *number) : value(number) {}
  void operator()(double, span f) const { f[0] = *value; }
  const double *value;
};

TEST(CppModel, WhatIsMadeFromAPointerIsACallableAndAnEmptyPointerIsNone) {
  using perp::time_function;
  static_assert(std::is_constructible_v<from_a_pointer, std::nullptr_t>, "the trap");
  static_assert(!std::is_constructible_v<bool, const from_a_pointer &>, "the trap");
  const double value = 3;
  const time_function f = from_a_pointer(&value);
  ASSERT_TRUE(f);
  double out = 0;
  EXPECT_EQ(f(0, {&out, 1}), 0);
  EXPECT_EQ(out, 3);
  EXPECT_FALSE(time_function(static_cast<void (*)(double, span)>(nullptr)));
  EXPECT_FALSE(time_function(std::function<void(span)>()));
  EXPECT_FALSE(time_function(nullptr));
  EXPECT_TRUE(time_function(std::function<void(span)>([](span) {})));
}

TEST(CppModel, BorrowedArraysAreToldApartByTheirPlace) {
  const std::vector<double> one{1.0}, other{1.0};
  perp::model m;
  m.add(perp::lagrangian_linear(1, perp::borrow(one)));
  m.add(perp::lagrangian_linear(1, perp::borrow(one)));
  m.add(perp::lagrangian_linear(1, perp::borrow(other)));
  EXPECT_EQ(m.descriptions(), 2u);
  const perp::c_model c(m);
  const auto *s = reinterpret_cast<const perp_lagrangian_linear *>(c.get()->systems[0]);
  EXPECT_EQ(s->M.values, one.data()) << "not copied";
}

TEST(CppModel, TheNumberOfEntriesTellsDiagonalFromDense) {
  perp::model m;
  perp::lagrangian_linear s(2, {3, 4});
  s.K = rows({{1, 2}, {5, 6}});
  m.add(s, {1, 2}, {3, 4});
  perp::first_order_linear f(2, rows({{0, 1}, {-1, 0}}), {7, 8});
  m.add(f, {5, 6});
  const perp::c_model c(m);
  ASSERT_EQ(c.get()->n_systems, 2);
  const auto *l = reinterpret_cast<const perp_lagrangian_linear *>(c.get()->systems[0]);
  EXPECT_EQ(l->M.kind, PERP_DIAGONAL);
  EXPECT_EQ(l->K.kind, PERP_DENSE);
  EXPECT_EQ(l->C.kind, PERP_ZERO);
  EXPECT_EQ(perp_matrix_entry(&l->M, 1, 1), 4.0);
  EXPECT_EQ(perp_matrix_entry(&l->K, 0, 1), 2.0);
  EXPECT_EQ(perp_matrix_entry(&l->K, 1, 0), 5.0);
  EXPECT_EQ(l->f, nullptr);
  const auto *x = reinterpret_cast<const perp_first_order_linear *>(c.get()->systems[1]);
  EXPECT_EQ(perp_matrix_entry(&x->A, 1, 0), -1.0);
  EXPECT_EQ(x->b[1], 8.0);
  EXPECT_EQ(c.get()->q0[1], 2.0);
  EXPECT_EQ(c.get()->v0[1], 4.0);
  EXPECT_EQ(c.get()->x0[1], 6.0);
  EXPECT_EQ(perp_model_check(c.get(), nullptr), PERP_OK);
}

TEST(CppModel, MissingInitialValuesAreZeros) {
  perp::model m;
  m.add(perp::lagrangian_linear(2, {1, 1}));
  m.add(perp::lagrangian_linear(2, {1, 1}), {1, 2}, {3, 4});
  m.add(perp::lagrangian_linear(2, {1, 1}), {}, {5, 6});
  const std::vector<double> q0{0, 0, 1, 2, 0, 0}, v0{0, 0, 3, 4, 5, 6};
  const perp::c_model c(m);
  EXPECT_EQ(std::vector<double>(c.get()->q0, c.get()->q0 + 6), q0);
  EXPECT_EQ(std::vector<double>(c.get()->v0, c.get()->v0 + 6), v0);
}

TEST(CppModel, AllFieldsOfARelationReachC) {
  perp::model m;
  const auto s = m.add(perp::first_order_linear(2));
  perp::linear_relation r;
  std::vector<double> z{9};
  r.C = rows({{1, 2}, {3, 4}});
  r.D = rows({{5, 6}, {7, 8}});
  r.B = rows({{1, 0}, {0, 1}});
  r.F = {10, 11};
  r.e = {12, 13};
  r.a = {14, 15};
  r.z = perp::borrow(z);
  m.connect(r, perp::complementarity(), s);
  const auto l = m.add(perp::lagrangian_linear(1, 1.0));
  perp::lagrangian_linear_relation g(2.0);
  g.D = 3.0;
  g.F = 4.0;
  g.b = 5.0;
  g.z = perp::borrow(z);
  m.connect(g, perp::newton_impact(0.25), l);
  const perp::c_model c(m);
  const auto *p =
      reinterpret_cast<const perp_linear_relation *>(c.get()->interactions[0]->relation);
  EXPECT_EQ(p->relation.m, 2);
  EXPECT_EQ(p->relation.n, 2);
  EXPECT_EQ(p->C[1], 3.0);
  EXPECT_EQ(p->D[2], 6.0);
  EXPECT_EQ(p->B[3], 1.0);
  EXPECT_EQ(p->F[1], 11.0);
  EXPECT_EQ(p->e[1], 13.0);
  EXPECT_EQ(p->a[1], 15.0);
  EXPECT_EQ(p->z, z.data());
  EXPECT_EQ(p->n_z, 1);
  const auto *h =
      reinterpret_cast<const perp_lagrangian_linear_relation *>(c.get()->interactions[1]->relation);
  EXPECT_EQ(h->H[0], 2.0);
  EXPECT_EQ(h->D[0], 3.0);
  EXPECT_EQ(h->F[0], 4.0);
  EXPECT_EQ(h->b[0], 5.0);
  EXPECT_EQ(h->z, z.data());
  EXPECT_EQ(reinterpret_cast<const perp_newton_impact *>(c.get()->interactions[1]->law)->e, 0.25);
}

TEST(CppModel, LawsBecomeTheStructsOfC) {
  perp_complementarity own;
  ASSERT_EQ(perp_complementarity_init(&own, sizeof own), PERP_OK);
  perp::model m;
  const auto s = m.add(perp::lagrangian_linear(2, {1, 1}));
  const perp::lagrangian_linear_relation r(rows({{1, 0}, {0, 1}}));
  m.connect(r, perp::equality(), s);
  m.connect(r, perp::box({-1, -2}, {1, 2}), s);
  m.connect(r, perp::box(-1, 1), s);
  m.connect(r, perp::user_law(&own.law), s);
  const perp::c_model c(m);
  const auto law = [&](int i) { return c.get()->interactions[i]->law; };
  EXPECT_EQ(law(0)->ops->set, PERP_SET_FREE);
  EXPECT_EQ(law(1)->ops->set, PERP_SET_BOX);
  EXPECT_EQ(law(1)->size, 2);
  EXPECT_EQ(reinterpret_cast<const perp_box *>(law(1))->upper[1], 2.0);
  EXPECT_EQ(law(2)->size, 1);
  EXPECT_EQ(law(3)->ops, own.law.ops);
}

TEST(CppModel, ACopyIsIndependentAndAMovedModelGoesOn) {
  perp::model m;
  const auto a = m.add(perp::lagrangian_linear(1, 1.0));
  perp::model copy = m;
  copy.add(perp::lagrangian_linear(1, 2.0));
  EXPECT_EQ(m.systems(), 1u);
  EXPECT_EQ(copy.systems(), 2u);
  perp::model moved = std::move(m);
  moved.connect(perp::lagrangian_linear_relation(1.0), perp::newton_impact(0.5), a);
  EXPECT_EQ(moved.interactions(), 1u);
  EXPECT_EQ(copy.interactions(), 0u);
}

TEST(CppModelRefuses, MatricesOfTheWrongSize) {
  perp::model m;
  perp::lagrangian_linear s(3, {1, 1, 1});
  s.K = {1, 2, 3, 4};
  expect_refusal([&] { m.add(s); }, {"lagrangian_linear", "K has 4 entries", "n = 3", "9 (dense)"});
  s.K = {};
  s.f = {1, 2};
  expect_refusal([&] { m.add(s); }, {"f has 2 entries", "3 are needed"});
  expect_refusal([&] { m.add(perp::lagrangian_linear(3)); }, {"M has 0 entries"});
  expect_refusal([&] { m.add(perp::lagrangian_linear(0, 1.0)); }, {"n = 0"});
  expect_refusal([&] { m.add(perp::lagrangian_linear(-1, 1.0)); }, {"n = -1"});
  expect_refusal(
      [&] {
        m.add(perp::first_order_linear(2, {1, 2, 3}));
      },
      {"first_order_linear", "A has 3 entries"});
  EXPECT_EQ(m.systems(), 0u) << "a refused system leaves the model as it was";
  EXPECT_EQ(m.descriptions(), 0u);
}

TEST(CppModelRefuses, InitialValuesOfTheWrongSize) {
  perp::model m;
  const perp::lagrangian_linear s(2, {1, 1});
  expect_refusal([&] { m.add(s, {1}); }, {"q0 has 1 entries", "2 are needed"});
  expect_refusal([&] { m.add(s, {1, 2}, {1, 2, 3}); }, {"v0 has 3 entries"});
  expect_refusal([&] { m.add(perp::first_order_linear(2), {1, 2, 3}); }, {"x0 has 3 entries"});
  EXPECT_EQ(m.systems(), 0u);
}

TEST(CppModelRefuses, RelationsThatDoNotFit) {
  perp::model m;
  const auto s = m.add(perp::lagrangian_linear(3, {1, 1, 1}));
  const auto x = m.add(perp::first_order_linear(2));
  const perp::law law = perp::complementarity();
  expect_refusal(
      [&] {
        m.connect(perp::lagrangian_linear_relation({1, 0}), law, s);
      },
      {"H has 2 entries", "3 are needed"});
  expect_refusal([&] { m.connect(perp::lagrangian_linear_relation(), law, s); }, {"H has 0"});
  perp::lagrangian_linear_relation r({1, 0, 0});
  r.m = 2;
  expect_refusal([&] { m.connect(r, law, s); }, {"H has 3 entries", "6 are needed"});
  r.m = -1;
  expect_refusal([&] { m.connect(r, law, s); }, {"m = -1"});
  r.m = 0;
  r.b = {1, 2};
  expect_refusal([&] { m.connect(r, law, s); }, {"b has 2 entries"});
  r.b = {};
  r.z = 1.0;
  expect_refusal([&] { m.connect(r, law, s); }, {"F has 0 entries"});
  r.z = {};
  expect_refusal([&] { m.connect(r, law, x); }, {"other order"});
  expect_refusal([&] { m.connect(r, law, system_id{2}); }, {"no such system", "= 2"});
  expect_refusal([&] { m.connect(r, law, system_id{-1}); }, {"no such system"});
  expect_refusal([&] { m.connect(r, law, {}); }, {"systems"});
  expect_refusal([&] { m.connect(r, perp::box({-1, -1}, {1, 1}), s); }, {"does not divide"});
  perp::linear_relation l;
  l.C = {1, 0};
  l.B = {1, 2, 3};
  expect_refusal([&] { m.connect(l, law, x); }, {"B has 3 entries"});
  EXPECT_EQ(m.interactions(), 0u);
  EXPECT_EQ(m.descriptions(), 2u);
}

TEST(CppModelRefuses, LawsOutOfRange) {
  perp::model m;
  const auto s = m.add(perp::lagrangian_linear(1, 1.0));
  const auto refused = [&](const perp::law &law) {
    EXPECT_THROW(m.connect(perp::lagrangian_linear_relation(1.0), law, s), perp::error);
  };
  for (const double e : {-0.1, 1.1, kNaN}) refused(perp::newton_impact(e));
  refused(perp::box(1, -1));
  refused(perp::box(kNaN, 1));
  refused(perp::box({-1, -1}, 1));
  refused(perp::box({}, {}));
  refused(perp::user_law(nullptr));
  EXPECT_EQ(m.interactions(), 0u);
}

TEST(Describe, TellsWhatAModelIsMadeOf) {
  perp::model m;
  m.add(perp::ball(1, 0.5));
  const std::string text = perp::describe(m);
  EXPECT_EQ(text.find("1 systems (7 positions, 6 velocities"), 0u) << text;
  EXPECT_EQ(text.back(), '\n');
}

}  // namespace
