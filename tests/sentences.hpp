// SPDX-License-Identifier: MIT
// What tests of sentences have in common: what was provoked, and the whole sentence that says so.
#ifndef PERP_TESTS_SENTENCES_HPP
#define PERP_TESTS_SENTENCES_HPP

#include <gtest/gtest.h>
#include <perp/perp.h>

#include <limits>
#include <set>
#include <string>

namespace sentences {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/** What was provoked: for scripts/errors, where PERP_PROVOKED names a file. */
inline std::set<std::string> provoked;

inline std::string told(perp_status status, const perp_info &info) {
  if (info.field != nullptr) provoked.insert(std::to_string(status) + " " + info.field);
  char text[512];
  EXPECT_LT(perp_explain(status, &info, 0, text, sizeof text), sizeof text);
  return status == PERP_OK ? "nothing" : text;
}

/** What a call says, which is handed an info. */
template <class Call>
std::string said(Call &&call) {
  perp_info info = PERP_INFO_INIT;
  const perp_status status = call(&info);
  return told(status, info);
}

/** A sentence, and what is done to a description that is right. */
template <class Thing>
struct refusal {
  const char *sentence;
  void (*spoil)(Thing &);
};

template <class Thing>
void expect(std::initializer_list<refusal<Thing>> all) {
  {
    Thing sound;
    EXPECT_EQ(sound.said(), "nothing") << "what is spoiled was right";
  }
  for (const refusal<Thing> &r : all) {
    Thing thing;
    r.spoil(thing);
    EXPECT_EQ(thing.said(), r.sentence);
  }
}

}  // namespace sentences

#endif
