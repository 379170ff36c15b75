// SPDX-License-Identifier: MIT
// FCLIB files and whole files: round trips, foreign and damaged ones, replacement.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <functional>

#include "io/fclib.hpp"
#include "io/hdf5.hpp"
#include "io_tools.hpp"

namespace {

using namespace tools;

document local() {
  document d;
  d.problem = friction{3, hard_matrix(6, 6), hards(6), coefficients(2), {}};
  d.title = "two contacts";
  d.description = "all digits";
  d.math_info = "none";
  d.guesses = {{{}, {}, hards(6), hards(6, 3)}, {{}, {1}, {}, {}}};
  d.solution = fclib_point{{}, {2}, hards(6, 1), hards(6, 2)};
  return d;
}

document local_with_equations() {
  document d;
  d.problem = friction{2, hard_matrix(4, 4), hards(4), coefficients(2),
                       local_equations{hard_matrix(4, 3), hard_matrix(3, 3), hards(3)}};
  return d;
}

document global() {
  document d;
  d.problem = global_friction{
      3, hard_matrix(5, 5), hard_matrix(5, 6), hards(5), hards(6), coefficients(2), {}};
  return d;
}

document global_with_equations() {
  document d;
  d.problem = global_friction{2,
                              hard_matrix(5, 5),
                              hard_matrix(5, 4),
                              hards(5),
                              hards(4),
                              coefficients(2),
                              global_equations{hard_matrix(5, 2), hards(2)}};
  return d;
}

bool same(const fclib_point &a, const fclib_point &b) {
  return a.v == b.v && a.l == b.l && a.u == b.u && a.r == b.r;
}

std::string refusal(const std::string &path) {
  try {
    (void)read_problem(path);
  } catch (const file_error &e) {
    return e.what();
  }
  return "";
}

void write_bytes(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST(IoFclib, WhatIsWrittenIsReadAgain) {
  const folder f;
  for (const document &d : {local(), local_with_equations(), global(), global_with_equations()}) {
    for (const layout order : {layout::rows, layout::columns, layout::triplet}) {
      write_problem(f / "p.hdf5", d, order);
      const document back = read_problem(f / "p.hdf5");
      EXPECT_TRUE(tools::same(back.problem, d.problem)) << class_name(d.problem);
      EXPECT_EQ(back.title, d.title);
      EXPECT_EQ(back.description, d.description);
      EXPECT_EQ(back.math_info, d.math_info);
      ASSERT_EQ(back.guesses.size(), d.guesses.size());
      for (std::size_t g = 0; g < d.guesses.size(); g++)
        EXPECT_TRUE(same(back.guesses[g], d.guesses[g]));
      ASSERT_EQ(back.solution.has_value(), d.solution.has_value());
      if (d.solution) {
        EXPECT_TRUE(same(*back.solution, *d.solution));
      }
    }
  }
  EXPECT_EQ(f.count(), 1u);
}

TEST(IoFclib, TextAndFclibSayTheSame) {
  const folder f;
  for (const document &d : {local(), global()}) {
    write_problem(f / "p.h5", d);
    write_problem(f / "p.dat", read_problem(f / "p.h5"));
    EXPECT_TRUE(tools::same(read_problem(f / "p.dat").problem, d.problem));
  }
}

TEST(IoFclib, OtherClassesHaveNoPlace) {
  const folder f;
  for (const any_problem &p : one_of_each()) {
    document d;
    d.problem = p;
    const bool fits =
        std::holds_alternative<friction>(p) || std::holds_alternative<global_friction>(p);
    if (fits) continue;
    EXPECT_THROW(write_problem(f / "p.h5", d), file_error);
    EXPECT_EQ(f.count(), 0u);
  }
}

TEST(IoFclib, TheFormatIsSeenInTheContentNotInTheName) {
  const folder f;
  write_problem(f / "p.h5", local());
  std::filesystem::rename(f / "p.h5", f / "p.dat");
  EXPECT_EQ(class_name(read_problem(f / "p.dat").problem), "fc3d");
  EXPECT_THROW((void)read_problem(f / "p.dat", "gfc3d"), file_error);
  write_bytes(f / "q.h5", "1 0 1 1 1 1 2 -3");
  EXPECT_EQ(class_name(read_problem(f / "q.h5").problem), "lcp");
}

TEST(IoFclib, ACutFileIsRefused) {
  const folder f;
  write_problem(f / "p.h5", local());
  const std::string whole = load(f / "p.h5");
  for (std::size_t end = 0; end < whole.size(); end += end < 100 ? 1 : whole.size() / 64) {
    write_bytes(f / "cut.h5", whole.substr(0, end));
    EXPECT_NE(refusal(f / "cut.h5"), "") << end;
  }
}

TEST(IoFclib, AnHdf5FileOfAnotherKindIsRefused) {
  const folder f;
  {
    hdf5::writer out(f / "other.h5", "other.h5");
    out.group("/results");
    out.numbers("/results/x", {1, 2, 3});
    out.finish();
  }
  EXPECT_NE(refusal(f / "other.h5").find("/fclib_local"), std::string::npos);
}

// A local problem of one contact in which one part may be another: those in `skip` are left to
// `instead`.
std::string refusal_with(const std::string &skip,
                         const std::function<void(hdf5::writer *)> &instead) {
  const folder f;
  {
    hdf5::writer out(f / "p.h5", "p.h5");
    const std::string g = "/fclib_local";
    const auto put_int = [&](const std::string &name, std::int32_t v) {
      if (name != skip) out.integer(g + name, v);
    };
    const auto put = [&](const std::string &name, const auto &v) {
      if (name == skip) return;
      if constexpr (std::is_same_v<std::decay_t<decltype(v)>, ints>) {
        out.integers(g + name, v);
      } else {
        out.numbers(g + name, v);
      }
    };
    out.group(g);
    out.group(g + "/W");
    out.group(g + "/vectors");
    put_int("/spacedim", 2);
    put_int("/W/m", 2);
    put_int("/W/n", 2);
    put_int("/W/nz", -2);
    put("/W/p", ints{0, 1, 2});
    put("/W/i", ints{0, 1});
    put("/W/x", reals{1, 2});
    put("/vectors/q", reals{-1, 0.5});
    put("/vectors/mu", reals{0.5});
    if (instead) instead(&out);
    out.finish();
  }
  return refusal(f / "p.h5");
}

TEST(IoFclib, EveryDatasetIsChecked) {
  const std::string g = "/fclib_local";
  EXPECT_EQ(refusal_with("", nullptr), "");
  for (const char *name : {"/spacedim", "/W/m", "/W/n", "/W/nz", "/W/p", "/W/i", "/W/x",
                           "/vectors/q", "/vectors/mu"}) {
    EXPECT_NE(refusal_with(name, nullptr).find(g + name), std::string::npos)
        << name << " is absent";
    const auto wrong = [&](const auto &write) { return refusal_with(name, write); };
    EXPECT_NE(wrong([&](hdf5::writer *w) { w->group(g + name); }), "") << name;
    EXPECT_NE(wrong([&](hdf5::writer *w) { w->text(g + name, "one"); }), "") << name;
    EXPECT_NE(wrong([&](hdf5::writer *w) { w->integers(g + name, {7, 7, 7, 7}); }), "") << name;
    EXPECT_NE(wrong([&](hdf5::writer *w) { w->integers(g + name, {}); }), "") << name;
    EXPECT_NE(wrong([&](hdf5::writer *w) { w->numbers(g + name, {NAN, 1, NAN}); }), "") << name;
    EXPECT_NE(wrong([&](hdf5::writer *w) { w->integer(g + name, -3); }), "") << name;
    const std::string most = wrong([&](hdf5::writer *w) { w->integer(g + name, 2147483647); });
    EXPECT_EQ(most.empty(), std::string(name) == "/vectors/mu") << name;
  }
  const auto integers = [&](const char *name, const ints &v) {
    return refusal_with(name, [&](hdf5::writer *w) { w->integers(g + name, v); });
  };
  EXPECT_NE(integers("/W/p", {0, 3, 2}), "");
  EXPECT_NE(integers("/W/p", {1, 1, 2}), "");
  EXPECT_NE(integers("/W/p", {0, 1, 1}), "");
  EXPECT_NE(integers("/W/i", {0, 2}), "");
  EXPECT_NE(integers("/W/i", {-1, 1}), "");
  EXPECT_EQ(integers("/W/nz", {-1}), "") << "the same by columns, for W is symmetric";
  EXPECT_NE(integers("/W/nz", {2}), "") << "a triplet list has as many columns as rows";
}

TEST(IoFclib, ADatasetThatClaimsMoreThanTheFileHoldsIsRefused) {
  const folder f;
  {
    const hdf5::quiet silence;
    hdf5::writer out(f / "p.h5", "p.h5");
    out.group("/fclib_local");
    out.group("/fclib_local/vectors");
    out.integer("/fclib_local/spacedim", 3);
    out.finish();
  }
  {
    const hdf5::handle file(H5Fopen((f / "p.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    const hsize_t size = 2000000000;
    const hdf5::handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
    const hdf5::handle set(H5Dcreate2(file.get(), "/fclib_local/vectors/mu", H5T_NATIVE_DOUBLE,
                                      space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                           H5Dclose);
    ASSERT_TRUE(static_cast<bool>(set)); /* never written, so nothing is allocated in the file */
  }
  EXPECT_NE(refusal(f / "p.h5").find("too small"), std::string::npos);
}

// The file of local(), whose q is replaced by what `instead` makes of the open file.
std::string refusal_with_q(const folder &f, const std::function<void(hid_t)> &instead) {
  write_problem(f / "p.h5", local());
  {
    const hdf5::quiet silence;
    const hdf5::handle file(H5Fopen((f / "p.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    EXPECT_GE(H5Ldelete(file.get(), "/fclib_local/vectors/q", H5P_DEFAULT), 0);
    instead(file.get());
  }
  return refusal(f / "p.h5");
}

constexpr const char *kQ = "/fclib_local/vectors/q";

TEST(IoFclib, LinksAreNotFollowed) {
  const folder f;
  write_problem(f / "other.h5", local());
  EXPECT_NE(refusal_with_q(f,
                           [&](hid_t file) {
                             (void)H5Lcreate_external((f / "other.h5").c_str(), kQ, file, kQ,
                                                      H5P_DEFAULT, H5P_DEFAULT);
                           })
                .find("link"),
            std::string::npos);
  ASSERT_EQ(::mkfifo((f / "pipe").c_str(), 0600), 0);
  EXPECT_NE(refusal_with_q(f,
                           [&](hid_t file) {
                             (void)H5Lcreate_external((f / "pipe").c_str(), kQ, file, kQ,
                                                      H5P_DEFAULT, H5P_DEFAULT);
                           }),
            "");
  EXPECT_NE(refusal_with_q(f,
                           [](hid_t file) {
                             (void)H5Lcreate_soft("/fclib_local/W/x", file, kQ, H5P_DEFAULT,
                                                  H5P_DEFAULT);
                           })
                .find("link"),
            std::string::npos);
}

TEST(IoFclib, NumbersInOtherFilesAreNotRead) {
  const folder f;
  const hsize_t size = 6;
  write_bytes(f / "secret", std::string(6 * sizeof(double), 'x'));
  const auto with_plan = [&](const std::function<void(hid_t)> &lay) {
    return refusal_with_q(f, [&](hid_t file) {
      const hdf5::handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
      const hdf5::handle plan(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
      lay(plan.get());
      const hdf5::handle set(H5Dcreate2(file, kQ, H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT,
                                        plan.get(), H5P_DEFAULT),
                             H5Dclose);
      EXPECT_TRUE(static_cast<bool>(set));
    });
  };
  EXPECT_NE(with_plan([&](hid_t plan) {
              (void)H5Pset_external(plan, (f / "secret").c_str(), 0, size * sizeof(double));
            }).find("other files"),
            std::string::npos);
  write_problem(f / "other.h5", local());
  EXPECT_NE(with_plan([&](hid_t plan) {
              const hdf5::handle all(H5Screate_simple(1, &size, nullptr), H5Sclose);
              (void)H5Pset_virtual(plan, all.get(), (f / "other.h5").c_str(), kQ, all.get());
            }).find("other files"),
            std::string::npos);
}

TEST(IoFile, APipeWithoutAWriterEndsAtOnceAndOneWithAWriterIsRead) {
  const folder f;
  ASSERT_EQ(::mkfifo((f / "pipe").c_str(), 0600), 0);
  EXPECT_NE(refusal(f / "pipe"), "");
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) { /* writes late */
    (void)::close(ends[0]);
    (void)::usleep(50000);
    (void)!::write(ends[1], "1 0 1 ", 6);
    (void)::usleep(50000);
    (void)!::write(ends[1], "1 1 1 2 -3", 10);
    ::_exit(0);
  }
  (void)::close(ends[1]);
  EXPECT_EQ(load("/dev/fd/" + std::to_string(ends[0])), "1 0 1 1 1 1 2 -3");
  (void)::close(ends[0]);
  int status = 0;
  (void)::waitpid(child, &status, 0);
}

TEST(IoFile, WhatAKilledProgramLeftIsRemoved) {
  const folder f;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child); /* nobody has its number now */
  write_bytes(f / "a.dat.part" + std::to_string(child), "half");
  write_bytes(f / "a.dat.part1", "of a process that runs");
  write_bytes(f / "a.dat.partial", "somebody's");
  write_bytes(f / "b.dat.part" + std::to_string(child), "of another file");
  save(f / "a.dat", "whole");
  EXPECT_EQ(load(f / "a.dat"), "whole");
  EXPECT_FALSE(std::filesystem::exists(f / "a.dat.part" + std::to_string(child)));
  EXPECT_EQ(f.count(), 4u);
}

TEST(IoFile, WhatCannotBeReadIsNamed) {
  const folder f;
  EXPECT_NE(refusal(f / "none.dat").find("none.dat"), std::string::npos);
  std::filesystem::create_directory(f / "sub");
  EXPECT_NE(refusal(f / "sub").find("folder"), std::string::npos);
  EXPECT_NE(refusal("/dev/null"), "");
}

TEST(IoFile, AFileIsReplacedAsAWholeOrNotAtAll) {
  const folder f;
  save(f / "a.dat", "old");
  EXPECT_THROW(replace(f / "a.dat",
                       [&](const std::string &name) {
                         write_bytes(name, "half");
                         throw std::runtime_error("no more");
                       }),
               std::runtime_error);
  EXPECT_EQ(load(f / "a.dat"), "old");
  EXPECT_EQ(f.count(), 1u);
  save(f / "a.dat", "new");
  EXPECT_EQ(load(f / "a.dat"), "new");
  std::filesystem::create_symlink(f / "a.dat", f / "link.dat");
  save(f / "link.dat", "through");
  EXPECT_EQ(load(f / "a.dat"), "through");
  EXPECT_TRUE(std::filesystem::is_symlink(f / "link.dat"));
  EXPECT_THROW(save(f / "no" + "/a.dat", "x"), file_error);
  EXPECT_THROW(save("/dev/null", "x"), file_error);
  EXPECT_EQ(f.count(), 2u);
}

TEST(IoFile, TheNameSaysTheFormat) {
  const folder f;
  EXPECT_THROW(write_problem(f / "p.csv", local()), file_error);
  EXPECT_TRUE(has_problem_name("a/b.HDF5"));
  EXPECT_TRUE(has_problem_name("b.hdf5.dat"));
  EXPECT_FALSE(has_problem_name("b.md"));
  EXPECT_FALSE(has_problem_name("dat"));
}

}  // namespace
