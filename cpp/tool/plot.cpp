// SPDX-License-Identifier: MIT
// perp plot: logs as pictures.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include "tool/commands.hpp"
#include "tool/gnuplot.hpp"
#include "tool/results.hpp"
#include "tool/usage.hpp"

namespace perp::tool {

namespace {

enum class strokes { line, line_and_dots, dots };

struct drawn {
  std::string name;
  curve data;
  strokes stroke = strokes::line;
};

struct panel {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<drawn> curves;
  std::size_t left_out = 0;  // curves that are too many
};

struct figure {
  std::string title;
  bool over_time = true;  // one abscissa for all panels
  std::vector<panel> panels;
};

// What is still told apart.
constexpr std::size_t most_curves = 10;
constexpr std::size_t most_panels = 8;
// Samples that are dots on their line.
constexpr std::size_t few_samples = 80;

std::string with_unit(const std::string &text, const std::string &unit) {
  return unit.empty() ? text : text + " (" + unit + ")";
}

// ---- the script ----

// Bytes that are no UTF-8 and long texts are not for a picture.
std::string legible(const std::string &text, std::size_t most = 40) {
  std::vector<std::string> letters;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t n = first < 0x80   ? 1
                          : first < 0xc2 ? 0
                          : first < 0xe0 ? 2
                          : first < 0xf0 ? 3
                          : first < 0xf5 ? 4
                                         : 0;
    bool good = n > 0 && i + n <= text.size();
    for (std::size_t k = 1; good && k < n; k++)
      good = (static_cast<unsigned char>(text[i + k]) & 0xc0U) == 0x80U;
    letters.push_back(good ? text.substr(i, n) : "?");
    i += good ? n : 1;
  }
  std::string out;
  for (std::size_t i = 0; i < letters.size(); i++) {
    if (letters.size() > most && i == most / 2) {
      out += "…";
      i = letters.size() - most / 2;
    }
    out += letters[i];
  }
  return out;
}

std::size_t letters_of(const std::string &text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

std::string number(double x) {
  char text[40];
  (void)std::snprintf(text, sizeof text, std::isfinite(x) ? "%.9g" : "NaN", x);
  return text;
}

// An axis that shows all from low to high, and a constant in its middle.
std::string range(double low, double high, double margin) {
  if (!(low <= high)) return "[0:1]"; /* nothing is there */
  if (!(high - low > 1e-12 * std::max(std::fabs(low), std::fabs(high)))) {
    const double around = low == 0 ? 1 : 0.1 * std::fabs(low);
    low -= around, high += around;
    margin = 0;
  }
  constexpr double most = 1e300;
  const double wide = margin * (high / 2 - low / 2) * 2;
  return "[" + number(std::max(-most, low - wide)) + ":" + number(std::min(most, high + wide)) +
         "]";
}

bounds bounds_of(const panel &p) {
  bounds b;
  for (const drawn &d : p.curves)
    for (std::size_t i = 0; i < d.data.x.size(); i++) b.add(d.data.x[i], d.data.y[i]);
  return b;
}

std::string data_of(const curve &c, std::size_t i) {
  std::string text = "$d" + std::to_string(i) + " << EOD\n";
  for (std::size_t k = 0; k < c.x.size(); k++)
    text += number(c.x[k]) + " " + number(std::fabs(c.y[k]) > 1e300 ? HUGE_VAL : c.y[k]) + "\n";
  if (c.x.empty()) text += "NaN NaN\n";
  return text + "EOD\n";
}

// ".png", ".svg", ".pdf", or nothing.
std::string picture_kind(const std::string &path) {
  std::string kind = std::filesystem::path(path).extension().string();
  for (char &c : kind)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return kind == ".png" || kind == ".svg" || kind == ".pdf" ? kind : "";
}

std::string terminal(const std::string &path, int height) {
  const std::string tall = std::to_string(height), kind = picture_kind(path);
  if (kind == ".svg")
    return "svg size 1600," + tall +
           " noenhanced font 'DejaVu Sans,18' linewidth 1.5 background rgb 'white'";
  if (kind == ".pdf")
    return "pdfcairo size 10in," + number(height / 160.0) +
           "in noenhanced font 'DejaVu Sans,9' fontscale 1 linewidth 0.9";
  return "pngcairo size 1600," + tall + " noenhanced font 'DejaVu Sans,15' linewidth 1.5";
}

const char *title_size(const std::string &path) {
  const std::string kind = picture_kind(path);
  return kind == ".svg" ? ",23" : kind == ".pdf" ? ",11.5" : ",19";
}

std::string plot_line(const panel &p, std::size_t first, bool legend) {
  std::string text;
  for (std::size_t i = 0; i < p.curves.size(); i++) {
    const drawn &d = p.curves[i];
    const char *const with = d.stroke == strokes::line            ? " with lines "
                             : d.stroke == strokes::line_and_dots ? " with linespoints "
                                                                  : " with points ";
    text += (i == 0 ? "plot $d" : ", $d") + std::to_string(first + i) + " using 1:2" + with +
            curve_style(i, 1.7) + (d.stroke == strokes::line ? "" : " pointtype 7 pointsize 0.6") +
            (legend ? " title " + gnuplot_text(legible(d.name)) : " notitle");
  }
  return (text.empty() ? "plot NaN notitle" : text) + "\n";
}

// Panels one above the other, of one width, with their legends to the right of them.
std::string script(const std::string &path, const figure &f) {
  const int n = static_cast<int>(f.panels.size());
  const int each = n == 1 ? 860 : f.over_time ? (n == 2 ? 460 : 320) : 760;
  const int head = 80, foot = 100, between = f.over_time ? 55 : 130;
  const int height = head + foot + n * each + (n - 1) * between;
  std::size_t widest = 0;
  for (const panel &p : f.panels)
    for (const drawn &d : p.curves)
      if (p.curves.size() > 1) widest = std::max(widest, letters_of(legible(d.name)));
  const double right = 1 - (widest == 0 ? 40 : 95 + 12.5 * static_cast<double>(widest)) / 1600;
  const auto part = [&](int pixels) { return number(1 - pixels / static_cast<double>(height)); };
  std::string text =
      "set encoding utf8\nset terminal " + terminal(path, height) +
      "\n"
      "set multiplot\n"
      "set border 3 linecolor rgb '#555555'\n"
      "set tics nomirror out scale 0.6 textcolor rgb '#333333'\n"
      "set grid linecolor rgb '#dddddd' linewidth 0.7 linetype 1\n"
      "set key at screen " +
      number(right + 0.008) +
      ", graph 1 left top Left reverse samplen 1.6 spacing 1.15 textcolor rgb '#333333'\n"
      "set lmargin at screen 0.09\nset rmargin at screen " +
      number(right) + "\n";
  if (!f.title.empty())
    text += "set label 1 " + gnuplot_text(legible(f.title, 110)) + " at screen 0.09," + part(32) +
            " left font '" + title_size(path) + "' textcolor rgb '#111111'\n";
  bounds common; /* one abscissa, which the last panel alone labels */
  for (const panel &p : f.panels) {
    const bounds b = bounds_of(p);
    common.x_low = std::min(common.x_low, b.x_low);
    common.x_high = std::max(common.x_high, b.x_high);
  }
  std::size_t data = 0;
  for (int i = 0; i < n; i++) {
    const panel &p = f.panels[static_cast<std::size_t>(i)];
    const int top = head + i * (each + between);
    for (std::size_t k = 0; k < p.curves.size(); k++) text += data_of(p.curves[k].data, data + k);
    const bounds b = bounds_of(p);
    std::string title = legible(p.title, 100);
    if (p.left_out > 0)
      title += ", " + std::to_string(p.curves.size()) + " of " +
               std::to_string(p.curves.size() + p.left_out);
    if (b.empty()) title += ": no number";
    text += "set tmargin at screen " + part(top + 8) + "\nset bmargin at screen " +
            part(top + each) + "\nset label 2 " + gnuplot_text(title) +
            " at graph 0, graph 1 left offset 0,0.7 textcolor rgb '#333333'\n";
    const bool last = i + 1 == n || !f.over_time;
    text += "set xlabel " + gnuplot_text(last ? legible(p.x_label) : "") +
            " textcolor rgb '#333333'\nset format x '" + (last ? "%g" : "") + "'\nset label 3 " +
            gnuplot_text(legible(p.y_label)) +
            " at screen 0.012, graph 0.5 center rotate textcolor rgb '#333333'\n";
    text += "set xrange " +
            (f.over_time ? range(common.x_low, common.x_high, 0) : range(b.x_low, b.x_high, 0.04)) +
            "\nset yrange " + range(b.y_low, b.y_high, 0.06) + "\n";
    text += plot_line(p, data, p.curves.size() > 1);
    text += "unset label 1\n";
    data += p.curves.size();
  }
  return text + "unset multiplot\n";
}

// ---- figures ----

// Logs, and how their curves are called.
struct sources {
  std::vector<std::unique_ptr<results>> logs;
  std::vector<std::filesystem::path> names;  // of the files, see told_apart()

  std::string called(std::size_t log, const std::string &name) const {
    if (logs.size() == 1) return name;
    return std::filesystem::path(names[log]).replace_extension().string() + ": " + name;
  }
};

// Names of files, with as many of their folders as tell those of one name apart.
std::vector<std::filesystem::path> told_apart(const std::vector<std::string> &files) {
  std::vector<std::filesystem::path> whole, names;
  for (const std::string &file : files)
    whole.push_back(std::filesystem::absolute(file).lexically_normal());
  const auto named = [](const std::filesystem::path &of, std::size_t folders) {
    std::filesystem::path name = of.filename(), left = of.parent_path();
    for (; folders > 0 && left.has_filename(); folders--, left = left.parent_path())
      name = left.filename() / name;
    return name;
  };
  for (const std::filesystem::path &mine : whole) {
    std::size_t folders = 0;
    while (std::any_of(whole.begin(), whole.end(), [&](const std::filesystem::path &other) {
      return other != mine && named(other, folders) == named(mine, folders);
    }))
      folders++;
    names.push_back(named(mine, folders));
  }
  return names;
}

// A curve to be: columns of one log.
struct wanted {
  std::size_t log = 0;
  std::string name;
  std::vector<column> columns;
};

struct wanted_panel {
  std::string key;
  std::string word;  // q, lambda ...
  std::string unit;
  std::string description;
  std::vector<wanted> curves;
  std::size_t left_out = 0;
};

std::string greek(const std::string &name) { return name == "lambda" ? "λ" : name; }

// Columns of one name and unit share a panel, of each argument by itself.
void arrange(std::vector<wanted_panel> *panels, const std::string &argument, const sources &s,
             std::size_t log, const std::vector<column> &columns) {
  for (const column &c : columns) {
    const perp_log_quantity &q = s.logs[log]->schema().quantities[c.quantity];
    const std::string word = q.name;
    std::string key = argument;
    for (const std::string &part : {word, c.unit}) key.append("\n").append(part);
    /* where components have units of their own, one line describes all, and so none */
    const bool own = q.component_units != nullptr && *q.component_units[c.component] != '\0';
    const std::string description = own ? std::string() : c.description;
    auto at = std::find_if(panels->begin(), panels->end(),
                           [&](const wanted_panel &p) { return p.key == key; });
    if (at == panels->end()) at = panels->insert(at, {key, word, c.unit, description, {}, 0});
    if (at->description != description) at->description.clear();
    if (at->curves.size() < most_curves * s.logs.size())
      at->curves.push_back({log, s.called(log, c.name), {c}});
    else
      at->left_out++;
  }
}

// Data of all panels in one pass through each log: a curve of several columns is their sum.
void load(const sources &s, std::vector<panel> *panels, const std::vector<wanted_panel> &of) {
  for (std::size_t log = 0; log < s.logs.size(); log++) {
    results &r = *s.logs[log];
    std::vector<column> columns;
    std::vector<std::pair<drawn *, std::size_t>> to;
    for (std::size_t i = 0; i < of.size(); i++)
      for (std::size_t k = 0; k < of[i].curves.size(); k++) {
        const wanted &w = of[i].curves[k];
        if (w.log != log) continue;
        columns.insert(columns.end(), w.columns.begin(), w.columns.end());
        to.emplace_back(&(*panels)[i].curves[k], w.columns.size());
      }
    std::vector<decimation> all(to.size(), decimation(r.samples()));
    r.each(columns, [&](std::int64_t count, const double *times, const double *values) {
      for (std::int64_t k = 0; k < count; k++)
        for (std::size_t i = 0; i < to.size(); i++) {
          double sum = *values++;
          for (std::size_t more = 1; more < to[i].second; more++) sum += *values++;
          all[i].add(times[k], sum);
        }
    });
    for (std::size_t i = 0; i < to.size(); i++) {
      to[i].first->data = all[i].take();
      if (to[i].first->data.x.size() <= few_samples) to[i].first->stroke = strokes::line_and_dots;
    }
  }
}

void over_time(const sources &s, const std::vector<wanted_panel> &of, figure *f) {
  for (const wanted_panel &w : of) {
    panel p;
    p.x_label = "t (s)";
    p.left_out = w.left_out;
    p.title = w.curves.size() == 1 ? w.curves.front().name : greek(w.word);
    if (!w.description.empty()) p.title += ", " + w.description;
    p.title = with_unit(p.title, w.unit);
    for (const wanted &c : w.curves) p.curves.push_back({c.name, {}, strokes::line});
    f->panels.push_back(std::move(p));
  }
  load(s, &f->panels, of);
}

// Columns of a log by the arguments, or those worth a look.
std::vector<wanted_panel> by_names(const sources &s, const plot_arguments &a) {
  std::vector<wanted_panel> panels;
  for (std::size_t log = 0; log < s.logs.size(); log++) {
    if (a.quantities.empty()) arrange(&panels, "", s, log, s.logs[log]->defaults());
    for (const std::string &names : a.quantities)
      arrange(&panels, names, s, log, s.logs[log]->find(names));
  }
  return panels;
}

std::vector<wanted_panel> energies(const sources &s) {
  wanted_panel p = {"", "energy", "J", "", {}, 0};
  for (std::size_t log = 0; log < s.logs.size(); log++) {
    const results &r = *s.logs[log];
    wanted both = {log, s.called(log, "total"), {}};
    for (std::int32_t i = 0; i < r.schema().n_quantities; i++) {
      const perp_log_quantity &q = r.schema().quantities[i];
      if (q.source != PERP_LOG_KINETIC && q.source != PERP_LOG_POTENTIAL) continue;
      const column c = r.at(i, 0, 0);
      p.unit = c.unit;
      p.curves.push_back(
          {log, s.called(log, q.source == PERP_LOG_KINETIC ? "kinetic" : "potential"), {c}});
      both.columns.push_back(c);
    }
    if (both.columns.empty())
      throw usage_error(r.path() + ": no energy is in it; perp run --energy logs it");
    if (both.columns.size() > 1) p.curves.push_back(both);
  }
  return {p};
}

// ---- one column over another ----

struct pair {
  std::size_t log;
  column x, y;
};

// The quantity of the same kind with a name, -1: none.
std::int32_t sibling(const results &r, std::int32_t quantity, const std::string &name) {
  return perp_log_reader_find(
      r.reader().get(), (std::string(r.schema().quantities[quantity].kind) + "." + name).c_str());
}

// q and v, or the first two components of x; of a column of either.
bool phase_of(const results &r, const column &c, pair *to) {
  const perp_log_quantity &q = r.schema().quantities[c.quantity];
  const std::string name = q.name;
  if (name == "x" && q.components > 1 && c.component == 0) {
    *to = {0, c, r.at(c.quantity, c.member, 1)};
    return true;
  }
  const std::int32_t v = sibling(r, c.quantity, "v");
  if (name != "q" || v < 0) return false;
  const perp_log_quantity &rates = r.schema().quantities[v];
  if (c.member >= rates.members || c.component >= rates.components) return false;
  if (q.components != rates.components && c.component > 2) return false; /* a quaternion */
  *to = {0, c, r.at(v, c.member, c.component)};
  return true;
}

bool complement_of(const results &r, const column &c, pair *to) {
  const std::string name = r.schema().quantities[c.quantity].name;
  const std::int32_t force = sibling(r, c.quantity, "lambda");
  if (name != "y" || force < 0) return false;
  if (c.component > 0 && r.has_friction(r.schema().quantities[c.quantity].kind)) return false;
  *to = {0, c, r.at(force, c.member, c.component)};
  return true;
}

template <class Of>
std::vector<pair> pairs(const sources &s, const plot_arguments &a, Of of, const char *what) {
  std::vector<pair> found;
  for (std::size_t log = 0; log < s.logs.size(); log++) {
    const results &r = *s.logs[log];
    std::vector<column> columns = a.quantities.empty() ? r.defaults() : std::vector<column>();
    for (const std::string &names : a.quantities) {
      const std::vector<column> more = r.find(names);
      columns.insert(columns.end(), more.begin(), more.end());
    }
    const std::size_t before = found.size();
    pair p;
    for (const column &c : columns)
      if (of(r, c, &p)) p.log = log, found.push_back(p);
    if (found.size() == before)
      throw usage_error(r.path() + ": " + (a.quantities.empty() ? "it has no " : "there are no ") +
                        what + (a.quantities.empty() ? "" : " among what is asked for"));
  }
  return found;
}

// Samples of a pair: all of them, or those of a section.
using take_pairs = std::function<void(results *r, const std::vector<pair> &,
                                      const std::function<void(std::size_t, double, double)> &)>;

void every_sample(results *r, const std::vector<pair> &of,
                  const std::function<void(std::size_t, double, double)> &f) {
  std::vector<column> columns;
  for (const pair &p : of) columns.push_back(p.x), columns.push_back(p.y);
  r->each(columns, [&](std::int64_t count, const double *, const double *values) {
    for (std::int64_t k = 0; k < count; k++)
      for (std::size_t i = 0; i < of.size(); i++, values += 2) f(i, values[0], values[1]);
  });
}

// Whether all systems are of first order: no step has solved for y and lambda of their start.
bool is_first_order(const results &r) {
  bool any = false, second = false;
  for (std::int32_t i = 0; i < r.schema().n_quantities; i++) {
    any = any || r.schema().quantities[i].source == PERP_LOG_X;
    second = second || r.schema().quantities[i].source == PERP_LOG_Q;
  }
  return any && !second;
}

// Those whose y and lambda a step has solved for.
void every_solved(results *r, const std::vector<pair> &of,
                  const std::function<void(std::size_t, double, double)> &f) {
  std::size_t left_out = is_first_order(*r) ? of.size() : 0;
  every_sample(r, of, [&](std::size_t i, double x, double y) {
    if (left_out == 0)
      f(i, x, y);
    else
      left_out--;
  });
}

void over_another(const sources &s, const std::vector<pair> &all, bool dots, const char *title,
                  const take_pairs &take, figure *f) {
  f->over_time = false;
  std::vector<std::pair<std::string, std::size_t>> panels; /* names and units of the axes */
  std::vector<std::vector<pair>> of_log(s.logs.size());
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> places(s.logs.size());
  for (const pair &p : all) {
    const results &r = *s.logs[p.log];
    const auto word = [&](const column &c) {
      return with_unit(greek(r.schema().quantities[c.quantity].name), c.unit);
    };
    const std::string key =
        std::string(r.schema().quantities[p.x.quantity].kind) + '\n' + p.x.unit + '\n' + p.y.unit;
    std::size_t i = 0;
    while (i < panels.size() && panels[i].first != key) i++;
    if (i == panels.size()) {
      panels.emplace_back(key, 0);
      f->panels.push_back({title, word(p.x), word(p.y), {}, 0});
      if (p.x.quantity == p.y.quantity) {
        f->panels.back().x_label = with_unit(p.x.name, p.x.unit);
        f->panels.back().y_label = with_unit(p.y.name, p.y.unit);
      }
    }
    panel &to = f->panels[i];
    if (to.curves.empty()) to.title += ": ", to.title += r.schema().quantities[p.x.quantity].kind;
    if (to.curves.size() == most_curves) {
      to.left_out++;
      continue;
    }
    const std::string name = p.x.name + ", " + p.y.name;
    places[p.log].emplace_back(i, to.curves.size());
    of_log[p.log].push_back(p);
    to.curves.push_back({s.called(p.log, name), {}, strokes::line});
  }
  for (std::size_t log = 0; log < s.logs.size(); log++) {
    results *const r = s.logs[log].get();
    std::vector<bounds> within(of_log[log].size());
    take(r, of_log[log], [&](std::size_t i, double x, double y) { within[i].add(x, y); });
    std::vector<path_thinning> paths;
    paths.reserve(within.size());
    for (const bounds &b : within) paths.emplace_back(b, dots);
    take(r, of_log[log], [&](std::size_t i, double x, double y) { paths[i].add(x, y); });
    for (std::size_t i = 0; i < paths.size(); i++) {
      drawn &d = f->panels[places[log][i].first].curves[places[log][i].second];
      d.data = paths[i].take();
      d.stroke = paths[i].is_dots()                                       ? strokes::dots
                 : r->samples() <= static_cast<std::int64_t>(few_samples) ? strokes::line_and_dots
                                                                          : strokes::line;
    }
  }
  for (panel &p : f->panels)
    if (p.curves.size() == 1) p.title = title + (": " + p.curves.front().name);
}

// Where a run is looked at: when a column rises through a level, or each period.
struct section {
  std::string name;  // empty: each period
  double value = 0;
};

section section_of(const std::string &text) {
  const std::size_t at = text.rfind('=');
  const std::string value = at == std::string::npos ? text : text.substr(at + 1);
  section s;
  char *end = nullptr;
  s.value = std::strtod(value.c_str(), &end);
  if (at != std::string::npos) s.name = text.substr(0, at);
  if (value.empty() || *end != '\0' || !std::isfinite(s.value) ||
      (at != std::string::npos && s.name.empty()) || (s.name.empty() && !(s.value > 0)))
    throw usage_error("--poincare: expected NAME=LEVEL or a period > 0, found '" + text + "'");
  return s;
}

// The pairs at the section, on the straight line between the two samples around it.
void at_section(const section &at, results *r, const std::vector<pair> &of,
                const std::function<void(std::size_t, double, double)> &f) {
  std::vector<column> columns;
  for (const pair &p : of) columns.push_back(p.x), columns.push_back(p.y);
  const std::size_t own = columns.size();
  if (!at.name.empty()) {
    const std::vector<column> found = r->find(at.name);
    if (found.size() != 1)
      throw usage_error("--poincare: '" + at.name + "' is " + std::to_string(found.size()) +
                        " columns of " + r->path() + ", expected one: '" + found.front().name +
                        "'");
    columns.push_back(found.front());
  }
  std::vector<double> before(columns.size());
  double start = 0, t = 0;
  bool any = false;
  r->each(columns, [&](std::int64_t count, const double *times, const double *values) {
    for (std::int64_t k = 0; k < count; k++, values += columns.size()) {
      if (!any) start = times[k];
      const double from = at.name.empty() ? t : any ? before[own] : 0;
      const double to = at.name.empty() ? times[k] : values[own];
      double level = at.value;
      if (at.name.empty()) level = start + at.value * std::floor((times[k] - start) / at.value);
      if (any && from < level && level <= to) {
        const double part = (level - from) / (to - from);
        const auto between = [&](std::size_t i) {
          return before[i] + part * (values[i] - before[i]);
        };
        for (std::size_t i = 0; i < of.size(); i++) f(i, between(2 * i), between(2 * i + 1));
      }
      any = true, t = times[k];
      std::copy(values, values + columns.size(), before.begin());
    }
  });
}

// ---- the command ----

sources open_logs(const plot_arguments &a) {
  sources s;
  for (const std::string &file : a.files) {
    s.logs.push_back(std::make_unique<results>(file));
    if (s.logs.back()->samples() == 0) throw usage_error(file + ": no sample is in it to draw");
  }
  s.names = told_apart(a.files);
  return s;
}

// What the models call themselves where all say the same, and the names of the files.
std::string title_of(const sources &s) {
  const results &first = *s.logs.front();
  const std::string model = std::filesystem::path(first.schema().model_name).filename().string();
  std::string files = s.logs.size() == 1 && !model.empty() ? model : s.names.front().string();
  std::string title = first.title();
  for (std::size_t i = 1; i < s.logs.size(); i++) {
    files += ", " + s.names[i].string();
    if (s.logs[i]->title() != title) title.clear();
  }
  return title.empty() ? files : title + " – " + files;
}

figure figure_of(const sources &s, const plot_arguments &a) {
  figure f;
  f.title = title_of(s);
  if (!a.poincare.empty()) {
    const section at = section_of(a.poincare);
    const std::string title = at.name.empty()
                                  ? "section each " + number(at.value) + " s"
                                  : "section " + at.name + " rising through " + number(at.value);
    over_another(
        s, pairs(s, a, phase_of, "positions with velocities"), true, title.c_str(),
        [&](results *r, const auto &of, const auto &g) { at_section(at, r, of, g); }, &f);
    for (const panel &p : f.panels)
      if (bounds_of(p).empty())
        throw usage_error("--poincare " + a.poincare + ": no sample lies on either side of it");
  } else if (a.phase) {
    over_another(s, pairs(s, a, phase_of, "positions with velocities"), false, "phase",
                 every_sample, &f);
  } else if (a.complementarity) {
    const bool some = std::any_of(s.logs.begin(), s.logs.end(),
                                  [](const auto &log) { return is_first_order(*log); });
    over_another(s, pairs(s, a, complement_of, "complementary y and lambda"), true,
                 some ? "complementarity, without the start" : "complementarity", every_solved, &f);
  } else if (a.energy) {
    over_time(s, energies(s), &f);
  } else {
    over_time(s, by_names(s, a), &f);
  }
  if (f.panels.size() > most_panels) {
    f.title += " – " + std::to_string(most_panels) + " of " + std::to_string(f.panels.size()) +
               " quantities";
    f.panels.resize(most_panels);
  }
  return f;
}

// What is a file, up to the first that is none; what looks like one is said to be missing.
void tell_files(plot_arguments *a) {
  std::vector<std::string> rest;
  for (const std::string &word : a->words) {
    std::error_code none;
    const bool file =
        std::filesystem::exists(word, none) && !std::filesystem::is_directory(word, none);
    if (a->files.empty() ||
        (rest.empty() && (file || std::filesystem::path(word).extension() == ".log")))
      a->files.push_back(word);
    else
      rest.push_back(word);
  }
  a->quantities = rest;
}

}  // namespace

int plot_command(const plot_arguments &given, std::string *out) {
  plot_arguments a = given;
  tell_files(&a);
  const std::string path =
      a.out.empty() ? std::filesystem::path(a.files.front()).stem().string() + ".png" : a.out;
  if (picture_kind(path).empty())
    throw usage_error(path + ": expected a name that ends in .png, .svg or .pdf");
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder))
    throw usage_error(path + ": no such folder");
  std::error_code none;
  for (const std::string &file : a.files)
    if (!a.script && std::filesystem::equivalent(file, path, none))
      throw usage_error(path + ": is the log itself; -o names another file");
  const sources s = open_logs(a);
  const std::string text = script(path, figure_of(s, a));
  if (a.script) {
    *out = text;
  } else {
    save_picture(path, text);
    *out = path + "\n";
  }
  return exit_solved;
}

}  // namespace perp::tool
