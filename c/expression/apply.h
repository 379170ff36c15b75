/* SPDX-License-Identifier: MIT */
/* One operation. Inline, for the loop over a program and for constants. */
#ifndef PERP_EXPRESSION_APPLY_H
#define PERP_EXPRESSION_APPLY_H

#include <math.h>

#include "expression/nodes.h"

static inline double expression_apply(const perp_expression_table *table, uint16_t op, double a,
                                      double b, double c) {
  switch ((enum perp_expression_op)op) {
    case OP_ABS:
      return fabs(a);
    case OP_ACOS:
      return acos(a);
    case OP_ASIN:
      return asin(a);
    case OP_ATAN:
      return atan(a);
    case OP_ATAN2:
      return atan2(a, b);
    case OP_COS:
      return cos(a);
    case OP_COSH:
      return cosh(a);
    case OP_EXP:
      return exp(a);
    case OP_FLOOR:
      return floor(a);
    case OP_HYPOT:
      return hypot(a, b);
    case OP_LOG:
      return log(a);
    case OP_MAX:
      return b > a || b != b ? b : a;
    case OP_MIN:
      return b < a || b != b ? b : a;
    case OP_NORMAL:
      return perp_expression_normal(b, a);
    case OP_POW:
      return pow(a, b);
    case OP_SIGN:
      return a > 0 ? 1 : a < 0 ? -1 : a;
    case OP_SIN:
      return sin(a);
    case OP_SINH:
      return sinh(a);
    case OP_SQRT:
      return sqrt(a);
    case OP_TAN:
      return tan(a);
    case OP_TANH:
      return tanh(a);
    case OP_UNIFORM:
      return perp_expression_uniform(b, a);
    case OP_ADD:
      return a + b;
    case OP_SUB:
      return a - b;
    case OP_MUL:
      return a * b;
    case OP_DIV:
      return a / b;
    case OP_NEG:
      return -a;
    case OP_LESS:
      return a < b;
    case OP_LESS_EQUAL:
      return a <= b;
    case OP_EQUAL:
      return a == b;
    case OP_NOT_EQUAL:
      return a != b;
    case OP_AND:
      return a != 0 && b != 0;
    case OP_OR:
      return a != 0 || b != 0;
    case OP_NOT:
      return a == 0;
    case OP_CHOOSE:
      return a != 0 ? b : c;
    case OP_TABLE:
      return perp_expression_look_up(&table[(size_t)b], a, c != 0);
    case OP_ADD_PRODUCT:
      return c + a * b;
    case OP_SUB_PRODUCT:
      return c - a * b;
    case OP_PRODUCT_SUB:
      return a * b - c;
    case OP_CONSTANT:
    case OP_INPUT:
      break;
  }
  return 0;
}

#endif
