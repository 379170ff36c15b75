/* SPDX-License-Identifier: MIT */
/** @file perp.h
 * All of the stable C interface. */
#ifndef PERP_PERP_H
#define PERP_PERP_H

#include "perp/active_set.h"
#include "perp/admm.h"
#include "perp/auto.h"
#include "perp/avi.h"
#include "perp/backend.h"
#include "perp/base.h"
#include "perp/block_pivoting.h"
#include "perp/box_pivoting.h"
#include "perp/conjugate_gradient.h"
#include "perp/contact.h"
#include "perp/enumeration.h"
#include "perp/fc.h"
#include "perp/friction_interior.h"
#include "perp/friction_lemke.h"
#include "perp/friction_newton.h"
#include "perp/gauss_seidel.h"
#include "perp/global.h"
#include "perp/heap.h"
#include "perp/interior_point.h"
#include "perp/law.h"
#include "perp/lcp.h"
#include "perp/lemke.h"
#include "perp/matrix.h"
#include "perp/mcp.h"
#include "perp/model.h"
#include "perp/murty.h"
#include "perp/newton.h"
#include "perp/nsgs.h"
#include "perp/parallel.h"
#include "perp/problem.h"
#include "perp/qp.h"
#include "perp/sensitivity.h"
#include "perp/simulation.h"
#include "perp/solver.h"
#include "perp/sparse.h"
#include "perp/vi.h"

#endif
