/* SPDX-License-Identifier: MIT */
/* Programs: slots for constants, inputs and one result for each instruction, in this order. What
 * the values need comes first, what only derivatives need after it. A product that is used once, in
 * a sum, is one instruction with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expression/apply.h"
#include "expression/parse.h"

typedef struct instruction {
  uint16_t op, a, b, c; /* operands: slots */
} instruction;

typedef struct entry { /* a derivative that is not zero */
  size_t index;        /* in the Jacobian               */
  uint16_t at;         /* its slot; its node before     */
} entry;

struct perp_expression {
  int32_t text_count, seed_count;
  size_t constants, inputs, value_ops, ops, entries, tables;
  perp_expression_table *table;
  double *constant;
  int32_t *input; /* indices */
  instruction *code;
  uint16_t *value; /* slots of the texts */
  entry *entry;    /* by index           */
};

void perp_expression_free(perp_expression *p) {
  if (p == NULL) return;
  free(p->table);
  free(p->constant);
  free(p->input);
  free(p->code);
  free(p->value);
  free(p->entry);
  free(p);
}

/* ------------------------------------------------------------------------- compile ---- */

/* What is made of nodes on the way to slots, one for each node. */
typedef struct marks {
  unsigned char *live; /* needed; 2: as the product of a sum */
  uint16_t *uses;      /* many more than one: an output      */
  uint16_t *slot;      /* before: derivatives                */
} marks;

/* Mark what the nodes with uses need; more than 2 uses are as good as 2. */
static void mark(const perp_nodes *nodes, marks m) {
  for (size_t k = nodes->count; k-- > 0;) {
    const perp_node *n = &nodes->node[k];
    const uint16_t operand[3] = {n->a, n->b, n->c};
    m.live[k] = m.uses[k] > 0;
    if (!m.live[k] || n->op >= OP_OPERATIONS) continue;
    for (int i = 0; i < 3; i++)
      if (m.uses[operand[i]] < 2) m.uses[operand[i]]++;
  }
}

static int joins(const perp_nodes *nodes, marks m, uint16_t k) {
  return nodes->node[k].op == OP_MUL && m.uses[k] == 1;
}

/* Let products join sums: the node becomes a sum with a product, of which the nodes remain. */
static void join(perp_nodes *nodes, marks m) {
  for (size_t k = 0; k < nodes->count; k++) {
    perp_node *n = &nodes->node[k];
    if (!m.live[k] || (n->op != OP_ADD && n->op != OP_SUB)) continue;
    const int second = joins(nodes, m, n->b);
    if (!second && !joins(nodes, m, n->a)) continue;
    const uint16_t product = second ? n->b : n->a;
    n->c = second ? n->a : n->b;
    n->op = (uint16_t)(n->op == OP_ADD ? OP_ADD_PRODUCT : second ? OP_SUB_PRODUCT : OP_PRODUCT_SUB);
    n->a = nodes->node[product].a;
    n->b = nodes->node[product].b;
    m.live[product] = 0;
  }
}

/* Slots for all that is needed, and the instructions; values: nodes of the texts. */
static int place(perp_expression *p, const perp_nodes *nodes, marks m, size_t values) {
  size_t slot = 0;
  for (size_t k = 0; k < nodes->count; k++) {
    p->constants += m.live[k] && nodes->node[k].op == OP_CONSTANT;
    p->inputs += m.live[k] && nodes->node[k].op == OP_INPUT;
    p->ops += m.live[k] && nodes->node[k].op < OP_OPERATIONS;
  }
  p->constant = (double *)malloc((p->constants + 1) * sizeof *p->constant);
  p->input = (int32_t *)malloc((p->inputs + 1) * sizeof *p->input);
  p->code = (instruction *)malloc((p->ops + 1) * sizeof *p->code);
  if (p->constant == NULL || p->input == NULL || p->code == NULL) return 0;
  for (int op = OP_CONSTANT; op <= OP_INPUT; op++) {
    for (size_t k = 0; k < nodes->count; k++) {
      const perp_node *n = &nodes->node[k];
      if (!m.live[k] || n->op != op) continue;
      if (op == OP_CONSTANT) p->constant[slot] = n->value;
      if (op == OP_INPUT) p->input[slot - p->constants] = n->input;
      m.slot[k] = (uint16_t)slot++;
    }
  }
  instruction *i = p->code;
  for (size_t k = 0; k < nodes->count; k++) {
    const perp_node *n = &nodes->node[k];
    if (k == values) p->value_ops = (size_t)(i - p->code);
    if (!m.live[k] || n->op >= OP_OPERATIONS) continue;
    const instruction next = {n->op, m.slot[n->a], m.slot[n->b], m.slot[n->c]};
    *i++ = next;
    m.slot[k] = (uint16_t)slot++;
  }
  if (values == nodes->count) p->value_ops = p->ops;
  for (int32_t k = 0; k < p->text_count; k++) p->value[k] = m.slot[p->value[k]];
  for (size_t k = 0; k < p->entries; k++) p->entry[k].at = m.slot[p->entry[k].at];
  return 1;
}

/* The nodes of all derivatives that are not zero; 0: no memory. */
static int derive(perp_expression *p, perp_nodes *nodes, const int32_t *seeds) {
  const size_t count = nodes->count, texts = (size_t)p->text_count;
  size_t room = 0;
  marks m = {(unsigned char *)calloc(count, 1), (uint16_t *)calloc(count, sizeof *m.uses),
             (uint16_t *)calloc(count, sizeof *m.slot)};
  int done = m.live != NULL && m.uses != NULL && m.slot != NULL;
  for (size_t k = 0; k < texts && done; k++) m.uses[p->value[k]] = 2;
  if (done) mark(nodes, m);
  for (int32_t s = 0; s < p->seed_count && done && nodes->failure == NULL; s++) {
    perp_nodes_derive(nodes, seeds[s], count, m.live, m.slot);
    for (size_t k = 0; k < texts && done; k++) {
      const entry next = {(size_t)s * texts + k, m.slot[p->value[k]]};
      const perp_node *n = &nodes->node[next.at];
      if (n->op == OP_CONSTANT && n->value == 0) continue;
      if (p->entries == room) {
        room = 2 * room + 16;
        entry *more = (entry *)realloc(p->entry, room * sizeof *more);
        done = more != NULL;
        if (done) p->entry = more;
      }
      if (done) p->entry[p->entries++] = next;
    }
  }
  free(m.live);
  free(m.uses);
  free(m.slot);
  return done;
}

static int lower(perp_expression *p, perp_nodes *nodes, size_t values) {
  marks m = {(unsigned char *)calloc(nodes->count, 1),
             (uint16_t *)calloc(nodes->count, sizeof *m.uses),
             (uint16_t *)calloc(nodes->count, sizeof *m.slot)};
  int done = m.live != NULL && m.uses != NULL && m.slot != NULL;
  if (done) {
    for (int32_t k = 0; k < p->text_count; k++) m.uses[p->value[k]] = 2;
    for (size_t k = 0; k < p->entries; k++) m.uses[p->entry[k].at] = 2;
    mark(nodes, m);
    join(nodes, m);
    done = place(p, nodes, m, values);
  }
  free(m.live);
  free(m.uses);
  free(m.slot);
  return done;
}

static void no_memory(perp_expression_error *error) {
  (void)snprintf(error->message, sizeof error->message, "no memory is left");
}

/* Parse, derive, lower; 0 after an error. */
static int make(perp_expression *p, perp_nodes *nodes, const perp_expression_text *texts,
                int32_t symbol_count, const perp_expression_symbol *symbols, const int32_t *seeds,
                perp_expression_error *error) {
  int by_text = 0;
  for (int32_t k = 0; k < symbol_count; k++)
    by_text = by_text || symbols[k].entries == PERP_EXPRESSION_BY_TEXT;
  for (int32_t k = 0; k < p->text_count; k++) {
    error->text = k;
    for (int32_t s = 0; by_text && s < symbol_count; s++) nodes->named[s] = PERP_NODE_UNREAD;
    p->value[k] = perp_expression_parse(nodes, &texts[k], symbol_count, symbols, error);
    if (error->message[0] != 0) return 0;
  }
  const size_t values = nodes->count;
  if (!derive(p, nodes, seeds) || (nodes->failure == NULL && !lower(p, nodes, values))) {
    no_memory(error);
    return 0;
  }
  if (nodes->failure != NULL)
    (void)snprintf(error->message, sizeof error->message, "with derivatives: %s", nodes->failure);
  return nodes->failure == NULL;
}

perp_expression *perp_expression_compile(int32_t text_count, const perp_expression_text *texts,
                                         int32_t symbol_count,
                                         const perp_expression_symbol *symbols, int32_t seed_count,
                                         const int32_t *seeds, perp_expression_error *error) {
  perp_nodes nodes;
  perp_nodes_init(&nodes);
  memset(error, 0, sizeof *error);
  perp_expression *p = (perp_expression *)calloc(1, sizeof *p);
  if (p != NULL) p->value = (uint16_t *)malloc(((size_t)text_count + 1) * sizeof *p->value);
  size_t tables = 1;
  for (int32_t k = 0; k < symbol_count; k++) tables += symbols[k].table != NULL;
  if (p != NULL)
    nodes.table = p->table = (perp_expression_table *)malloc(tables * sizeof *p->table);
  uint16_t *named = (uint16_t *)malloc(((size_t)symbol_count + 1) * sizeof *named);
  for (int32_t k = 0; k < symbol_count && named != NULL; k++) named[k] = PERP_NODE_UNREAD;
  nodes.named = named;
  if (p == NULL || p->value == NULL || p->table == NULL || named == NULL || nodes.failure != NULL) {
    no_memory(error);
  } else {
    p->text_count = text_count;
    p->seed_count = seed_count;
    (void)make(p, &nodes, texts, symbol_count, symbols, seeds, error);
    p->tables = nodes.tables;
  }
  free(nodes.node);
  free(named);
  if (error->message[0] == 0) return p;
  perp_expression_free(p);
  return NULL;
}

/* ------------------------------------------------------------------------ evaluate ---- */

static void run(const perp_expression *p, size_t ops, const double *inputs, double *slot) {
  for (size_t k = 0; k < p->constants; k++) slot[k] = p->constant[k];
  double *out = slot + p->constants;
  for (size_t k = 0; k < p->inputs; k++) *out++ = inputs[p->input[k]];
  for (const instruction *i = p->code, *end = i + ops; i != end; i++)
    *out++ = expression_apply(p->table, i->op, slot[i->a], slot[i->b], slot[i->c]);
}

void perp_expression_evaluate(const perp_expression *p, const double *inputs, double *outputs) {
  double slot[PERP_EXPRESSION_OPS];
  run(p, p->value_ops, inputs, slot);
  for (int32_t k = 0; k < p->text_count; k++) outputs[k] = slot[p->value[k]];
}

void perp_expression_derive(const perp_expression *p, const double *inputs, double *outputs,
                            double *jacobian) {
  double slot[PERP_EXPRESSION_OPS];
  run(p, p->ops, inputs, slot);
  for (int32_t k = 0; k < p->text_count; k++) outputs[k] = slot[p->value[k]];
  memset(jacobian, 0, (size_t)p->text_count * (size_t)p->seed_count * sizeof *jacobian);
  for (size_t k = 0; k < p->entries; k++) jacobian[p->entry[k].index] = slot[p->entry[k].at];
}

int32_t perp_expression_kind(const perp_expression *p, int32_t text, int32_t seed) {
  size_t at = p->value[text];
  if (seed >= 0) {
    const size_t index = (size_t)seed * (size_t)p->text_count + (size_t)text;
    size_t low = 0, high = p->entries; /* the first entry that is not before index */
    while (low < high) {
      const size_t middle = (low + high) / 2;
      if (p->entry[middle].index < index)
        low = middle + 1;
      else
        high = middle;
    }
    if (low == p->entries || p->entry[low].index != index) return PERP_EXPRESSION_ZERO;
    at = p->entry[low].at;
  }
  if (at >= p->constants) return PERP_EXPRESSION_VARIES;
  return p->constant[at] == 0 ? PERP_EXPRESSION_ZERO : PERP_EXPRESSION_CONSTANT;
}

int32_t perp_expression_reads(const perp_expression *p, int32_t input) {
  for (size_t k = 0; k < p->inputs; k++)
    if (p->input[k] == input) return 1;
  return 0;
}

/* ---------------------------------------------------------------------------- as C ---- */

/* A, B and C stand for the operands, @ for the name of the function; NULL: not in C. */
static const char *const in_c[OP_OPERATIONS] = {
    [OP_ABS] = "fabs(A)",
    [OP_ACOS] = "acos(A)",
    [OP_ASIN] = "asin(A)",
    [OP_ATAN] = "atan(A)",
    [OP_ATAN2] = "atan2(A, B)",
    [OP_COS] = "cos(A)",
    [OP_COSH] = "cosh(A)",
    [OP_EXP] = "exp(A)",
    [OP_FLOOR] = "floor(A)",
    [OP_HYPOT] = "hypot(A, B)",
    [OP_LOG] = "log(A)",
    [OP_MAX] = "B > A || B != B ? B : A",
    [OP_MIN] = "B < A || B != B ? B : A",
    [OP_POW] = "pow(A, B)",
    [OP_SIGN] = "A > 0 ? 1 : A < 0 ? -1 : A",
    [OP_SIN] = "sin(A)",
    [OP_SINH] = "sinh(A)",
    [OP_SQRT] = "sqrt(A)",
    [OP_TAN] = "tan(A)",
    [OP_TANH] = "tanh(A)",
    [OP_ADD] = "A + B",
    [OP_SUB] = "A - B",
    [OP_MUL] = "A * B",
    [OP_DIV] = "A / B",
    [OP_NEG] = "-A",
    [OP_LESS] = "A < B",
    [OP_LESS_EQUAL] = "A <= B",
    [OP_EQUAL] = "A == B",
    [OP_NOT_EQUAL] = "A != B",
    [OP_AND] = "A != 0 && B != 0",
    [OP_OR] = "A != 0 || B != 0",
    [OP_NOT] = "A == 0",
    [OP_CHOOSE] = "A != 0 ? B : C",
    [OP_TABLE] = "@_table(A, (int)B, (int)C)",
    [OP_ADD_PRODUCT] = "C + A * B",
    [OP_SUB_PRODUCT] = "C - A * B",
    [OP_PRODUCT_SUB] = "A * B - C",
};

typedef struct sink {
  char *out;
  size_t room, bytes;
} sink;

static void put(sink *s, const char *text) {
  for (; *text != 0; text++, s->bytes++)
    if (s->bytes + 1 < s->room) s->out[s->bytes] = *text;
}

/* A constant with all its bits, without a decimal point of the locale. */
static void put_constant(sink *s, double x) {
  char buffer[64];
  int exponent;
  if (x != x) {
    put(s, "NAN");
    return;
  }
  const char *sign = copysign(1, x) < 0 ? "-" : "";
  x = fabs(x);
  if (x > 1.7976931348623157e308) {
    (void)snprintf(buffer, sizeof buffer, "(%sINFINITY)", sign);
  } else if (x < 1e15 && x == floor(x)) {
    (void)snprintf(buffer, sizeof buffer, "(%s%.0f.0)", sign, x);
  } else {
    const double mantissa = frexp(x, &exponent);
    (void)snprintf(buffer, sizeof buffer, "(%s0x%llxp%d)", sign,
                   (unsigned long long)ldexp(mantissa, 53), exponent - 53);
  }
  put(s, buffer);
}

static void put_slot(sink *s, const perp_expression *p, size_t slot) {
  char buffer[32];
  if (slot < p->constants) {
    put_constant(s, p->constant[slot]);
    return;
  }
  if (slot < p->constants + p->inputs)
    (void)snprintf(buffer, sizeof buffer, "x[%d]", (int)p->input[slot - p->constants]);
  else
    (void)snprintf(buffer, sizeof buffer, "s%lu", (unsigned long)(slot - p->constants - p->inputs));
  put(s, buffer);
}

static void put_instruction(sink *s, const perp_expression *p, const char *name, size_t k) {
  const instruction i = p->code[k];
  put(s, "  const double ");
  put_slot(s, p, p->constants + p->inputs + k);
  put(s, " = ");
  for (const char *c = in_c[i.op]; *c != 0; c++) {
    const char one[2] = {*c, 0};
    if (*c >= 'A' && *c <= 'C')
      put_slot(s, p, *c == 'A' ? i.a : *c == 'B' ? i.b : i.c);
    else if (*c == '@')
      put(s, name);
    else
      put(s, one);
  }
  put(s, ";\n");
}

static void put_array(sink *s, char name, size_t k, const double *values, size_t count) {
  char buffer[64];
  (void)snprintf(buffer, sizeof buffer, "  static const double %c%lu[] = {", name,
                 (unsigned long)k);
  put(s, buffer);
  for (size_t i = 0; i < count; i++) {
    put(s, i == 0 ? "" : i % 8 == 0 ? ",\n      " : ", ");
    put_constant(s, values[i]);
  }
  put(s, "};\n");
}

/* perp_expression_look_up() with the tables of a program. */
static void put_tables(sink *s, const perp_expression *p, const char *name) {
  put(s, "static double ");
  put(s, name);
  put(s, "_table(double x, int which, int order) {\n");
  for (size_t k = 0; k < p->tables; k++) {
    put_array(s, 'x', k, p->table[k].x, (size_t)p->table[k].points);
    put_array(s, 'c', k, p->table[k].piece, 4 * ((size_t)p->table[k].points - 1));
  }
  put(s, "  static const struct { int points, clamp; const double *x, *piece; } all[] = {\n");
  for (size_t k = 0; k < p->tables; k++) {
    char buffer[96];
    (void)snprintf(buffer, sizeof buffer, "    {%d, %d, x%lu, c%lu},\n", (int)p->table[k].points,
                   (int)p->table[k].clamp, (unsigned long)k, (unsigned long)k);
    put(s, buffer);
  }
  put(s,
      "  };\n"
      "  const double *at = all[which].x;\n"
      "  int low = 0, high = all[which].points - 1;\n"
      "  if (x != x) return x;\n"
      "  if (x < at[low] || x > at[high]) {\n"
      "    if (!all[which].clamp) return NAN;\n"
      "    if (order) return 0;\n"
      "    x = x < at[low] ? at[low] : at[high];\n"
      "  }\n"
      "  while (high - low > 1) {\n"
      "    const int middle = (low + high) / 2;\n"
      "    if (at[middle] <= x)\n"
      "      low = middle;\n"
      "    else\n"
      "      high = middle;\n"
      "  }\n"
      "  const double s = x - at[low], *c = all[which].piece + 4 * low;\n"
      "  return order ? c[1] + s * (2 * c[2] + s * (3 * c[3]))\n"
      "               : c[0] + s * (c[1] + s * (c[2] + s * c[3]));\n"
      "}\n");
}

static void put_result(sink *s, const perp_expression *p, const char *array, size_t index,
                       size_t slot) {
  char buffer[48];
  (void)snprintf(buffer, sizeof buffer, "  %s[%lu] = ", array, (unsigned long)index);
  put(s, buffer);
  put_slot(s, p, slot);
  put(s, ";\n");
}

size_t perp_expression_emit(const perp_expression *p, const char *name, int32_t derive, char *out,
                            size_t capacity) {
  sink s = {out, out == NULL ? 0 : capacity, 0};
  const size_t ops = derive ? p->ops : p->value_ops;
  for (size_t k = 0; k < ops; k++)
    if (in_c[p->code[k].op] == NULL) return 0;
  if (p->tables > 0) put_tables(&s, p, name);
  put(&s, "static void ");
  put(&s, name);
  put(&s,
      derive ? "(const double *x, double *y, double *J) {\n" : "(const double *x, double *y) {\n");
  if (p->inputs == 0) put(&s, "  (void)x;\n");
  for (size_t k = 0; k < ops; k++) put_instruction(&s, p, name, k);
  for (int32_t k = 0; k < p->text_count; k++) put_result(&s, p, "y", (size_t)k, p->value[k]);
  if (derive) {
    char buffer[80];
    (void)snprintf(buffer, sizeof buffer, "  for (int k = 0; k < %lu; k++) J[k] = 0;\n",
                   (unsigned long)((size_t)p->text_count * (size_t)p->seed_count));
    put(&s, buffer);
    for (size_t k = 0; k < p->entries; k++)
      put_result(&s, p, "J", p->entry[k].index, p->entry[k].at);
  }
  put(&s, "}\n");
  if (s.room > 0) s.out[s.bytes < s.room ? s.bytes : s.room - 1] = 0;
  return s.bytes;
}
