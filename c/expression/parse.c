/* SPDX-License-Identifier: MIT */
/* Recursive descent by the grammar of expression.h. After an error the text is at its end for the
 * parser, so that all of it returns; the first error stays. */
#include "expression/parse.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const perp_expression_function perp_expression_functions[] = {
    {"abs", 1, "absolute value; derivative 0 at 0"},
    {"acos", 1, "arc cosine"},
    {"asin", 1, "arc sine"},
    {"atan", 1, "arc tangent"},
    {"atan2", 2, "angle of the point (second, first argument)"},
    {"cos", 1, "cosine"},
    {"cosh", 1, "hyperbolic cosine"},
    {"exp", 1, "exponential"},
    {"floor", 1, "the largest integer that is not more; derivative 0"},
    {"hypot", 2, "length of the vector of both; derivatives 0 at 0"},
    {"log", 1, "natural logarithm"},
    {"max", 2, "the larger one, the first at a tie; not a number if one of them is not"},
    {"min", 2, "the smaller one, the first at a tie; not a number if one of them is not"},
    {"normal", 1, "drawn by the argument, an integer, and the seed: mean 0, variance 1"},
    {"pow", 2, "the first to the power of the second, as `^`"},
    {"sign", 1, "1, -1, or what is zero itself; derivative 0"},
    {"sin", 1, "sine"},
    {"sinh", 1, "hyperbolic sine"},
    {"sqrt", 1, "square root; derivative infinite at 0"},
    {"tan", 1, "tangent"},
    {"tanh", 1, "hyperbolic tangent"},
    {"uniform", 1, "drawn by the argument, an integer, and the seed: from 0 to below 1"},
    {NULL, 0, NULL}};

enum { NUMBER_BYTES = 100, SHOWN = 40 };
enum token_kind { T_END, T_NUMBER, T_NAME, T_OTHER, T_TWO = 128 }; /* else the character */
enum {
  T_EQUAL = T_TWO + '=',
  T_NOT_EQUAL = T_TWO + '!',
  T_LESS_EQUAL = T_TWO + '<',
  T_GREATER_EQUAL = T_TWO + '>',
  T_AND = T_TWO + '&',
  T_OR = T_TWO + '|'
};

typedef struct parser {
  perp_nodes *nodes;
  const char *text;
  size_t bytes;       /* of the text, 0 after an error */
  size_t start, size; /* of the token                  */
  int token, depth;
  int32_t which;      /* of the texts, as errors have it */
  int32_t text_index; /* of the texts, whatever is read for it */
  int32_t symbol_count;
  const perp_expression_symbol *symbols;
  perp_expression_error *error;
} parser;

/* -------------------------------------------------------------------------- errors ---- */

static void say(perp_expression_error *error, const char *format, ...) {
  const size_t there = strlen(error->message);
  va_list values;
  va_start(values, format);
  /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it is, the line above */
  (void)vsnprintf(error->message + there, sizeof error->message - there, format, values);
  va_end(values);
}

/* Bytes of the character of UTF-8 that begins here, 0: none, or one that is not printed. */
static size_t character(const char *s, size_t bytes) {
  const unsigned char c = (unsigned char)*s;
  if (c < 0x80) return c >= ' ' && c != 0x7f;
  const size_t size = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
  if (c < 0xc2 || c > 0xf4 || size > bytes) return 0;
  for (size_t k = 1; k < size; k++)
    if (((unsigned char)s[k] & 0xc0) != 0x80) return 0;
  const unsigned char second =
      (unsigned char)s[1]; /* too long, half of a pair, control, too large */
  const int wrong = (c == 0xe0 && second < 0xa0) || (c == 0xed && second >= 0xa0) ||
                    (c == 0xf0 && second < 0x90) || (c == 0xf4 && second >= 0x90) ||
                    (c == 0xc2 && second < 0xa0);
  return wrong ? 0 : size;
}

/* Between quotes, cut after SHOWN bytes of the message. */
static void say_text(perp_expression_error *error, const char *s, size_t bytes) {
  size_t k = 0, shown = 0;
  say(error, "`");
  while (k < bytes && shown < SHOWN) {
    const size_t size = character(s + k, bytes - k);
    if (size == 0)
      say(error, "\\x%02x", (unsigned)(unsigned char)s[k]);
    else
      say(error, "%.*s", (int)size, s + k);
    k += size == 0 ? 1 : size;
    shown += size == 0 ? 4 : size;
  }
  say(error, k < bytes ? "...`" : "`");
}

/* Begin the message of the first error, at a place of the text; 0 where there is one already. */
static int fail_at(parser *p, size_t start, size_t size) {
  const int first = p->error->message[0] == 0;
  if (first) {
    p->error->text = p->which;
    p->error->position = start;
    p->error->bytes = size;
    say(p->error, "found ");
    if (size == 0)
      say(p->error, "the end");
    else
      say_text(p->error, p->text + start, size);
  }
  p->bytes = 0;
  p->token = T_END;
  return first;
}

static uint16_t fail(parser *p, const char *allowed) {
  if (fail_at(p, p->start, p->size)) say(p->error, ", %s", allowed);
  return PERP_NODE_ZERO;
}

/* -------------------------------------------------------------------------- tokens ---- */

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

/* The character at k, 0 beyond the end. */
static char at(const parser *p, size_t k) { return k < p->bytes ? p->text[k] : 0; }

static size_t digits(const parser *p, size_t k) {
  while (is_digit(at(p, k))) k++;
  return k;
}

static size_t end_of_number(const parser *p, size_t k) {
  k = digits(p, k);
  if (at(p, k) == '.') k = digits(p, k + 1);
  if (at(p, k) != 'e' && at(p, k) != 'E') return k;
  const size_t sign = at(p, k + 1) == '+' || at(p, k + 1) == '-' ? 2 : 1;
  return is_digit(at(p, k + sign)) ? digits(p, k + sign) : k;
}

static size_t end_of_name(const parser *p, size_t k) {
  while (is_letter(at(p, k)) || is_digit(at(p, k)) || (at(p, k) == '.' && is_letter(at(p, k + 1))))
    k++;
  return k;
}

static int is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* To the next token. */
static void next(parser *p) {
  size_t k = p->start + p->size;
  while (is_space(at(p, k))) k++;
  const char c = at(p, k), after = at(p, k + 1);
  p->start = k;
  p->size = 1;
  if (k >= p->bytes) {
    p->token = T_END;
    p->size = 0;
  } else if (is_digit(c) || (c == '.' && is_digit(after))) {
    p->token = T_NUMBER;
    p->size = end_of_number(p, k) - k;
  } else if (is_letter(c)) {
    p->token = T_NAME;
    p->size = end_of_name(p, k) - k;
  } else if ((after == '=' && strchr("=!<>", c) != NULL && c != 0) ||
             (after == c && (c == '&' || c == '|'))) {
    p->token = T_TWO + c;
    p->size = 2;
  } else {
    p->token = c > ' ' && strchr("+-*/^()[],?:<>!", c) != NULL ? c : T_OTHER;
  }
}

static int accept(parser *p, int token) {
  const int there = p->token == token;
  if (there) next(p);
  return there;
}

static void expect(parser *p, int token, const char *allowed) {
  if (!accept(p, token)) fail(p, allowed);
}

/* ------------------------------------------------------------------------- grammar ---- */

static uint16_t choice(parser *p);
static uint16_t whole(parser *p, const perp_expression_text *text);

/* One more of what is within one another. */
static int enter(parser *p) {
  if (p->depth == PERP_EXPRESSION_DEPTH) {
    fail(p, "nested too deeply");
    return 0;
  }
  p->depth++;
  return 1;
}

/* The value of the token, by strtod without a decimal point, which differs between locales. */
static uint16_t number(parser *p) {
  char buffer[NUMBER_BYTES + 16];
  size_t used = 0, k = 0;
  long exponent = 0;
  int fraction = 0;
  const char *s = p->text + p->start;
  if (p->size > NUMBER_BYTES) return fail(p, "a number of more than 100 characters");
  for (; k < p->size && s[k] != 'e' && s[k] != 'E'; k++) {
    if (s[k] == '.') fraction = 1;
    if (s[k] == '.') continue;
    buffer[used++] = s[k];
    exponent -= fraction;
  }
  if (k < p->size) {
    char written[NUMBER_BYTES + 1] = {0};
    memcpy(written, s + k + 1, p->size - k - 1);
    const long e = strtol(written, NULL, 10);
    exponent += e < -100000 ? -100000 : e > 100000 ? 100000 : e;
  }
  (void)snprintf(buffer + used, sizeof buffer - used, "e%ld", exponent);
  const double value = strtod(buffer, NULL);
  if (!(value <= 1.7976931348623157e308)) return fail(p, "larger than a double can be");
  next(p);
  return perp_node_constant(p->nodes, value);
}

static int is(const char *name, const char *s, size_t bytes) {
  return strlen(name) == bytes && memcmp(name, s, bytes) == 0;
}

/* Its number in the table, OP_FUNCTIONS if there is none. */
static uint16_t find_function(const char *s, size_t bytes) {
  uint16_t k = 0;
  while (k < OP_FUNCTIONS && !is(perp_expression_functions[k].name, s, bytes)) k++;
  return k;
}

static const perp_expression_symbol *find_symbol(const parser *p, const char *s, size_t bytes) {
  for (int32_t k = 0; k < p->symbol_count; k++)
    if (is(p->symbols[k].name, s, bytes)) return &p->symbols[k];
  return NULL;
}

/* A symbol that is repeated, by what is before its dot, and behind it; with after NULL the first.
 */
static const perp_expression_symbol *find_member(const parser *p, const char *s, size_t bytes,
                                                 const char *after, size_t after_bytes) {
  for (int32_t k = 0; k < p->symbol_count; k++) {
    const perp_expression_symbol *symbol = &p->symbols[k];
    const char *dot = symbol->members == NULL ? NULL : strrchr(symbol->name, '.');
    if (dot == NULL || (size_t)(dot - symbol->name) != bytes || memcmp(symbol->name, s, bytes) != 0)
      continue;
    if (after == NULL || is(dot + 1, after, after_bytes)) return symbol;
  }
  return NULL;
}

/* A name that means nothing, or not what its place needs; functions: a function is wanted. */
static uint16_t unknown(parser *p, size_t start, size_t size, int functions) {
  const char *s = p->text + start;
  perp_nearest nearest = {NULL, 0};
  if (!fail_at(p, start, size)) return PERP_NODE_ZERO;
  const int function = find_function(s, size) != OP_FUNCTIONS;
  const perp_expression_symbol *symbol = find_symbol(p, s, size);
  if (symbol == NULL) symbol = find_member(p, s, size, NULL, 0);
  if (symbol != NULL && symbol->members != NULL && !functions) {
    const int dot = (int)(strrchr(symbol->name, '.') - symbol->name);
    say(p->error, ", which is repeated; name one of them");
    if (dot <= SHOWN) say(p->error, ", as `%.*s[0]%s`", dot, symbol->name, symbol->name + dot);
    return PERP_NODE_ZERO;
  }
  if (function) say(p->error, ", a function: `(` is to follow");
  if (symbol != NULL) say(p->error, ", which is no function");
  if (function || symbol != NULL) return PERP_NODE_ZERO;
  for (int k = 0; k < OP_FUNCTIONS; k++)
    perp_nearest_try(&nearest, s, size, perp_expression_functions[k].name);
  for (int32_t k = 0; k < p->symbol_count; k++)
    if (!functions || p->symbols[k].table != NULL)
      perp_nearest_try(&nearest, s, size, p->symbols[k].name);
  say(p->error, functions ? ", not a function" : ", not a name here");
  if (nearest.name != NULL) {
    say(p->error, "; did you mean `%s`?", nearest.name);
    return PERP_NODE_ZERO;
  }
  say(p->error, "; allowed:");
  for (int k = 0; k < OP_FUNCTIONS && functions; k++)
    say(p->error, k == 0 ? " %s" : ", %s", perp_expression_functions[k].name);
  for (int32_t k = 0; k < p->symbol_count && !functions; k++) {
    if (strlen(p->error->message) > sizeof p->error->message - 100) {
      say(p->error, ", ...");
      return PERP_NODE_ZERO;
    }
    say(p->error, k == 0 ? " " : ", ");
    say_text(p->error, p->symbols[k].name, strlen(p->symbols[k].name));
  }
  if (!functions) say(p->error, p->symbol_count > 0 ? ", `pi`" : " `pi`");
  return PERP_NODE_ZERO;
}

/* A number drawn by a; start and size: the name of the function. */
static uint16_t draw(parser *p, uint16_t op, size_t start, size_t size, uint16_t a) {
  const perp_expression_symbol *seed = find_symbol(p, "seed", 4);
  if (seed == NULL || seed->values == NULL) {
    if (fail_at(p, start, size))
      say(p->error, ", which needs a seed: `seed = 1`, say, in the model");
    return PERP_NODE_ZERO;
  }
  if (seed->first != 0 && p->nodes->node[a].op != OP_CONSTANT) {
    if (fail_at(p, start, size))
      say(p->error, " of what is no constant here; draw it for a parameter, a start or `z`");
    return PERP_NODE_ZERO;
  }
  return perp_node_of(p->nodes, op, a, perp_node_constant(p->nodes, seed->values[0]), 0);
}

static uint16_t function(parser *p, size_t start, size_t size) {
  const uint16_t op = find_function(p->text + start, size);
  if (op == OP_FUNCTIONS) return unknown(p, start, size, 1);
  const int32_t arity = perp_expression_functions[op].arity;
  char allowed[80];
  (void)snprintf(allowed, sizeof allowed, "allowed: an operator or `%s` (%s has %d argument%s)",
                 ",", perp_expression_functions[op].name, (int)arity, arity == 1 ? "" : "s");
  const uint16_t a = choice(p);
  if (arity == 2) expect(p, ',', allowed);
  const uint16_t b = arity == 2 ? choice(p) : PERP_NODE_ZERO;
  (void)snprintf(allowed, sizeof allowed, "allowed: an operator or `%s` (%s has %d argument%s)",
                 ")", perp_expression_functions[op].name, (int)arity, arity == 1 ? "" : "s");
  expect(p, ')', allowed);
  if (op == OP_NORMAL || op == OP_UNIFORM) return draw(p, op, start, size, a);
  return perp_node_of(p->nodes, op, a, b, 0);
}

static int is_table(const perp_expression_table *a, const perp_expression_table *b) {
  return a->x == b->x && a->piece == b->piece && a->clamp == b->clamp && a->points == b->points;
}

/* The table's name has been read. */
static uint16_t look_up(parser *p, const perp_expression_table *table) {
  perp_nodes *nodes = p->nodes;
  size_t k = 0;
  expect(p, '(', "allowed: `(` after the name of a table");
  const uint16_t x = choice(p);
  expect(p, ')', "allowed: an operator or `)` (a table has 1 argument)");
  while (k < nodes->tables && !is_table(&nodes->table[k], table)) k++;
  if (k == nodes->tables) nodes->table[nodes->tables++] = *table;
  return perp_node_of(nodes, OP_TABLE, x, perp_node_constant(nodes, (double)k), PERP_NODE_ZERO);
}

/* The index within brackets, below count, and what is to be there. */
static int32_t index_of(parser *p, int32_t count, const char *of, size_t bytes) {
  const size_t start = p->start;
  const uint16_t k = choice(p);
  const perp_node *n = &p->nodes->node[k];
  const size_t size = p->start > start ? p->start - start : 0;
  if (p->token != ']') {
    fail(p, "allowed: an operator or `]`");
  } else if (n->op != OP_CONSTANT || !(n->value >= 0 && n->value < count) ||
             n->value != floor(n->value)) {
    if (fail_at(p, start, size)) {
      say(p->error, ", allowed: constant integers 0 to %d as index of ", (int)count - 1);
      say_text(p->error, of, bytes);
    }
  } else {
    const int32_t index = (int32_t)n->value;
    next(p);
    return index;
  }
  return 0;
}

/* What a name stands for: its text is read once. */
static uint16_t stands_for(parser *p, const perp_expression_symbol *symbol, size_t start,
                           size_t size) {
  const int32_t k = (int32_t)(symbol - p->symbols);
  uint16_t *node = &p->nodes->named[k];
  if (*node == PERP_NODE_OPEN) {
    if (fail_at(p, start, size)) say(p->error, ", which needs itself");
    return PERP_NODE_ZERO;
  }
  if (*node != PERP_NODE_UNREAD) return *node;
  parser inner = *p;
  inner.which = -1 - k;
  *node = PERP_NODE_OPEN;
  *node = whole(&inner, symbol->text);
  if (p->error->message[0] != 0) p->bytes = 0, p->token = T_END;
  return *node;
}

/* The member that `name[k].rest` means; *first: its inputs behind those of the first one. NULL:
 * unknown, or an error. */
static const perp_expression_symbol *member(parser *p, size_t start, size_t size, int32_t *first) {
  const char *s = p->text + start;
  const perp_expression_symbol *symbol = find_member(p, s, size, NULL, 0);
  if (symbol == NULL) return NULL;
  next(p);
  const int32_t k = index_of(p, symbol->members->count, s, size);
  if (p->error->message[0] != 0) return NULL;
  const size_t dot = p->start;
  if (at(p, dot) != '.' || !is_letter(at(p, dot + 1))) {
    fail(p, "allowed: `.` and what of it is read");
    return NULL;
  }
  p->start = dot + 1;
  p->size = end_of_name(p, dot + 1) - dot - 1;
  symbol = find_member(p, s, size, p->text + p->start, p->size);
  if (symbol == NULL) {
    fail(p, "which it has not");
    return NULL;
  }
  *first = k * symbol->members->stride;
  next(p);
  return symbol;
}

static uint16_t name(parser *p) {
  const size_t start = p->start, size = p->size;
  const perp_expression_symbol *symbol = find_symbol(p, p->text + start, size);
  next(p);
  if (symbol != NULL && symbol->table != NULL) return look_up(p, symbol->table);
  if (accept(p, '('))
    return symbol != NULL && find_function(p->text + start, size) == OP_FUNCTIONS
               ? unknown(p, start, size, 1)
               : function(p, start, size);
  if (symbol == NULL && is("pi", p->text + start, size))
    return perp_node_constant(p->nodes, 3.14159265358979323846);
  if (symbol != NULL && symbol->text != NULL) return stands_for(p, symbol, start, size);
  int32_t k = 0;
  if (symbol != NULL && symbol->members != NULL) return unknown(p, start, size, 0);
  if (symbol == NULL && p->token == '[') symbol = member(p, start, size, &k);
  if (p->error->message[0] != 0) return PERP_NODE_ZERO;
  if (symbol == NULL) return unknown(p, start, size, 0);
  if (symbol->entries > 0 && accept(p, '[')) {
    k += index_of(p, symbol->entries, symbol->name, strlen(symbol->name));
  } else if (symbol->entries > 1) {
    if (!fail_at(p, p->start, p->size)) return PERP_NODE_ZERO;
    say(p->error, ", allowed: `[` after ");
    say_text(p->error, symbol->name, strlen(symbol->name));
    say(p->error, ", which has %d entries", (int)symbol->entries);
    return PERP_NODE_ZERO;
  }
  if (symbol->entries == PERP_EXPRESSION_BY_TEXT) k = p->text_index;
  return symbol->values != NULL ? perp_node_constant(p->nodes, symbol->values[k])
                                : perp_node_input(p->nodes, symbol->first + k);
}

static uint16_t primary(parser *p) {
  if (p->token == T_NUMBER) return number(p);
  if (p->token == T_NAME) return name(p);
  if (!accept(p, '(')) return fail(p, "allowed: a number, a name, a function, a sign or `(`");
  const uint16_t x = choice(p);
  expect(p, ')', "allowed: an operator or `)`");
  return x;
}

static uint16_t unary(parser *p) {
  if (p->token == '-' || p->token == '+' || p->token == '!') {
    const int sign = p->token;
    if (!enter(p)) return PERP_NODE_ZERO;
    next(p);
    const uint16_t x = unary(p);
    p->depth--;
    return sign == '+' ? x : perp_node_of(p->nodes, sign == '-' ? OP_NEG : OP_NOT, x, 0, 0);
  }
  const uint16_t base = primary(p);
  if (p->token != '^' || !enter(p)) return base;
  next(p);
  const uint16_t exponent = unary(p);
  p->depth--;
  return perp_node_of(p->nodes, OP_POW, base, exponent, 0);
}

/* Operators with two sides; the larger level binds first, levels 3 and 4 once. */
static const struct operator{
  int token, level;
  uint16_t op;
  int swapped;
}
operators[] = {{T_OR, 1, OP_OR, 0},       {T_AND, 2, OP_AND, 0},
               {T_EQUAL, 3, OP_EQUAL, 0}, {T_NOT_EQUAL, 3, OP_NOT_EQUAL, 0},
               {'<', 4, OP_LESS, 0},      {T_LESS_EQUAL, 4, OP_LESS_EQUAL, 0},
               {'>', 4, OP_LESS, 1},      {T_GREATER_EQUAL, 4, OP_LESS_EQUAL, 1},
               {'+', 5, OP_ADD, 0},       {'-', 5, OP_SUB, 0},
               {'*', 6, OP_MUL, 0},       {'/', 6, OP_DIV, 0}};

static const struct operator* find_operator(int token) {
  for (size_t k = 0; k < sizeof operators / sizeof *operators; k++)
    if (operators[k].token == token) return &operators[k];
  return NULL;
}

static uint16_t binary(parser *p, int level) {
  if (level > 6) return unary(p);
  uint16_t a = binary(p, level + 1);
  for (int count = 0;; count++) {
    const struct operator* o = find_operator(p->token);
    if (o == NULL || o->level != level) return a;
    if (count == 1 && (level == 3 || level == 4))
      return fail(p, "which does not chain: write `a < b && b < c`");
    next(p);
    const uint16_t b = binary(p, level + 1);
    a = o->swapped ? perp_node_of(p->nodes, o->op, b, a, 0)
                   : perp_node_of(p->nodes, o->op, a, b, 0);
    if (p->nodes->failure != NULL) fail(p, p->nodes->failure);
  }
}

static uint16_t choice(parser *p) {
  if (!enter(p)) return PERP_NODE_ZERO;
  uint16_t a = binary(p, 1);
  if (accept(p, '?')) {
    const uint16_t b = choice(p);
    expect(p, ':', "allowed: an operator or `:`");
    const uint16_t c = choice(p);
    a = perp_node_of(p->nodes, OP_CHOOSE, a, b, c);
  }
  p->depth--;
  return a;
}

/* All of a text. */
static uint16_t whole(parser *p, const perp_expression_text *text) {
  perp_expression_error *error = p->error;
  p->text = text->text;
  p->bytes = text->bytes;
  p->start = p->size = 0;
  if (text->bytes > PERP_EXPRESSION_BYTES) {
    error->text = p->which;
    error->position = PERP_EXPRESSION_BYTES;
    error->bytes = text->bytes - PERP_EXPRESSION_BYTES;
    say(error, "found %lu bytes, allowed: %d", (unsigned long)text->bytes,
        (int)PERP_EXPRESSION_BYTES);
    return PERP_NODE_ZERO;
  }
  next(p);
  const uint16_t x = choice(p);
  if (p->token != T_END) fail(p, "allowed: an operator or the end");
  if (p->nodes->failure != NULL) fail(p, p->nodes->failure);
  return x;
}

uint16_t perp_expression_parse(perp_nodes *nodes, const perp_expression_text *text,
                               int32_t symbol_count, const perp_expression_symbol *symbols,
                               perp_expression_error *error) {
  parser p = {.nodes = nodes, .error = error, .depth = -1, .which = error->text};
  p.text_index = error->text;
  p.symbol_count = symbol_count;
  p.symbols = symbols;
  error->message[0] = 0;
  return whole(&p, text);
}

/* ------------------------------------------------------------------- nearest names ---- */

static size_t smallest(size_t a, size_t b, size_t c) {
  const size_t least = a < b ? a : b;
  return least < c ? least : c;
}

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c; }

/* Edits, each EDIT, and changes between upper and lower case, each 1: the distance of optimal
 * string alignment, row by row. Both have at most EDIT - 1 bytes. */
enum { EDIT = 64 };
static size_t distance(const char *a, size_t m, const char *b, size_t n) {
  size_t rows[3][EDIT];
  for (size_t j = 0; j <= n; j++) rows[0][j] = EDIT * j;
  for (size_t i = 1; i <= m; i++) {
    size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
    row[0] = EDIT * i;
    for (size_t j = 1; j <= n; j++) {
      const char x = a[i - 1], y = b[j - 1];
      const size_t change = x == y ? 0 : lower(x) == lower(y) ? 1 : EDIT;
      row[j] = smallest(above[j] + EDIT, row[j - 1] + EDIT, above[j - 1] + change);
      if (i > 1 && j > 1 && x == b[j - 2] && a[i - 2] == y && x != y)
        row[j] = smallest(row[j], second[j - 2] + EDIT, row[j]);
    }
  }
  return rows[m % 3][n];
}

void perp_nearest_try(perp_nearest *nearest, const char *found, size_t bytes,
                      const char *candidate) {
  const size_t n = strlen(candidate);
  const size_t edits = bytes == 2 ? 1 : bytes / 3;
  if (bytes == 0 || bytes >= EDIT || n >= EDIT || (bytes > n ? bytes - n : n - bytes) > edits)
    return;
  const size_t d = distance(found, bytes, candidate, n);
  if (d / EDIT > edits || (nearest->name != NULL && d >= nearest->distance)) return;
  nearest->name = candidate;
  nearest->distance = d;
}
