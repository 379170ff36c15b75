# SPDX-License-Identifier: MIT
# The sources, layer by layer; a layer uses only those above it.
set(PERP_CORE_SOURCES
  c/base/options.c
  c/base/status.c
  c/base/version.c
  c/linalg/cholesky.c
  c/linalg/dense.c
  c/linalg/envelope.c
  c/linalg/lu.c
  c/linalg/matrix.c
  c/linalg/matrix_check.c
  c/problem/law.c
  c/problem/problem.c
  c/problem/residual.c
  c/problem/sums.c
  c/solver/active_set.c
  c/solver/dictionary.c
  c/solver/exchange.c
  c/solver/lcp.c
  c/solver/lcp_basis.c
  c/solver/lcp_lemke.c
  c/solver/proximal.c
  c/solver/solver.c
  c/model/first_order_linear.c
  c/model/graph.c
  c/model/lagrangian_linear.c
  c/model/lagrangian_linear_relation.c
  c/model/linear_relation.c
  c/model/model.c
  c/stepping/access.c
  c/stepping/contact.c
  c/stepping/delassus.c
  c/stepping/discretise.c
  c/stepping/layout.c
  c/stepping/moreau_jean.c
  c/stepping/motion.c
  c/stepping/reaction.c
  c/stepping/simulation.c
  c/stepping/theta.c
)

# What only perp::perp has: LAPACK and the heap.
set(PERP_FULL_SOURCES
  c/linalg/lapack.c
  c/heap/heap.c
  c/heap/registry.c
)
