/* SPDX-License-Identifier: MIT */
/* A text becomes a node. */
#ifndef PERP_EXPRESSION_PARSE_H
#define PERP_EXPRESSION_PARSE_H

#include "expression/nodes.h"

/* Answers the node of a text, and writes position, bytes and message of *error where it is wrong:
 * there is none while message is empty. */
uint16_t perp_expression_parse(perp_nodes *nodes, const perp_expression_text *text,
                               int32_t symbol_count, const perp_expression_symbol *symbols,
                               perp_expression_error *error);

#endif
