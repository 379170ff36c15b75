/* SPDX-License-Identifier: MIT */
/* Nodes by value numbering: an operation on the same operands is the same node, and one on
 * constants a constant. Of what C would round differently nothing is simplified; derivatives leave
 * out what is multiplied by zero, and factors 1. */
#include "expression/nodes.h"

#include <stdlib.h>
#include <string.h>

#include "expression/apply.h"

void perp_nodes_init(perp_nodes *nodes) {
  memset(nodes, 0, sizeof *nodes);
  perp_node_constant(nodes, 0);
  perp_node_constant(nodes, 1);
}

/* The bits of a constant: -0 is not 0, and NaN is itself. */
static uint64_t bits_of_value(const perp_node *x) {
  uint64_t bits;
  memcpy(&bits, &x->value, sizeof bits);
  return bits;
}

static int same(const perp_node *x, const perp_node *y) {
  return x->op == y->op && x->a == y->a && x->b == y->b && x->c == y->c && x->input == y->input &&
         bits_of_value(x) == bits_of_value(y);
}

static uint16_t find_or_add(perp_nodes *nodes, perp_node wanted) {
  uint64_t bits = bits_of_value(&wanted);
  bits ^=
      wanted.op | (uint64_t)wanted.a << 16 | (uint64_t)wanted.b << 32 | (uint64_t)wanted.c << 48;
  bits = (bits ^ (uint32_t)wanted.input) * UINT64_C(0x9e3779b97f4a7c15);
  uint16_t *list = &nodes->list[bits >> 56];
  if (nodes->failure != NULL) return PERP_NODE_ZERO;
  if (nodes->count > 0) { /* a list ends with node 0, which is in none */
    if (same(&nodes->node[0], &wanted)) return 0;
    for (uint16_t k = *list; k != 0; k = nodes->node[k].next)
      if (same(&nodes->node[k], &wanted)) return k;
  }
  if (nodes->count == PERP_EXPRESSION_OPS) {
    nodes->failure = "more than 10000 operations";
    return PERP_NODE_ZERO;
  }
  if (nodes->count == nodes->room) {
    const size_t room = nodes->room == 0 ? 64 : 2 * nodes->room;
    perp_node *node = (perp_node *)realloc(nodes->node, room * sizeof *node);
    if (node == NULL) {
      nodes->failure = "no memory is left";
      return PERP_NODE_ZERO;
    }
    nodes->node = node;
    nodes->room = room;
  }
  const uint16_t k = (uint16_t)nodes->count++;
  wanted.next = *list;
  nodes->node[k] = wanted;
  if (k != 0) *list = k;
  return k;
}

uint16_t perp_node_constant(perp_nodes *nodes, double value) {
  const perp_node wanted = {.op = OP_CONSTANT, .value = value};
  return find_or_add(nodes, wanted);
}

uint16_t perp_node_input(perp_nodes *nodes, int32_t index) {
  const perp_node wanted = {.op = OP_INPUT, .input = index};
  return find_or_add(nodes, wanted);
}

static int is_constant(const perp_nodes *nodes, uint16_t k) {
  return nodes->node[k].op == OP_CONSTANT;
}

static int is_value(const perp_nodes *nodes, uint16_t k, double value) {
  return is_constant(nodes, k) && nodes->node[k].value == value;
}

uint16_t perp_node_of(perp_nodes *nodes, uint16_t op, uint16_t a, uint16_t b, uint16_t c) {
  if (nodes->failure != NULL) return PERP_NODE_ZERO;
  const perp_node *n = nodes->node;
  if (is_constant(nodes, a) && is_constant(nodes, b) && is_constant(nodes, c))
    return perp_node_constant(
        nodes, expression_apply(nodes->table, op, n[a].value, n[b].value, n[c].value));
  if (op == OP_CHOOSE && is_constant(nodes, a)) return n[a].value != 0 ? b : c;
  if (op == OP_CHOOSE && b == c) return b;
  if (op == OP_POW && is_constant(nodes, b)) { /* as compilers of C have it */
    if (n[b].value == 2) return perp_node_of(nodes, OP_MUL, a, a, 0);
    if (n[b].value == 1) return a;
    if (n[b].value == 0) return PERP_NODE_ONE;
    if (n[b].value == -1) return perp_node_of(nodes, OP_DIV, PERP_NODE_ONE, a, 0);
  }
  const perp_node wanted = {.op = op, .a = a, .b = b, .c = c};
  return find_or_add(nodes, wanted);
}

double perp_expression_look_up(const perp_expression_table *table, double x, int order) {
  const double *at = table->x;
  int32_t low = 0, high = table->points - 1;
  if (x != x) return x;
  if (x < at[low] || x > at[high]) {
    if (!table->clamp) return NAN;
    if (order) return 0;
    x = x < at[low] ? at[low] : at[high];
  }
  while (high - low > 1) {
    const int32_t middle = (low + high) / 2;
    if (at[middle] <= x)
      low = middle;
    else
      high = middle;
  }
  const double s = x - at[low], *c = table->piece + 4 * (size_t)low;
  return order ? c[1] + s * (2 * c[2] + s * (3 * c[3])) : c[0] + s * (c[1] + s * (c[2] + s * c[3]));
}

/* --------------------------------------------------------------------- derivatives ---- */

static uint16_t times(perp_nodes *nodes, uint16_t a, uint16_t b) {
  if (is_value(nodes, a, 0) || is_value(nodes, b, 0)) return PERP_NODE_ZERO;
  if (is_value(nodes, a, 1)) return b;
  if (is_value(nodes, b, 1)) return a;
  if (is_value(nodes, a, -1)) return perp_node_of(nodes, OP_NEG, b, 0, 0);
  return perp_node_of(nodes, OP_MUL, a, b, 0);
}

static uint16_t over(perp_nodes *nodes, uint16_t a, uint16_t b) {
  if (is_value(nodes, a, 0)) return PERP_NODE_ZERO;
  return is_value(nodes, b, 1) ? a : perp_node_of(nodes, OP_DIV, a, b, 0);
}

static uint16_t minus(perp_nodes *nodes, uint16_t a, uint16_t b) {
  if (is_value(nodes, b, 0)) return a;
  if (is_value(nodes, a, 0)) return perp_node_of(nodes, OP_NEG, b, 0, 0);
  return perp_node_of(nodes, OP_SUB, a, b, 0);
}

static uint16_t plus(perp_nodes *nodes, uint16_t a, uint16_t b) {
  if (is_value(nodes, b, 0)) return a;
  return is_value(nodes, a, 0) ? b : perp_node_of(nodes, OP_ADD, a, b, 0);
}

static uint16_t negative(perp_nodes *nodes, uint16_t a) { return minus(nodes, PERP_NODE_ZERO, a); }

static uint16_t call(perp_nodes *nodes, uint16_t op, uint16_t a) {
  return perp_node_of(nodes, op, a, 0, 0);
}

/* x, where factor is not 0. */
static uint16_t unless_zero(perp_nodes *nodes, uint16_t factor, uint16_t x) {
  return perp_node_of(nodes, OP_CHOOSE, factor, x, PERP_NODE_ZERO);
}

/* d a^b = b a^(b-1) da + a^b log(a) db, v = a^b. */
static uint16_t derive_power(perp_nodes *nodes, uint16_t v, uint16_t a, uint16_t b, uint16_t da,
                             uint16_t db) {
  uint16_t sum = PERP_NODE_ZERO;
  if (da != PERP_NODE_ZERO) {
    const uint16_t lower = perp_node_of(nodes, OP_SUB, b, PERP_NODE_ONE, 0);
    const uint16_t power = times(nodes, b, perp_node_of(nodes, OP_POW, a, lower, 0));
    sum = times(nodes, unless_zero(nodes, b, power), da);
  }
  if (db != PERP_NODE_ZERO) {
    const uint16_t rate = unless_zero(nodes, v, times(nodes, v, call(nodes, OP_LOG, a)));
    sum = plus(nodes, sum, times(nodes, rate, db));
  }
  return sum;
}

/* d atan2(a, b) = (b da - a db)/r², d hypot(a, b) = (a da + b db)/r; r = hypot(a, b), whose square
 * may be too large. */
static uint16_t derive_polar(perp_nodes *nodes, uint16_t op, uint16_t a, uint16_t b, uint16_t da,
                             uint16_t db) {
  uint16_t r = perp_node_of(nodes, OP_HYPOT, a, b, 0);
  if (op == OP_HYPOT) { /* 0/1 at 0 */
    r = perp_node_of(nodes, OP_CHOOSE, r, r, PERP_NODE_ONE);
    return plus(nodes, times(nodes, over(nodes, a, r), da), times(nodes, over(nodes, b, r), db));
  }
  return minus(nodes, times(nodes, over(nodes, over(nodes, b, r), r), da),
               times(nodes, over(nodes, over(nodes, a, r), r), db));
}

/* The derivative of b where the condition that picks b holds, else that of a. */
static uint16_t derive_taken(perp_nodes *nodes, uint16_t picks_b, uint16_t b, uint16_t da,
                             uint16_t db) {
  const uint16_t nan = perp_node_of(nodes, OP_NOT_EQUAL, b, b, 0);
  return da == db
             ? da
             : perp_node_of(nodes, OP_CHOOSE, perp_node_of(nodes, OP_OR, picks_b, nan, 0), db, da);
}

/* The factor of da in the derivative of a function of one argument, v its value. */
static uint16_t factor(perp_nodes *nodes, uint16_t op, uint16_t v, uint16_t a) {
  const uint16_t one = PERP_NODE_ONE;
  switch ((enum perp_expression_op)op) {
    case OP_ABS:
      return call(nodes, OP_SIGN, a);
    case OP_COS:
      return negative(nodes, call(nodes, OP_SIN, a));
    case OP_COSH:
      return call(nodes, OP_SINH, a);
    case OP_EXP:
      return v;
    case OP_SIN:
      return call(nodes, OP_COS, a);
    case OP_SINH:
      return call(nodes, OP_COSH, a);
    case OP_TAN:
      return plus(nodes, one, times(nodes, v, v));
    default:
      return PERP_NODE_ZERO; /* sign, conditions */
  }
}

/* The divisor of da, and 0 where there is a factor instead. */
static uint16_t divisor(perp_nodes *nodes, uint16_t op, uint16_t v, uint16_t a) {
  const uint16_t one = PERP_NODE_ONE;
  switch ((enum perp_expression_op)op) {
    case OP_ACOS:
    case OP_ASIN: /* not 1 - a², which is rounded near 1 */
      return call(nodes, OP_SQRT, times(nodes, minus(nodes, one, a), plus(nodes, one, a)));
    case OP_ATAN:
      return plus(nodes, one, times(nodes, a, a));
    case OP_LOG:
      return a;
    case OP_SQRT:
      return plus(nodes, v, v);
    case OP_TANH:
      return call(nodes, OP_COSH, a); /* twice; not 1 - v², as above */
    default:
      return PERP_NODE_ZERO;
  }
}

static uint16_t derive_call(perp_nodes *nodes, uint16_t op, uint16_t v, uint16_t a, uint16_t da) {
  if (da == PERP_NODE_ZERO) return PERP_NODE_ZERO;
  const uint16_t below = divisor(nodes, op, v, a);
  if (below == PERP_NODE_ZERO) return times(nodes, factor(nodes, op, v, a), da);
  uint16_t d = over(nodes, da, below);
  if (op == OP_TANH) d = over(nodes, d, below);
  return op == OP_ACOS ? negative(nodes, d) : d;
}

static uint16_t derive(perp_nodes *nodes, uint16_t v, perp_node n, const uint16_t *d) {
  const uint16_t a = n.a, b = n.b, da = d[a], db = d[b];
  switch ((enum perp_expression_op)n.op) {
    case OP_ADD:
      return plus(nodes, da, db);
    case OP_SUB:
      return minus(nodes, da, db);
    case OP_NEG:
      return negative(nodes, da);
    case OP_MUL:
      return plus(nodes, times(nodes, da, b), times(nodes, db, a));
    case OP_DIV:
      return over(nodes, minus(nodes, da, times(nodes, v, db)), b);
    case OP_POW:
      return derive_power(nodes, v, a, b, da, db);
    case OP_ATAN2:
    case OP_HYPOT:
      return derive_polar(nodes, n.op, a, b, da, db);
    case OP_MAX:
      return derive_taken(nodes, perp_node_of(nodes, OP_LESS, a, b, 0), b, da, db);
    case OP_MIN:
      return derive_taken(nodes, perp_node_of(nodes, OP_LESS, b, a, 0), b, da, db);
    case OP_CHOOSE:
      return perp_node_of(nodes, OP_CHOOSE, a, db, d[n.c]);
    case OP_TABLE:
      if (da == PERP_NODE_ZERO) return PERP_NODE_ZERO;
      return times(nodes, perp_node_of(nodes, OP_TABLE, a, b, PERP_NODE_ONE), da);
    default:
      return derive_call(nodes, n.op, v, a, da);
  }
}

void perp_nodes_derive(perp_nodes *nodes, int32_t input, size_t count, const unsigned char *live,
                       uint16_t *d) {
  for (size_t k = 0; k < count; k++) {
    const perp_node n = nodes->node[k]; /* a copy: nodes move as they become more */
    d[k] = PERP_NODE_ZERO;
    if (!live[k]) continue;
    if (n.op == OP_INPUT) d[k] = n.input == input ? PERP_NODE_ONE : PERP_NODE_ZERO;
    if (n.op < OP_OPERATIONS) d[k] = derive(nodes, (uint16_t)k, n, d);
  }
}
