// SPDX-License-Identifier: MIT
// Text problems: what is written is read again, and what is damaged is refused with its line.
#include <gtest/gtest.h>

#include <array>
#include <sstream>

#include "io_tools.hpp"

namespace {

using namespace tools;

any_problem read(const std::string &text, const std::string &wanted = "") {
  return read_dat(text, "file.dat", wanted);
}

std::string refusal(const std::string &text, const std::string &wanted = "") {
  try {
    (void)read(text, wanted);
  } catch (const file_error &e) {
    return e.what();
  }
  return "";
}

const matrix &lcp_matrix(const any_problem &p) { return std::get<lcp>(p).M; }

std::vector<std::string> tokens(const std::string &text) {
  std::istringstream in(text);
  std::vector<std::string> list;
  for (std::string word; in >> word;) list.push_back(word);
  return list;
}

// Where each token starts.
std::vector<std::size_t> places(const std::string &text) {
  std::vector<std::size_t> list;
  std::size_t from = 0;
  for (const std::string &word : tokens(text)) {
    list.push_back(text.find(word, from));
    from = list.back() + word.size();
  }
  return list;
}

// Every way to write every class.
std::vector<std::pair<any_problem, std::string>> all_texts() {
  std::vector<std::pair<any_problem, std::string>> list;
  for (any_problem p : one_of_each()) {
    list.emplace_back(p, write_dat(p, "f"));
    if (std::holds_alternative<mixed>(p)) continue;
    store(&p, storage::blocks, 2);
    list.emplace_back(p, write_dat(p, "f"));
    store(&p, storage::sparse);
    for (const layout order : {layout::rows, layout::columns, layout::triplet})
      list.emplace_back(p, write_dat(p, "f", order));
  }
  return list;
}

TEST(IoDat, WhatIsWrittenIsReadAgain) {
  for (const auto &[p, text] : all_texts()) {
    const any_problem guessed = read(text), told = read(text, class_name(p));
    EXPECT_EQ(class_name(guessed), class_name(p)) << text;
    EXPECT_TRUE(same(guessed, p)) << text;
    EXPECT_TRUE(same(told, p)) << text;
    EXPECT_EQ(matrix_of(told).kind, matrix_of(p).kind);
  }
}

TEST(IoDat, ACutFileIsRefused) {
  for (const auto &[p, text] : all_texts()) {
    const std::size_t last = places(text).back();
    const std::size_t step = text.size() < 800 ? 1 : 5;
    for (std::size_t end = 0; end < text.size(); end += step) {
      const std::string cut = text.substr(0, end);
      const bool complete = end > last; /* but for digits of the last number */
      EXPECT_TRUE(complete || !refusal(cut, class_name(p)).empty()) << cut;
      try {
        (void)read(cut);
      } catch (const file_error &e) {
        EXPECT_EQ(std::string(e.what()).substr(0, 9), "file.dat:");
      }
    }
  }
}

TEST(IoDat, ACutFileIsNotTakenForAShorterOneOfAnotherClass) {
  const std::string relay = write_dat(one_of_each()[2], "f");
  const std::vector<std::string> words = tokens(relay);
  std::string cut;
  for (std::size_t k = 0; k + 1 < words.size(); k++) {
    cut += words[k] + " ";
    const bool is_lcp = k + 1 == words.size() - 6; /* all but the bounds */
    EXPECT_EQ(refusal(cut).empty(), is_lcp) << cut;
  }
}

TEST(IoDat, AnyTokenMayBeWrong) {
  const std::array<std::string, 10> wrong = {
      "x", "nan", "-inf", "-1", "0", "1", "2147483647", "99999999999999999999", "1e999", "1e-999"};
  for (const auto &[p, text] : all_texts()) {
    const std::vector<std::string> words = tokens(text);
    const std::vector<std::size_t> starts = places(text);
    const bool sparse = matrix_of(p).kind == storage::sparse; /* its header has words to skip */
    for (std::size_t at = 0; at < words.size(); at++) {
      for (const std::string &w : wrong) {
        std::string changed = text;
        changed.replace(starts[at], words[at].size(), w);
        const std::string told = refusal(changed, class_name(p));
        if (!sparse && (w == "x" || w == "nan")) {
          EXPECT_NE(told, "") << changed;
        }
        EXPECT_EQ(told.find('\n'), std::string::npos);
        if (at < 16) (void)refusal(changed); /* where the guess is made */
      }
    }
  }
}

TEST(IoDat, DenseMatricesGoByColumns) {
  const any_problem p = read("2 0 2 2 2 2  1 2 3 4  5 6");
  EXPECT_EQ(lcp_matrix(p).values, (reals{1, 2, 3, 4}));
  const perp_matrix M = lcp_matrix(p).view();
  EXPECT_EQ(perp_matrix_entry(&M, 1, 0), 2);
}

TEST(IoDat, BlocksAreReadByColumnsToo) {
  const std::string text = "3 1 3 3 2 2 2 2 3 2 3 3 2 0 1 2 0 1 0 1 2 3 4 1 5 7 8 9";
  const any_problem p = read(text);
  const perp_matrix M = lcp_matrix(p).view();
  EXPECT_EQ(perp_matrix_entry(&M, 0, 1), 3);
  EXPECT_EQ(perp_matrix_entry(&M, 2, 2), 5);
  EXPECT_EQ(perp_matrix_entry(&M, 2, 0), 0);
}

TEST(IoDat, NoBlocksMeanZeros) {
  const any_problem p = read("2 1 2 2 0 1 1 5 6");
  EXPECT_EQ(to_dense(lcp_matrix(p)).values, reals(4));
  EXPECT_TRUE(same(read(write_dat(p, "f")), p));
}

const std::string sparse_head = "CSparse Version 3.1.9, May 4, 2016.  Copyright\n";

TEST(IoDat, SparseEntriesMayRepeatAndComeInAnyOrder) {
  const std::string columns =
      "2 2 2 2 2\n" + sparse_head +
      "2-by-2, nzmax: 9 nnz: 3, 1-norm: 7\n    col 0 : locations 0 to 2\n"
      "      1 : 1\n      0 : 2\n      1 : 4\n    col 1 : locations 3 to 2\n5 6";
  EXPECT_EQ(to_dense(lcp_matrix(read(columns))).values, (reals{2, 5, 0, 0}));
  const std::string rows = "2 2 2 2 3\n" + sparse_head +
                           "csr: 2-by-2, nzmax: 1 nnz: 1\n    row 0 : locations 0 to -1\n"
                           "    row 1 : locations 0 to 0\n      0 : 3\n5 6";
  EXPECT_EQ(to_dense(lcp_matrix(read(rows))).values, (reals{0, 3, 0, 0}));
  const std::string triplet = "2 2 2 2 1\n" + sparse_head +
                              "triplet: 2-by-2, nzmax: 3 nnz: 3\n 1 0 : 1\n 0 0 : 2\n 1 0 : 1\n5 6";
  EXPECT_EQ(to_dense(lcp_matrix(read(triplet))).values, (reals{2, 2, 0, 0}));
}

TEST(IoDat, HalfOfASymmetricMatrixIsMirrored) {
  const auto half = [](const std::string &entries) {
    return "2 2 2 2 4\n" + sparse_head + "triplet: 2-by-2, nzmax: 2 nnz: 2\n" + entries + "5 6";
  };
  EXPECT_EQ(to_dense(lcp_matrix(read(half(" 1 0 : 3\n 1 1 : 2\n")))).values, (reals{0, 3, 3, 2}));
  EXPECT_NE(refusal(half(" 1 0 : 3\n 0 1 : 2\n")), "");
}

TEST(IoDat, AnMlcpInItsSecondFormGoesByRows) {
  const any_problem p = read("0 1 1 2  1  2 3 4 5  6 7  8 9  10  11 12");
  const mlcp &m = std::get<mlcp>(p);
  EXPECT_EQ(m.M.values, (reals{1, 8, 9, 6, 2, 4, 7, 3, 5}));
  EXPECT_EQ(m.q, (reals{10, 11, 12}));
  EXPECT_EQ(m.cuts, (ints{0, 1, 3}));
  EXPECT_EQ(m.complementary, (std::vector<bool>{false, true}));
}

TEST(IoDat, OfTwoFormsTheFirstCountsAndBothHaveToBeThere) {
  const std::string first = "1 1 1 1 0 1 2 0 1 0 2 2 2 2 1 2 3 4 5 6 ";
  const any_problem p = read(first + "9 9 9 9 9 9");
  EXPECT_EQ(std::get<mlcp>(p).M.values, (reals{1, 2, 3, 4}));
  EXPECT_EQ(std::get<mlcp>(p).q, (reals{5, 6}));
  EXPECT_NE(refusal(first + "9 9 9 9 9", "mlcp"), "");
  EXPECT_NE(refusal(first + "9 9 9 9 9"), "");
}

TEST(IoDat, BlocksOfAnMlcpHaveToAddUp) {
  EXPECT_NE(refusal("1 0 1 1 0 1 2 0 0 0 2 2 2 2 1 2 3 4 5 6", "mlcp"), "");
  EXPECT_NE(refusal("1 0 1 1 0 1 3 0 1 0 2 2 2 2 1 2 3 4 5 6", "mlcp"), "");
  EXPECT_NE(refusal("1 0 1 1 1 2 0 1 0 2 2 2 2 1 2 3 4 5 6", "mlcp"), "");
  EXPECT_NE(refusal("0 0 1 1 0 1 2 0 1 0 2 2 2 2 1 2 3 4 5 6", "mlcp"), "");
}

TEST(IoDat, TheClassIsGuessedByTheLongestReading) {
  const std::string fc = "3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 -1 2 3 0.1";
  EXPECT_EQ(class_name(read(fc)), "fc3d");
  EXPECT_EQ(class_name(read(fc + " 1")), "fc3d") << "one token more is usual";
  EXPECT_EQ(class_name(read(fc + " 0\n")), "fc3d");
  EXPECT_EQ(class_name(read(fc + " 0.2")), "rolling");
  EXPECT_EQ(class_name(read(fc + " 1", "rolling")), "rolling");
  const std::string lcp = "1 0 1 1 1 1 2 -3";
  EXPECT_EQ(class_name(read(lcp)), "lcp");
  EXPECT_EQ(class_name(read(lcp + "\nRemark: z = 1.5")), "lcp");
  EXPECT_EQ(class_name(read(lcp + " -1 1")), "relay");
  EXPECT_EQ(class_name(read(lcp + " -1 1", "lcp")), "lcp");
  EXPECT_EQ(class_name(read("1 1 1 1 0 1 2 0 1 0 2 2 2 2 1 -1 -1 1 1 1 1 1 -1 0 -1 1 0 1")), "mlcp")
      << "also an LCP of size 1";
}

TEST(IoDat, ATheClassThatIsToldIsTheOneThatIsRead) {
  const std::string fc = "3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 -1 2 3 0.1";
  EXPECT_NE(refusal(fc, "fc2d"), "");
  EXPECT_NE(refusal(fc, "lcp"), "");
  EXPECT_NE(refusal(fc, "nothing"), "");
}

TEST(IoDat, MessagesNameTheLineAndWhatWasExpected) {
  EXPECT_EQ(refusal("2\n0\n2\n2\n2 2\n1 2 3 4\n5 x\n"),
            "file.dat:7: expected a number, entry of q, found 'x'");
  EXPECT_EQ(refusal("2\n0\n2\n2\n2 2\n1 2 3 4\n5 NaN\n"),
            "file.dat:7: expected a finite number, entry of q, found 'NaN'");
  EXPECT_EQ(refusal("2\n0\n2\n2\n2 2\n1 2 3 4\n5\n"),
            "file.dat:8: expected a number, entry of q, found the end of the file");
  EXPECT_EQ(refusal("2\n0\n2\n3\n2 3\n1 2 3 4\n5 6\n"),
            "file.dat:4: expected the columns of M = 2, found '3'");
  EXPECT_EQ(refusal("2 0 2 2 2 2 1 2 3 4 5 6 1 1 0 1").substr(0, 44),
            "file.dat:1: expected an upper bound >= the l");
  EXPECT_EQ(refusal("\x01\xff garbage").substr(0, 52),
            "file.dat:1: expected the number of unknowns, an inte");
}

TEST(IoDat, SizesBeyondTheFileAllocateNothing) {
  const std::string many = "2147483647 ";
  const std::vector<std::string> texts = {
      many + "0 " + many + many + many + many + "1 2 3",
      many + "1 " + many + many + "0 0 0",
      many + "1 " + many + many + many + many + many + "1 2 3",
      many + "2 " + many + many + "1\n" + sparse_head +
          "triplet: 2147483647-by-2147483647, nzmax: 0 nnz: 0",
      many + "2 " + many + many + "2\n" + sparse_head +
          "2147483647-by-2147483647, nzmax: 0 nnz: 2147483647",
      "3 " + many + "0 9 9",
      "3 715827882 0 2147483646 2147483646 2147483646 2147483646 1",
      "1 0 " + many + "0 0 0",
      "0 1 " + many + "0 1",
      "1 0 2147483647 2147483647 0"};
  for (const std::string &text : texts) {
    EXPECT_NE(refusal(text), "") << text;
  }
}

TEST(IoDat, BlockRowsHaveToFitTogether) {
  const auto blocks = [](const std::string &body) {
    return refusal("2 1 2 2 " + body + " 5 6", "lcp");
  };
  EXPECT_EQ(blocks("1 1 1 2 2 2 1 0 1 0 0 1 2 3 4"), "");
  EXPECT_NE(blocks("1 1 1 3 2 2 1 0 1 0 0 1 2 3 4"), "") << "cuts end beyond the rows";
  EXPECT_NE(blocks("1 1 1 2 2 3 1 0 1 0 0 1 2 3 4"), "") << "starts";
  EXPECT_NE(blocks("1 1 1 2 2 2 2 0 1 0 0 1 2 3 4"), "") << "number of blocks";
  EXPECT_NE(blocks("1 1 1 2 2 2 1 0 2 0 0 1 2 3 4"), "") << "last start";
  EXPECT_NE(blocks("1 1 1 2 2 2 1 0 1 1 0 1 2 3 4"), "") << "block column";
  EXPECT_NE(blocks("1 1 1 2 2 2 1 0 1 0 1 1 2 3 4"), "") << "number of the block";
  EXPECT_NE(blocks("1 0 0 1 0 1 0 0 1 2 3 4"), "") << "no block rows";
  EXPECT_NE(blocks("2 2 1 2 2 2 3 2 0 0 2 0 0 0 1 2 1 3 4"), "") << "block rows of no height";
  EXPECT_NE(refusal("2 1 2 2 2 1 1 2 2 2 2 0 2 0 0 0 1 2 3 4 1 1 2 3 4 5 6", "lcp"), "")
      << "the same block twice";
}

TEST(IoDat, FrictionCoefficientsAreNotNegative) {
  EXPECT_NE(refusal("3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 -1 2 3 -0.1"), "");
  EXPECT_NE(refusal("3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 -1 2 3 0.1 -0.1", "rolling"), "");
}

TEST(IoDat, WhatTextHasNoPlaceForIsRefused) {
  const friction p{2,
                   hard_matrix(2, 2),
                   hards(2),
                   {0.1},
                   local_equations{hard_matrix(2, 1), hard_matrix(1, 1), {1}}};
  EXPECT_THROW((void)write_dat(p, "f"), file_error);
  const global_friction g{2,
                          hard_matrix(2, 2),
                          hard_matrix(2, 2),
                          hards(2),
                          hards(2),
                          {0.1},
                          global_equations{hard_matrix(2, 1), {1}}};
  EXPECT_THROW((void)write_dat(g, "f"), file_error);
  any_problem m = one_of_each().back();
  store(&m, storage::dense);
  EXPECT_THROW((void)write_dat(m, "f"), file_error);
}

}  // namespace
