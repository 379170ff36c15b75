/* SPDX-License-Identifier: MIT */
/* What a call refused, in words: which field of which object, its value, and what is allowed. */
#include <string.h>

#include "base/options.h"
#include "heap/page.h"
#include "heap/rules.h"
#include "perp/heap.h"
#include "perp/pool.h"

static int begins(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

static int ends(const char *text, const char *with) {
  const size_t n = strlen(text), m = strlen(with);
  return n >= m && strcmp(text + n - m, with) == 0;
}

static const char *object(uint32_t of) {
  switch (of) {
    case PERP_OF_SYSTEM:
      return "system";
    case PERP_OF_BODY:
      return "body";
    case PERP_OF_INTERACTION:
      return "interaction";
    case PERP_OF_PLACE:
      return "pool place";
    default:
      return NULL;
  }
}

static int numbered(int32_t i, int first) { return i < INT32_MAX ? (int)i + first : (int)i; }

/* "contact 3 of bodies 5 and 7: normal" for contact.normal. */
static void put_contact(page *p, const perp_info *info, int first) {
  const char *field = info->field, *const own = "contact.";
  put(p, "contact %d", numbered(info->index, first));
  if (strcmp(field, "contact") == 0) return; /* no contact at all */
  if (info->struct_size >= PERP_THROUGH(perp_info, systems)) {
    const int a = numbered(info->systems[0], first), b = numbered(info->systems[1], first);
    if (info->systems[1] == PERP_GROUND)
      put(p, " of body %d and the ground", a);
    else if (a == b)
      put(p, " of body %d with itself", a);
    else
      put(p, " of bodies %d and %d", a, b);
  }
  put(p, ": %s", begins(field, own) ? field + strlen(own) : field);
}

/* "q[2]", "q0 of body 3", "mu of pool.laws[1]"; a field that names the kind itself is not told it
 * twice: "system 3", "n of system 3" for systems.n, "newton at interaction 3". */
void perp_place(page *p, const perp_info *info, int first) {
  static const char *const lists[] = {"systems", "interactions", "interaction"};
  const char *field = info->field, *kind = object(info->of);
  const int number = (int)info->index + first;
  if (info->of == PERP_OF_CONTACT && info->index >= 0) {
    put_contact(p, info, first);
  } else if (info->index < 0) {
    put(p, "%s", begins(field, "systems.") ? field + strlen("systems.") : field);
  } else if (info->of == PERP_OF_LAW) {
    if (begins(field, "pool.laws"))
      put(p, "pool.laws[%d]%s", number, field + strlen("pool.laws"));
    else
      put(p, "%s of pool.laws[%d]", field, number);
  } else if (kind == NULL) {
    put(p, "%s[%d]", field, number);
  } else if (ends(field, kind)) {
    put(p, "%s %d", field, number);
  } else {
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
      const size_t n = strlen(lists[i]);
      if (!begins(field, lists[i]) || (field[n] != 0 && field[n] != '.')) continue;
      field = field[n] == '.' ? field + n + 1 : "";
      break;
    }
    put(p, "%s%s%s %d", field, *field != 0 ? " of " : "", kind, number);
  }
}

/* What a solver that is named does not take: a law, a matrix; else NULL. */
static const char *not_taken(perp_status status, const perp_info *info) {
  static const char *const laws[] = {
      "is an equality",         "is of complementarity", "is of a box",           "is of friction",
      "is of rolling friction", "is of a polyhedron",    "is known by projection"};
  static const char *const matrices[] = {"is zero", "is diagonal", "is dense", "is in block rows"};
  const double value = info->value;
  if (status != PERP_EUNSUPPORTED || info->solver == NULL || !(value >= 0)) return NULL;
  if (strcmp(info->field, "projection") == 0) return "needs equalities and contacts";
  if (strcmp(info->field, "M") == 0) return value < 4 ? matrices[(int)value] : NULL;
  if (strcmp(info->field, "law") != 0 && strcmp(info->field, "laws") != 0 &&
      strcmp(info->field, "pool.laws") != 0)
    return NULL;
  return value < 7 ? laws[(int)value] : NULL;
}

static void put_value(page *p, perp_status status, const perp_info *info, int first) {
  char number[40];
  const char *what = not_taken(status, info);
  const char *rule = perp_rule(status, info);
  const int of_contact = strcmp(info->field, "contact.identity") == 0; /* the value is a number */
  (void)page_number(info->value + (of_contact ? first : 0), 9, number);
  if (what != NULL) {
    put(p, " %s, which %s does not take%s", what, info->solver,
        strcmp(info->solver, "auto") == 0 ? "" : ": take auto");
  } else if (rule == NULL) {
    put(p, " = %s: %s", number, perp_status_string(status));
  } else if (*rule == ':' || *rule == ' ') { /* the value stands in it */
    const char *at = strstr(rule, "%s");
    const int before = at == NULL ? (int)strlen(rule) : (int)(at - rule);
    put(p, "%.*s%s%s", before, rule, at == NULL ? "" : number, at == NULL ? "" : at + 2);
  } else if (begins(rule, "must") || begins(rule, "so many") || status == PERP_ECALLBACK) {
    put(p, " = %s: %s", number, rule);
  } else {
    put(p, " %s", rule);
  }
  if (status == PERP_EUNSUPPORTED && what == NULL && info->solver != NULL)
    put(p, " (solver %s)", info->solver);
}

size_t perp_explain(perp_status status, const perp_info *info, int32_t first, char *text,
                    size_t room) {
  page p = {text, room, 0};
  if (room > 0) *text = 0;
  if (info == NULL || info->field == NULL || *info->field == 0) {
    put(&p, "%s", perp_status_string(status));
    return p.length;
  }
  perp_place(&p, info, (int)first);
  put_value(&p, status, info, (int)first);
  return p.length;
}
