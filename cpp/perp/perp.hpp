// SPDX-License-Identifier: MIT
/** @file perp.hpp
 * The C++17 façade: lifetime and exceptions on top of the C interface, nothing else. Of their own:
 * perp/event_driven.hpp (events), perp/poincare.hpp, perp/sweep.hpp and perp/table.hpp. */
#ifndef PERP_CXX_PERP_HPP
#define PERP_CXX_PERP_HPP

#include "perp/body.hpp"

#include "perp/c_law.hpp"
#include "perp/c_model.hpp"
#include "perp/callable.hpp"
#include "perp/check.hpp"
#include "perp/error.hpp"
#include "perp/first_order_relation.hpp"
#include "perp/global.hpp"
#include "perp/lagrangian_relation.hpp"
#include "perp/law.hpp"
#include "perp/model.hpp"
#include "perp/nonlinear.hpp"
#include "perp/pool.hpp"
#include "perp/qp.hpp"
#include "perp/relation.hpp"
#include "perp/simulation.hpp"
#include "perp/simulation_options.hpp"
#include "perp/solver.hpp"
#include "perp/sparse.hpp"
#include "perp/system.hpp"
#include "perp/view.hpp"

#endif
