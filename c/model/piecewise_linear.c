/* SPDX-License-Identifier: MIT */
/* Monotone piecewise linear graphs λ(y) as sums of pieces, λ = Σ z_j:
 *
 *   −w_j ∈ N_[l_j, u_j](z_j),   w_j = y − y_j + D_j (z_j − r_j).
 *
 * A segment from (y_j, λ_j) to (y_j + Δy, λ_j − Δλ) is a piece in [−Δλ, 0] with D = Δy/Δλ; the part
 * before the first point one in [0, ∞) with D = 1/slope, the part after the last one in (−∞, 0].
 * λ of the first point joins the first piece. Neighbours that are vertical at one y are one piece.
 * Source: the segments as in Acary, Bonnefon and Brogliato, Nonsmooth Modeling and Simulation for
 * Switched Circuits, 2011, ch. 2, written with bounds. */
#include "perp/piecewise_linear.h"

#include <float.h>
#include <math.h>

#include "base/arena.h"
#include "base/finite.h"
#include "base/info.h"
#include "model/head.h"
#include "problem/law_kinds.h"

/* -------------------------------------------------------------------------- graph ---- */

typedef struct piece {
  double lower, upper; /* of z                    */
  double at;           /* y_j                     */
  double D, reference; /* D_j, r_j                */
} piece;

static perp_status check_slope(const char *name, double slope, perp_info *info) {
  if (slope != slope) return fail(info, PERP_ENOTFINITE, name, -1, slope);
  /* 1/slope has to be a number */
  return slope == 0 || slope >= DBL_MIN ? PERP_OK : fail(info, PERP_EINVAL, name, -1, slope);
}

perp_status perp_piecewise_linear_check(const perp_piecewise_linear *g, perp_info *info) {
  info_clear(info);
  if (g == NULL) return fail_field(info, "graph", -1);
  if (g->struct_size < PERP_THROUGH(perp_piecewise_linear, slope_after))
    return fail(info, PERP_EINVAL, "graph.struct_size", -1, g->struct_size);
  if (g->points < 1 || g->points > INT32_MAX / 4)
    return fail(info, PERP_EINVAL, "points", -1, g->points);
  if (g->y == NULL) return fail_field(info, "y", -1);
  if (g->lambda == NULL) return fail_field(info, "lambda", -1);
  for (int32_t i = 0; i < g->points; i++) {
    if (!is_finite(g->y[i])) return fail(info, PERP_ENOTFINITE, "y", i, g->y[i]);
    if (!is_finite(g->lambda[i])) return fail(info, PERP_ENOTFINITE, "lambda", i, g->lambda[i]);
    if (i == 0) continue;
    const double along = g->y[i] - g->y[i - 1], down = g->lambda[i - 1] - g->lambda[i];
    if (!(along >= 0 && is_finite(along))) return fail(info, PERP_EINVAL, "y", i, g->y[i]);
    if (!(down >= 0 && is_finite(down) && (down == 0 || is_finite(along / down))))
      return fail(info, PERP_EINVAL, "lambda", i, g->lambda[i]);
  }
  perp_status status = check_slope("slope_before", g->slope_before, info);
  return status == PERP_OK ? check_slope("slope_after", g->slope_after, info) : status;
}

/* Append a piece, or let it join the last one; out NULL: count only. */
static int32_t append(piece *out, int32_t count, piece *last, piece next) {
  if (count > 0 && last->D == 0 && next.D == 0 && last->at == next.at) {
    last->lower += next.lower;
    last->upper += next.upper;
    count--;
  } else {
    *last = next;
  }
  if (out != NULL) out[count] = *last;
  return count + 1;
}

/* The pieces of a graph that was checked; out NULL: their number only. */
static int32_t take_apart(const perp_piecewise_linear *g, piece *out) {
  const int32_t end = g->points - 1;
  int32_t count = 0;
  piece last = {0, 0, 0, 0, 0};
  if (g->slope_before > 0) {
    const piece before = {0, (double)INFINITY, g->y[0], 1 / g->slope_before, 0};
    count = append(out, count, &last, before);
  }
  for (int32_t i = 0; i < end; i++) {
    const double along = g->y[i + 1] - g->y[i], down = g->lambda[i] - g->lambda[i + 1];
    const piece segment = {-down, 0, g->y[i], down > 0 ? along / down : 0, 0};
    if (down > 0) count = append(out, count, &last, segment);
  }
  if (g->slope_after > 0) {
    const piece after = {-(double)INFINITY, 0, g->y[end], 1 / g->slope_after, 0};
    count = append(out, count, &last, after);
  }
  if (count == 0) { /* a constant */
    const piece all = {0, 0, 0, 0, 0};
    count = append(out, count, &last, all);
  }
  if (out != NULL) {
    out[0].lower += g->lambda[0];
    out[0].upper += g->lambda[0];
    out[0].reference += g->lambda[0];
  }
  return count;
}

int32_t perp_piecewise_linear_pieces(const perp_piecewise_linear *g) {
  return perp_piecewise_linear_check(g, NULL) == PERP_OK ? take_apart(g, NULL) : 0;
}

/* Distance in the maximum norm from a segment with ends a and b, b to the right of a and below. */
static double segment_distance(double ya, double la, double yb, double lb, double y,
                               double lambda) {
  /* the antidiagonal through (y, λ), along which (y + t, λ + t) moves, meets the segment or passes
   * it on the side of an end */
  const double s = y - lambda, sa = ya - la, sb = yb - lb;
  double part = sb > sa ? (s - sa) / (sb - sa) : 0;
  part = part > 1 ? 1 : part > 0 ? part : 0;
  const double dy = fabs(y - (ya + part * (yb - ya)));
  const double dl = fabs(lambda - (la + part * (lb - la)));
  return dy > dl ? dy : dl;
}

/* From a half-line from (y_0, λ_0) with −dλ/dy = slope, to the left (side −1) or the
 * right; far enough to be as good as all of it. */
static double ray_distance(double y0, double l0, double slope, double side, double y,
                           double lambda) {
  const double far = 2 * (fabs(y - y0) + fabs(lambda - l0));
  const double dy = slope <= 1 ? far : far / slope, dl = slope <= 1 ? slope * far : far;
  return side < 0 ? segment_distance(y0 - dy, l0 + dl, y0, l0, y, lambda)
                  : segment_distance(y0, l0, y0 + dy, l0 - dl, y, lambda);
}

double perp_piecewise_linear_distance(const perp_piecewise_linear *g, double y, double lambda) {
  if (perp_piecewise_linear_check(g, NULL) != PERP_OK || y != y || lambda != lambda)
    return (double)NAN;
  const int32_t end = g->points - 1;
  double least = ray_distance(g->y[0], g->lambda[0], g->slope_before, -1, y, lambda);
  const double after = ray_distance(g->y[end], g->lambda[end], g->slope_after, 1, y, lambda);
  if (after < least) least = after;
  for (int32_t i = 0; i < end; i++) {
    const double d =
        segment_distance(g->y[i], g->lambda[i], g->y[i + 1], g->lambda[i + 1], y, lambda);
    if (d < least) least = d;
  }
  return least;
}

/* --------------------------------------------------------------------------- pieces ---- */

static const perp_pieces *pieces_of(const perp_law *law) {
  return (const perp_pieces *)(const void *)law;
}

static perp_status pieces_check(const perp_law *law, perp_info *info) {
  if (law->struct_size < sizeof(perp_pieces)) return fail_field(info, "struct_size", -1);
  if (pieces_of(law)->shift == NULL) return fail_field(info, "shift", -1);
  return perp_box_check(law, info);
}

/* At order 2, where a relation has no constant velocity. */
static int32_t pieces_restitute(const perp_law *law, const void *state, const perp_law_step *step,
                                double *q) {
  (void)state;
  (void)step;
  for (int32_t i = 0; i < law->size; i++) q[i] -= pieces_of(law)->shift[i];
  return 0;
}

static const perp_field *pieces_fields(const perp_law *law) {
  static const perp_field all[] = {FIELD_VECTOR(perp_pieces, box.lower, box.law.size),
                                   FIELD_VECTOR(perp_pieces, box.upper, box.law.size),
                                   FIELD_VECTOR(perp_pieces, shift, box.law.size), FIELD_END};
  (void)law;
  return all;
}

static const perp_law_ops pieces_ops[2] = {{.struct_size = sizeof(perp_law_ops),
                                            .set = PERP_SET_BOX,
                                            .name = "piecewise_linear",
                                            .check = pieces_check,
                                            .bounds = perp_box_bounds,
                                            .project = perp_box_project,
                                            .jacobian = perp_box_jacobian,
                                            .local = perp_box_local,
                                            .fields = pieces_fields},
                                           {.struct_size = sizeof(perp_law_ops),
                                            .set = PERP_SET_BOX,
                                            .name = "piecewise_linear",
                                            .check = pieces_check,
                                            .bounds = perp_box_bounds,
                                            .project = perp_box_project,
                                            .jacobian = perp_box_jacobian,
                                            .local = perp_box_local,
                                            .restitute_step = pieces_restitute,
                                            .fields = pieces_fields}};

/* ------------------------------------------------------------------------- relation ---- */

static const perp_piecewise_relation *self(const perp_relation *relation) {
  return (const perp_piecewise_relation *)(const void *)relation;
}

static size_t pieces_in(const perp_piecewise_relation *r) { return (size_t)r->pieces.box.law.size; }

/* to (m k x columns) := rows of from (m x columns), each k times. */
static void repeat_rows(size_t m, size_t k, size_t columns, const double *from, double *to) {
  for (size_t c = 0; c < columns; c++)
    for (size_t i = 0; i < m; i++)
      for (size_t j = 0; j < k; j++) *to++ = from[i + m * c];
}

/* to (n x m k) := columns of from (n x m), each k times. */
static void repeat_columns(size_t n, size_t m, size_t k, const double *from, double *to) {
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < k; j++, to += n) memcpy(to, from + n * i, n * sizeof *to);
}

/* to (m k square) := D of inner (NULL: 0) in blocks, and the compliances on the diagonal. */
static void repeat_D(size_t m, size_t k, const double *D, const double *compliance, double *to) {
  const size_t rows = m * k;
  for (size_t c = 0; c < rows; c++)
    for (size_t i = 0; i < rows; i++)
      to[i + rows * c] =
          (D != NULL ? D[i / k + m * (c / k)] : 0) + (i == c ? compliance[i % k] : 0);
}

static void terms(const perp_relation *relation, perp_relation_terms *out) {
  const perp_piecewise_relation *r = self(relation);
  perp_relation_terms inner;
  r->inner->ops->terms(r->inner, &inner);
  *out = inner; /* a, z, n_z are the same */
  out->H = r->H;
  out->B = r->B;
  out->D = r->D;
  out->F = r->F;
  out->b = r->b;
}

static uint32_t features(const perp_relation *relation) {
  const perp_relation *inner = self(relation)->inner;
  const uint32_t of_inner = inner->ops->features != NULL ? inner->ops->features(inner) : 0;
  return (of_inner & (PERP_RELATION_K | PERP_RELATION_BODIES | PERP_RELATION_ANY)) |
         PERP_RELATION_D;
}

/* What inner writes where it is evaluated, and its λ. */
typedef struct inner_values {
  double *lambda, *before, *y, *ydot, *H, *D, *B, *scratch;
  size_t doubles; /* all of it */
} inner_values;

static inner_values place(const perp_relation *inner, double *base) {
  const size_t m = (size_t)inner->m, n = (size_t)inner->n;
  inner_values v = {base, base + m, base + 2 * m, base + 3 * m, base + 4 * m, NULL, NULL, NULL, 0};
  v.D = v.H + m * n;
  v.B = v.D + m * m;
  v.scratch = v.B + n * m;
  v.doubles = 4 * m + 2 * m * n + m * m;
  return v;
}

static size_t scratch_doubles(const perp_relation *relation) {
  const perp_relation *inner = self(relation)->inner;
  const size_t m = (size_t)inner->m, n = (size_t)inner->n;
  return 4 * m + 2 * m * n + m * m +
         (inner->ops->scratch_doubles != NULL ? inner->ops->scratch_doubles(inner) : 0);
}

/* Sums of the pieces of each row. */
static void sum_pieces(size_t m, size_t k, const double *z, double *lambda) {
  for (size_t i = 0; i < m; i++) {
    double sum = 0;
    for (size_t j = 0; j < k; j++) sum += z[i * k + j];
    lambda[i] = sum;
  }
}

static int32_t evaluate(const perp_relation *relation, const perp_relation_point *at,
                        const perp_relation_values *out, double *scratch) {
  const perp_piecewise_relation *r = self(relation);
  const perp_relation *inner = r->inner;
  const size_t m = (size_t)inner->m, n = (size_t)inner->n, k = pieces_in(r);
  const int first = inner->ops->order == 1;
  const uint32_t has = inner->ops->features != NULL ? inner->ops->features(inner) : 0;
  const inner_values v = place(inner, scratch);
  memset(scratch, 0, v.doubles * sizeof *scratch);
  sum_pieces(m, k, at->lambda, v.lambda);
  sum_pieces(m, k, at->lambda_before, v.before);
  perp_relation_point point = *at;
  point.lambda = v.lambda;
  point.lambda_before = v.before;
  const perp_relation_values values = {.y = v.y,
                                       .ydot = first ? NULL : v.ydot,
                                       .H = v.H,
                                       .D = (has & PERP_RELATION_D) != 0 ? v.D : NULL,
                                       .r = out->r,
                                       .B = first ? v.B : NULL,
                                       .K = out->K};
  const int32_t answer = inner->ops->evaluate(inner, &point, &values, v.scratch);
  if (answer != 0) return answer;
  repeat_rows(m, k, n, v.H, out->H);
  repeat_D(m, k, values.D, r->compliance, out->D);
  if (out->B != NULL) repeat_columns(n, m, k, v.B, out->B);
  for (size_t i = 0; i < m * k; i++) {
    const double own = r->compliance[i % k] * at->lambda[i];
    out->y[i] = first ? v.y[i / k] - r->pieces.shift[i % k] + own : v.y[i / k];
    if (!first) out->ydot[i] = v.ydot[i / k] + own;
  }
  return 0;
}

static perp_status check(const perp_relation *relation, perp_info *info) {
  const perp_piecewise_relation *r = self(relation);
  if (r->inner == NULL || r->compliance == NULL) return fail_field(info, "inner", -1);
  if ((size_t)relation->m != (size_t)r->inner->m * pieces_in(r) || relation->n != r->inner->n)
    return fail(info, PERP_EINVAL, "relation.m", -1, relation->m);
  return r->inner->ops->check != NULL ? r->inner->ops->check(r->inner, info) : PERP_OK;
}

/* Of the pieces, and of the relation that they stand on: the rest is made of these. */
static const perp_field *fields(const perp_relation *relation) {
  static const perp_field all[] = {
      FIELD_RELATION(perp_piecewise_relation, inner),
      FIELD_VECTOR(perp_piecewise_relation, compliance, pieces.box.law.size),
      FIELD_VECTOR(perp_piecewise_relation, reference, pieces.box.law.size), FIELD_END};
  (void)relation;
  return all;
}

/* Constant or varying, of order 1 or 2. */
static const perp_relation_ops constant_ops[2] = {
    {.struct_size = (uint32_t)sizeof(perp_relation_ops),
     .order = 1,
     .name = "piecewise_linear",
     .bytes = sizeof(perp_piecewise_relation),
     .terms = terms,
     .features = features,
     .check = check,
     .fields = fields},
    {.struct_size = (uint32_t)sizeof(perp_relation_ops),
     .order = 2,
     .name = "piecewise_linear",
     .bytes = sizeof(perp_piecewise_relation),
     .terms = terms,
     .features = features,
     .check = check,
     .fields = fields}};

static const perp_relation_ops varying_ops[2] = {
    {.struct_size = (uint32_t)sizeof(perp_relation_ops),
     .order = 1,
     .name = "piecewise_linear",
     .bytes = sizeof(perp_piecewise_relation),
     .features = features,
     .scratch_doubles = scratch_doubles,
     .evaluate = evaluate,
     .check = check,
     .fields = fields},
    {.struct_size = (uint32_t)sizeof(perp_relation_ops),
     .order = 2,
     .name = "piecewise_linear",
     .bytes = sizeof(perp_piecewise_relation),
     .features = features,
     .scratch_doubles = scratch_doubles,
     .evaluate = evaluate,
     .check = check,
     .fields = fields}};

/* --------------------------------------------------------------------------- making ---- */

/* What memory holds. */
typedef struct parts {
  piece *list;
  double *lower, *upper, *shift, *compliance, *reference;
  double *H, *B, *D, *F, *b; /* of a constant relation */
} parts;

static int known(const perp_relation *inner, perp_relation_terms *t) {
  memset(t, 0, sizeof *t);
  if (inner == NULL || inner->ops == NULL || inner->struct_size < inner->ops->bytes) return 0;
  if (inner->m < 1 || inner->n < 1 || (inner->ops->order != 1 && inner->ops->order != 2)) return 0;
  if (inner->ops->terms == NULL) return inner->ops->evaluate != NULL;
  inner->ops->terms(inner, t);
  return t->H != NULL && t->n_z >= 0;
}

static double *take(arena *a, size_t rows, size_t columns) {
  if (columns > 0 && rows > SIZE_MAX / columns) a->failed = 1;
  return arena_take(a, rows * columns, sizeof(double));
}

static parts carve(arena *a, const perp_relation *inner, const perp_relation_terms *t, size_t k) {
  const size_t m = (size_t)inner->m * k, n = (size_t)inner->n;
  parts p;
  memset(&p, 0, sizeof p);
  p.list = arena_take(a, k, sizeof *p.list);
  p.lower = take(a, k, 1);
  p.upper = take(a, k, 1);
  p.shift = take(a, k, 1);
  p.compliance = take(a, k, 1);
  p.reference = take(a, k, 1);
  if (inner->ops->terms == NULL) return p;
  p.H = take(a, m, n);
  if (t->B != NULL) p.B = take(a, n, m);
  p.D = take(a, m, m);
  if (t->F != NULL) p.F = take(a, m, (size_t)t->n_z);
  p.b = take(a, m, 1);
  return p;
}

/* Rows fit int32. */
static int fits(const perp_relation *inner, int32_t pieces) {
  return pieces > 0 && inner->m <= INT32_MAX / pieces;
}

size_t perp_piecewise_relation_memory(const perp_relation *inner,
                                      const perp_piecewise_linear *graph) {
  perp_relation_terms t;
  const int32_t pieces = perp_piecewise_linear_pieces(graph);
  if (!known(inner, &t) || !fits(inner, pieces)) return 0;
  arena a = arena_measure();
  (void)carve(&a, inner, &t, (size_t)pieces);
  return arena_bytes(&a);
}

static void fill_pieces(const parts *p, size_t k) {
  for (size_t j = 0; j < k; j++) {
    const piece *from = &p->list[j];
    p->lower[j] = from->lower;
    p->upper[j] = from->upper;
    p->shift[j] = from->at + from->D * from->reference;
    p->compliance[j] = from->D;
    p->reference[j] = from->reference;
  }
}

static void fill_terms(const parts *p, const perp_relation *inner, const perp_relation_terms *t,
                       size_t k) {
  const size_t m = (size_t)inner->m, n = (size_t)inner->n;
  repeat_rows(m, k, n, t->H, p->H);
  if (p->B != NULL) repeat_columns(n, m, k, t->B, p->B);
  repeat_D(m, k, t->D, p->compliance, p->D);
  if (p->F != NULL) repeat_rows(m, k, (size_t)t->n_z, t->F, p->F);
  for (size_t i = 0; i < m * k; i++)
    p->b[i] = (t->b != NULL ? t->b[i / k] : 0) - (inner->ops->order == 1 ? p->shift[i % k] : 0);
}

const perp_piecewise_relation *perp_piecewise_relation_of(const perp_relation *relation) {
  if (relation == NULL) return NULL;
  for (int second = 0; second < 2; second++)
    if (relation->ops == &constant_ops[second] || relation->ops == &varying_ops[second])
      return self(relation);
  return NULL;
}

perp_status perp_piecewise_relation_init(perp_piecewise_relation *relation, size_t size,
                                         const perp_relation *inner,
                                         const perp_piecewise_linear *graph, void *memory,
                                         size_t bytes, perp_info *info) {
  perp_relation_terms t;
  info_clear(info);
  if (relation == NULL || size != sizeof *relation) return fail_field(info, "relation", -1);
  if (!known(inner, &t)) return fail_field(info, "inner", -1);
  perp_status status = perp_piecewise_linear_check(graph, info);
  if (status != PERP_OK) return status;
  const int32_t pieces = take_apart(graph, NULL);
  if (!fits(inner, pieces)) return fail(info, PERP_EINVAL, "points", -1, graph->points);
  const size_t k = (size_t)pieces;
  arena a = arena_open(memory, bytes);
  const parts p = carve(&a, inner, &t, k);
  if (memory == NULL || !arena_fits(&a))
    return fail(info, PERP_EWORKSPACE, "bytes", -1,
                (double)perp_piecewise_relation_memory(inner, graph));
  (void)take_apart(graph, p.list);
  fill_pieces(&p, k);
  if (inner->ops->terms != NULL) fill_terms(&p, inner, &t, k);
  const int second = inner->ops->order == 2;
  status = relation_init(relation, size, inner->m * pieces, inner->n,
                         inner->ops->terms != NULL ? &constant_ops[second] : &varying_ops[second]);
  law_set_head(&relation->pieces.box.law, &pieces_ops[second], sizeof relation->pieces, pieces);
  relation->pieces.box.lower = p.lower;
  relation->pieces.box.upper = p.upper;
  relation->pieces.shift = p.shift;
  relation->inner = inner;
  relation->graph = graph;
  relation->compliance = p.compliance;
  relation->reference = p.reference;
  relation->H = p.H;
  relation->B = p.B;
  relation->D = p.D;
  relation->F = p.F;
  relation->b = p.b;
  return status;
}

perp_status perp_piecewise_relation_values(const perp_piecewise_relation *relation, const double *w,
                                           const double *z, double *y, double *lambda) {
  if (relation == NULL || relation->inner == NULL || relation->compliance == NULL || z == NULL ||
      (y != NULL && w == NULL))
    return PERP_EINVAL;
  const size_t m = (size_t)relation->inner->m, k = pieces_in(relation);
  /* at order 2 the shift is the law's, so that w is y but for the compliance */
  const double shift = relation->inner->ops->order == 1 ? relation->pieces.shift[0] : 0;
  for (size_t i = 0; y != NULL && i < m; i++)
    y[i] = w[i * k] + shift - relation->compliance[0] * z[i * k];
  if (lambda != NULL) sum_pieces(m, k, z, lambda);
  return PERP_OK;
}
