// SPDX-License-Identifier: MIT
#include "io/model.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <map>

#include "io/file.hpp"

namespace perp::io {

namespace {

// Memory for the struct of any kind.
union any_struct {
  perp_system system;
  perp_relation relation;
  perp_law law;
  perp_lagrangian_linear lagrangian_linear;
  perp_lagrangian lagrangian;
  perp_body body;
  perp_first_order_linear first_order_linear;
  perp_first_order first_order;
  perp_lagrangian_linear_relation lagrangian_linear_relation;
  perp_lagrangian_relation lagrangian_relation;
  perp_lagrangian_velocity_relation velocity_relation;
  perp_lagrangian_contact_relation contact_relation;
  perp_linear_relation linear_relation;
  perp_linear_varying_relation varying_relation;
  perp_first_order_relation first_order_relation;
  perp_body_contact body_contact;
  perp_joint joint;
  perp_joint_coordinate coordinate;
  perp_gear gear;
  perp_prescribed_velocity prescribed;
  perp_newton_impact newton_impact;
  perp_box box;
  perp_polyhedron polyhedron;
  perp_rolling rolling;
  perp_cohesive cohesive;
  perp_compliant compliant;
  perp_mixed mixed;
  perp_piecewise_linear graph;
};

struct one_system {
  const model_node *node;
  std::int32_t order, n, n_q;  // degrees of freedom, positions
  bool body;
};

const std::int32_t most_repeats = 1000000;

struct sparse_choice {
  static const perp_sparse *of(std::int32_t which) {
    return which == 1 ? perp_sparse_klu() : which == 2 ? perp_sparse_ldl() : nullptr;
  }
};

class assembler {
 public:
  explicit assembler(loaded_model *m) : m_(*m), values_(m->values) {}

  void assemble() {
    static const std::vector<std::string> tables = {"title",      "parameters", "systems",
                                                    "relations",  "laws",       "interactions",
                                                    "simulation", "events"};
    for (const model_node::member &each : m_.tree.members)
      if (std::find(tables.begin(), tables.end(), each.name) == tables.end())
        values_.note(each.key, "found `" + each.name + "`, not a table of a model; " +
                                   suggestion(each.name, tables));
    if (const model_node *title = m_.tree.find("title"))
      if (title->kind != model_node::text)
        values_.note(*title, "found " + title->shown() + ", expected a text");
    values_.read_parameters(m_.tree.find("parameters"));
    perp_builder *b = nullptr;
    perp_info info = PERP_INFO_INIT;
    const perp_status made = perp_builder_create(&b, &info);
    if (made != PERP_OK) throw model_error({m_.name + ": " + explained(made, info)});
    m_.builder.reset(b);
    add_systems();
    for (const char *group : {"relations", "laws"}) check_named(group);
    add_interactions();
    const model_node *const simulation = m_.tree.find("simulation");
    const model_node *const events = m_.tree.find("events");
    if (simulation == nullptr && events == nullptr)
      values_.note(m_.tree,
                   "found neither `simulation` nor `events`, one of which says how to run");
    if (simulation != nullptr && events != nullptr)
      values_.note(*events, "found `events` beside `simulation`; a model has one of them");
    if (simulation != nullptr)
      read_simulation(*simulation, perp_builder_options(b), true);
    else if (events != nullptr)
      read_events(*events);
    if (!values_.notes().empty()) throw model_error(values_.notes());
  }

 private:
  bool is_table(const model_node &node, const char *what) {
    if (node.kind == model_node::table) return true;
    values_.note(node, "found " + node.shown() + ", expected a table: " + what);
    return false;
  }

  const kind *kind_of(const model_node &table, const char *group, const char *what) {
    const model_node *const name = table.find("kind");
    const std::vector<std::string> names = kind_names(group);
    if (name == nullptr) {
      values_.note(table, std::string("found no `kind`, expected ") + what + ": " + one_of(names));
      return nullptr;
    }
    std::string chosen;
    return values_.choose(*name, names, what, &chosen) ? find_kind(group, chosen) : nullptr;
  }

  // How often a table is repeated; 0: it is not; -1: noted.
  std::int32_t repeats(const model_node &table) {
    const model_node *const node = table.find("repeat");
    if (node == nullptr) return 0;
    std::int32_t count = 0;
    if (!values_.integer(*node, 0, &count)) return -1;
    if (count < 1 || count > most_repeats) {
      values_.note(*node,
                   "found `repeat` = " + std::to_string(count) + ", must be >= 1 and <= 1000000");
      return -1;
    }
    return count;
  }

  bool is_member_name(const model_node::member &m) {
    const bool good = !m.name.empty() && m.name.size() <= 100 &&
                      m.name.find_first_of(".,*[]/\" ") == std::string::npos &&
                      std::all_of(m.name.begin(), m.name.end(), [](char c) {
                        return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
                      });
    if (!good)
      values_.note(m.key, "found name `" + m.name + "`, expected letters, digits, _ and -");
    return good;
  }

  // Sizes

  static std::int32_t list_size(const model_node *node) {
    if (node == nullptr) return -1;
    if (node->kind == model_node::table && node->find("value") != nullptr)
      node = node->find("value");
    if (node->kind == model_node::list) return static_cast<std::int32_t>(node->items.size());
    if (node->kind == model_node::table && node->find("start") != nullptr &&
        node->find("start")->kind == model_node::list)
      return static_cast<std::int32_t>(node->find("start")->items.size()) - 1;
    return -1;
  }

  // The size that the first list of that many rows has; -1: none.
  std::int32_t size_by_lists(const model_node &table, const kind &of, const char *dim) {
    for (const key &k : of.keys) {
      if (k.rows != dim || k.what == holds::part) continue;
      const std::int32_t size = list_size(table.find(k.name));
      if (size > 0) return size;
    }
    return -1;
  }

  bool size_of_table(const model_node &table, const kind &of, const char *dim, double index,
                     std::int32_t *out) {
    if (const model_node *const given = table.find(dim)) {
      if (!values_.integer(*given, index, out)) return false;
      if (*out >= 1 && *out <= 1000000) return true;
      values_.note(*given, "found `" + std::string(dim) + "` = " + std::to_string(*out) +
                               ", must be >= 1 and <= 1000000");
      return false;
    }
    *out = size_by_lists(table, of, dim);
    return *out > 0;
  }

  // Systems

  void add_systems() {
    const model_node *const all = m_.tree.find("systems");
    if (all == nullptr) return values_.note(m_.tree, "found no `systems`, which a model needs");
    if (!is_table(*all, "the systems by their names")) return;
    for (const model_node::member &m : all->members) {
      if (!is_member_name(m) || !is_table(m.node, "a system")) continue;
      const kind *const of = kind_of(m.node, "system", "a kind of system");
      if (of == nullptr) {
        lost_ = true;
        continue;
      }
      const bool complete = values_.check_keys(m.node, *of, {"kind", "says"});
      const std::int32_t count = repeats(m.node);
      if (count < 0 || !complete) {
        lost_ = true;
        continue;
      }
      groups_[m.name] = {static_cast<std::int32_t>(systems_.size()), count};
      for (std::int32_t i = 0; i < std::max(count, 1); i++) {
        const std::size_t before = values_.notes().size();
        const std::string name = count == 0 ? m.name : m.name + "[" + std::to_string(i) + "]";
        add_system(m.node, *of, name, i);
        if (values_.notes().size() > before) {
          lost_ = true;
          break;
        }
      }
    }
  }

  void add_system(const model_node &table, const kind &of, const std::string &name, double index) {
    std::int32_t n = 6;
    const bool body = of.name == "newton_euler";
    if (!body && !size_of_table(table, of, "n", index, &n)) {
      if (table.find("n") == nullptr)
        values_.note(table,
                     "found no size of `" + of.name + "`: neither `n` nor a list that tells it");
      return;
    }
    const std::int32_t n_q = body ? 7 : n;
    any_struct s;
    std::memset(&s, 0, sizeof s);
    if (of.begin(&s, 0, n) != PERP_OK) return values_.note(table, "found a size that is refused");
    bool ok = true;
    sizes dims = {{"n", n}};
    values_.fill(table, of, index, dims, &s, &ok);
    input_layout layout;
    if (of.order == 2)
      layout.n_q = n_q, layout.n_v = n;
    else
      layout.n_x = n;
    layout.bodies = body ? 1 : 0;
    layout.n_z = std::max(list_size(table.find("z")), 0);
    values_.functions(table, of, index, dims, layout, of.order, &s, &ok);
    const model_callbacks *const mine = values_.callbacks();
    const model_callbacks *controls = nullptr;
    if (const model_node *const control = table.find("control"))
      read_control(*control, of, index, n, layout, &s, &ok, &controls);
    if (!ok) return;
    perp_owner owner = PERP_OWNER_INIT;
    const struct { const void *mine, *controls; } both = {mine, controls};
    owner.user = const_cast<model_callbacks *>(mine);
    owner.key = &both, owner.key_bytes = sizeof both;
    perp_info info = PERP_INFO_INIT;
    std::int32_t id = -1;
    const bool called = mine != nullptr || controls != nullptr;
    const perp_status added =
        perp_builder_add(m_.builder.get(), &s.system, called ? &owner : nullptr, &id, &info);
    if (added != PERP_OK) return refused(table, of, added, info);
    start(table, of, index, id, n, n_q);
    own_schemes(table, index);
    systems_.push_back({&table, of.order, n, n_q, body});
    m_.systems.push_back(name);
  }

  void read_control(const model_node &node, const kind &of, double index, std::int32_t n,
                    const input_layout &layout, any_struct *s, bool *ok,
                    const model_callbacks **callbacks) {
    if (!is_table(node, "control")) {
      *ok = false;
      return;
    }
    const key *const k = find_key(of, "control");
    const kind &control = *k->within();
    values_.check_keys(node, control, {});
    char *const at = reinterpret_cast<char *>(s) + k->offset;
    std::int32_t n_u = list_size(node.find("u"));
    if (const model_node *const T = node.find("T"); n_u < 0 && list_size(T) > 0)
      n_u = list_size(&T->items[0]);
    const sizes dims = {{"n", n}, {"n_u", std::max(n_u, 0)}};
    values_.fill(node, control, index, dims, at, ok);
    values_.functions(node, control, index, dims, layout, of.order, at, ok);
    *callbacks = values_.callbacks();
    const std::int32_t entries = std::max(n_u, 0);
    std::memcpy(at + offsetof(perp_control, n_u), &entries, sizeof entries);
  }

  // What the library refused, at the key whose field it names.
  void refused(const model_node &table, const kind &of, perp_status status, const perp_info &info) {
    const model_node *at = &table;
    if (info.field != nullptr)
      for (const key &k : of.keys)
        if (k.field == info.field || k.name == info.field)
          if (const model_node *const given = table.find(k.name)) at = given;
    values_.note(*at, "found what `" + of.name + "` cannot be: " + explained(status, info));
  }

  void start(const model_node &table, const kind &of, double index, std::int32_t id, std::int32_t n,
             std::int32_t n_q) {
    const auto set = [&](const char *name, std::int32_t size, auto setter) {
      const model_node *const given = table.find(name);
      if (given == nullptr) return;
      std::vector<double> values;
      if (!values_.matrix(*given, *find_key(of, name), index, size, 1, &values)) return;
      perp_info info = PERP_INFO_INIT;
      const perp_status done = setter(m_.builder.get(), id, size, values.data(), &info);
      if (done != PERP_OK)
        values_.note(*given,
                     "found `" + std::string(name) + "` that cannot be: " + explained(done, info));
    };
    if (of.order == 2) {
      set("q0", n_q, perp_builder_set_q);
      set("v0", n, perp_builder_set_v);
      starts_.emplace_back();
      if (n_q == 7) {
        starts_.back() = {0, 0, 0, 1, 0, 0, 0};
        if (const model_node *const q0 = table.find("q0"))
          (void)values_.matrix(*q0, *find_key(of, "q0"), index, 7, 1, &starts_.back());
      }
    } else {
      set("x0", n, perp_builder_set_x);
      starts_.emplace_back();
    }
  }

  // θ and scheme of a system of its own; NaN and NULL: those of the simulation.
  void own_schemes(const model_node &table, double index) {
    double theta = NAN;
    const perp_integrator *scheme = nullptr;
    if (const model_node *const given = table.find("theta"))
      if (values_.number(*given, index, &theta) && !(theta >= 0 && theta <= 1))
        values_.note(*given, "found `theta` out of 0 to 1");
    if (const model_node *const given = table.find("integrator")) scheme = integrator(*given);
    thetas_.push_back(theta);
    schemes_.push_back(scheme);
  }

  const perp_integrator *integrator(const model_node &node) {
    static const std::vector<std::pair<std::string, const perp_integrator *(*)()>> all = {
        {"moreau_jean", perp_integrator_moreau_jean},
        {"schatzman_paoli", perp_integrator_schatzman_paoli},
        {"theta", perp_integrator_theta},
        {"theta_gamma", perp_integrator_theta_gamma},
        {"theta_gamma_full", perp_integrator_theta_gamma_full}};
    std::vector<std::string> names;
    names.reserve(std::size(all));
    for (const auto &each : all) names.push_back(each.first);
    std::string chosen;
    if (!values_.choose(node, names, "an integrator", &chosen)) return nullptr;
    for (const auto &each : all)
      if (each.first == chosen) return each.second();
    return nullptr;
  }

  // Interactions

  void check_named(const char *group) {
    const model_node *const all = m_.tree.find(group);
    if (all == nullptr) return;
    const bool laws = std::strcmp(group, "laws") == 0;
    if (!is_table(*all, laws ? "laws by their names" : "relations by their names")) return;
    for (const model_node::member &m : all->members) {
      if (!is_table(m.node, laws ? "a law" : "a relation")) continue;
      const kind *const of = laws ? kind_of(m.node, "law", "a kind of law")
                                  : kind_of(m.node, "relation", "a kind of relation");
      if (of != nullptr) values_.check_keys(m.node, *of, {"kind", "says"});
    }
  }

  // A table, or the name of one of a group.
  const model_node *table_or_name(const model_node &node, const char *group, const char *what) {
    if (node.kind == model_node::table) return &node;
    const model_node *const all = m_.tree.find(group);
    std::vector<std::string> names;
    if (all != nullptr)
      for (const model_node::member &m : all->members) names.push_back(m.name);
    if (node.kind != model_node::text) {
      values_.note(node, "found " + node.shown() + ", expected " + what +
                             ": a table, or the name of one of [" + group + "]");
      return nullptr;
    }
    const model_node *const found = all == nullptr ? nullptr : all->find(node.words);
    if (found == nullptr)
      values_.note(node, "found `" + node.words + "`, not the name of " + what + "; " +
                             suggestion(node.words, names));
    else if (found->kind != model_node::table)
      return nullptr;
    return found;
  }

  // The system that a name means: "ball", "bead[i + 1]". -1: noted.
  std::int32_t system_of(const model_node &node, double index) {
    if (node.kind != model_node::text) {
      values_.note(node, "found " + node.shown() + ", expected the name of a system");
      return -1;
    }
    const std::size_t bracket = node.words.find('[');
    const std::string name = node.words.substr(0, bracket);
    const auto at = groups_.find(name);
    if (at == groups_.end()) {
      std::vector<std::string> names;
      for (const auto &each : groups_) names.push_back(each.first);
      const model_node *const all = m_.tree.find("systems");
      if (all == nullptr || all->find(name) == nullptr)  // otherwise it has been noted
        values_.note(node,
                     "found `" + name + "`, not the name of a system; " + suggestion(name, names));
      return -1;
    }
    const std::int32_t count = at->second.second;
    if (bracket == std::string::npos) {
      if (count == 0) return at->second.first;
      values_.note(node, "found `" + name + "`, which is repeated; expected an index as in `" +
                             name + "[i]`");
      return -1;
    }
    if (count == 0 || node.words.back() != ']') {
      values_.note(node, count == 0
                             ? "found `" + node.words + "`, but `" + name + "` is not repeated"
                             : "found `" + node.words + "`, expected `]` at its end");
      return -1;
    }
    model_node &expression = indices_[&node];
    if (expression.file == nullptr) {
      expression = node;
      expression.words = node.words.substr(bracket + 1, node.words.size() - bracket - 2);
      expression.column += static_cast<std::uint32_t>(bracket) + 1;
    }
    std::int32_t place = 0;
    if (!values_.integer(expression, index, &place)) return -1;
    if (place < 0 || place >= count) {
      values_.note(node, "found `" + name + "[" + std::to_string(place) +
                             "]`, must be >= 0 and <= " + std::to_string(count - 1));
      return -1;
    }
    return at->second.first + place;
  }

  void add_interactions() {
    const model_node *const all = m_.tree.find("interactions");
    if (all == nullptr || !is_table(*all, "interactions by their names")) return;
    const kind &of = *find_kind("part", "interaction");
    for (const model_node::member &m : all->members) {
      if (!is_member_name(m) || !is_table(m.node, "an interaction")) continue;
      values_.check_keys(m.node, of, {"says"});
      const model_node *const relation = m.node.find("relation"), *const law = m.node.find("law");
      const model_node *const joined = m.node.find("systems");
      if (relation == nullptr || law == nullptr || joined == nullptr) continue;
      const model_node *const r = table_or_name(*relation, "relations", "a relation");
      const model_node *const l = table_or_name(*law, "laws", "a law");
      if (r == nullptr || l == nullptr) continue;
      const kind *const of_relation = kind_of(*r, "relation", "a kind of relation");
      const kind *const of_law = kind_of(*l, "law", "a kind of law");
      if (of_relation == nullptr || of_law == nullptr) continue;
      const bool complete = values_.check_keys(*r, *of_relation, {"kind", "says"});
      if (!values_.check_keys(*l, *of_law, {"kind", "says"}) || !complete) continue;
      const std::int32_t count = repeats(m.node);
      for (std::int32_t i = 0; count >= 0 && i < std::max(count, 1); i++) {
        const std::size_t before = values_.notes().size();
        const std::string name = count == 0 ? m.name : m.name + "[" + std::to_string(i) + "]";
        add_interaction(m.node, *joined, *r, *of_relation, *l, *of_law, name, i);
        if (values_.notes().size() > before || lost_) break;
      }
    }
  }

  void add_interaction(const model_node &table, const model_node &joined, const model_node &r,
                       const kind &of_relation, const model_node &l, const kind &of_law,
                       const std::string &name, double index) {
    bool ok = true;
    any_struct law, relation;
    std::memset(&law, 0, sizeof law);
    std::memset(&relation, 0, sizeof relation);
    if (of_law.begin(&law, 0, 0) != PERP_OK) return values_.note(l, "found a law that is refused");
    sizes law_dims;
    if (of_law.name == "polyhedron") law_dims["rows"] = std::max(list_size(l.find("H")), 0);
    const bool graph = of_law.name == "piecewise_linear";
    if (!graph) {
      std::int32_t size = law.law.size;
      if (const model_node *const given = l.find("size"))
        ok = values_.integer(*given, index, &size);
      else if (l.find("lower") != nullptr)
        size = std::max(list_size(l.find("lower")), 1);
      law_dims["size"] = size;
      law.law.size = size;
    }
    values_.fill(l, of_law, index, law_dims, &law, &ok);
    if (!graph) law.law.size = law_dims["size"];
    std::vector<std::int32_t> systems;
    if (joined.kind == model_node::text) {
      systems.push_back(system_of(joined, index));
    } else if (joined.kind == model_node::list && !joined.items.empty()) {
      for (const model_node &each : joined.items) systems.push_back(system_of(each, index));
    } else {
      return values_.note(joined, "found " + joined.shown() + ", expected names of systems");
    }
    if (std::find(systems.begin(), systems.end(), -1) != systems.end() || lost_ || !ok) return;
    std::int32_t n = 0, n_q = 0, bodies = 0;
    for (std::size_t j = 0; j < systems.size(); j++) {
      const one_system &s = systems_[static_cast<std::size_t>(systems[j])];
      if (s.order != of_relation.order)
        return values_.note(joined, "found `" + m_.systems[static_cast<std::size_t>(systems[j])] +
                                        "`, of order " + std::to_string(s.order) + "; `" +
                                        of_relation.name + "` joins systems of order " +
                                        std::to_string(of_relation.order));
      n += s.n, n_q += s.n_q, bodies += s.body ? 1 : 0;
    }
    const model_callbacks *callbacks = nullptr;
    const void *user = nullptr;
    const perp_relation *head = nullptr;
    std::vector<char> key;
    if (!read_relation(r, of_relation, systems, n, n_q, bodies, graph ? 1 : law.law.size, index,
                       &relation, &callbacks, &user, &key))
      return;
    head = &relation.relation;
    perp_interaction interaction = {head, graph ? nullptr : &law.law, systems.data(),
                                    static_cast<std::int32_t>(systems.size()), 0};
    perp_owner owner = PERP_OWNER_INIT;
    owner.user = const_cast<void *>(user);
    owner.key = key.data(), owner.key_bytes = key.size();
    perp_info info = PERP_INFO_INIT;
    std::int32_t id = -1;
    const perp_owner *const own = user != nullptr ? &owner : nullptr;
    const perp_status done =
        graph ? perp_builder_connect_graph(m_.builder.get(), &interaction, &law.graph, own, &id,
                                           &info)
              : perp_builder_connect(m_.builder.get(), &interaction, own, nullptr, &id, &info);
    if (done != PERP_OK) {
      const model_node *at = &table;
      if (info.field != nullptr)
        for (const auto &[where, of] : {std::pair(&r, &of_relation), std::pair(&l, &of_law)})
          for (const io::key &k : of->keys)
            if (k.field == info.field || k.name == info.field)
              if (const model_node *const given = where->find(k.name)) at = given;
      return values_.note(*at, "found an interaction that cannot be: " + explained(done, info));
    }
    (void)callbacks;
    places_[name] = interactions_.size();
    interactions_.push_back(
        {of_relation.name == "joint" ? values_.keep_struct(relation.joint) : nullptr, systems});
    m_.interactions.push_back(name);
  }

  template <class T>
  static void append(std::vector<char> *key, const T &value) {
    const char *const bytes = reinterpret_cast<const char *>(&value);
    key->insert(key->end(), bytes, bytes + sizeof value);
  }

  bool vector3(const model_node &table, const kind &of, const char *name, double index,
               std::vector<double> *out) {
    const model_node *const node = table.find(name);
    return node != nullptr && values_.matrix(*node, *find_key(of, name), index, 3, 1, out);
  }

  bool read_relation(const model_node &r, const kind &of, const std::vector<std::int32_t> &systems,
                     std::int32_t n, std::int32_t n_q, std::int32_t bodies, std::int32_t law_size,
                     double index, any_struct *out, const model_callbacks **callbacks,
                     const void **user, std::vector<char> *key) {
    const bool geometry =
        of.name == "sphere_plane" || of.name == "sphere_sphere" || of.name == "point_plane";
    const bool needs_bodies =
        geometry || of.name == "joint" || of.name == "joint_coordinate" || of.name == "gear";
    const auto joined = static_cast<std::int32_t>(systems.size());
    if (needs_bodies && bodies != joined) {
      values_.note(r, "found `" + of.name + "` with a system that is no rigid body");
      return false;
    }
    bool ok = true;
    if (geometry) return read_geometry(r, of, joined, law_size, index, out, user, key);
    if (of.name == "joint") return read_joint(r, of, systems, index, out);
    if (of.name == "gear") return read_gear(r, of, systems, index, out);
    if (of.name == "joint_coordinate") return read_coordinate(r, of, index, out, user, key);
    std::int32_t m = law_size;
    if (of.name == "lagrangian_contact") {
      const model_node *const T = r.find("T");
      m = T != nullptr && names_function(*T)      ? law_size
          : T == nullptr || list_size(T) < 1 ? 2
                                             : list_size(T) + 1;
    } else if (!size_of_table(r, of, "m", index, &m)) {
      if (r.find("m") != nullptr) return false;
      m = law_size;
    }
    if (bodies != 0 && bodies != joined && of.user != nowhere) {
      values_.note(r, "found `" + of.name + "` that joins rigid bodies with other systems");
      return false;
    }
    const perp_status begun = of.begin(out, m, n);
    if (begun != PERP_OK) {
      values_.note(r, "found a size of `" + of.name + "` that is refused");
      return false;
    }
    sizes dims = {{"n", n}, {"m", m}};
    values_.fill(r, of, index, dims, out, &ok);
    input_layout layout;
    if (of.order == 2)
      layout.n_q = n_q, layout.n_v = n;
    else
      layout.n_x = n;
    layout.n_lambda = m;
    layout.bodies = bodies;
    layout.n_z = std::max(list_size(r.find("z")), 0);
    dims["n_z"] = layout.n_z;
    values_.functions(r, of, index, dims, layout, of.order, out, &ok);
    if (!ok) return false;
    *callbacks = values_.callbacks();
    *user = *callbacks;
    append(key, *callbacks);
    if (bodies > 0) {
      if (of.structure == "perp_lagrangian_relation") out->lagrangian_relation.bodies = 1;
      if (of.structure == "perp_lagrangian_velocity_relation") out->velocity_relation.bodies = 1;
      if (of.structure == "perp_lagrangian_contact_relation") out->contact_relation.bodies = 1;
    }
    return true;
  }

  template <class T>
  bool read_shape(const model_node &r, const kind &of, double index, perp_locate_fn locate,
                  any_struct *out, const void **user, std::vector<char> *key) {
    T shape;
    std::memset(&shape, 0, sizeof shape);
    bool ok = true;
    values_.fill(r, of, index, {}, &shape, &ok);
    if (!ok) return false;
    key->clear();
    append(key, shape);
    T *&kept = reinterpret_cast<T *&>(shapes_[*key]);
    if (kept == nullptr) kept = values_.keep_struct(shape);
    out->body_contact.locate = locate;
    out->body_contact.user = kept;
    *user = kept;
    return true;
  }

  bool read_geometry(const model_node &r, const kind &of, std::int32_t joined,
                     std::int32_t law_size, double index, any_struct *out, const void **user,
                     std::vector<char> *key) {
    std::int32_t m = law_size;
    if (r.find("m") != nullptr && !size_of_table(r, of, "m", index, &m)) return false;
    const std::int32_t wanted = of.name == "sphere_sphere" ? 2 : 1;
    if (joined != wanted) {
      values_.note(r, "found `" + of.name + "` that joins " + std::to_string(joined) +
                          " systems, expected " + std::to_string(wanted));
      return false;
    }
    if (perp_body_contact_init(&out->body_contact, sizeof out->body_contact, m, joined) !=
        PERP_OK) {
      values_.note(
          r, "found `" + of.name + "` of " + std::to_string(m) + " rows, must be 1, 2, 3 or 5");
      return false;
    }
    if (of.name == "sphere_plane")
      return read_shape<perp_sphere_plane>(r, of, index, perp_locate_sphere_plane, out, user, key);
    if (of.name == "sphere_sphere")
      return read_shape<perp_sphere_sphere>(r, of, index, perp_locate_sphere_sphere, out, user,
                                            key);
    return read_shape<perp_point_plane>(r, of, index, perp_locate_point_plane, out, user, key);
  }

  const double *start_of(std::int32_t system) {
    return starts_[static_cast<std::size_t>(system)].data();
  }

  bool read_joint(const model_node &r, const kind &of, const std::vector<std::int32_t> &systems,
                  double index, any_struct *out) {
    std::int32_t which = PERP_JOINT_SPHERICAL;
    const key *const kinds = find_key(of, "joint");
    if (const model_node *const given = r.find("joint")) {
      std::vector<std::string> names;
      for (const choice &c : kinds->choices) names.emplace_back(c.name);
      std::string chosen;
      if (!values_.choose(*given, names, "a kind of joint", &chosen)) return false;
      for (const choice &c : kinds->choices)
        if (chosen == c.name) which = c.value;
    }
    if (systems.size() > 2 ||
        perp_joint_init(&out->joint, sizeof out->joint, which,
                        static_cast<std::int32_t>(systems.size())) != PERP_OK) {
      values_.note(
          r, "found a joint of " + std::to_string(systems.size()) + " bodies, expected 1 or 2");
      return false;
    }
    bool ok = true;
    values_.fill(r, of, index, {}, &out->joint, &ok);
    std::vector<double> point, axis;
    ok = vector3(r, of, "point", index, &point) && ok;
    if (r.find("axis") != nullptr) ok = vector3(r, of, "axis", index, &axis) && ok;
    if (!ok) return false;
    const perp_status placed =
        perp_joint_place(&out->joint, point.data(), axis.empty() ? nullptr : axis.data(),
                         start_of(systems[0]), systems.size() > 1 ? start_of(systems[1]) : nullptr);
    if (placed == PERP_OK) return true;
    values_.note(r, "found a joint whose axis has no direction");
    return false;
  }

  bool read_gear(const model_node &r, const kind &of, const std::vector<std::int32_t> &systems,
                 double index, any_struct *out) {
    if (systems.size() < 2 || systems.size() > 3 ||
        perp_gear_init(&out->gear, sizeof out->gear, static_cast<std::int32_t>(systems.size())) !=
            PERP_OK) {
      values_.note(r,
                   "found gears of " + std::to_string(systems.size()) + " bodies, expected 2 or 3");
      return false;
    }
    bool ok = true;
    values_.fill(r, of, index, {}, &out->gear, &ok);
    std::vector<double> a, b;
    ok = vector3(r, of, "axis_a", index, &a) && ok;
    ok = vector3(r, of, "axis_b", index, &b) && ok;
    if (!ok) return false;
    const perp_status placed =
        perp_gear_place(&out->gear, a.data(), b.data(), start_of(systems[0]), start_of(systems[1]),
                        systems.size() > 2 ? start_of(systems[2]) : nullptr);
    if (placed == PERP_OK) return true;
    values_.note(r, "found gears whose axis has no direction");
    return false;
  }

  bool read_coordinate(const model_node &r, const kind &of, double index, any_struct *out,
                       const void **user, std::vector<char> *key) {
    const model_node *const given = r.find("joint");
    if (given == nullptr) return false;
    std::vector<std::string> names;
    for (const auto &each : places_)
      if (interactions_[each.second].joint != nullptr) names.push_back(each.first);
    std::string chosen;
    if (!values_.choose(*given, names, "an interaction above that has a joint", &chosen))
      return false;
    const perp_joint *const joint = interactions_[places_[chosen]].joint;
    std::int32_t coordinate = 0, use = 0;
    const auto option = [&](const char *name, std::int32_t *value) {
      const model_node *const node = r.find(name);
      if (node == nullptr) return true;
      const io::key *const k = find_key(of, name);
      std::vector<std::string> allowed;
      for (const choice &c : k->choices) allowed.emplace_back(c.name);
      std::string word;
      if (!values_.choose(*node, allowed, (std::string("a value of `") + name + "`").c_str(),
                          &word))
        return false;
      for (const choice &c : k->choices)
        if (word == c.name) *value = c.value;
      return true;
    };
    if (!option("coordinate", &coordinate) || !option("use", &use)) return false;
    if (perp_joint_coordinate_init(&out->coordinate, sizeof out->coordinate, joint, coordinate,
                                   use) != PERP_OK) {
      values_.note(r, "found a coordinate that its joint has not");
      return false;
    }
    bool ok = true;
    const sizes dims = {{"n", joint->relation.n}, {"m", out->relation.m}};
    values_.fill(r, of, index, dims, &out->coordinate, &ok);
    input_layout layout;
    values_.functions(r, of, index, dims, layout, 2, out, &ok);
    if (!ok) return false;
    if (const model_callbacks *const made = values_.callbacks()) {
      *user = made;
      append(key, made);
    }
    return true;
  }

  // How to run

  void read_solver(const model_node &node, const perp_solver **solver, const void **options) {
    const model_node *name = &node;
    if (node.kind == model_node::table) {
      name = node.find("name");
      if (name == nullptr) return values_.note(node, "found no `name` of a solver");
    }
    std::string chosen;
    if (!values_.choose(*name, kind_names("solver"), "a solver", &chosen)) return;
    const kind &of = *find_kind("solver", chosen);
    *solver = perp_solver_find(chosen.c_str());
    if (*solver == nullptr)
      return values_.note(*name, "found `" + chosen + "`, which this build has not");
    if (node.kind != model_node::table) return;
    values_.check_keys(node, of, {"name"});
    struct alignas(8) bytes {
      unsigned char of[PERP_SOLVER_OPTIONS_MOST];
    };
    bytes whole = {};
    const perp_solver_options common = perp_solver_options_default();
    const void *const defaults = (*solver)->defaults == nullptr ? &common : (*solver)->defaults;
    std::uint32_t size = 0;
    std::memcpy(&size, defaults, sizeof size);
    std::memcpy(&whole, defaults, std::min<std::size_t>(size, sizeof whole));
    bool ok = true;
    values_.fill(node, of, 0, {}, &whole, &ok);
    for (const key &k : of.keys) {
      const model_node *const given = node.find(k.name);
      if (given == nullptr || k.offset != nowhere) continue;
      if (k.name == "sparse") put_sparse(*given, k, chosen, &whole);
      if (k.name == "engine") put_engine(*given, &whole);
    }
    if (!ok) return;
    const auto *const kept = values_.keep_struct(whole);
    perp_info info = PERP_INFO_INIT;
    const perp_status status = perp_solver_check(*solver, kept, &info);
    if (status != PERP_OK) return refused(node, of, status, info);
    *options = kept;
  }

  bool choose_number(const model_node &node, const key &k, std::int32_t *value) {
    std::vector<std::string> names;
    for (const choice &c : k.choices) names.emplace_back(c.name);
    std::string chosen;
    if (!values_.choose(node, names, ("a value of `" + k.name + "`").c_str(), &chosen))
      return false;
    for (const choice &c : k.choices)
      if (chosen == c.name) *value = c.value;
    return true;
  }

  template <class T>
  void put_sparse(const model_node &node, const key &k, const std::string &solver, T *whole) {
    std::int32_t which = 0;
    if (!choose_number(node, k, &which)) return;
    const perp_sparse *const sparse = sparse_choice::of(which);
    std::size_t at = offsetof(perp_admm_options, sparse);
    if (solver == "interior-point") at = offsetof(perp_interior_point_options, sparse);
    if (solver == "friction-newton") at = offsetof(perp_friction_newton_options, sparse);
    if (solver == "friction-interior") at = offsetof(perp_friction_interior_options, sparse);
    std::memcpy(reinterpret_cast<char *>(whole) + at, &sparse, sizeof sparse);
  }

  template <class T>
  void put_engine(const model_node &node, T *whole) {
    std::string chosen;
    if (!values_.choose(node, kind_names("solver"), "a solver", &chosen)) return;
    const perp_solver *const engine = perp_solver_find(chosen.c_str());
    std::memcpy(reinterpret_cast<char *>(whole) + offsetof(perp_avi_pivoting_options, engine),
                &engine, sizeof engine);
  }

  // is_run: the table of the run; otherwise that of the stretches that events give to
  // time-stepping.
  void read_simulation(const model_node &table, perp_simulation_options *o, bool is_run) {
    if (!is_table(table, "time-stepping")) return;
    const kind &of = *find_kind("simulation", "simulation");
    values_.check_keys(table, of, {});
    bool ok = true;
    values_.fill(table, of, 0, {{"steps", grid_steps(table)}}, o, &ok);
    if (o->grid != nullptr) o->steps = grid_steps(table);
    for (const key &k : of.keys) {
      const model_node *const node = table.find(k.name);
      if (node == nullptr || k.offset != nowhere) continue;
      std::int32_t which = 0;
      if (k.name == "until") {
        if (values_.number(*node, 0, &m_.until) && !std::isfinite(m_.until))
          values_.note(*node, "found `until` that is not finite");
      } else if (k.name == "integrator") {
        o->integrator = integrator(*node);
      } else if (k.name == "solver") {
        read_solver(*node, &o->solver, &o->solver_options);
      } else if (choose_number(*node, k, &which)) {
        if (k.name == "backend") o->backend = which == 1 ? perp_backend_lapack() : nullptr;
        if (k.name == "sparse") o->sparse = sparse_choice::of(which);
        if (k.name == "global") o->global = which == 1 ? perp_global_step() : nullptr;
      }
    }
    const model_node *const h = table.find("h"), *const grid = table.find("grid");
    if (h == nullptr && grid == nullptr)
      values_.note(table, "found no `h`, which `simulation` needs unless it has a `grid`");
    if (grid != nullptr && table.find("steps") != nullptr)
      values_.note(*grid, "found `grid` beside `steps`, which its length tells");
    if (is_run && grid == nullptr && table.find("steps") == nullptr &&
        table.find("until") == nullptr)
      values_.note(table,
                   "found no `until`, which `simulation` needs unless it has `steps` or a `grid`");
    if (o->solver == nullptr) o->solver = perp_solver_auto();
    put_schemes(o);
  }

  static std::int32_t grid_steps(const model_node &table) {
    const model_node *const grid = table.find("grid");
    return grid == nullptr ? 0 : std::max(list_size(grid) - 1, 0);
  }

  void put_schemes(perp_simulation_options *o) {
    const auto first = [](const one_system &s) { return s.order == 1; };
    const bool any_first = std::any_of(systems_.begin(), systems_.end(), first);
    const bool all_first = std::all_of(systems_.begin(), systems_.end(), first);
    if (std::any_of(thetas_.begin(), thetas_.end(), [](double t) { return !std::isnan(t); })) {
      std::vector<double> thetas = thetas_;
      for (double &t : thetas)
        if (std::isnan(t)) t = o->theta;
      o->thetas = values_.keep(std::move(thetas));
    }
    const bool own = std::any_of(schemes_.begin(), schemes_.end(),
                                 [](const perp_integrator *s) { return s != nullptr; });
    if (!own && (!any_first || all_first)) {
      if (o->integrator == nullptr)
        o->integrator = any_first ? perp_integrator_theta() : perp_integrator_moreau_jean();
      return;
    }
    auto *const all = values_.keep_struct(schemes_);
    for (std::size_t s = 0; s < all->size() && s < systems_.size(); s++)
      if ((*all)[s] == nullptr)
        (*all)[s] = o->integrator != nullptr && !any_first ? o->integrator
                    : systems_[s].order == 1               ? perp_integrator_theta()
                                                           : perp_integrator_moreau_jean();
    o->integrators = all->data();
  }

  void read_events(const model_node &table) {
    if (!is_table(table, "event-driven integration")) return;
    const kind &of = *find_kind("events", "events");
    values_.check_keys(table, of, {});
    perp_event_options &o = m_.events;
    m_.by_events = true;
    bool ok = true;
    std::int32_t state = 0, rows = 0;
    for (const one_system &s : systems_) state += s.order == 2 ? s.n_q + s.n : s.n;
    const perp_model *const model = perp_builder_model(m_.builder.get());
    for (std::int32_t k = 0; model != nullptr && k < model->n_interactions; k++)
      rows += model->interactions[k]->relation->m;
    values_.fill(table, of, 0, {{"state", state}}, &o, &ok);
    for (const key &k : of.keys) {
      const model_node *const node = table.find(k.name);
      if (node == nullptr) continue;
      std::int32_t which = 0;
      if (k.name == "until" || k.name == "every") {
        double *const to = k.name == "until" ? &m_.until : &m_.every;
        if (values_.number(*node, 0, to) && !(std::isfinite(*to) && (k.name == "until" || *to > 0)))
          values_.note(*node, "found `" + k.name + "` = " + node->shown() + ", expected a time");
      } else if (k.name == "solver") {
        read_solver(*node, &o.solver, &o.solver_options);
      } else if (k.name == "smooth" && choose_number(*node, k, &which)) {
        const perp_smooth *(*const all[])() = {perp_smooth_runge_kutta, perp_smooth_adams,
                                               perp_smooth_bdf, perp_smooth_arkode,
                                               perp_smooth_ida};
        o.smooth = all[which]();
      } else if (k.name == "stepping") {
        perp_simulation_options s = perp_simulation_options_default();
        s.solver = perp_solver_auto();
        read_simulation(*node, &s, false);
        o.stepping = values_.keep_struct(s);
      } else if (k.name == "lzb" && is_table(*node, "impacts by springs")) {
        perp_multiple_impact_options lzb = perp_multiple_impact_options_default();
        values_.check_keys(*node, *k.within(), {});
        values_.fill(*node, *k.within(), 0, {{"rows", rows}}, &lzb, &ok);
        o.lzb = values_.keep_struct(lzb);
      }
    }
  }

  struct one_interaction {
    const perp_joint *joint;
    std::vector<std::int32_t> systems;
  };

  loaded_model &m_;
  model_values &values_;
  std::map<std::string, std::pair<std::int32_t, std::int32_t>> groups_;  // first, how many
  std::vector<one_system> systems_;
  std::vector<std::vector<double>> starts_;  // q0 of bodies
  std::vector<double> thetas_;
  std::vector<const perp_integrator *> schemes_;
  std::vector<one_interaction> interactions_;
  std::map<std::string, std::size_t> places_;
  std::map<const model_node *, model_node> indices_;
  std::map<std::vector<char>, void *> shapes_;
  bool lost_ = false;  // a system could not be read: what joins it is not looked at
};

std::unique_ptr<loaded_model> assembled(std::unique_ptr<loaded_model> m) {
  assembler(m.get()).assemble();
  return m;
}

}  // namespace

std::string explained(perp_status status, const perp_info &info) {
  char text[512];
  (void)perp_explain(status, &info, 0, text, sizeof text);
  return text;
}

std::unique_ptr<loaded_model> load_model(const std::string &path,
                                         const std::vector<std::string> &overrides,
                                         const plugin_permission &may) {
  auto m = std::make_unique<loaded_model>();
  m->name = path;
  m->values.plugins.allow(path, may);
  m->tree = load_model_tree(path);
  m->text = load(path);
  for (const std::string &each : overrides) override_model(&m->tree, each);
  return assembled(std::move(m));
}

std::unique_ptr<loaded_model> read_model(std::string_view text, const std::string &name) {
  auto m = std::make_unique<loaded_model>();
  m->name = name;
  m->text = text;
  m->tree = parse_model(text, name);
  return assembled(std::move(m));
}

}  // namespace perp::io
