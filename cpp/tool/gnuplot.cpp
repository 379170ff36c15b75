// SPDX-License-Identifier: MIT
#include "tool/gnuplot.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "io/file.hpp"
#include "tool/usage.hpp"

extern char **environ;

namespace perp::tool {

namespace {

[[noreturn]] void refuse(const std::string &path, const std::string &what) {
  throw run_error(path + ": " + what);
}

struct file_close {
  void operator()(std::FILE *f) const noexcept { (void)std::fclose(f); }
};
using file = std::unique_ptr<std::FILE, file_close>;

// What is written is the line of gnuplot's that has no picture of the script in it: "line 3: ...".
std::string complaint(std::FILE *from) {
  std::rewind(from);
  std::string last;
  char line[512];
  while (std::fgets(line, sizeof line, from) != nullptr) {
    std::string text = line;
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    const std::size_t at = text.find("line ");
    if (at != std::string::npos && text.find(": ", at) != std::string::npos) last = text.substr(at);
  }
  return last;
}

// The bytes behind a descriptor up to its end.
std::string all_of(int from) {
  std::string bytes;
  std::array<char, 1 << 16> piece;
  for (;;) {
    const ssize_t got = ::read(from, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return bytes;
    bytes.append(piece.data(), static_cast<std::size_t>(got));
  }
}

int ended(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return status;
}

}  // namespace

std::string gnuplot_text(const std::string &text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out + "'";
}

std::string curve_style(std::size_t i, double width) {
  static constexpr std::array<const char *, 8> colours = {
      "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#333333", "#999933"};
  static constexpr std::array<const char *, 3> dashes = {"1", "(12,5)", "(3,4)"};
  char text[100];
  (void)std::snprintf(text, sizeof text, "linecolor rgb '%s' dashtype %s linewidth %.3g",
                      colours[i % colours.size()], dashes[i / colours.size() % dashes.size()],
                      width);
  return text;
}

// The script is a file and not a pipe, so that neither side waits for the other.
std::string run_gnuplot(const std::string &path, const std::string &script) {
  const file in(std::tmpfile()), said(std::tmpfile());
  if (in == nullptr || said == nullptr ||
      std::fwrite(script.data(), 1, script.size(), in.get()) != script.size() ||
      std::fflush(in.get()) != 0)
    refuse(path, std::string("no temporary file can be written: ") + std::strerror(errno));
  std::rewind(in.get());
  int ends[2];
  if (::pipe(ends) != 0) refuse(path, std::strerror(errno));
  posix_spawn_file_actions_t actions;
  (void)posix_spawn_file_actions_init(&actions);
  (void)posix_spawn_file_actions_adddup2(&actions, ::fileno(in.get()), 0);
  (void)posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  (void)posix_spawn_file_actions_adddup2(&actions, ::fileno(said.get()), 2);
  (void)posix_spawn_file_actions_addclose(&actions, ends[0]);
  (void)posix_spawn_file_actions_addclose(&actions, ends[1]);
  char name[] = "gnuplot", defaults[] = "-d"; /* no start-up files */
  char *const arguments[] = {name, defaults, nullptr};
  pid_t process = 0;
  const int error = posix_spawnp(&process, name, &actions, nullptr, arguments, environ);
  (void)posix_spawn_file_actions_destroy(&actions);
  (void)::close(ends[1]);
  const std::string bytes = error == 0 ? all_of(ends[0]) : std::string();
  (void)::close(ends[0]);
  if (error == ENOENT) refuse(path, "gnuplot draws pictures, and was not found");
  if (error != 0) refuse(path, std::string("gnuplot cannot be run: ") + std::strerror(error));
  const int status = ended(process);
  if (status == 0) return bytes;
  const std::string why = complaint(said.get());
  refuse(path, "gnuplot could not draw it" + (why.empty() ? "" : ": " + why));
}

void save_picture(const std::string &path, const std::string &script) {
  const std::string bytes = run_gnuplot(path, script);
  if (bytes.empty()) refuse(path, "gnuplot could not draw it");
  try {
    io::save(path, bytes);
  } catch (const io::file_error &e) {
    throw run_error(e.what());
  }
}

}  // namespace perp::tool
