/* SPDX-License-Identifier: MIT */
/* What a callback finds: checked, and where there is more than room for, the deepest kept. Contacts
 * are told apart by their systems and identity, so what is kept and where it goes does not depend
 * on the order in which different contacts are added. */
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "stepping/pool_places.h"
#include "stepping/stages.h"

static int compare_number(int64_t a, int64_t b) { return a < b ? -1 : a > b; }

int perp_pool_compare(const perp_pool_contact *a, const perp_pool_contact *b) {
  int order = compare_number(a->systems[0], b->systems[0]);
  if (order == 0) order = compare_number(a->systems[1], b->systems[1]);
  if (order == 0) order = compare_number(a->identity[0], b->identity[0]);
  return order != 0 ? order : compare_number(a->identity[1], b->identity[1]);
}

static int by_key(const perp_pool_contact *contacts, int32_t i, int32_t j) {
  const int order = perp_pool_compare(&contacts[i], &contacts[j]);
  return order != 0 ? order : compare_number(i, j);
}

static int by_gap(const perp_pool_contact *contacts, int32_t i, int32_t j) {
  const double a = contacts[i].place.gap, b = contacts[j].place.gap;
  return a < b ? -1 : a > b ? 1 : by_key(contacts, i, j);
}

typedef int (*order_fn)(const perp_pool_contact *contacts, int32_t i, int32_t j);

/* Let heap[i] sink to where none below it is larger. */
static void sink(const perp_pool_contact *contacts, order_fn order, int32_t n, int32_t *heap,
                 int32_t i) {
  const int32_t moving = heap[i];
  for (int32_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
    if (child + 1 < n && order(contacts, heap[child + 1], heap[child]) > 0) child++;
    if (order(contacts, heap[child], moving) <= 0) break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = moving;
}

static void make_heap(const perp_pool_contact *contacts, order_fn order, int32_t n, int32_t *heap) {
  for (int32_t i = n / 2 - 1; i >= 0; i--) sink(contacts, order, n, heap, i);
}

static void sort(const perp_pool_contact *contacts, order_fn order, int32_t n, int32_t *numbers) {
  make_heap(contacts, order, n, numbers);
  for (int32_t end = n - 1; end > 0; end--) {
    const int32_t largest = numbers[0];
    numbers[0] = numbers[end];
    numbers[end] = largest;
    sink(contacts, order, end, numbers, 0);
  }
}

/* Mostly they are in order but for a few neighbours. */
void perp_pool_sort(const perp_pool_contact *contacts, int32_t n, int32_t *numbers) {
  int64_t left = (int64_t)n * 16; /* exchanges, before heaps are faster */
  for (int32_t i = 1; i < n; i++) {
    const int32_t moving = numbers[i];
    int32_t k = i;
    for (; k > 0 && by_key(contacts, numbers[k - 1], moving) > 0; k--) numbers[k] = numbers[k - 1];
    numbers[k] = moving;
    left = left - i + k;
    if (left >= 0) continue;
    sort(contacts, by_key, n, numbers);
    return;
  }
}

/* -------------------------------------------------------------------------- writing ---- */

/* Only the first refusal is told. */
static perp_status refuse_contact(perp_pool_writer *out, perp_status status, const char *field,
                                  const perp_pool_contact *c, double value) {
  if (out->status != PERP_OK) return status;
  out->status = status;
  out->field = field;
  out->value = value;
  out->index = out->added;
  memcpy(out->systems, c->systems, sizeof out->systems);
  return status;
}

static perp_status tell_contact(perp_info *info, perp_status status, const char *field,
                                int32_t index, const int32_t systems[2], double value) {
  if (info_ready(info) && info->struct_size >= PERP_THROUGH(perp_info, systems))
    memcpy(info->systems, systems, sizeof info->systems);
  return fail_of(info, PERP_OF_CONTACT, status, field, index, value);
}

static perp_status check_systems(perp_pool_writer *out, const perp_pool_contact *c) {
  const perp_model *model = out->sim->model;
  const perp_contact_pool *pool = model->pool;
  const int32_t size = pool->laws[c->law]->size;
  int turns = 0;
  for (int32_t s = 0; s < 2; s++) {
    const int32_t j = c->systems[s];
    if (s == 1 && j == PERP_GROUND) continue;
    if (j < 0 || j >= model->n_systems || (s == 1 && j == c->systems[0]))
      return refuse_contact(out, PERP_EINVAL, "contact.systems", c, j);
    const int32_t kind = perp_pool_kind(pool, model->systems[j]);
    if (kind == POOL_NONE) return refuse_contact(out, PERP_EUNSUPPORTED, "contact.systems", c, j);
    turns |= kind == POOL_BODY || kind == POOL_PLANE;
  }
  if (size > (pool->plane ? 2 : 3) && !turns) /* nothing there to roll */
    return refuse_contact(out, PERP_EINVAL, "contact.law", c, c->law);
  return PERP_OK;
}

/* The first entry that is not finite, NULL: all are. */
static const double *lost(size_t n, const double *x) {
  const size_t at = first_not_finite(n, x);
  return at < n ? x + at : NULL;
}

static perp_status refuse_lost(perp_pool_writer *out, const perp_pool_contact *c) {
  const perp_contact_place *at = &c->place;
  const double *bad = lost(1, &at->gap);
  if (bad != NULL) return refuse_contact(out, PERP_ENOTFINITE, "contact.gap", c, *bad);
  bad = lost(3, at->normal);
  if (bad != NULL) return refuse_contact(out, PERP_ENOTFINITE, "contact.normal", c, *bad);
  bad = lost(3, at->tangent);
  if (bad != NULL) return refuse_contact(out, PERP_ENOTFINITE, "contact.tangent", c, *bad);
  bad = lost(3, at->a);
  if (bad != NULL) return refuse_contact(out, PERP_ENOTFINITE, "contact.a", c, *bad);
  bad = lost(3, at->b);
  if (bad != NULL) return refuse_contact(out, PERP_ENOTFINITE, "contact.b", c, *bad);
  return refuse_contact(out, PERP_ENOTFINITE, "contact.velocity", c, *lost(3, at->velocity));
}

/* The square of the length of its normal is told. */
static perp_status check_place(perp_pool_writer *out, const perp_pool_contact *c, double *square) {
  const perp_contact_place *at = &c->place;
  const double *n = at->normal;
  if (!all_finite(sizeof *at / sizeof(double), (const double *)(const void *)at))
    return refuse_lost(out, c);
  *square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
  if (!(fabs(*square - 1) <= 1e-6))
    return refuse_contact(out, PERP_EINVAL, "contact.normal", c, sqrt(*square));
  if (!out->sim->model->pool->plane) return PERP_OK;
  const double *bad = n[2] != 0       ? &n[2]
                      : at->a[2] != 0 ? &at->a[2]
                      : at->b[2] != 0 ? &at->b[2]
                                      : NULL;
  if (bad == NULL && at->velocity[2] != 0) bad = &at->velocity[2];
  return bad == NULL ? PERP_OK : refuse_contact(out, PERP_EINVAL, "contact.place", c, *bad);
}

/* A contact as it is kept: its normal of length 1 to the last digit. */
static void tidy(perp_pool_contact *c, double square) {
  const double length = sqrt(square);
  double *n = c->place.normal;
  for (int32_t i = 0; i < 3 && fabs(length - 1) > 1e-15; i++) n[i] /= length;
  c->reserved = 1;
}

/* Keep c in the place of the shallowest if it is deeper; whether it is. */
static int replace(perp_pool_writer *out, const perp_pool_contact *c) {
  if (out->dropped == 0) {
    for (int32_t i = 0; i < out->count; i++) out->heap[i] = i;
    make_heap(out->found, by_gap, out->count, out->heap);
  }
  if (out->dropped < UINT32_MAX) out->dropped++;
  if (out->capacity == 0) return 0; /* systems that sleep hold all places */
  perp_pool_contact *shallowest = &out->found[out->heap[0]];
  const double gap = c->place.gap, most = shallowest->place.gap;
  if (!(gap < most || (gap == most && perp_pool_compare(c, shallowest) < 0))) return 0;
  *shallowest = *c;
  out->number[out->heap[0]] = out->added - 1;
  sink(out->found, by_gap, out->count, out->heap, 0);
  return 1;
}

/* The square of the length of its normal is told. */
static perp_status check(perp_pool_writer *out, const perp_pool_contact *c, double *square) {
  *square = 1;
  if (c == NULL) {
    static const perp_pool_contact none; /* all 0 */
    return refuse_contact(out, PERP_EINVAL, "contact", &none, 0);
  }
  if (c->law < 0 || c->law >= out->sim->model->pool->n_laws)
    return refuse_contact(out, PERP_EINVAL, "contact.law", c, c->law);
  if (c->reserved != 0) return refuse_contact(out, PERP_EINVAL, "contact.reserved", c, c->reserved);
  const perp_status status = check_systems(out, c);
  return status == PERP_OK ? check_place(out, c, square) : status;
}

static int is_off(const perp_simulation *sim, const perp_pool_contact *c) {
  return layout_is_off(sim, c->systems[0]) ||
         (c->systems[1] >= 0 && layout_is_off(sim, c->systems[1]));
}

perp_status perp_pool_add(perp_pool_writer *out, const perp_pool_contact *contact, int32_t *kept) {
  int32_t unread;
  if (kept == NULL) kept = &unread;
  *kept = 0;
  if (out == NULL) return PERP_EINVAL;
  double square;
  const perp_status status = check(out, contact, &square);
  if (status != PERP_OK) return status;
  out->added++;
  if (is_off(out->sim, contact)) return PERP_OK;
  perp_pool_contact spare, *c = out->count < out->capacity ? &out->found[out->count] : &spare;
  *c = *contact;
  tidy(c, square);
  const struct pool_stage *stage = out->sim->pool->stage;
  const int told = stage->told != NULL ? stage->told(out->of, c) : -1;
  *kept = told >= 0 ? told : c != &spare || replace(out, c);
  if (told >= 0 || c == &spare) return PERP_OK;
  out->number[out->count++] = out->added - 1;
  return PERP_OK;
}

/* Many that are to be kept, if none of them is special; by blocks, which may be at once. */
typedef struct adding {
  const perp_pool_writer *out;
  const perp_pool_contact *contacts;
  int32_t n;
} adding;

/* Behind those that are found; whether all of a block are plain, into heap. */
static void add_blocks(int32_t begin, int32_t end, int32_t worker, void *ctx) {
  const adding *loop = ctx;
  const perp_pool_writer *out = loop->out;
  perp_pool_writer judge = *out;
  (void)worker;
  for (int32_t b = begin; b < end; b++) {
    const int32_t first = b * POOL_BLOCK, last = pool_end(loop->n, b + 1);
    double square;
    int32_t i = first;
    for (; i < last; i++) {
      const perp_pool_contact *c = &loop->contacts[i];
      if (check(&judge, c, &square) != PERP_OK || is_off(out->sim, c)) break;
      out->found[out->count + i] = *c;
      tidy(&out->found[out->count + i], square);
      out->number[out->count + i] = out->added + i;
    }
    out->heap[b] = i == last;
  }
}

/* Whether all n were plain, and stand behind the others now. */
static int add_plain(perp_pool_writer *out, int32_t n, const perp_pool_contact *contacts) {
  const perp_simulation *sim = out->sim;
  if (n > out->capacity - out->count) return 0;
  if (perp_simulation_awake(sim) < sim->n_systems - sim->state.n_off) return 0; /* some sleep */
  adding loop = {out, contacts, n};
  pool_each(sim, n, add_blocks, &loop);
  for (int32_t b = 0; b < pool_blocks(n); b++)
    if (!out->heap[b]) return 0;
  out->count += n;
  out->added += n;
  return 1;
}

perp_status perp_pool_add_all(perp_pool_writer *out, int32_t n, const perp_pool_contact *contacts,
                              int32_t *kept) {
  for (int32_t i = 0; kept != NULL && i < n; i++) kept[i] = 0;
  if (out == NULL || n < 0 || (n > 0 && contacts == NULL)) {
    static const perp_pool_contact none; /* all 0 */
    return out == NULL ? PERP_EINVAL : refuse_contact(out, PERP_EINVAL, "contacts", &none, n);
  }
  if (add_plain(out, n, contacts)) {
    for (int32_t i = 0; kept != NULL && i < n; i++) kept[i] = 1;
    return PERP_OK;
  }
  for (int32_t i = 0; i < n; i++) {
    const perp_status status = perp_pool_add(out, &contacts[i], kept != NULL ? &kept[i] : NULL);
    if (status != PERP_OK) return status;
  }
  return PERP_OK;
}

/* ------------------------------------------------------------------------- choosing ---- */

/* Leave the shallowest contacts of systems that have too many. */
static void limit(pool_memory *memory) {
  perp_pool_writer *w = &memory->writer;
  const int32_t most = perp_pool_per_system(memory->pool);
  int32_t count = 0;
  sort(w->found, by_gap, w->count, memory->order);
  for (int32_t i = 0; i < w->count; i++) {
    const perp_pool_contact *c = &w->found[memory->order[i]];
    int32_t *first = &memory->on_system[c->systems[0]];
    int32_t *second = c->systems[1] < 0 ? NULL : &memory->on_system[c->systems[1]];
    if (*first < most && (second == NULL || *second < most)) {
      ++*first;
      if (second != NULL) ++*second;
      const int32_t left = memory->order[count];
      memory->order[count++] = memory->order[i];
      memory->order[i] = left;
    } else if (w->dropped < UINT32_MAX) {
      w->dropped++;
    }
  }
  w->count = count;
}

/* The numbers of contacts by their first system, where counting is worth it. */
static void distribute(const perp_simulation *sim) {
  const pool_memory *memory = sim->pool;
  const perp_pool_writer *w = &memory->writer;
  enum { SPARSE = 8 };
  int32_t *next = w->heap; /* by system */
  if (sim->n_systems >= memory->capacity || w->count < sim->n_systems / SPARSE) return;
  memset(next, 0, ((size_t)sim->n_systems + 1) * sizeof *next);
  for (int32_t i = 0; i < w->count; i++) next[w->found[i].systems[0] + 1]++;
  for (int32_t j = 0; j < sim->n_systems; j++) next[j + 1] += next[j];
  for (int32_t i = 0; i < w->count; i++) memory->order[next[w->found[i].systems[0]]++] = i;
}

/* found := found in the order of the numbers in order, n of them, each once. */
static void reorder(const pool_memory *memory, int32_t n) {
  const perp_pool_writer *w = &memory->writer;
  int32_t *order = memory->order;
  for (int32_t i = 0; i < n; i++) {
    if (order[i] == i) continue;
    const perp_pool_contact first = w->found[i];
    const int32_t number = w->number[i];
    int32_t to = i;
    for (int32_t from = order[i]; from != i; from = order[to]) {
      w->found[to] = w->found[from];
      w->number[to] = w->number[from];
      order[to] = to;
      to = from;
    }
    w->found[to] = first;
    w->number[to] = number;
    order[to] = to;
  }
}

/* No two of those that are kept have one key: what each was before could not be told. */
static perp_status check_identities(const pool_memory *memory, perp_info *info) {
  const perp_pool_writer *w = &memory->writer;
  for (int32_t i = 1; i < w->count; i++) {
    if (perp_pool_compare(&w->found[i - 1], &w->found[i]) != 0) continue;
    const int32_t one = w->number[i - 1], two = w->number[i];
    return tell_contact(info, PERP_EINVAL, "contact.identity", one > two ? one : two,
                        w->found[i].systems, one < two ? one : two);
  }
  return PERP_OK;
}

perp_status perp_pool_overlaps(const perp_simulation *sim, int32_t found, perp_info *info) {
  const perp_pool_writer *w = &sim->pool->writer;
  const perp_pool_contact *c = &w->found[found];
  return tell_contact(info, PERP_EINVAL, "initial gap", w->number[found], c->systems, c->place.gap);
}

perp_status perp_pool_find(perp_simulation *sim, perp_info *info) {
  pool_memory *memory = sim->pool;
  perp_pool_writer *w = &memory->writer;
  w->sim = w->of = sim;
  w->count = w->added = 0;
  w->dropped = 0;
  w->status = PERP_OK;
  const int32_t answer = memory->pool->find(sim->state.head->t, sim, w, memory->pool->user);
  if (w->status != PERP_OK)
    return tell_contact(info, w->status, w->field, w->index, w->systems, w->value);
  if (answer != 0)
    return fail(info, answer < 0 ? PERP_ECALLBACK : PERP_RETRY, "pool.find", -1, answer);
  const int32_t n = w->count;
  for (int32_t i = 0; i < n; i++) memory->order[i] = i;
  if (memory->on_system != NULL && w->count > 0) {
    memset(memory->on_system, 0, (size_t)sim->n_systems * sizeof *memory->on_system);
    limit(memory);
  } else {
    distribute(sim);
  }
  perp_pool_sort(w->found, w->count, memory->order);
  reorder(memory, n);
  return check_identities(memory, info);
}
