/* SPDX-License-Identifier: MIT */
/* Expressions of model files, compiled to bytecode, with exact derivatives; and as C.
 *
 *   choice  = or [ "?" choice ":" choice ]
 *   or      = and { "||" and }                      and = equal { "&&" equal }
 *   equal   = order [ ("==" | "!=") order ]         order = sum [ ("<" | "<=" | ">" | ">=") sum ]
 *   sum     = product { ("+" | "-") product }       product = unary { ("*" | "/") unary }
 *   unary   = ("-" | "+" | "!") unary | power       power = primary [ "^" unary ]
 *   primary = number | name [ "[" choice "]" [ "." name [ "[" choice "]" ] ] ]
 *           | function "(" choice { "," choice } ")"
 *           | "(" choice ")"
 *   number  = digits [ "." digits ] [ "e" [ "+" | "-" ] digits ], also ".5" and "2."
 *   name    = letter { letter | digit | "." letter }, letters being a-z, A-Z, _ and what is not
 * ASCII
 *
 * As in C: operators group to the left, conditions are 1 or 0, what is not 0 is true. Other than in
 * C: "^" is the power and binds before a sign in front of it (-x^2 is -(x^2)), comparisons do not
 * chain, and both sides of "?:", "&&" and "||" are computed. An index is constant and counts from
 * 0. Functions: perp_expression_functions.
 *
 * Values have the bits of the same expression in C, doubles, in the order of the text, without
 * contraction and with the functions of libm; x^2 and pow(x, 2) are x*x. What is constant is
 * computed once, in the same way. Equal parts of all texts of one program are computed once.
 *
 * Derivatives are those of the expression, no differences: rules are applied to the text when it is
 * compiled. Where there is none: abs at 0 and sign everywhere have 0, min and max that of what is
 * taken, the first argument at a tie, conditions 0, "?:" that of the side taken, sqrt at 0
 * infinity. What is not a number on the side not taken does no harm. pow(a, b): b a^(b-1) in a, 0
 * where b is 0; a^b log(a) in b, 0 where a^b is 0, so not a number where a < 0. */
#ifndef PERP_EXPRESSION_EXPRESSION_H
#define PERP_EXPRESSION_EXPRESSION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  PERP_EXPRESSION_BYTES = 65536, /* of a text, at most                           */
  PERP_EXPRESSION_DEPTH = 64,    /* parentheses, calls, signs, powers, choices within one another */
  PERP_EXPRESSION_OPS = 10000    /* of a program, with constants and derivatives */
};

/* A function of expressions; parser, errors and pages use this one table. */
typedef struct perp_expression_function {
  const char *name;
  int32_t arity;    /* arguments                */
  const char *text; /* what it is, one sentence */
} perp_expression_function;

/* Ends with a function without a name. */
extern const perp_expression_function perp_expression_functions[];

/* A function by pieces, which a text calls as `name(x)`: from x[k] to x[k + 1] it is c[0] + c[1] s
 * + c[2] s² + c[3] s³, s = x - x[k], c = piece + 4 k. At x[k] the derivative is that of the piece
 * behind it. Outside it is not a number, or the value at the end, with derivative 0. */
typedef struct perp_expression_table {
  int32_t points;      /* >= 2                                           */
  int32_t clamp;       /* 0: not a number outside; 1: the value at the end */
  const double *x;     /* points, increasing                             */
  const double *piece; /* 4 (points - 1)                                 */
} perp_expression_table;

/* How inputs are repeated: the symbol "ball.q" is written `ball[k].q`, k constant. */
typedef struct perp_expression_members {
  int32_t count, stride; /* of them; inputs from one to the next */
} perp_expression_members;

/* A text: any bytes, not ended by 0. */
typedef struct perp_expression_text {
  const char *text;
  size_t bytes;
} perp_expression_text;

enum { PERP_EXPRESSION_BY_TEXT = -1 }; /* entries of a constant: a number for each of the texts */

/* A name that a text may use: inputs, constants, a table, or another text. The constant `seed` is
 * that of uniform and normal, which are refused without it; with first 1 their arguments have to be
 * constant. A constant that is to be changed
 * afterwards is an input without a seed. `pi` is there unless a symbol has the name. */
typedef struct perp_expression_symbol {
  const char *name;     /* such as "t", "q", "ball.q", "λ"; ended by 0                          */
  int32_t entries;      /* 0: a number, written `t`; n: written `q[0]` to `q[n-1]`, and where n
                           is 1 also `q`                                                        */
  int32_t first;        /* values NULL: index of the (first) entry among the inputs, >= 0       */
  const double *values; /* the constants, 1 or n; NULL: inputs                                  */
  const perp_expression_table *table; /* NULL, or the table; the rest of it is 0 then           */
  const perp_expression_text *text;   /* NULL, or what the name stands for, read where it is used,
                                         as if in parentheses; the rest of it is 0 then           */
  const perp_expression_members *members; /* NULL: once                                         */
} perp_expression_symbol;

typedef struct perp_expression_error {
  int32_t text;      /* which of the texts, from 0; -1 - k: that of symbol k                 */
  size_t position;   /* of what was found: byte in the text, from 0; bytes of the text: its end */
  size_t bytes;      /* of what was found; 0: the end of the text                            */
  char message[256]; /* one line, UTF-8 where names are: "found `sni`, not a function; did you
                        mean `sin`?"                                                         */
} perp_expression_error;

typedef struct perp_expression perp_expression; /* never changes once made: shared by threads */

/**
 * Compile texts, one output each, to one program.
 * @param symbols    symbol_count of them; neither names nor values are kept, of tables the arrays
 * @param seeds      seed_count inputs by which to derive; NULL if there are none
 * @param[out] error filled only where NULL is returned; must not be NULL
 * @return what perp_expression_free takes; NULL: a text is wrong, or too large, or no memory is
 * left
 */
perp_expression *perp_expression_compile(int32_t text_count, const perp_expression_text *texts,
                                         int32_t symbol_count,
                                         const perp_expression_symbol *symbols, int32_t seed_count,
                                         const int32_t *seeds, perp_expression_error *error);

/** Give back a program; NULL is none. */
void perp_expression_free(perp_expression *program);

/**
 * The values of all texts, which may be infinite or no numbers.
 * @param inputs       as many as the largest index of a symbol used says
 * @param[out] outputs text_count; may not overlap inputs
 * Allocates nothing; up to 100 kB of stack.
 */
void perp_expression_evaluate(const perp_expression *program, const double *inputs,
                              double *outputs);

/**
 * Values as perp_expression_evaluate has them, bit for bit, and their derivatives in all seeds.
 * @param[out] outputs  text_count
 * @param[out] jacobian text_count x seed_count, column-major, every entry written
 */
void perp_expression_derive(const perp_expression *program, const double *inputs, double *outputs,
                            double *jacobian);

enum {
  PERP_EXPRESSION_ZERO = 0,     /* whatever the inputs are     */
  PERP_EXPRESSION_CONSTANT = 1, /* the same for all inputs     */
  PERP_EXPRESSION_VARIES = 2    /* depends on inputs, so to say */
};

/** What is known of a derivative, or with seed -1 of the value, before anything is evaluated. */
int32_t perp_expression_kind(const perp_expression *program, int32_t text, int32_t seed);

/** 1 if the program reads an input, by its index; derivatives alone may read less or more. */
int32_t perp_expression_reads(const perp_expression *program, int32_t input);

/**
 * The program as a C99 function with the same bits (compiled without contraction, as gcc has it by
 * -ffp-contract=off):  static void NAME(const double *x, double *y)  and, where derive is 1,
 * static void NAME(const double *x, double *y, double *J). It needs <math.h>.
 * @param out NULL, or capacity bytes; as much as fits, ended by 0
 * @return bytes of all of it, without the 0; 0: it draws numbers by its inputs, which C does not
 */
size_t perp_expression_emit(const perp_expression *program, const char *name, int32_t derive,
                            char *out, size_t capacity);

/* ------------------------------------------------------------------ nearest names ---- */

/* The nearest of the names tried so far; begin with {NULL, 0}. */
typedef struct perp_nearest {
  const char *name; /* NULL: none is near */
  size_t distance;
} perp_nearest;

/**
 * Take a candidate if it is nearer than those before. Near: characters inserted, left out, replaced
 * or swapped with their neighbour, at most one for each three of what was found, one of two;
 * between upper and lower case any number, and names of less than 64 bytes.
 * @param found bytes as they were found, any number of them, ended or not
 */
void perp_nearest_try(perp_nearest *nearest, const char *found, size_t bytes,
                      const char *candidate);

#ifdef __cplusplus
}
#endif

#endif
