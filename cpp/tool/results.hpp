// SPDX-License-Identifier: MIT
// What plot, view and export show of a log: columns by name, read in stretches, and curves of so
// few points that they can be drawn.
#ifndef PERP_TOOL_RESULTS_HPP
#define PERP_TOOL_RESULTS_HPP

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "io/model_tree.hpp"
#include "perp/log.hpp"

namespace perp::tool {

// @throws usage_error that tells what a file is that is no log; what cannot be opened is left.
void check_is_log(const std::string &path);

// One number of every sample.
struct column {
  std::int32_t quantity = 0;
  std::int32_t member = 0;
  std::int32_t component = 0;
  std::string name;  // "ball.q", "body[3].v.x", "bead[17].q.1": those of perp.open(...).pandas()
  std::string unit;  // empty: not known
  std::string description;  // of the quantity
};

struct log_event {
  double t = 0;
  std::string words;        // "impact close"
  std::int32_t kind = 0;    // bits PERP_EVENT_...
  std::int32_t index = -1;  // interaction, guard or schedule, -1: none
  std::int32_t copy = -1;
  std::int32_t before = -1;  // PERP_CONTACT_...
  std::int32_t after = -1;
  double error = 0;
  double until = 0;
  std::vector<double> impulse;
};

// How a run ended.
struct log_end {
  bool ended = false;  // false: it was interrupted, and the rest is empty
  double t = 0;
  perp_status status = PERP_OK;
  std::string reason;
  std::string report;  // JSON
};

struct curve {
  std::vector<double> x;
  std::vector<double> y;
};

constexpr std::size_t curve_points = 4000;

// A curve whose samples come one by one, thinned as they come: the samples between first and last
// are put into buckets of equal numbers, of each of which the least and the largest y stay, and one
// that is not a number, as a gap. Needs memory for `most` points, however many samples there are.
class decimation {
 public:
  // samples: how many will come; most: points that may stay, at least 8.
  explicit decimation(std::int64_t samples, std::size_t most = curve_points);
  void add(double x, double y);
  // What stays, in order; all samples where there are no more than most.
  curve take() const;

 private:
  struct point {
    std::int64_t at = -1;  // number of the sample, -1: none
    double x = 0;
    double y = 0;
  };
  struct bucket {
    point least, largest, gap;
  };
  static void join(bucket *into, const bucket &other);
  static std::size_t count(const bucket &b);

  std::int64_t samples_;
  std::size_t most_;
  std::int64_t added_ = 0;
  std::int64_t per_bucket_ = 1;
  point first_, last_;
  std::vector<bucket> buckets_;
};

// Where samples lie of all that come: least and largest finite x and y.
struct bounds {
  double x_low = HUGE_VAL, x_high = -HUGE_VAL, y_low = HUGE_VAL, y_high = -HUGE_VAL;
  void add(double x, double y);
  bool empty() const { return !(x_low <= x_high); }
};

// A path in a plane (a phase portrait), thinned as its samples come. As long as that takes no more
// than `most` points it is a polygon from which no sample is further than a ten-thousandth of the
// bounds; else, and where asked for, dots: one sample in each cell of a grid that the path enters.
class path_thinning {
 public:
  path_thinning(const bounds &within, bool dots, std::size_t most = curve_points);
  void add(double x, double y);
  // What stays; gaps are NaN.
  curve take() const;
  bool is_dots() const { return dots_; }

 private:
  struct point {
    double x, y;  // within the bounds, 0 ... 1
    double x0, y0;
  };
  void keep(const point &p);
  void keep_polygon(const point &p);
  void keep_dot(const point &p);

  bounds within_;
  bool dots_;
  std::size_t most_;
  curve polygon_;
  bool open_ = false;  // there is an anchor: the last point of the polygon
  point anchor_{}, last_{};
  bool turned_ = false;        // low_ ... high_ hold
  double low_ = 0, high_ = 0;  // directions from the anchor in which all samples since lie
  double far_ = 0;             // the furthest of them
  std::int64_t cells_ = 1024;  // of a side
  std::map<std::int64_t, point> of_cell_;
};

// A log that is open. Throws usage_error for a file that is none, and for names that are none of
// it. A line on stderr says what of it is damaged, and so left out.
class results {
 public:
  explicit results(const std::string &path);

  const std::string &path() const { return path_; }
  const log_reader &reader() const { return reader_; }
  const perp_log_schema &schema() const { return reader_.schema(); }
  const perp_log_summary &summary() const { return summary_; }
  std::int64_t samples() const { return summary_.samples; }

  // The title that the model gives itself; empty: none, or the log has no model that can be read.
  std::string title() const;
  // Whether the model says that a law of this kind of interaction is friction: of its rows the
  // first alone is complementary.
  bool has_friction(const std::string &kind) const;

  // The name of a member, "bead[17]".
  std::string member(std::int32_t quantity, std::int32_t member) const;
  // The name of a component, its number where it has none.
  std::string component(std::int32_t quantity, std::int32_t component) const;
  column at(std::int32_t quantity, std::int32_t member, std::int32_t component) const;

  // Columns by names, separated by commas, as --select of perp run has them ("ball", "ball.q",
  // "bead[17]", "bead[17].v", "*.lambda"), and a component behind that ("body.q.z", "bead.q.0"). A
  // * stands for any text without a point. In the order of the names, each column once.
  std::vector<column> find(const std::string &pattern) const;
  // What is worth a look where nothing is said: of each quantity up to `most` columns, members
  // spread evenly, of bodies places and velocities without rotation; no energies.
  std::vector<column> defaults(std::size_t most = 8) const;

  std::vector<double> times();
  std::vector<double> values(const column &c);

  // Every stride-th sample of some columns, in stretches: values has count x columns.size()
  // numbers, sample after sample. One pass through the file, whatever columns are asked for.
  using stretch =
      std::function<void(std::int64_t count, const double *times, const double *values)>;
  void each(const std::vector<column> &columns, const stretch &f, std::int64_t stride = 1);
  // The columns over time, decimated, in one pass.
  std::vector<curve> curves(const std::vector<column> &columns, std::size_t most = curve_points);

  // The contacts of a pool, sample after sample.
  using contact_list =
      std::function<void(std::int64_t sample, double t, const perp_log_contact *, std::int32_t n)>;
  void each_contacts(const contact_list &f);
  // The name of each system that a quantity of the log is of, "" of others.
  std::vector<std::string> systems() const;
  void each_event(const std::function<void(const log_event &)> &f);
  log_end end();

 private:
  void read(std::int32_t quantity, std::int64_t first, std::int64_t count, std::int64_t stride,
            double *times, double *values);

  std::string path_;
  log_reader reader_;
  perp_log_summary summary_;
  io::model_node model_;
};

// "impact close" of bits PERP_EVENT_...
std::string event_words(std::uint32_t kinds);

}  // namespace perp::tool

#endif
