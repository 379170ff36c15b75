// SPDX-License-Identifier: MIT
// perp view: a log as one page of HTML, which shows plots and motion without a network. view/ holds
// the page; this file puts the log into it.
//
// What a page is told of the log is JSON, what it draws numbers in base64, all little-endian:
//   shared:  times, f64 x points; then each column, points values
//   curves:  each column, x and y: points values each; of 0 points nothing, its values are frames
//   frames:  times, f64 x points; then each column of places, points i16
//   contacts: see view_contacts.cpp
// Values that are not f64 are u = (value - offset) / scale, with offset and scale of a column as
// f64 before the values; as i16 -32768 is what is not finite.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <tuple>

#include "io/file.hpp"
#include "tool/commands.hpp"
#include "tool/results.hpp"
#include "tool/usage.hpp"
#include "tool/view.hpp"
#include "tool/view_numbers.hpp"

extern char **environ;

namespace perp::tool {

namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t most_bytes = 5000000;  // of JSON and base64
constexpr std::size_t most_text = 400000;    // of them for the model and the like
constexpr std::size_t most_points = 40000;   // of a curve that is decimated
constexpr std::size_t fine_points = 500;     // from which on values are f32
constexpr std::size_t least_points = 32;     // of a curve, else there are too many of them
constexpr std::size_t most_frames = 3000;
constexpr std::size_t least_frames = 12;
constexpr std::size_t most_events = 4000;

// ---- what of the log is in the page ----

// All samples of the columns.
packed shared(results *log, const std::vector<column> &columns, forms form, json *about) {
  std::vector<double> times;
  std::vector<std::vector<double>> all(columns.size());
  log->each(columns, [&](std::int64_t count, const double *t, const double *values) {
    times.insert(times.end(), t, t + count);
    for (std::int64_t k = 0; k < count; k++)
      for (std::vector<double> &column : all) column.push_back(*values++);
  });
  *about = {{"what", "shared"}, {"form", name_of(form)}, {"points", times.size()}};
  packed numbers;
  for (const double t : times) numbers.f64(t);
  for (const std::vector<double> &column : all) put_column(&numbers, column, form);
  return numbers;
}

// Each of these columns by itself, decimated.
packed curves(results *log, const std::vector<column> &columns,
              const std::vector<std::size_t> &which, std::size_t most, forms form, json *about) {
  std::vector<column> own;
  own.reserve(which.size());
  for (const std::size_t c : which) own.push_back(columns[c]);
  json points = std::vector<std::size_t>(columns.size(), 0);
  packed numbers;
  std::size_t next = 0;
  for (const curve &c : log->curves(own, most)) {
    points[which[next++]] = c.x.size();
    put_column(&numbers, c.x, form);
    put_column(&numbers, c.y, form);
  }
  *about = {{"what", "curves"}, {"form", name_of(form)}, {"points", points}};
  return numbers;
}

// The least with which no more than `most` samples, at least 2, are frames.
std::int64_t stride_of(std::int64_t samples, std::size_t most) {
  const auto room = static_cast<std::int64_t>(most - 1);
  return std::max<std::int64_t>(1, (samples - 1 + room - 1) / room);
}

// Columns that stand for places, at times common to all.
packed frames(results *log, const std::vector<column> &columns,
              const std::vector<std::size_t> &which, std::size_t most, json *about) {
  std::vector<column> places;
  places.reserve(which.size());
  for (const std::size_t c : which) places.push_back(columns[c]);
  const std::int64_t stride = stride_of(log->samples(), most);
  std::vector<double> times;
  std::vector<std::vector<double>> all(places.size());
  log->each(
      places,
      [&](std::int64_t count, const double *t, const double *values) {
        times.insert(times.end(), t, t + count);
        for (std::int64_t k = 0; k < count; k++)
          for (std::vector<double> &column : all) column.push_back(*values++);
      },
      stride);
  *about = {{"form", "i16"}, {"points", times.size()}, {"columns", which}, {"stride", stride}};
  packed numbers;
  for (const double t : times) numbers.f64(t);
  for (const std::vector<double> &column : all) put_column(&numbers, column, forms::i16);
  return numbers;
}

// How many samples have a value that is not finite.
std::int64_t not_finite(results *log, const std::vector<column> &columns) {
  std::int64_t n = 0;
  log->each(columns, [&](std::int64_t count, const double *, const double *values) {
    const auto width = static_cast<std::int64_t>(columns.size());
    for (std::int64_t k = 0; k < count; k++, values += width)
      if (!std::all_of(values, values + width, [](double v) { return std::isfinite(v); })) n++;
  });
  return n;
}

std::string shortened(const char *text, std::size_t most) {
  const std::string all = text;
  return all.size() <= most ? all
                            : all.substr(0, most) + "\n... (" + std::to_string(all.size() - most) +
                                  " more bytes are in the log)";
}

json texts(const char *const *from, std::int32_t n) {
  json all = json::array();
  for (std::int32_t i = 0; from != nullptr && i < n; i++) all.push_back(from[i]);
  return all;
}

json about_quantities(const results &log) {
  json all = json::array();
  for (std::int32_t i = 0; i < log.schema().n_quantities; i++) {
    const perp_log_quantity &q = log.schema().quantities[i];
    json j = {{"kind", q.kind},
              {"name", q.name},
              {"description", q.description},
              {"source", q.source},
              {"components", q.components},
              {"componentNames", texts(q.component_names, q.components)}};
    // Of interactions, which events name.
    if (q.source == PERP_LOG_Y && log.summary().events > 0) {
      json objects = json::object();
      for (std::int32_t k = 0; k < q.members && k < 20000; k++)
        objects[std::to_string(q.objects == nullptr ? k : q.objects[k])] = log.member(i, k);
      j["objects"] = objects;
    }
    all.push_back(j);
  }
  return all;
}

// As [quantity, member, name of the member, component, unit].
json about_columns(const results &log, const std::vector<column> &columns) {
  json all = json::array();
  for (const column &c : columns)
    all.push_back({c.quantity, c.member, log.member(c.quantity, c.member), c.component, c.unit});
  return all;
}

json about_events(results *log) {
  const std::int64_t total = log->summary().events;
  const std::int64_t every = 1 + total / static_cast<std::int64_t>(most_events + 1);
  std::int64_t n = 0;
  json all = json::array();
  log->each_event([&](const log_event &e) {
    if (n++ % every != 0) return;
    double impulse = 0;
    for (const double p : e.impulse) impulse = std::hypot(impulse, p);
    all.push_back({e.t, e.words, e.kind, e.index, impulse});
  });
  return {{"total", total}, {"every", every}, {"list", all}};
}

json about_run(results *log) {
  const perp_log_schema &of = log->schema();
  const perp_log_summary &s = log->summary();
  const std::filesystem::path path(log->path());
  json j = {{"file", path.filename().string()},
            {"program", shortened(of.program, 1000)},
            {"title", shortened(log->title().c_str(), 1000)},
            {"modelName", shortened(of.model_name, 1000)},
            {"model", shortened(of.model, most_text)},
            {"options", shortened(of.options, most_text / 8)},
            {"library", perp_version_string()},
            {"written", s.perp_version},
            {"samples", s.samples},
            {"every", s.every},
            {"single", s.float32 != 0},
            {"checkpoints", s.checkpoints},
            {"bytes", s.bytes},
            {"cut", s.bytes - s.whole}};
  const log_end end = log->end();
  if (end.ended)
    j["end"] = {{"t", end.t},
                {"status", end.status},
                {"reason", shortened(end.reason.c_str(), most_text / 8)},
                {"report", shortened(end.report.c_str(), most_text / 8)}};
  json notes = json::array();
  perp_log_reader_rewind(log->reader().get());
  perp_log_record record = PERP_LOG_RECORD_INIT;
  perp_info info = PERP_INFO_INIT;
  while (notes.size() < 50) {
    const perp_status found = perp_log_reader_next(
        log->reader().get(), 1U << static_cast<unsigned>(PERP_LOG_NOTE), &record, &info);
    if (found == PERP_END) break;
    if (found != PERP_OK) throw run_error(detail::sentence(found, log->path().c_str(), info));
    notes.push_back({shortened(record.name, 200), shortened(record.text, most_text / 100)});
  }
  j["notes"] = notes;
  return j;
}

// Columns that playback moves things by: q, or what is called so.
std::vector<std::size_t> places(const results &log, const std::vector<column> &columns) {
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < columns.size(); i++) {
    const perp_log_quantity &q = log.schema().quantities[columns[i].quantity];
    if (q.source == PERP_LOG_Q || (q.source == PERP_LOG_OWN && std::strcmp(q.name, "q") == 0))
      which.push_back(i);
  }
  return which;
}

std::vector<column> all_columns(results *log) {
  std::vector<column> all;
  for (std::int32_t i = 0; i < log->schema().n_quantities; i++) {
    const perp_log_quantity &q = log->schema().quantities[i];
    for (std::int32_t k = 0; k < q.members; k++)
      for (std::int32_t c = 0; c < q.components; c++) all.push_back(log->at(i, k, c));
  }
  return all;
}

// JSON as it may stand in a script of HTML: nothing there ends it.
std::string json_text(const json &j) {
  std::string text;
  for (const char c : j.dump(-1, ' ', false, json::error_handler_t::replace))
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  return text;
}

// What of a log is in a page: what is told of it, and in base64 numbers, frames and contacts.
struct contents {
  std::string about, numbers, frames, contacts;
};

// Columns of a page, and which of them have curves; those without are places, which are in frames.
struct choice {
  std::vector<column> columns;
  std::vector<std::size_t> curved;
};

// Of the members of each quantity that stand for places every step-th, none for 0; and of each
// quantity up to `most` columns with curves.
choice some_of(const results &log, const std::vector<column> &all,
               const std::vector<std::size_t> &placed, std::size_t most, std::int32_t step) {
  std::set<std::tuple<std::int32_t, std::int32_t, std::int32_t>> curved;
  for (const column &c : log.defaults(most)) curved.insert({c.quantity, c.member, c.component});
  choice some;
  std::size_t next = 0;
  for (std::size_t i = 0; i < all.size(); i++) {
    const column &c = all[i];
    const bool place = next < placed.size() && placed[next] == i;
    if (place) next++;
    const bool curve = curved.count({c.quantity, c.member, c.component}) > 0;
    if (curve) some.curved.push_back(some.columns.size());
    if (curve || (place && step > 0 && c.member % step == 0)) some.columns.push_back(c);
  }
  return some;
}

contents fill(results *log, const std::vector<column> &all, bool chosen) {
  const auto samples = static_cast<std::size_t>(log->samples());
  contents page;
  json about = about_run(log);
  about["quantities"] = about_quantities(*log);
  about["events"] = about_events(log);
  page.contacts = contacts_of(log, &about).base64();
  // Bytes for numbers beside what is told of the columns.
  const auto measure = [&](const std::vector<column> &columns) {
    about["columns"] = about_columns(*log, columns);
    const std::size_t taken =
        json_text(about).size() + page.contacts.size() + 1000 + 16 * columns.size();
    return taken < most_bytes ? (most_bytes - taken) / 4 * 3 : 0;
  };
  const auto frames_in = [&](std::size_t part, std::size_t places) {
    const std::size_t scales = bytes_of_scale * places;
    return std::min({most_frames, samples, (std::max(part, scales) - scales) / (8 + 2 * places)});
  };
  choice here = {all, {}};
  for (std::size_t i = 0; i < all.size(); i++) here.curved.push_back(i);
  std::size_t room = 0, part = 0; /* of which frames have this part at most */
  std::size_t count = 0;          /* of frames */
  const auto fit = [&](const choice &c) {
    room = measure(c.columns);
    const std::size_t most = c.columns.empty() ? most_points : room / c.columns.size() * 2 / 3 / 4;
    part = room / 3;
    return most >= least_points || samples <= most;
  };
  // Frames of all places first, then curves that are worth a look.
  const auto fit_frames = [&](const choice &c) {
    room = measure(c.columns);
    const std::size_t n = places(*log, c.columns).size();
    const std::size_t full = 2 * (bytes_of_scale + 4 * std::min(samples, most_points));
    part = std::max(room / 4 * 3, room - std::min(room, full * c.curved.size()));
    count = n == 0 ? 0 : frames_in(part, n);
    if (count > 1)
      count = 1 + (samples - 1) / static_cast<std::size_t>(stride_of(log->samples(), count));
    const std::size_t left = room - std::min(room, n * bytes_of_scale + count * (8 + 2 * n));
    const std::size_t each = 2 * (bytes_of_scale + 4 * std::min(samples, fine_points));
    return (n == 0 || count >= std::min(samples, least_frames)) && left >= each * c.curved.size();
  };
  // A bare minimum of numbers for each of very many columns shows less than a part of them.
  bool fits = all.size() <= most_bytes / least_points && fit(here);
  if (!fits && !chosen) {
    const std::vector<std::size_t> placed = places(*log, all);
    std::int32_t step = placed.empty() ? 0 : 1;
    for (here = some_of(*log, all, placed, 8, step); !(fits = fit_frames(here)) && step > 0;
         here = some_of(*log, all, placed, 8, step))
      step = step < 4096 ? 2 * step : 0;
    const std::size_t first = count;
    for (std::size_t most = 16; fits && most <= all.size(); most = most / 2 * 3) {
      const choice more = some_of(*log, all, placed, most, step);
      if (!fit_frames(more) || count < first) break;
      here = more;
    }
    fits = fits ? fit_frames(here) : fit(here);
  }
  const std::vector<column> &columns = here.columns;
  if (!fits)
    throw usage_error(log->path() + ": " + std::to_string(columns.size()) +
                      " columns are more than a page has room for; name some of them, as in `" +
                      "perp view " + log->path() + " body.q`");
  about["left"] = all.size() - columns.size();
  about["notFinite"] = not_finite(log, columns);
  const std::size_t n = columns.size();
  const auto whole = [&](forms form) {
    return samples * (8 + bytes_of(form) * n) + bytes_of_scale * n <= room;
  };
  packed numbers;
  if (whole(forms::f64) || whole(forms::f32)) {
    numbers = shared(log, columns, whole(forms::f64) ? forms::f64 : forms::f32, &about["data"]);
  } else {
    const std::vector<std::size_t> which = places(*log, columns);
    std::size_t left = room;
    if (!which.empty()) {
      const packed motion =
          frames(log, columns, which, std::max<std::size_t>(2, frames_in(part, which.size())),
                 &about["frames"]);
      page.frames = motion.base64();
      left -= std::min(left, motion.size());
    }
    const auto points = [&](forms form) {
      const std::size_t each =
          left / std::max<std::size_t>(here.curved.size(), 1) - 2 * bytes_of_scale;
      return std::min(most_points, each / (2 * bytes_of(form)));
    };
    const forms form =
        points(forms::f32) >= std::min(samples, fine_points) ? forms::f32 : forms::i16;
    numbers = curves(log, columns, here.curved, std::max<std::size_t>(8, points(form)), form,
                     &about["data"]);
  }
  page.about = json_text(about);
  page.numbers = numbers.base64();
  return page;
}

// ---- the page ----

void put(std::string *page, const std::string &mark, const std::string &text) {
  const std::size_t at = page->find(mark);
  if (at == std::string::npos) throw std::logic_error("view/page.html has no " + mark);
  page->replace(at, mark.size(), text);
}

// What the page's own scripts carry, and nothing that a log could bring with it.
std::string nonce() {
  std::random_device random;
  std::string text;
  for (int i = 0; i < 24; i++) text += "0123456789abcdef"[random() & 15U];
  return text;
}

std::string page_of(const contents &c) {
  std::string page = view_file("page.html");
  const std::string once = nonce();
  for (int i = 0; i < 5; i++) put(&page, "@nonce@", once);
  // From the end to the beginning: what was put in is not searched.
  put(&page, "@page.js@",
      view_file("data.js") + view_file("plots.js") + view_file("contacts.js") +
          view_file("motion.js") + view_file("page.js"));
  put(&page, "@bundle.js@", view_file("bundle.js"));
  put(&page, "@contacts@", c.contacts);
  put(&page, "@frames@", c.frames);
  put(&page, "@numbers@", c.numbers);
  put(&page, "@about@", c.about);
  put(&page, "@page.css@", view_file("page.css"));
  put(&page, "@bundle.css@", view_file("bundle.css"));
  return page;
}

void open_in_browser(const std::string &path) {
#ifdef __APPLE__
  const char *const opener = "open";
#else
  const char *const opener = "xdg-open";
#endif
  const std::string absolute = std::filesystem::absolute(path).string();
  std::string words[] = {opener, absolute};
  char *arguments[] = {words[0].data(), words[1].data(), nullptr};
  pid_t child = 0;
  int status = 0;
  if (posix_spawnp(&child, opener, nullptr, nullptr, arguments, environ) != 0 ||
      waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw run_error(path + ": is written, but " + opener + " could not open it");
}

}  // namespace

int view_command(const view_arguments &a, std::string *out) {
  const std::string path =
      a.out.empty() ? std::filesystem::path(a.file).stem().string() + ".html" : a.out;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending != ".html" && ending != ".htm")
    throw usage_error(path + ": expected a name that ends in .html or .htm");
  if (!folder.empty() && !std::filesystem::is_directory(folder))
    throw usage_error(path + ": no such folder");
  results log(a.file);
  std::string names;
  for (const std::string &name : a.names) names += (names.empty() ? "" : ",") + name;
  const std::vector<column> columns = a.names.empty() ? all_columns(&log) : log.find(names);
  std::error_code none;
  if (std::filesystem::equivalent(path, a.file, none))
    throw usage_error(path + ": is the log itself; -o names another file");
  const std::string page = page_of(fill(&log, columns, !a.names.empty()));
  try {
    io::save(path, page);
  } catch (const io::file_error &error) {
    throw run_error(error.what());
  }
  *out = path + "\n";
  if (a.open) open_in_browser(path);
  return exit_solved;
}

}  // namespace perp::tool
