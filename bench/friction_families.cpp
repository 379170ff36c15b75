// SPDX-License-Identifier: MIT
// From bodies and contacts to M, H, f, b, and from these to W and q.
#include "friction_families.hpp"

#include <algorithm>
#include <stdexcept>

#include "friction_scene.hpp"

namespace friction_families {

namespace io = perp::io;

namespace {

constexpr double gravity = 9.81;

// The components of (translation, rotation) that a body has.
const ints &freedoms(bool plane) {
  static const ints in_plane{0, 2, 4}, in_space{0, 1, 2, 3, 4, 5};
  return plane ? in_plane : in_space;
}

std::array<double, 6> pack(vec3 a, vec3 b) { return {a.x, a.y, a.z, b.x, b.y, b.z}; }

vec3 in_axes(const body &o, vec3 d) {
  return {dot(o.axes[0], d), dot(o.axes[1], d), dot(o.axes[2], d)};
}

// Tangents: in the plane the direction of slip alone.
std::array<vec3, 2> tangents(vec3 n, bool plane) {
  if (plane) return {vec3{n.z, 0, -n.x}, vec3{0, 1, 0}};
  const vec3 other = std::fabs(n.x) < 0.6 ? vec3{1, 0, 0} : vec3{0, 1, 0};
  const vec3 t = unit(cross(n, other));
  return {t, cross(n, t)};
}

// How fast the point p moves along d with each velocity of o.
std::array<double, 6> slide(const body &o, vec3 p, vec3 d) {
  return pack(d, in_axes(o, cross(p - o.x, d)));
}

std::array<double, 6> spin(const body &o, vec3 d) { return pack({}, in_axes(o, d)); }

// The rows of H for one contact and one body.
std::vector<std::array<double, 6>> rows_of(const scene &s, const contact &c, const body &o) {
  const std::array<vec3, 2> t = tangents(c.n, s.plane);
  std::vector<std::array<double, 6>> rows{slide(o, c.p, c.n), slide(o, c.p, t[0])};
  if (!s.plane) rows.push_back(slide(o, c.p, t[1]));
  if (s.rolling && s.plane) rows.push_back(spin(o, t[1]));
  if (s.rolling && !s.plane) rows.insert(rows.end(), {spin(o, t[0]), spin(o, t[1])});
  return rows;
}

void add_rows(const scene &s, std::int32_t first_row, const contact &c, std::int32_t which,
              double sign, std::vector<io::triplet> *entries) {
  if (which < 0) return;
  const ints &free = freedoms(s.plane);
  const auto rows = rows_of(s, c, s.bodies[at(which)]);
  const auto width = static_cast<std::int32_t>(free.size());
  for (std::size_t r = 0; r < rows.size(); r++)
    for (std::int32_t k = 0; k < width; k++)
      entries->push_back({first_row + static_cast<std::int32_t>(r), which * width + k,
                          sign * rows[r][at(free[at(k)])]});
}

// M v_0 + h F with gravity and the gyroscopic moment.
std::array<double, 6> momentum(const body &o, double h) {
  const vec3 spin{o.inertia.x * o.w.x, o.inertia.y * o.w.y, o.inertia.z * o.w.z};
  return pack(o.mass * (o.v + vec3{0, 0, -h * gravity}), spin + h * cross(spin, o.w));
}

void fill_bodies(const scene &s, model *m) {
  std::vector<io::triplet> mass;
  for (const body &o : s.bodies) {
    const std::array<double, 6> diagonal = pack({o.mass, o.mass, o.mass}, o.inertia);
    const std::array<double, 6> f = momentum(o, s.h);
    for (const std::int32_t k : freedoms(s.plane)) {
      const auto row = static_cast<std::int32_t>(m->f.size());
      mass.push_back({row, row, diagonal[at(k)]});
      m->f.push_back(f[at(k)]);
    }
    m->bodies.push_back(static_cast<std::int32_t>(m->f.size()));
  }
  m->M = io::compressed_rows(m->bodies.back(), m->bodies.back(), std::move(mass));
}

// b = e (H v_0)_n.
void fill_restitution(const scene &s, model *m) {
  m->b.assign(at(m->H.rows), 0);
  reals v;
  for (const body &o : s.bodies)
    for (const std::int32_t k : freedoms(s.plane)) v.push_back(pack(o.v, o.w)[at(k)]);
  for (std::size_t i = 0; i < m->b.size(); i += at(m->dim))
    for (std::size_t k = at(m->H.start[i]); k < at(m->H.start[i + 1]); k++)
      m->b[i] += s.restitution * m->H.values[k] * v[at(m->H.index[k])];
}

}  // namespace

body sphere(vec3 x, double radius, double density) {
  body o;
  o.x = x;
  o.mass = density * 4.18879020478639098 * radius * radius * radius;
  const double moment = 0.4 * o.mass * radius * radius;
  o.inertia = {moment, moment, moment};
  return o;
}

body box(vec3 x, const std::array<vec3, 3> &axes, vec3 half, double density) {
  body o;
  o.x = x;
  o.axes = axes;
  o.mass = 8 * density * half.x * half.y * half.z;
  const double a = half.x * half.x, b = half.y * half.y, c = half.z * half.z;
  o.inertia = (o.mass / 3) * vec3{b + c, c + a, a + b};
  return o;
}

void set_in_motion(scene *s, motion how, random_source *u) {
  if (how == motion::rest) return;
  const double speed = how == motion::sliding ? 0.3 : 2;
  const double spin = how == motion::sliding ? 1 : 5;
  const vec3 common{(*u)(-1, 1) * speed, s->plane ? 0 : (*u)(-1, 1) * speed,
                    how == motion::impact ? -(*u)(1, 4) : 0};
  if (how == motion::impact) s->restitution = (*u)(0, 0.8);
  for (body &o : s->bodies) {
    o.v = common + (0.5 * speed * (*u)(0, 1)) * u->direction();
    o.w = (spin * (*u)(0, 1)) * u->direction();
    if (s->plane) o.v.y = o.w.x = o.w.z = 0;
  }
}

model model_of(const scene &s, const char *name) {
  model m;
  m.family = name;
  m.rolling = s.rolling;
  m.dim = s.plane ? (s.rolling ? 3 : 2) : (s.rolling ? 5 : 3);
  fill_bodies(s, &m);
  std::vector<io::triplet> entries;
  std::int32_t row = 0;
  for (const contact &c : s.contacts) {
    add_rows(s, row, c, c.a, 1, &entries);
    add_rows(s, row, c, c.b, -1, &entries);
    row += m.dim;
    m.mu.push_back(c.mu);
    if (s.rolling) m.mu_rolling.push_back(c.mu_rolling);
  }
  m.H = io::compressed_rows(row, m.bodies.back(), std::move(entries));
  fill_restitution(s, &m);
  return m;
}

// ---- elimination of the velocities ----

namespace {

// L of M = L Lᵀ for the rows of one body, in rows of full width (lower triangle).
struct factor {
  std::size_t n = 0;
  std::size_t band = 0;  // entries left of the diagonal
  reals L;               // n rows of band + 1 entries, the diagonal last

  double &entry(std::size_t i, std::size_t j) { return L[i * (band + 1) + (j + band - i)]; }
  double entry(std::size_t i, std::size_t j) const { return L[i * (band + 1) + (j + band - i)]; }
  std::size_t first(std::size_t i) const { return i > band ? i - band : 0; }

  // x := L⁻¹ x, x being 0 before from.
  void forward(double *x, std::size_t from) const {
    for (std::size_t i = from; i < n; i++) {
      double sum = x[i];
      for (std::size_t j = std::max(from, first(i)); j < i; j++) sum -= entry(i, j) * x[j];
      x[i] = sum / entry(i, i);
    }
  }
};

factor factorise(const io::matrix &M, std::int32_t begin, std::int32_t end) {
  factor F;
  F.n = at(end - begin);
  for (std::int32_t i = begin; i < end; i++)
    for (std::size_t k = at(M.start[at(i)]); k < at(M.start[at(i) + 1]); k++)
      if (M.index[k] < i) F.band = std::max(F.band, at(i - M.index[k]));
  F.L.assign(F.n * (F.band + 1), 0);
  for (std::int32_t i = begin; i < end; i++)
    for (std::size_t k = at(M.start[at(i)]); k < at(M.start[at(i) + 1]); k++)
      if (M.index[k] <= i) F.entry(at(i - begin), at(M.index[k] - begin)) = M.values[k];
  for (std::size_t i = 0; i < F.n; i++) {
    for (std::size_t j = F.first(i); j <= i; j++) {
      double sum = F.entry(i, j);
      for (std::size_t k = std::max(F.first(i), F.first(j)); k < j; k++)
        sum -= F.entry(i, k) * F.entry(j, k);
      if (i == j && !(sum > 0)) throw std::logic_error("M is not positive definite");
      F.entry(i, j) = i == j ? std::sqrt(sum) : sum / F.entry(j, j);
    }
  }
  return F;
}

// L⁻¹ Hᵀ for one contact and one body: dim columns, one after another, 0 before from.
struct half {
  std::int32_t contact;
  std::size_t from, n;
  reals columns;
};

// Contacts that share a body meet in W.
class elimination {
 public:
  explicit elimination(const model &m) : m_(m), halves_(m.bodies.size() - 1) {
    const ints owner = owners();
    reals v = m.f;
    q_ = m.b;
    for (std::size_t o = 0; o + 1 < m.bodies.size(); o++) {
      const factor F = factorise(m.M, m.bodies[o], m.bodies[o + 1]);
      F.forward(v.data() + m.bodies[o], 0);
      factors_.push_back(F);
    }
    touching_.resize(at(m.contacts()));
    for (std::int32_t c = 0; c < m.contacts(); c++) add_contact(c, owner);
    for (std::size_t o = 0; o < halves_.size(); o++)
      for (const half &h : halves_[o]) add_free_velocity(h, v.data() + m.bodies[o]);
  }

  const reals &q() const { return q_; }

  io::matrix delassus() const {
    io::matrix W;
    W.kind = io::storage::blocks;
    W.rows = W.cols = m_.H.rows;
    for (std::int32_t i = 0; i <= m_.contacts(); i++) W.row_cuts.push_back(i * m_.dim);
    W.col_cuts = W.row_cuts;
    W.start.push_back(0);
    for (std::int32_t c = 0; c < m_.contacts(); c++) add_block_row(c, &W);
    return W;
  }

 private:
  ints owners() const {
    ints owner(at(m_.bodies.back()));
    for (std::size_t o = 0; o + 1 < m_.bodies.size(); o++)
      std::fill(owner.begin() + m_.bodies[o], owner.begin() + m_.bodies[o + 1],
                static_cast<std::int32_t>(o));
    return owner;
  }

  void add_contact(std::int32_t c, const ints &owner) {
    ints here;
    const std::size_t first = at(c * m_.dim), last = first + at(m_.dim);
    for (std::size_t k = at(m_.H.start[first]); k < at(m_.H.start[last]); k++)
      here.push_back(owner[at(m_.H.index[k])]);
    std::sort(here.begin(), here.end());
    here.erase(std::unique(here.begin(), here.end()), here.end());
    for (const std::int32_t o : here) {
      touching_[at(c)].push_back({o, halves_[at(o)].size()});
      halves_[at(o)].push_back(half_of(c, at(o), owner));
    }
  }

  half half_of(std::int32_t c, std::size_t o, const ints &owner) const {
    half h{c, factors_[o].n, factors_[o].n, {}};
    h.columns.assign(h.n * at(m_.dim), 0);
    for (std::size_t r = 0; r < at(m_.dim); r++) {
      const std::size_t row = at(c * m_.dim) + r;
      for (std::size_t k = at(m_.H.start[row]); k < at(m_.H.start[row + 1]); k++) {
        if (owner[at(m_.H.index[k])] != static_cast<std::int32_t>(o)) continue;
        const std::size_t j = at(m_.H.index[k] - m_.bodies[o]);
        h.columns[r * h.n + j] = m_.H.values[k];
        h.from = std::min(h.from, j);
      }
    }
    for (std::size_t r = 0; r < at(m_.dim); r++)
      factors_[o].forward(h.columns.data() + r * h.n, h.from);
    return h;
  }

  // q += (L⁻¹Hᵀ)ᵀ L⁻¹ f.
  void add_free_velocity(const half &h, const double *v) {
    for (std::size_t r = 0; r < at(m_.dim); r++)
      for (std::size_t j = h.from; j < h.n; j++)
        q_[at(h.contact * m_.dim) + r] += h.columns[r * h.n + j] * v[j];
  }

  // block += aᵀ b, column by column; the same bits as (bᵀ a)ᵀ.
  void add_product(const half &a, const half &b, double *block) const {
    const std::size_t dim = at(m_.dim), from = std::max(a.from, b.from);
    for (std::size_t j = from; j < a.n; j++)
      for (std::size_t c = 0; c < dim; c++)
        for (std::size_t r = 0; r < dim; r++)
          block[r + dim * c] += a.columns[r * a.n + j] * b.columns[c * b.n + j];
  }

  void add_block_row(std::int32_t c, io::matrix *W) const {
    ints here;
    for (const touch &t : touching_[at(c)])
      for (const half &h : halves_[at(t.body)]) here.push_back(h.contact);
    std::sort(here.begin(), here.end());
    here.erase(std::unique(here.begin(), here.end()), here.end());
    const std::size_t first = W->values.size(), size = at(m_.dim) * at(m_.dim);
    W->values.resize(first + size * here.size());
    for (const touch &t : touching_[at(c)]) {
      const half &mine = halves_[at(t.body)][t.half];
      for (const half &h : halves_[at(t.body)]) {
        const auto k = std::lower_bound(here.begin(), here.end(), h.contact) - here.begin();
        add_product(mine, h, W->values.data() + first + size * static_cast<std::size_t>(k));
      }
    }
    W->index.insert(W->index.end(), here.begin(), here.end());
    W->start.push_back(static_cast<std::int32_t>(W->index.size()));
  }

  struct touch {
    std::int32_t body;
    std::size_t half;
  };

  const model &m_;
  std::vector<factor> factors_;
  std::vector<std::vector<half>> halves_;     // by body
  std::vector<std::vector<touch>> touching_;  // by contact, bodies ascending
  reals q_;
};

}  // namespace

io::any_problem local(const model &m) {
  const elimination e(m);
  if (m.rolling) return io::rolling{m.dim, e.delassus(), e.q(), m.mu, m.mu_rolling};
  return io::friction{m.dim, e.delassus(), e.q(), m.mu, {}};
}

io::any_problem global(const model &m) {
  if (m.rolling) throw std::invalid_argument("no file has a place for global rolling friction");
  std::vector<io::triplet> turned = io::entries_of(m.H);
  for (io::triplet &e : turned) std::swap(e.row, e.col);
  return io::global_friction{
      m.dim, m.M, io::compressed_rows(m.H.cols, m.H.rows, std::move(turned)), m.f, m.b, m.mu, {}};
}

const std::vector<family> &families() {
  static const std::vector<family> all = {
      {"arch", "arches of wedge-shaped stones, four corners a joint", make_arch},
      {"chain", "hanging chains of links, two contacts a joint", make_chain},
      {"disks", "granular layer in the plane", make_disks},
      {"elastic", "deformable block on a plane, W full", make_elastic},
      {"planks", "tower of crossed planks", make_planks},
      {"pyramid", "spheres stacked in a lattice", make_pyramid},
      {"rolling-disks", "granular layer with resistance to rolling, in the plane",
       make_rolling_disks},
      {"rolling-spheres", "pile of spheres with resistance to rolling", make_rolling_spheres},
      {"single", "single contacts, conditions to 1e12, coefficients to 1e3", make_single},
      {"spheres", "pile of spheres in a box", make_spheres},
      {"stacks", "stacks of boxes, four corners a face", make_stacks},
      {"wall", "wall of bricks", make_wall},
  };
  return all;
}

model make(const std::string &name, std::int32_t contacts, std::uint64_t seed) {
  if (contacts < 1) throw std::invalid_argument("expected a number of contacts from 1 on");
  for (const family &f : families())
    if (name == f.name) return f.make(contacts, seed);
  throw std::invalid_argument("no family is called '" + name + "'");
}

}  // namespace friction_families
