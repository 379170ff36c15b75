/* SPDX-License-Identifier: MIT */
/* What is logged of a schema, by names. */
#include <stdlib.h>
#include <string.h>

#include "base/info.h"
#include "log/schema.h"

/* A part of a text. */
typedef struct part {
  const char *at;
  size_t n;
} part;

static int is_part(part p, const char *text) {
  return strlen(text) == p.n && memcmp(p.at, text, p.n) == 0;
}

static int is_any(part p) { return p.n == 1 && *p.at == '*'; }

/* Whether the name of a member by the rule is p: the kind, '[', its number, ']'. */
static int is_member(part p, const perp_log_quantity *q, int32_t member) {
  char tail[32];
  const size_t kind = strlen(q->kind);
  if (q->member_names != NULL) return is_part(p, q->member_names[member]);
  if (p.n <= kind || memcmp(p.at, q->kind, kind) != 0) return 0;
  const perp_log_quantity nameless = {"",   "",   NULL,       NULL, NULL, NULL,
                                      NULL, NULL, q->members, 1,    0,    0};
  return perp_log_member_name(&nameless, member, tail, sizeof tail) == p.n - kind &&
         memcmp(tail, p.at + kind, p.n - kind) == 0;
}

/* Pick what of one quantity is called so, and tell whether there is any. */
static int pick(const perp_log_quantity *q, part left, unsigned char *picked) {
  int found = 0;
  const int all = is_any(left) || is_part(left, q->kind);
  if (all) memset(picked, 1, (size_t)q->members);
  for (int32_t k = 0; !all && k < q->members; k++)
    if (is_member(left, q, k)) picked[k] = 1, found = 1;
  return all || found;
}

/* One entry: "left", or "left.quantity", cut at its last point. */
static int pick_entry(const perp_log_schema *schema, part entry, unsigned char *picked) {
  part left = entry, right = {NULL, 0};
  for (size_t i = entry.n; i-- > 0 && right.at == NULL;)
    if (entry.at[i] == '.') left.n = i, right = (part){entry.at + i + 1, entry.n - i - 1};
  int found = 0;
  for (int32_t i = 0; i < schema->n_quantities; picked += schema->quantities[i++].members) {
    const perp_log_quantity *q = schema->quantities + i;
    found |= pick(q, entry, picked);
    if (right.at != NULL && (is_any(right) || is_part(right, q->name)))
      found |= pick(q, left, picked);
  }
  return found;
}

static part trimmed(part p) {
  while (p.n > 0 && *p.at == ' ') p.at++, p.n--;
  while (p.n > 0 && p.at[p.n - 1] == ' ') p.n--;
  return p;
}

perp_status perp_log_select(log_selection *out, const perp_log_schema *schema, const char *select,
                            perp_info *info) {
  *out = (log_selection){NULL, 0};
  for (int32_t i = 0; i < schema->n_quantities; i++)
    out->members += (size_t)schema->quantities[i].members;
  out->picked = malloc(out->members + 1);
  if (out->picked == NULL) return fail(info, PERP_EBACKEND, "malloc", -1, (double)out->members);
  memset(out->picked, select == NULL, out->members);
  int32_t index = 0;
  for (const char *at = select; at != NULL; index++) {
    const char *comma = strchr(at, ',');
    const part entry = {at, comma != NULL ? (size_t)(comma - at) : strlen(at)};
    if (!pick_entry(schema, trimmed(entry), out->picked)) {
      free(out->picked);
      *out = (log_selection){NULL, 0};
      return fail_field(info, "select", index);
    }
    at = comma != NULL ? comma + 1 : NULL;
  }
  return PERP_OK;
}
