/* SPDX-License-Identifier: MIT */
/* What a text is made of: nodes, each an operation on nodes before it, no two of them equal. */
#ifndef PERP_EXPRESSION_NODES_H
#define PERP_EXPRESSION_NODES_H

#include "expression/expression.h"

enum perp_expression_op {
  /* in the order of perp_expression_functions */
  OP_ABS,
  OP_ACOS,
  OP_ASIN,
  OP_ATAN,
  OP_ATAN2,
  OP_COS,
  OP_COSH,
  OP_EXP,
  OP_FLOOR,
  OP_HYPOT,
  OP_LOG,
  OP_MAX,
  OP_MIN,
  OP_NORMAL, /* b: the seed */
  OP_POW,
  OP_SIGN,
  OP_SIN,
  OP_SINH,
  OP_SQRT,
  OP_TAN,
  OP_TANH,
  OP_UNIFORM,   /* likewise */
  OP_FUNCTIONS, /* that many */
  OP_ADD = OP_FUNCTIONS,
  OP_SUB,
  OP_MUL,
  OP_DIV,
  OP_NEG,
  OP_LESS,
  OP_LESS_EQUAL,
  OP_EQUAL,
  OP_NOT_EQUAL,
  OP_AND,
  OP_OR,
  OP_NOT,
  OP_CHOOSE, /* a ? b : c */
  OP_TABLE,  /* table b at a; c, 0 or 1: its derivative; b and c are constants */
  /* of programs only: two roundings as in the text */
  OP_ADD_PRODUCT, /* c + a b */
  OP_SUB_PRODUCT, /* c - a b */
  OP_PRODUCT_SUB, /* a b - c */
  OP_OPERATIONS,  /* that many; not computed: */
  OP_CONSTANT = OP_OPERATIONS,
  OP_INPUT
};

typedef struct perp_node {
  uint16_t op, a, b, c; /* operands are earlier nodes; 0 where the operation has fewer */
  uint16_t next;        /* in the list of those with the same hash, 0: the last        */
  int32_t input;        /* its index            */
  double value;         /* of a constant        */
} perp_node;

enum {
  PERP_NODE_LISTS = 256,
  PERP_NODE_ZERO = 0,
  PERP_NODE_ONE = 1,
  PERP_NODE_UNREAD = 65535, /* of a named text: not yet     */
  PERP_NODE_OPEN = 65534    /* of a named text: being read */
};

/* Nodes 0 and 1 are the constants 0 and 1. */
typedef struct perp_nodes {
  perp_node *node;
  size_t count, room;
  perp_expression_table *table; /* those that are used; room for all, the caller's */
  size_t tables;
  uint16_t *named;     /* for each symbol the node of its text, or UNREAD, OPEN; the caller's */
  const char *failure; /* NULL, or why there is one less than asked for */
  uint16_t list[PERP_NODE_LISTS];
} perp_nodes;

/* None yet; sets failure, as all do that follow. node is to be freed. */
void perp_nodes_init(perp_nodes *nodes);

/* The node that is this, with its value where operands are constant; 0 after a failure. */
uint16_t perp_node_constant(perp_nodes *nodes, double value);
uint16_t perp_node_input(perp_nodes *nodes, int32_t index);
uint16_t perp_node_of(perp_nodes *nodes, uint16_t op, uint16_t a, uint16_t b, uint16_t c);

/* A table at x; order 1: its derivative. */
double perp_expression_look_up(const perp_expression_table *table, double x, int order);

/* Numbers drawn, by a seed and a count; NaN unless both are whole and at most 2^53. */
double perp_expression_uniform(double seed, double k);
double perp_expression_normal(double seed, double k);

/* d[k] := the derivative in an input of node k < count, where live[k]; 0: it is zero. */
void perp_nodes_derive(perp_nodes *nodes, int32_t input, size_t count, const unsigned char *live,
                       uint16_t *d);

#endif
