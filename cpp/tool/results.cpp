// SPDX-License-Identifier: MIT
#include "tool/results.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "io/file.hpp"
#include "io/model_table.hpp"
#include "tool/usage.hpp"

namespace perp::tool {

namespace {

// Numbers that a stretch has at most, unless one sample has more.
constexpr std::int64_t stretch_numbers = std::int64_t{1} << 16;

// Whether a text is what a glob means: a * stands for any text without a point.
bool matches(std::string_view glob, std::string_view text) {
  if (glob.empty()) return text.empty();
  if (glob.front() != '*')
    return !text.empty() && glob.front() == text.front() && matches(glob.substr(1), text.substr(1));
  while (!glob.empty() && glob.front() == '*') glob.remove_prefix(1); /* several mean one */
  for (;; text.remove_prefix(1)) {
    if (matches(glob, text)) return true;
    if (text.empty() || text.front() == '.') return false;
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

const char *text_of(const char *const *texts, std::int32_t i) {
  return texts == nullptr ? "" : texts[i];
}

log_reader opened(const std::string &path) {
  check_is_log(path);
  try {
    return log_reader(path);
  } catch (const error &e) {
    throw usage_error(e.what());
  }
}

bool is_energy(const perp_log_quantity &q) {
  return q.source == PERP_LOG_KINETIC || q.source == PERP_LOG_POTENTIAL;
}

// Components to look at: of a body's q and v (see perp_log_simulation_create()) the first three.
std::int32_t shown_components(const perp_log_quantity &q, std::size_t most) {
  const std::string_view first = text_of(q.component_names, 0);
  if (q.components == 7 && first == "x") return 3;
  if (q.components == 6 && first == "vx") return 3;
  return std::min(q.components, static_cast<std::int32_t>(most));
}

}  // namespace

void check_is_log(const std::string &path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none) || io::looks_like_log(path)) return;
  const std::string text = io::beginning(path, 1 << 16);
  const std::string ending = std::filesystem::path(path).extension().string();
  const bool printed = std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 || std::strchr("\t\n\r\f", c) != nullptr;
  });
  const char *found = "bytes of another format";
  if (text.empty())
    found = "an empty file";
  else if (io::looks_like_hdf5(path))
    found = "HDF5, which is not read back";
  else if (printed &&
           (ending == ".toml" || ending == ".json" || text.find("[systems") != std::string::npos))
    found = "what looks like a model file: perp run makes a log of it";
  else if (printed)
    found = "text";
  throw usage_error(path + ": is no log of perp, found " + found);
}

std::string event_words(std::uint32_t kinds) {
  static const std::pair<std::uint32_t, const char *> all[] = {
      {PERP_EVENT_IMPACT, "impact"},     {PERP_EVENT_CLOSE, "close"},
      {PERP_EVENT_OPEN, "open"},         {PERP_EVENT_STICK, "stick"},
      {PERP_EVENT_SLIP, "slip"},         {PERP_EVENT_REVERSE, "reverse"},
      {PERP_EVENT_SWITCH, "switch"},     {PERP_EVENT_SCHEDULE, "schedule"},
      {PERP_EVENT_GUARD, "guard"},       {PERP_EVENT_ACCUMULATION, "accumulation"},
      {PERP_EVENT_HANDOVER, "handover"}, {PERP_EVENT_RETURN, "return"},
      {PERP_EVENT_START, "start"}};
  std::string text;
  for (const auto &[bit, word] : all)
    if ((kinds & bit) != 0) text += (text.empty() ? "" : " ") + std::string(word);
  return text;
}

// ---- decimation ----

decimation::decimation(std::int64_t samples, std::size_t most) : samples_(samples), most_(most) {
  if (samples <= static_cast<std::int64_t>(most)) {
    buckets_.reserve(static_cast<std::size_t>(samples));
    return;
  }
  const auto buckets = static_cast<std::int64_t>((most - 2) / 2), inner = samples - 2;
  per_bucket_ = (inner + buckets - 1) / buckets;
  buckets_.resize(static_cast<std::size_t>((inner + per_bucket_ - 1) / per_bucket_));
}

// Of equal ones the earlier stays.
void decimation::join(bucket *into, const bucket &other) {
  if (other.least.at >= 0 && (into->least.at < 0 || other.least.y < into->least.y))
    into->least = other.least;
  if (other.largest.at >= 0 && (into->largest.at < 0 || other.largest.y > into->largest.y))
    into->largest = other.largest;
  if (into->gap.at < 0) into->gap = other.gap;
}

std::size_t decimation::count(const bucket &b) {
  return static_cast<std::size_t>(b.least.at >= 0) +
         static_cast<std::size_t>(b.largest.at != b.least.at) +
         static_cast<std::size_t>(b.gap.at >= 0);
}

void decimation::add(double x, double y) {
  const point p = {added_++, x, y};
  if (samples_ <= static_cast<std::int64_t>(most_)) {
    buckets_.push_back({p, p, {}});
    return;
  }
  if (p.at == 0) first_ = p;
  last_ = p;
  if (p.at == 0 || p.at >= samples_ - 1) return;
  const bucket one = std::isnan(y) ? bucket{{}, {}, p} : bucket{p, p, {}};
  join(&buckets_[static_cast<std::size_t>((p.at - 1) / per_bucket_)], one);
}

curve decimation::take() const {
  std::vector<bucket> all = buckets_;
  const auto total = [&] {
    std::size_t n = 2;
    for (const bucket &b : all) n += count(b);
    return n;
  };
  /* gaps take places, too: neighbours become one until all is few enough */
  while (samples_ > static_cast<std::int64_t>(most_) && total() > most_) {
    for (std::size_t i = 0; i < all.size(); i += 2) {
      if (i + 1 < all.size()) join(&all[i], all[i + 1]);
      all[i / 2] = all[i];
    }
    all.resize((all.size() + 1) / 2);
  }
  curve c;
  const auto put = [&](const point &p) {
    if (p.at < 0) return;
    c.x.push_back(p.x);
    c.y.push_back(p.y);
  };
  put(first_);
  for (const bucket &b : all) {
    point three[] = {b.least, b.gap, b.largest.at == b.least.at ? point{} : b.largest};
    std::sort(std::begin(three), std::end(three),
              [](const point &p, const point &q) { return p.at < q.at; });
    for (const point &p : three) put(p);
  }
  if (last_.at > 0) put(last_);
  return c;
}

// ---- paths ----

void bounds::add(double x, double y) {
  if (!std::isfinite(x) || !std::isfinite(y)) return;
  x_low = std::min(x_low, x), x_high = std::max(x_high, x);
  y_low = std::min(y_low, y), y_high = std::max(y_high, y);
}

path_thinning::path_thinning(const bounds &within, bool dots, std::size_t most)
    : within_(within), dots_(dots), most_(most) {}

void path_thinning::add(double x, double y) {
  const double wide = within_.x_high - within_.x_low, high = within_.y_high - within_.y_low;
  const point p = {wide > 0 ? (x - within_.x_low) / wide : 0,
                   high > 0 ? (y - within_.y_low) / high : 0, x, y};
  const bool gap = !std::isfinite(x) || !std::isfinite(y);
  if (!gap) keep_dot(p);
  if (dots_) return;
  if (!gap) return keep_polygon(p);
  if (!open_) return;
  keep(last_);
  keep({0, 0, std::nan(""), std::nan("")});
  open_ = false;
}

void path_thinning::keep(const point &p) {
  polygon_.x.push_back(p.x0);
  polygon_.y.push_back(p.y0);
  if (polygon_.x.size() < most_) return;
  dots_ = true;
  polygon_ = {};
}

// The line from the anchor to the last sample passes each sample between at most `near` away: it
// lies in all the sectors under which those are seen, and none of them was further.
void path_thinning::keep_polygon(const point &p) {
  constexpr double near = 1.0 / 10000, turn = 6.283185307179586;
  const auto begin = [&](const point &at) {
    keep(at);
    anchor_ = last_ = at;
    open_ = true, turned_ = false, far_ = 0;
  };
  if (!open_) return begin(p);
  const auto fits = [&] {
    const double dx = p.x - anchor_.x, dy = p.y - anchor_.y, d = std::hypot(dx, dy);
    if (d < far_ - near) return false;
    far_ = std::max(far_, d);
    if (d <= near) return true;
    const double half = std::asin(near / d);
    double angle = std::atan2(dy, dx);
    if (!turned_) {
      low_ = angle - half, high_ = angle + half, turned_ = true;
      return true;
    }
    angle -= turn * std::round((angle - (low_ + high_) / 2) / turn);
    if (angle < low_ || angle > high_) return false;
    low_ = std::max(low_, angle - half), high_ = std::min(high_, angle + half);
    return true;
  };
  if (!fits()) {
    begin(last_);
    (void)fits();
  }
  last_ = p;
}

void path_thinning::keep_dot(const point &p) {
  const auto cell = [&](const point &at) {
    const auto along = [&](double part) {
      return std::min(cells_ - 1, static_cast<std::int64_t>(part * static_cast<double>(cells_)));
    };
    return along(at.x) * cells_ + along(at.y);
  };
  (void)of_cell_.emplace(cell(p), p);
  while (of_cell_.size() > most_) {
    cells_ /= 2;
    std::map<std::int64_t, point> fewer;
    for (const auto &[number, at] : of_cell_) (void)fewer.emplace(cell(at), at);
    of_cell_ = std::move(fewer);
  }
}

curve path_thinning::take() const {
  curve c = polygon_;
  const auto put = [&](const point &p) {
    c.x.push_back(p.x0);
    c.y.push_back(p.y0);
  };
  if (!dots_ && open_) put(last_);
  if (dots_)
    for (const auto &[number, p] : of_cell_) put(p);
  return c;
}

// ---- results ----

results::results(const std::string &path)
    : path_(path), reader_(opened(path)), summary_(reader_.summary()) {
  model_.kind = io::model_node::table;
  try {
    if (*schema().model != '\0') model_ = io::parse_model(schema().model, schema().model_name);
  } catch (const io::model_error &) {
    /* the log of another program, whose model is its own affair */
  }
  if (summary_.bytes == summary_.whole) return;
  std::string after;
  if (samples() > 0) {
    double t = 0;
    read(-1, samples() - 1, 1, 1, &t, nullptr);
    char text[40];
    (void)std::snprintf(text, sizeof text, " after t = %.9g", t);
    after = text;
  }
  (void)std::fprintf(stderr, "perp: %s: %lld bytes%s are damaged and left out\n", path_.c_str(),
                     static_cast<long long>(summary_.bytes - summary_.whole), after.c_str());
}

std::string results::title() const {
  const io::model_node *const title = model_.find("title");
  return title != nullptr && title->kind == io::model_node::text ? title->words : std::string();
}

bool results::has_friction(const std::string &kind) const {
  const auto in = [](const io::model_node *of, std::string_view name) {
    return of != nullptr && of->kind == io::model_node::table ? of->find(name) : nullptr;
  };
  const io::model_node *law = in(in(in(&model_, "interactions"), kind), "law");
  if (law != nullptr && law->kind == io::model_node::text)
    law = in(in(&model_, "laws"), law->words);
  const io::model_node *const is = in(law, "kind");
  return is != nullptr && (is->words == "friction" || is->words == "rolling" ||
                           is->words == "fremond" || is->words == "cohesive");
}

std::string results::member(std::int32_t quantity, std::int32_t member) const {
  std::string text(perp_log_reader_member(reader_.get(), quantity, member, nullptr, 0) + 1, '\0');
  (void)perp_log_reader_member(reader_.get(), quantity, member, text.data(), text.size());
  text.pop_back();
  return text;
}

std::string results::component(std::int32_t quantity, std::int32_t component) const {
  const std::string name = text_of(schema().quantities[quantity].component_names, component);
  return name.empty() ? std::to_string(component) : name;
}

column results::at(std::int32_t quantity, std::int32_t member_of, std::int32_t component_of) const {
  const perp_log_quantity &q = schema().quantities[quantity];
  column c = {quantity, member_of, component_of, {}, {}, q.description};
  c.name = member(quantity, member_of) + "." + q.name;
  if (q.components > 1) c.name += "." + component(quantity, component_of);
  c.unit = text_of(q.component_units, component_of);
  if (c.unit.empty()) c.unit = q.unit;
  return c;
}

std::vector<column> results::find(const std::string &pattern) const {
  std::vector<column> found;
  std::set<std::tuple<std::int32_t, std::int32_t, std::int32_t>> there;
  std::string_view rest = pattern;
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    const std::string_view entry = trimmed(rest.substr(0, comma));
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
    bool any = false;
    std::vector<std::string> names;
    const auto is = [&](const std::string &text) {
      if (names.size() < 1000 && std::find(names.begin(), names.end(), text) == names.end())
        names.push_back(text);
      return matches(entry, text);
    };
    for (std::int32_t i = 0; i < schema().n_quantities; i++) {
      const perp_log_quantity &q = schema().quantities[i];
      const std::string kind = q.kind, of_kind = kind + "." + q.name;
      const bool by_kind = is(kind), all = is(of_kind) || by_kind;
      for (std::int32_t k = 0; k < q.members; k++) {
        const std::string name = member(i, k), of_member = name + "." + q.name;
        const bool by_member = !all && is(name), whole = all || is(of_member) || by_member;
        for (std::int32_t j = 0; j < q.components; j++) {
          const std::string by_name = "." + component(i, j), by_number = "." + std::to_string(j);
          if (!whole && !is(of_kind + by_name) && !is(of_member + by_name) &&
              !matches(entry, of_kind + by_number) && !matches(entry, of_member + by_number))
            continue;
          any = true;
          if (there.insert({i, k, j}).second) found.push_back(at(i, k, j));
        }
      }
    }
    if (any) continue;
    const std::string near = io::nearest(entry, names);
    std::string all;
    for (std::int32_t i = 0; i < schema().n_quantities && i < 8; i++) {
      if (i > 0) all += ", ";
      all += schema().quantities[i].kind;
      all += '.';
      all += schema().quantities[i].name;
    }
    std::string what = path_;
    what.append(": there is no '").append(entry).append("' in it");
    if (!near.empty()) what.append(" (did you mean '").append(near).append("'?)");
    what.append("; it has ").append(all);
    if (schema().n_quantities > 8) what.append(" ...");
    throw usage_error(what);
  }
  return found;
}

std::vector<column> results::defaults(std::size_t most) const {
  std::vector<column> found;
  for (std::int32_t i = 0; i < schema().n_quantities; i++) {
    const perp_log_quantity &q = schema().quantities[i];
    if (is_energy(q)) continue;
    const std::int32_t components = shown_components(q, most);
    const std::int32_t members =
        std::min(q.members, std::max(1, static_cast<std::int32_t>(most) / components));
    for (std::int32_t k = 0; k < members; k++) {
      const std::int64_t spread =
          members == 1 ? 0 : std::int64_t{k} * (q.members - 1) / (members - 1);
      for (std::int32_t j = 0; j < components; j++)
        found.push_back(at(i, static_cast<std::int32_t>(spread), j));
    }
  }
  return found;
}

void results::read(std::int32_t quantity, std::int64_t first, std::int64_t count,
                   std::int64_t stride, double *times, double *values) {
  perp_info info = PERP_INFO_INIT;
  const perp_status status =
      perp_log_reader_read(reader_.get(), quantity, first, count, stride, times, values, &info);
  if (status != PERP_OK) throw run_error(detail::sentence(status, path_.c_str(), info));
}

std::vector<double> results::times() {
  std::vector<double> t(static_cast<std::size_t>(samples()));
  read(-1, 0, samples(), 1, t.data(), nullptr);
  return t;
}

std::vector<double> results::values(const column &c) {
  std::vector<double> all;
  all.reserve(static_cast<std::size_t>(samples()));
  each({c}, [&](std::int64_t count, const double * /*times*/, const double *values) {
    all.insert(all.end(), values, values + count);
  });
  return all;
}

void results::each(const std::vector<column> &columns, const stretch &f, std::int64_t stride) {
  if (samples() == 0) return;
  bool one = !columns.empty();
  for (const column &c : columns) one = one && c.quantity == columns.front().quantity;
  const std::int32_t quantity = one ? columns.front().quantity : -1;
  std::vector<std::size_t> places;
  for (const column &c : columns) {
    const perp_log_quantity &q = schema().quantities[c.quantity];
    const std::int32_t begin = one ? 0 : perp_log_reader_offset(reader_.get(), c.quantity);
    places.push_back(static_cast<std::size_t>(begin) +
                     static_cast<std::size_t>(c.member) * static_cast<std::size_t>(q.components) +
                     static_cast<std::size_t>(c.component));
  }
  std::int64_t width = summary_.n_values;
  if (one) {
    const perp_log_quantity &q = schema().quantities[quantity];
    width = std::int64_t{q.members} * q.components;
  }
  const std::int64_t wanted = (samples() - 1) / stride + 1;
  const std::int64_t at_once =
      std::min(wanted, std::max<std::int64_t>(1, stretch_numbers / (width + 1)));
  std::vector<double> times(static_cast<std::size_t>(at_once));
  std::vector<double> from(static_cast<std::size_t>(at_once * width));
  std::vector<double> to(static_cast<std::size_t>(at_once) * places.size());
  for (std::int64_t done = 0; done < wanted; done += at_once) {
    const std::int64_t count = std::min(at_once, wanted - done);
    read(quantity, done * stride, count, stride, times.data(),
         columns.empty() ? nullptr : from.data());
    double *put = to.data();
    for (std::int64_t k = 0; k < count; k++)
      for (const std::size_t place : places)
        *put++ = from[static_cast<std::size_t>(k * width) + place];
    f(count, times.data(), to.data());
  }
}

std::vector<curve> results::curves(const std::vector<column> &columns, std::size_t most) {
  std::vector<decimation> all(columns.size(), decimation(samples(), most));
  each(columns, [&](std::int64_t count, const double *times, const double *values) {
    for (std::int64_t k = 0; k < count; k++)
      for (decimation &d : all) d.add(times[k], *values++);
  });
  std::vector<curve> thin;
  thin.reserve(all.size());
  for (const decimation &d : all) thin.push_back(d.take());
  return thin;
}

void results::each_event(const std::function<void(const log_event &)> &f) {
  perp_log_reader_rewind(reader_.get());
  perp_log_record record = PERP_LOG_RECORD_INIT;
  while (reader_.next(record, 1U << static_cast<unsigned>(PERP_LOG_EVENTS))) {
    const perp_log_event &e = record.event;
    log_event mine = {e.t,     event_words(static_cast<std::uint32_t>(e.kind)),
                      e.kind,  e.index,
                      e.copy,  e.before,
                      e.after, e.error,
                      e.until, {}};
    if (e.n_impulse > 0) mine.impulse.assign(e.impulse, e.impulse + e.n_impulse);
    f(mine);
  }
}

void results::each_contacts(const contact_list &f) {
  perp_log_reader_rewind(reader_.get());
  perp_log_record record = PERP_LOG_RECORD_INIT;
  while (reader_.next(record, 1U << static_cast<unsigned>(PERP_LOG_CONTACT_LIST)))
    if (record.first >= 0) f(record.first, record.t, record.contacts, record.count);
}

std::vector<std::string> results::systems() const {
  std::vector<std::string> names;
  for (std::int32_t i = 0; i < schema().n_quantities; i++) {
    const perp_log_quantity &q = schema().quantities[i];
    if (q.source != PERP_LOG_Q && q.source != PERP_LOG_V) continue;
    for (std::int32_t k = 0; k < q.members; k++) {
      const auto object = static_cast<std::size_t>(q.objects != nullptr ? q.objects[k] : k);
      if (object >= names.size()) names.resize(object + 1);
      names[object] = member(i, k);
    }
  }
  return names;
}

log_end results::end() {
  perp_log_record record = PERP_LOG_RECORD_INIT;
  perp_info info = PERP_INFO_INIT;
  const perp_status found = perp_log_reader_last(
      reader_.get(), 1U << static_cast<unsigned>(PERP_LOG_END), &record, &info);
  if (found == PERP_END) return {};
  if (found != PERP_OK) throw run_error(detail::sentence(found, path_.c_str(), info));
  return {true, record.t, record.status, record.text, record.report};
}

}  // namespace perp::tool
