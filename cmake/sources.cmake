# SPDX-License-Identifier: MIT
# The sources, layer by layer; a layer uses only those above it.
set(PERP_CORE_SOURCES
  c/model/first_order_linear.c
  c/model/graph.c
  c/model/lagrangian_linear.c
  c/model/lagrangian_linear_relation.c
  c/model/linear_relation.c
  c/model/model.c
  c/stepping/moreau_jean.c
  c/stepping/theta.c
)

# What only perp::perp has: LAPACK and the heap.
set(PERP_FULL_SOURCES
)
