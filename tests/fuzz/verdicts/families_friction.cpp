// SPDX-License-Identifier: MIT
// Families of problems with contacts: friction in the plane and in space, with rolling or without,
// among intervals. Each is built from what its matrix is, and a contact by contact planted
// solution.
#include <algorithm>

#include "families.hpp"

namespace verdicts {
namespace {

double any_coefficient(source &s) {
  switch (s.integer(0, 9)) {
    case 0:
      return 0;
    case 1:
      return 1e-17;
    case 2:
      return s.power(-17, 10);
    case 3:
      return s.power(1, 10);
    case 4:
      return std::ldexp(1.0, s.integer(-3, 6));
    default:
      return s.integer(1, 8) / 8.0;
  }
}

double usual_coefficient(source &s) {
  return s.chance(0.5) ? s.integer(1, 8) / 8.0 : 0.1 + s.unit();
}

using coefficient = double (*)(source &);

// A row of contacts of one kind, at times with an interval between them.
void lay_out(source &s, instance &p, std::int32_t most, double rolling, coefficient mu) {
  const std::int32_t count = s.integer(1, s.integer(1, most));
  const bool rolls = s.chance(rolling), plane = s.chance(0.5), mixed = s.chance(0.15);
  std::vector<contact> list;
  std::vector<std::int32_t> intervals;
  std::int32_t n = 0;
  for (std::int32_t k = 0; k < count; k++) {
    if (mixed && s.chance(0.5)) intervals.push_back(n++);
    contact c;
    c.begin = n;
    c.rolls = rolls;
    c.size = rolls ? (plane ? 3 : 5) : (plane ? 2 : 3);
    c.mu = mu(s);
    c.mu_rolling = rolls ? mu(s) : 0;
    n += c.size;
    list.push_back(c);
  }
  p.resize(n);
  p.contacts = list;
  for (std::int32_t i : intervals)
    if (s.chance(0.5)) p.lower[at(i)] = -1, p.upper[at(i)] = s.chance(0.5) ? 1 : kInf;
}

// A direction along an axis, where all is exact, or any.
void direct(source &s, std::int32_t width, double *d) {
  d[0] = s.chance(0.5) ? 1 : -1;
  d[1] = 0;
  if (width == 1 || s.chance(0.5)) {
    if (width == 2 && s.chance(0.5)) std::swap(d[0], d[1]);
    return;
  }
  const double angle = 6.283185307179586 * s.unit();
  d[0] = std::cos(angle);
  d[1] = std::sin(angle);
}

// One part of a closed contact: sticks within or at the edge of its disk, or slides.
void plant_part(source &s, const contact &c, std::int32_t part, double *x, double *y) {
  double d[2];
  direct(s, c.width(), d);
  const double radius = c.coefficient(part) * x[0];
  const bool slides = s.chance(0.5);
  const double force = slides || s.chance(0.1) ? radius : radius * s.integer(0, 7) / 8;
  const double speed = slides || c.coefficient(part) == 0 ? s.integer(0, 16) / 8.0 : 0;
  for (std::int32_t k = 0; k < c.width(); k++) {
    const std::int32_t i = 1 + part * c.width() + k;
    x[i] = -force * d[k];
    y[i] = speed * d[k];
  }
}

void plant_contact(source &s, const contact &c, double *x, double *y) {
  if (s.chance(0.25)) { /* open, or about to */
    for (std::int32_t i = 0; i < c.size; i++) y[i] = s.integer(-8, 8) / 8.0;
    y[0] = s.chance(0.2) ? 0 : s.integer(1, 8) / 8.0;
    return;
  }
  const double most = std::max({1.0, c.mu, c.mu_rolling});
  const double size = most > 16 && s.chance(0.5) ? std::ldexp(1.0, -std::ilogb(most)) : 1;
  x[0] = size * s.integer(1, 8) / 8;
  for (std::int32_t part = 0; part < c.parts(); part++) plant_part(s, c, part, x, y);
}

// A complementary pair of every contact and interval: y, and λ in p.planted.
vec plant_pairs(source &s, instance &p) {
  vec y(at(p.n), 0);
  plant(p, s, grain::coarse, 0.2, 1);
  for (std::int32_t i = 0; i < p.n; i++) { /* what plant() chose for the intervals */
    quad sum = p.q[at(i)];
    for (std::int32_t j = 0; j < p.n; j++) sum += static_cast<quad>(p(i, j)) * p.planted[at(j)];
    y[at(i)] = static_cast<double>(sum);
  }
  for (const contact &c : p.contacts) {
    double *x = p.planted.data() + c.begin, *v = y.data() + c.begin;
    std::fill(x, x + c.size, 0.0);
    std::fill(v, v + c.size, 0.0);
    plant_contact(s, c, x, v);
  }
  return y;
}

void plant_contacts(source &s, instance &p) { load(p, plant_pairs(s, p)); }

void regular(source &s, instance &p) {
  lay_out(s, p, 4, 0.2, usual_coefficient);
  const grain g = any_grain(s);
  add_gram(p, random_table(s, p.n, p.n, g));
  add_diagonal(p, 0.25);
  random_q(p, s, g);
  if (s.chance(0.5)) plant_contacts(s, p);
  p.properties |= kSymmetric | kSemidefinite | kDefinite;
}

void of_rank(source &s, instance &p, std::int32_t rank, grain g) {
  add_gram(p, random_table(s, p.n, rank, g));
  plant_contacts(s, p);
  p.properties |= kSymmetric | kSemidefinite;
}

void any_mu(source &s, instance &p) {
  lay_out(s, p, 3, 0.2, any_coefficient);
  of_rank(s, p, s.integer(p.n, p.n + 1), any_grain(s));
}

void deficient(source &s, instance &p) {
  lay_out(s, p, 4, 0.2, s.chance(0.5) ? usual_coefficient : any_coefficient);
  of_rank(s, p, s.integer(0, p.n), s.chance(0.5) ? grain::whole : grain::coarse);
}

void rank_one(source &s, instance &p) {
  lay_out(s, p, 2, 0.3, s.chance(0.5) ? usual_coefficient : any_coefficient);
  of_rank(s, p, 1, any_grain(s));
}

void one_contact(source &s, instance &p) {
  lay_out(s, p, 1, 0.3, s.chance(0.5) ? usual_coefficient : any_coefficient);
  of_rank(s, p, s.chance(0.3) ? 1 : s.integer(1, p.n), any_grain(s));
}

void unsymmetric(source &s, instance &p) {
  lay_out(s, p, 3, 0.2, usual_coefficient);
  const grain g = s.chance(0.5) ? grain::whole : grain::coarse;
  add_gram(p, random_table(s, p.n, s.integer(0, p.n), g));
  add_skew(p, s, g, 1);
  plant_contacts(s, p);
  p.properties |= kSemidefinite;
}

// A body of unit mass and inertia between pairs of opposed contacts, at the same place each: what
// one does the other takes back, whatever the size of the force, but for what ε I does.
void squeezed(source &s, instance &p) {
  lay_out(s, p, 1, 0, s.chance(0.7) ? usual_coefficient : any_coefficient);
  contact c = p.contacts[0];
  const std::int32_t size = c.size, pairs = s.integer(1, 2);
  p = instance();
  p.resize(2 * pairs * size);
  for (c.begin = 0; c.begin < p.n; c.begin += size) p.contacts.push_back(c);
  table H(p.n, 3);
  for (std::int32_t k = 0; k < p.n; k++) {
    const bool second = k / size % 2 == 1, normal = k % size == 0;
    for (std::int32_t j = 0; j < 3; j++)
      H(k, j) = !second ? s.integer(-4, 4) / 4.0 : normal ? -H(k - size, j) : H(k - size, j);
  }
  add_gram(p, H);
  const double reach = std::ldexp(1.0, s.integer(0, 27));
  const bool elastic = s.chance(0.7);
  if (elastic) add_diagonal(p, 1 / reach);
  vec y = plant_pairs(s, p);
  for (std::int32_t k = 0; k < p.n; k++) {
    if (k / size % 2 == 1) { /* the mirror of the first of the pair */
      const double side = k % size == 0 ? 1 : -1;
      p.planted[at(k)] = side * p.planted[at(k - size)];
      y[at(k)] = side * y[at(k - size)];
    } else {
      p.planted[at(k)] *= reach;
    }
  }
  load(p, y);
  p.properties |= kSymmetric | kSemidefinite | (elastic ? static_cast<unsigned>(kDefinite) : 0U);
}

void units(source &s, instance &p) {  // each contact in units of its own
  deficient(s, p);
  vec row(at(p.n), 1);
  const std::int32_t most = s.chance(0.5) ? 20 : 60;
  for (const contact &c : p.contacts) {
    const double unit = std::ldexp(1.0, s.integer(-most, most));
    for (std::int32_t i = c.begin; i < c.begin + c.size; i++) row[at(i)] = unit;
  }
  scale(p, row, row);
}

// B Bᵀ + ε I, Bᵀ λ = 0 for the planted λ, which is large.
void raised(source &s, instance &p) {
  lay_out(s, p, 2, 0.2, usual_coefficient);
  const vec y = plant_pairs(s, p);
  table B = random_table(s, p.n, s.integer(1, p.n - 1), grain::coarse);
  const contact &c = p.contacts[0];
  const double pivot = p.planted[at(c.begin)];
  for (std::int32_t k = 0; k < B.cols && pivot != 0; k++) {
    B(c.begin, k) = 0;
    double sum = 0;
    for (std::int32_t i = 0; i < p.n; i++) sum += B(i, k) * p.planted[at(i)];
    B(c.begin, k) = -sum / pivot;
  }
  add_gram(p, B);
  const double reach = pivot == 0 ? 1 : std::ldexp(1.0, s.integer(0, 30));
  add_diagonal(p, 1 / reach);
  for (const contact &k : p.contacts)
    for (std::int32_t i = k.begin; i < k.begin + k.size; i++) p.planted[at(i)] *= reach;
  load(p, y);
  p.properties |= kSymmetric | kSemidefinite | kDefinite;
}

}  // namespace

const std::vector<family> &friction_families() {
  static const std::vector<family> list = {
      {"friction", regular},
      {"friction, any mu", any_mu},
      {"friction, rank-deficient", deficient},
      {"friction, rank one", rank_one},
      {"friction, one contact", one_contact},
      {"friction, not symmetric", unsymmetric},
      {"friction, squeezed", squeezed},
      {"friction, units", units},
      {"friction, raised", raised},
  };
  return list;
}

}  // namespace verdicts
