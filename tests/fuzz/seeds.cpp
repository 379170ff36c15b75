// SPDX-License-Identifier: MIT
// Seeds for the fuzzers:  seeds FOLDER  writes FOLDER/dat/*, hdf5/*, expression/*, log/* and
// model/*, and model.dict, the words of model files.
#include <perp/perp.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>

#include "../io_tools.hpp"
#include "io/model_table.hpp"

namespace {

/** A log of all records. */
std::string log_bytes(const std::string &path, int32_t float32) {
  const char *const members[] = {"left", "right"};
  const int32_t objects[] = {1, 0};
  perp_log_quantity q[2] = {};
  q[0].kind = "ball", q[0].name = "q", q[0].members = 2, q[0].components = 1;
  q[1].kind = "bead", q[1].name = "v", q[1].members = 1, q[1].components = 2;
  q[0].member_names = members, q[0].objects = objects;
  perp_log_schema schema = PERP_LOG_SCHEMA_INIT;
  schema.n_quantities = 2;
  schema.quantities = q;
  schema.model = "g = 9.81";
  perp_log_options options = perp_log_options_default();
  options.float32 = float32;
  perp_log *log = nullptr;
  const double x[4] = {1, 2, 3, 4};
  const perp_log_event event = {0.5, 1, 0, 0, 0, 2, 2, 0, 0, x};
  (void)perp_log_create(&log, path.c_str(), &schema, &options, nullptr);
  for (int i = 0; i < 3; i++) (void)perp_log_add_sample(log, i, x, 4, nullptr);
  for (int i = 0; i < 2; i++) (void)perp_log_add_event(log, &event, nullptr);
  const perp_log_contact contacts[2] = {
      {{0, -1}, {7, 0}, 0, 3, -1e-6, {1, 2, 3}, {0, 0, 1}, {1}, {4}},
      {{0, 1}, {0, 9}, 1, 3, 1e-6, {1, 0, 3}, {1}, {0, 1}, {1}}};
  for (int n : {2, 0, 1}) (void)perp_log_add_contacts(log, 2, contacts, n, nullptr);
  (void)perp_log_add_checkpoint(log, 2, "state", "bytes", 5, nullptr);
  (void)perp_log_add_note(log, "name", "text", nullptr);
  (void)perp_log_add_end(log, 3, 0, "done", "{}", nullptr);
  (void)perp_log_close(log, nullptr);
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// All words of model files, as libFuzzer reads them: from the table that the reader goes by.
std::string model_words() {
  std::set<std::string> words = {"guards", "schedules", "tables", "interactions", "parameters"};
  for (const perp::io::kind &k : perp::io::model_kinds()) {
    words.insert(k.name);
    for (const perp::io::key &each : k.keys) {
      words.insert(each.name);
      for (const perp::io::choice &c : each.choices) words.insert(c.name);
    }
  }
  std::string all;
  for (const std::string &word : words) all += "\"" + word + "\"\n";
  return all;
}

}  // namespace

int main(int argc, char **argv) {
  using namespace tools;
  if (argc != 2) return 1;
  const std::string root = argv[1];
  int count = 0;
  const auto put = [&](const std::string &kind, const std::string &bytes) {
    std::filesystem::create_directories(root + "/" + kind);
    save(root + "/" + kind + "/" + std::to_string(count++), bytes);
  };
  for (any_problem p : one_of_each()) {
    const std::string guess(1, '\0');
    put("dat", guess + write_dat(p, "seed"));
    if (std::holds_alternative<mixed>(p)) continue;
    for (const layout order : {layout::rows, layout::columns, layout::triplet}) {
      store(&p, storage::sparse);
      put("dat", guess + write_dat(p, "seed", order));
    }
    store(&p, storage::blocks, 2);
    put("dat", guess + write_dat(p, "seed"));
  }
  put("dat", std::string(1, '\0') + "0 1 1 2 1 2 3 4 5 6 7 8 9 10 11 12\n");
  for (char form = 0; form < 16; form++) put("hdf5", std::string(1, form));
  for (const char *text :
       {"-m*t + sin(q[0]*t)^2 - c[1]*exp(q[1])", "t > 0 && !(q[0] == 1) ? t : 2.5e-3",
        "min(atan2(t, m), pow(t, q[1])) / (1 + hypot(t, pi))", "road(2*t) - held(t)"})
    put("expression", text);
  for (const perp::io::kind &k : perp::io::model_kinds())
    put("model", std::string(1, '\0') + perp::io::model_template(k));
  put("model", std::string(1, '\0') + R"([systems.s]
kind = "first_order_linear"
A = [[0, 1], [0, 0]]
[guards.g]
value = "s.x[0]"
reset = { "s.x[1]" = "-s.x[1]" }
[schedules.k]
period = 0.1
reset = { "s.x[1]" = "t" }
stop = true
[tables.road]
file = "road.csv"
[events]
until = 1
)");
  save(root + "/model.dict", model_words());
  for (char form = 0; form < 4; form++) {
    std::filesystem::create_directories(root + "/log");
    put("log", std::string(1, form) + log_bytes(root + "/log/written", form % 2));
  }
  for (const auto &model :
       std::filesystem::directory_iterator(PERP_SOURCE_DIR "/examples/models")) {
    if (model.path().extension() != ".toml") continue;
    std::ifstream in(model.path(), std::ios::binary);
    put("model", std::string(1, '\0') + std::string(std::istreambuf_iterator<char>(in), {}));
  }
  put("model",
      "\1{\"parameters\": {\"g\": 9.81}, \"systems\": {\"ball\": {\"kind\": \"lagrangian_linear\", "
      "\"M\": [1], \"f\": [\"-g\"], \"q0\": [1e0]}}, \"interactions\": {\"ground\": {\"systems\": "
      "[\"ball\"], \"law\": {\"kind\": \"newton_impact\", \"e\": 0.9}, \"relation\": {\"kind\": "
      "\"lagrangian_linear\", \"H\": [[1]]}}}, \"events\": {\"until\": 1}}");
  return 0;
}
