/* SPDX-License-Identifier: MIT */
/* The layouts of the public structs and the values of the public constants, pinned: bindings and
 * programs that were compiled against an older patch version rely on them. Every change of a line
 * here is a version note; a field is only ever added at the end of a struct. C99 has no static
 * assertion, so a wrong pin is an array of negative length. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "perp/perp.h"

#define JOIN_(a, b)            a##b
#define JOIN(a, b)             JOIN_(a, b)
#define PIN(condition)         extern char JOIN(pin_, __LINE__)[(condition) ? 1 : -1]
#define SIZE(type, bytes)      PIN(sizeof(type) == (bytes))
#define AT(type, field, bytes) PIN(offsetof(type, field) == (bytes))

SIZE(perp_status, 4);

/* base.h */
PIN(PERP_OK == 0);
PIN(PERP_MAX_ITER == 1);
PIN(PERP_RAY == 2);
PIN(PERP_INACCURATE == 3);
PIN(PERP_INFEASIBLE == 4);
PIN(PERP_STOPPED == 5);
PIN(PERP_END == 6);
PIN(PERP_RETRY == 7);
PIN(PERP_UNBOUNDED == 8);
PIN(PERP_STORM == 9);
PIN(PERP_EINVAL == -1);
PIN(PERP_EWORKSPACE == -2);
PIN(PERP_ECALLBACK == -3);
PIN(PERP_EUNSUPPORTED == -4);
PIN(PERP_EBACKEND == -5);
PIN(PERP_ENOTFINITE == -6);
PIN(PERP_HOLDS_END == 0);
PIN(PERP_HOLDS_NUMBERS == 1);
PIN(PERP_HOLDS_INTEGER == 2);
PIN(PERP_HOLDS_ARRAY == 3);
PIN(PERP_HOLDS_TRIPLES == 4);
PIN(PERP_HOLDS_INDICES == 5);
PIN(PERP_HOLDS_MATRIX == 6);
PIN(PERP_HOLDS_RELATION == 7);
PIN(PERP_HOLDS_PARAMETERS == 8);
PIN(PERP_HOLDS_USER == 9);
PIN(PERP_FIXED(3) == 0x8003);

/* builder.h */
PIN(PERP_COPY_PARAMETERS == 1);

/* matrix.h */
PIN(PERP_ZERO == 0);
PIN(PERP_DIAGONAL == 1);
PIN(PERP_DENSE == 2);
PIN(PERP_BLOCKS == 3);

/* law.h */
PIN(PERP_SET_FREE == 0);
PIN(PERP_SET_ORTHANT == 1);
PIN(PERP_SET_BOX == 2);
PIN(PERP_SET_CONE == 3);
PIN(PERP_SET_ROLLING == 4);
PIN(PERP_SET_POLYHEDRON == 5);
PIN(PERP_SET_OTHER == 6);

/* solver.h */
PIN(PERP_MODE_UNKNOWN == 0);
PIN(PERP_MODE_LOWER == 1);
PIN(PERP_MODE_FREE == 2);
PIN(PERP_MODE_UPPER == 3);

/* multiple_impact.h */
PIN(PERP_STIFFNESS_MONO == 0);
PIN(PERP_STIFFNESS_BI == 1);

/* sensitivity.h */
PIN(PERP_SENSITIVITY_FIXED == 0);
PIN(PERP_SENSITIVITY_FREE == 1);
PIN(PERP_SENSITIVITY_LOWER == 2);
PIN(PERP_SENSITIVITY_UPPER == 3);

/* mcp.h */
PIN(PERP_MCP_PATH == 0);
PIN(PERP_MCP_LEMKE == 1);
PIN(PERP_MCP_JOSEPHY_NEWTON == 2);

/* joint.h */
PIN(PERP_JOINT_SPHERICAL == 0);
PIN(PERP_JOINT_PIVOT == 1);
PIN(PERP_JOINT_PRISMATIC == 2);
PIN(PERP_JOINT_CYLINDRICAL == 3);
PIN(PERP_JOINT_FIXED == 4);
PIN(PERP_JOINT_SCREW == 5);
PIN(PERP_COORDINATE_ANGLE == 0);
PIN(PERP_COORDINATE_TRANSLATION == 1);
PIN(PERP_COORDINATE_RATE == 0);
PIN(PERP_COORDINATE_EFFORT == 1);
PIN(PERP_COORDINATE_STOPS == 2);
PIN(PERP_COORDINATE_LOWER == 3);
PIN(PERP_COORDINATE_UPPER == 4);

/* newton_euler.h */
PIN(PERP_GYROSCOPIC_IMPLICIT == 0);
PIN(PERP_GYROSCOPIC_EXPLICIT == 1);
PIN(PERP_GYROSCOPIC_NONE == 2);
PIN(PERP_FRAME_BODY == 0);
PIN(PERP_FRAME_FIXED == 1);

/* pool.h */
PIN(PERP_GROUND == -1);

/* simulation.h */
PIN(PERP_FAILURE_STOP == 0);
PIN(PERP_FAILURE_RETRY == 1);
PIN(PERP_FAILURE_ACCEPT == 2);
PIN(PERP_LEVEL_FORCE == 0);
PIN(PERP_LEVEL_IMPULSE == 1);
PIN(PERP_LEVEL_POSITION == 2);

/* check.h */
PIN(PERP_FOUND_NOTHING == 0);
PIN(PERP_FOUND_SYSTEM == 1);
PIN(PERP_FOUND_RELATION == 2);

/* first_order_relation.h, lagrangian_relation.h */
PIN(PERP_OUTPUT_READS_LAMBDA == 1);
PIN(PERP_REACTION_READS_X == 2);
PIN(PERP_GAP_READS_TIME == 1);
PIN(PERP_GAP_READS_LAMBDA == 2);

/* Structs without pointers. */
SIZE(perp_residual, 144);
AT(perp_residual, struct_size, 0);
AT(perp_residual, worst, 4);
AT(perp_residual, worst_block, 8);
AT(perp_residual, reserved, 12);
AT(perp_residual, residual, 16);
AT(perp_residual, relative, 24);
AT(perp_residual, scale, 32);
AT(perp_residual, hat, 40);
AT(perp_residual, rounding, 48);
AT(perp_residual, natural_error, 56);
AT(perp_residual, componentwise, 64);
AT(perp_residual, creep, 72);
AT(perp_residual, violation, 80);

SIZE(perp_global_parts, 184);
AT(perp_global_parts, struct_size, 0);
AT(perp_global_parts, worst_row, 4);
AT(perp_global_parts, equilibrium, 8);
AT(perp_global_parts, equilibrium_relative, 16);
AT(perp_global_parts, equilibrium_hat, 24);
AT(perp_global_parts, relative, 32);
AT(perp_global_parts, contact, 40);

SIZE(perp_qp_residual, 96);
AT(perp_qp_residual, struct_size, 0);
AT(perp_qp_residual, worst, 4);
AT(perp_qp_residual, primal, 8);
AT(perp_qp_residual, dual, 16);
AT(perp_qp_residual, gap, 24);
AT(perp_qp_residual, relative_primal, 32);
AT(perp_qp_residual, relative_dual, 40);
AT(perp_qp_residual, relative_gap, 48);
AT(perp_qp_residual, primal_hat, 56);
AT(perp_qp_residual, dual_hat, 64);
AT(perp_qp_residual, primal_rounding, 72);
AT(perp_qp_residual, dual_rounding, 80);
AT(perp_qp_residual, objective, 88);

#if UINTPTR_MAX == UINT64_MAX /* the rest of other widths follows from the order of the fields */

SIZE(perp_info, 176);
AT(perp_info, struct_size, 0);
AT(perp_info, iterations, 4);
AT(perp_info, field, 8);
AT(perp_info, index, 16);
AT(perp_info, worst, 20);
AT(perp_info, value, 24);
AT(perp_info, residual, 32);
AT(perp_info, relative_residual, 40);
AT(perp_info, solver, 48);
AT(perp_info, ray, 56);
AT(perp_info, ray_size, 64);
AT(perp_info, ray_kind, 68);
AT(perp_info, worst_block, 72);
AT(perp_info, dissipates, 76);
AT(perp_info, warnings, 80);
AT(perp_info, of, 84);
AT(perp_info, violation, 88);
AT(perp_info, amplification, 152);
AT(perp_info, bound, 160);
AT(perp_info, systems, 168);

SIZE(perp_iterate, 24);
AT(perp_iterate, iteration, 0);
AT(perp_iterate, entering, 4);
AT(perp_iterate, leaving, 8);
AT(perp_iterate, merit, 16);

SIZE(perp_matrix, 56);
AT(perp_matrix, kind, 0);
AT(perp_matrix, rows, 4);
AT(perp_matrix, cols, 8);
AT(perp_matrix, ld, 12);
AT(perp_matrix, block_rows, 16);
AT(perp_matrix, reserved, 20);
AT(perp_matrix, values, 24);
AT(perp_matrix, start, 32);
AT(perp_matrix, index, 40);
AT(perp_matrix, offset, 48);

SIZE(perp_law_ops, 184);
AT(perp_law_ops, struct_size, 0);
AT(perp_law_ops, set, 4);
AT(perp_law_ops, unilateral, 8);
AT(perp_law_ops, bounded, 12);
AT(perp_law_ops, name, 16);
AT(perp_law_ops, check, 24);
AT(perp_law_ops, bounds, 32);
AT(perp_law_ops, project, 40);
AT(perp_law_ops, jacobian, 48);
AT(perp_law_ops, shift, 56);
AT(perp_law_ops, local, 64);
AT(perp_law_ops, restitute, 72);
AT(perp_law_ops, state_bytes, 80);
AT(perp_law_ops, state_init, 88);
AT(perp_law_ops, commit, 96);
AT(perp_law_ops, project_doubles, 104);
AT(perp_law_ops, project_with, 112);
AT(perp_law_ops, restitute_step, 120);
AT(perp_law_ops, preload, 128);
AT(perp_law_ops, compliance, 136);
AT(perp_law_ops, acts, 144);
AT(perp_law_ops, commit_step, 152);
AT(perp_law_ops, is_bounded, 160);
AT(perp_law_ops, local_within, 168);
AT(perp_law_ops, fields, 176);

SIZE(perp_piecewise_linear, 40);
AT(perp_piecewise_linear, struct_size, 0);
AT(perp_piecewise_linear, points, 4);
AT(perp_piecewise_linear, y, 8);
AT(perp_piecewise_linear, lambda, 16);
AT(perp_piecewise_linear, slope_before, 24);
AT(perp_piecewise_linear, slope_after, 32);

SIZE(perp_pieces, 40);
AT(perp_pieces, box, 0);
AT(perp_pieces, shift, 32);

SIZE(perp_piecewise_relation, 136);
AT(perp_piecewise_relation, relation, 0);
AT(perp_piecewise_relation, pieces, 24);
AT(perp_piecewise_relation, inner, 64);
AT(perp_piecewise_relation, graph, 72);
AT(perp_piecewise_relation, compliance, 80);
AT(perp_piecewise_relation, reference, 88);
AT(perp_piecewise_relation, H, 96);
AT(perp_piecewise_relation, B, 104);
AT(perp_piecewise_relation, D, 112);
AT(perp_piecewise_relation, F, 120);
AT(perp_piecewise_relation, b, 128);

SIZE(perp_law_verdict, 56);
AT(perp_law_verdict, struct_size, 0);
AT(perp_law_verdict, worst, 4);
AT(perp_law_verdict, state, 8);
AT(perp_law_verdict, lambda, 16);
AT(perp_law_verdict, y, 24);
AT(perp_law_verdict, work, 32);
AT(perp_law_verdict, angle, 40);
AT(perp_law_verdict, relative, 48);

SIZE(perp_mixed, 24);
AT(perp_mixed, law, 0);
AT(perp_mixed, equalities, 16);
AT(perp_mixed, reserved, 20);

SIZE(perp_compliant, 40);
AT(perp_compliant, law, 0);
AT(perp_compliant, k, 16);
AT(perp_compliant, c, 24);
AT(perp_compliant, theta, 32);

SIZE(perp_fremond, 40);
AT(perp_fremond, friction, 0);

SIZE(perp_cohesive, 72);
AT(perp_cohesive, friction, 0);
AT(perp_cohesive, sigma_c, 40);
AT(perp_cohesive, G_c, 48);
AT(perp_cohesive, area, 56);
AT(perp_cohesive, slip_weight, 64);

SIZE(perp_cohesive_state, 24);
AT(perp_cohesive_state, beta, 0);
AT(perp_cohesive_state, slip, 8);

SIZE(perp_user_impact, 56);
AT(perp_user_impact, friction, 0);
AT(perp_user_impact, restitute, 40);
AT(perp_user_impact, user, 48);

SIZE(perp_law_step, 40);
AT(perp_law_step, t, 0);
AT(perp_law_step, h, 8);
AT(perp_law_step, y, 16);
AT(perp_law_step, ydot, 24);
AT(perp_law_step, lambda, 32);

SIZE(perp_law, 16);
AT(perp_law, ops, 0);
AT(perp_law, struct_size, 8);
AT(perp_law, size, 12);

SIZE(perp_equality, 16);
AT(perp_equality, law, 0);

SIZE(perp_complementarity, 16);
AT(perp_complementarity, law, 0);

SIZE(perp_newton_impact, 24);
AT(perp_newton_impact, law, 0);
AT(perp_newton_impact, e, 16);

SIZE(perp_box, 32);
AT(perp_box, law, 0);
AT(perp_box, lower, 16);
AT(perp_box, upper, 24);

SIZE(perp_problem, 120);
AT(perp_problem, struct_size, 0);
AT(perp_problem, n, 4);
AT(perp_problem, n_blocks, 8);
AT(perp_problem, reserved, 12);
AT(perp_problem, M, 16);
AT(perp_problem, q, 72);
AT(perp_problem, laws, 80);
AT(perp_problem, offset, 88);
AT(perp_problem, states, 96);
AT(perp_problem, weight, 104);
AT(perp_problem, floor, 112);

/* newton_euler.h */
SIZE(perp_body, 240);
AT(perp_body, mass, 16);
AT(perp_body, inertia, 24);
AT(perp_body, f, 96);
AT(perp_body, force, 120);
AT(perp_body, torque, 128);
AT(perp_body, force_jacobian, 136);
AT(perp_body, torque_jacobian, 144);
AT(perp_body, user, 152);
AT(perp_body, torque_frame, 160);
AT(perp_body, gyroscopic, 164);
AT(perp_body, control, 168);
AT(perp_body, z, 224);
AT(perp_body, n_z, 232);
AT(perp_body, reserved, 236);
SIZE(perp_contact_place, 128);
AT(perp_contact_place, gap, 0);
AT(perp_contact_place, normal, 8);
AT(perp_contact_place, tangent, 32);
AT(perp_contact_place, a, 56);
AT(perp_contact_place, b, 80);
AT(perp_contact_place, velocity, 104);
SIZE(perp_body_contact, 40);
AT(perp_body_contact, locate, 24);
AT(perp_body_contact, user, 32);
SIZE(perp_sphere_plane, 40);
SIZE(perp_sphere_sphere, 16);
SIZE(perp_point_plane, 56);

/* joint.h */
SIZE(perp_joint, 232);
AT(perp_joint, kind, 24);
AT(perp_joint, point_a, 32);
AT(perp_joint, point_b, 56);
AT(perp_joint, frame_a, 80);
AT(perp_joint, frame_b, 152);
AT(perp_joint, lead, 224);
SIZE(perp_joint_coordinate, 80);
AT(perp_joint_coordinate, joint, 24);
AT(perp_joint_coordinate, coordinate, 32);
AT(perp_joint_coordinate, use, 36);
AT(perp_joint_coordinate, lower, 40);
AT(perp_joint_coordinate, upper, 48);
AT(perp_joint_coordinate, centre, 56);
AT(perp_joint_coordinate, rate, 64);
AT(perp_joint_coordinate, user, 72);
SIZE(perp_gear, 320);
AT(perp_gear, teeth_a, 24);
AT(perp_gear, teeth_b, 28);
AT(perp_gear, frame_a, 32);
AT(perp_gear, frame_b, 104);
AT(perp_gear, carrier_a, 176);
AT(perp_gear, carrier_b, 248);

/* friction_lemke.h */
SIZE(perp_solver_options, 40);
AT(perp_solver_options, struct_size, 0);
AT(perp_solver_options, max_iter, 4);
AT(perp_solver_options, tol, 8);
AT(perp_solver_options, observe, 16);
AT(perp_solver_options, user, 24);
AT(perp_solver_options, budget, 32);

/* global.h */
PIN(PERP_GLOBAL_CONDENSED == 1);
PIN(PERP_GLOBAL_FULL == 2);
SIZE(perp_global_problem, 184);
AT(perp_global_problem, struct_size, 0);
AT(perp_global_problem, m, 4);
AT(perp_global_problem, n, 8);
AT(perp_global_problem, n_blocks, 12);
AT(perp_global_problem, M, 16);
AT(perp_global_problem, H, 72);
AT(perp_global_problem, q, 128);
AT(perp_global_problem, b, 136);
AT(perp_global_problem, laws, 144);
AT(perp_global_problem, offset, 152);
AT(perp_global_problem, states, 160);
AT(perp_global_problem, weight, 168);
AT(perp_global_problem, floor, 176);
SIZE(perp_global_options, 64);
AT(perp_global_options, struct_size, 0);
AT(perp_global_options, max_iter, 4);
AT(perp_global_options, tol, 8);
AT(perp_global_options, observe, 16);
AT(perp_global_options, user, 24);
AT(perp_global_options, budget, 32);
AT(perp_global_options, solver, 40);
AT(perp_global_options, solver_options, 48);
AT(perp_global_options, sparse, 56);

SIZE(perp_polyhedron, 80);
AT(perp_polyhedron, law, 0);
AT(perp_polyhedron, H, 16);
AT(perp_polyhedron, K, 72);

SIZE(perp_friction, 40);
AT(perp_friction, law, 0);
AT(perp_friction, mu, 16);
AT(perp_friction, e_n, 24);
AT(perp_friction, e_t, 32);

SIZE(perp_rolling, 48);
AT(perp_rolling, law, 0);
AT(perp_rolling, mu, 16);
AT(perp_rolling, mu_rolling, 24);
AT(perp_rolling, e_n, 32);
AT(perp_rolling, e_t, 40);

SIZE(perp_avi_pivoting_options, 56);
AT(perp_avi_pivoting_options, struct_size, 0);
AT(perp_avi_pivoting_options, max_iter, 4);
AT(perp_avi_pivoting_options, tol, 8);
AT(perp_avi_pivoting_options, observe, 16);
AT(perp_avi_pivoting_options, user, 24);
AT(perp_avi_pivoting_options, budget, 32);
AT(perp_avi_pivoting_options, kind, 40);
AT(perp_avi_pivoting_options, engine, 48);

SIZE(perp_avi, 48);
AT(perp_avi, n, 0);
AT(perp_avi, ldM, 4);
AT(perp_avi, M, 8);
AT(perp_avi, q, 16);
AT(perp_avi, m, 24);
AT(perp_avi, ldH, 28);
AT(perp_avi, H, 32);
AT(perp_avi, K, 40);

SIZE(perp_qp, 160);
AT(perp_qp, n, 0);
AT(perp_qp, m, 4);
AT(perp_qp, P, 8);
AT(perp_qp, A, 64);
AT(perp_qp, c, 120);
AT(perp_qp, row_lower, 128);
AT(perp_qp, row_upper, 136);
AT(perp_qp, lower, 144);
AT(perp_qp, upper, 152);

SIZE(perp_shape, 56);
AT(perp_shape, n, 0);
AT(perp_shape, n_blocks, 4);
AT(perp_shape, sets, 8);
AT(perp_shape, matrix, 12);
AT(perp_shape, nonzeros, 16);
AT(perp_shape, envelope, 24);
AT(perp_shape, projection, 32);
AT(perp_shape, constraints, 40);
AT(perp_shape, contacts, 48);
AT(perp_shape, largest, 52);

SIZE(perp_warm, 24);
AT(perp_warm, data, 0);
AT(perp_warm, bytes, 8);
AT(perp_warm, stamp, 16);
AT(perp_warm, reserved, 20);

SIZE(perp_solver, 80);
AT(perp_solver, struct_size, 0);
AT(perp_solver, sets, 4);
AT(perp_solver, matrices, 8);
AT(perp_solver, assumes, 12);
AT(perp_solver, name, 16);
AT(perp_solver, defaults, 24);
AT(perp_solver, check, 32);
AT(perp_solver, workspace, 40);
AT(perp_solver, warm_bytes, 48);
AT(perp_solver, solve, 56);
AT(perp_solver, method, 64);
AT(perp_solver, max_n, 72);
AT(perp_solver, reserved, 76);

SIZE(perp_lcp, 24);
AT(perp_lcp, n, 0);
AT(perp_lcp, ld, 4);
AT(perp_lcp, M, 8);
AT(perp_lcp, q, 16);

SIZE(perp_lemke_options, 56);
AT(perp_lemke_options, struct_size, 0);
AT(perp_lemke_options, max_iter, 4);
AT(perp_lemke_options, tol, 8);
AT(perp_lemke_options, observe, 16);
AT(perp_lemke_options, user, 24);
AT(perp_lemke_options, budget, 32);
AT(perp_lemke_options, kind, 40);
AT(perp_lemke_options, covering, 48);

SIZE(perp_friction_interior_options, 64);
AT(perp_friction_interior_options, struct_size, 0);
AT(perp_friction_interior_options, max_iter, 4);
AT(perp_friction_interior_options, tol, 8);
AT(perp_friction_interior_options, observe, 16);
AT(perp_friction_interior_options, user, 24);
AT(perp_friction_interior_options, budget, 32);
AT(perp_friction_interior_options, kind, 40);
AT(perp_friction_interior_options, coupling, 48);
AT(perp_friction_interior_options, crossover, 52);
AT(perp_friction_interior_options, sparse, 56);
SIZE(perp_interior_point_options, 64);
AT(perp_interior_point_options, struct_size, 0);
AT(perp_interior_point_options, max_iter, 4);
AT(perp_interior_point_options, tol, 8);
AT(perp_interior_point_options, observe, 16);
AT(perp_interior_point_options, user, 24);
AT(perp_interior_point_options, budget, 32);
AT(perp_interior_point_options, kind, 40);
AT(perp_interior_point_options, correctors, 48);
AT(perp_interior_point_options, crossover, 52);
AT(perp_interior_point_options, sparse, 56);

SIZE(perp_newton_options, 56);
AT(perp_newton_options, struct_size, 0);
AT(perp_newton_options, max_iter, 4);
AT(perp_newton_options, tol, 8);
AT(perp_newton_options, observe, 16);
AT(perp_newton_options, user, 24);
AT(perp_newton_options, budget, 32);
AT(perp_newton_options, kind, 40);
AT(perp_newton_options, history, 48);
AT(perp_newton_options, restarts, 52);

SIZE(perp_friction_newton_options, 80);
AT(perp_friction_newton_options, struct_size, 0);
AT(perp_friction_newton_options, max_iter, 4);
AT(perp_friction_newton_options, tol, 8);
AT(perp_friction_newton_options, observe, 16);
AT(perp_friction_newton_options, user, 24);
AT(perp_friction_newton_options, budget, 32);
AT(perp_friction_newton_options, kind, 40);
AT(perp_friction_newton_options, function, 48);
AT(perp_friction_newton_options, search, 52);
AT(perp_friction_newton_options, history, 56);
AT(perp_friction_newton_options, sweeps, 60);
AT(perp_friction_newton_options, proximal, 64);
AT(perp_friction_newton_options, sparse, 72);
PIN(PERP_FRICTION_NATURAL == 0);
PIN(PERP_FRICTION_ALART_CURNIER == 1);
PIN(PERP_FRICTION_JEAN_MOREAU == 2);
PIN(PERP_SEARCH_WATCHDOG == 0);
PIN(PERP_SEARCH_NONMONOTONE == 1);
PIN(PERP_SEARCH_GOLDSTEIN_PRICE == 2);
PIN(PERP_SEARCH_NONE == 3);

SIZE(perp_auto_options, 56);
AT(perp_auto_options, struct_size, 0);
AT(perp_auto_options, max_iter, 4);
AT(perp_auto_options, tol, 8);
AT(perp_auto_options, observe, 16);
AT(perp_auto_options, user, 24);
AT(perp_auto_options, kind, 40);
AT(perp_auto_options, budget, 32);
AT(perp_auto_options, allocate, 48);
AT(perp_auto_options, reserved, 52);

SIZE(perp_active_set_options, 56);
AT(perp_active_set_options, struct_size, 0);
AT(perp_active_set_options, max_iter, 4);
AT(perp_active_set_options, tol, 8);
AT(perp_active_set_options, observe, 16);
AT(perp_active_set_options, user, 24);
AT(perp_active_set_options, budget, 32);
AT(perp_active_set_options, kind, 40);
AT(perp_active_set_options, proximal, 48);

SIZE(perp_cpg_options, 56);
AT(perp_cpg_options, struct_size, 0);
AT(perp_cpg_options, max_iter, 4);
AT(perp_cpg_options, tol, 8);
AT(perp_cpg_options, observe, 16);
AT(perp_cpg_options, user, 24);
AT(perp_cpg_options, budget, 32);
AT(perp_cpg_options, kind, 40);
AT(perp_cpg_options, proportion, 48);

SIZE(perp_fc, 40);
AT(perp_fc, contacts, 0);
AT(perp_fc, dim, 4);
AT(perp_fc, ld, 8);
AT(perp_fc, W, 16);
AT(perp_fc, q, 24);
AT(perp_fc, mu, 32);

SIZE(perp_nsgs_options, 104);
AT(perp_nsgs_options, struct_size, 0);
AT(perp_nsgs_options, max_iter, 4);
AT(perp_nsgs_options, tol, 8);
AT(perp_nsgs_options, observe, 16);
AT(perp_nsgs_options, user, 24);
AT(perp_nsgs_options, budget, 32);
AT(perp_nsgs_options, kind, 40);
AT(perp_nsgs_options, omega, 48);
AT(perp_nsgs_options, regularisation, 56);
AT(perp_nsgs_options, order, 64);
AT(perp_nsgs_options, acceleration, 68);
AT(perp_nsgs_options, depth, 72);
AT(perp_nsgs_options, freeze, 76);
AT(perp_nsgs_options, check, 80);
AT(perp_nsgs_options, colours, 84);
AT(perp_nsgs_options, parallel, 88);
AT(perp_nsgs_options, parallel_user, 96);
SIZE(perp_admm_options, 88);
AT(perp_admm_options, struct_size, 0);
AT(perp_admm_options, max_iter, 4);
AT(perp_admm_options, tol, 8);
AT(perp_admm_options, observe, 16);
AT(perp_admm_options, user, 24);
AT(perp_admm_options, budget, 32);
AT(perp_admm_options, kind, 40);
AT(perp_admm_options, rho, 48);
AT(perp_admm_options, relaxation, 56);
AT(perp_admm_options, memory, 64);
AT(perp_admm_options, updates, 68);
AT(perp_admm_options, outer, 72);
AT(perp_admm_options, reserved, 76);
AT(perp_admm_options, sparse, 80);

SIZE(perp_pgs_options, 72);
AT(perp_pgs_options, struct_size, 0);
AT(perp_pgs_options, max_iter, 4);
AT(perp_pgs_options, tol, 8);
AT(perp_pgs_options, observe, 16);
AT(perp_pgs_options, user, 24);
AT(perp_pgs_options, budget, 32);
AT(perp_pgs_options, kind, 40);
AT(perp_pgs_options, omega, 48);
AT(perp_pgs_options, regularisation, 56);
AT(perp_pgs_options, symmetric, 64);
AT(perp_pgs_options, check, 68);
SIZE(perp_box_pivoting_options, 64);
AT(perp_box_pivoting_options, struct_size, 0);
AT(perp_box_pivoting_options, max_iter, 4);
AT(perp_box_pivoting_options, tol, 8);
AT(perp_box_pivoting_options, observe, 16);
AT(perp_box_pivoting_options, user, 24);
AT(perp_box_pivoting_options, budget, 32);
AT(perp_box_pivoting_options, kind, 40);
AT(perp_box_pivoting_options, covering, 48);
AT(perp_box_pivoting_options, proximal, 56);
SIZE(perp_block_pivoting_options, 64);
AT(perp_block_pivoting_options, struct_size, 0);
AT(perp_block_pivoting_options, max_iter, 4);
AT(perp_block_pivoting_options, tol, 8);
AT(perp_block_pivoting_options, observe, 16);
AT(perp_block_pivoting_options, user, 24);
AT(perp_block_pivoting_options, budget, 32);
AT(perp_block_pivoting_options, kind, 40);
AT(perp_block_pivoting_options, proximal, 48);
AT(perp_block_pivoting_options, patience, 56);
AT(perp_block_pivoting_options, reserved, 60);

SIZE(perp_enumeration_report, 20);
AT(perp_enumeration_report, struct_size, 0);
AT(perp_enumeration_report, solutions, 4);
AT(perp_enumeration_report, nodes, 8);
AT(perp_enumeration_report, complete, 12);
AT(perp_enumeration_report, faces, 16);

SIZE(perp_sensitivity_options, 16);
AT(perp_sensitivity_options, struct_size, 0);
AT(perp_sensitivity_options, reserved, 4);
AT(perp_sensitivity_options, tol, 8);

SIZE(perp_sensitivity, 32);
AT(perp_sensitivity, n, 0);
AT(perp_sensitivity, n_free, 4);
AT(perp_sensitivity, n_degenerate, 8);
AT(perp_sensitivity, reserved, 12);
AT(perp_sensitivity, state, 16);
AT(perp_sensitivity, data, 24);

SIZE(perp_multiple_impact_options, 48);
AT(perp_multiple_impact_options, struct_size, 0);
AT(perp_multiple_impact_options, compliance, 4);
AT(perp_multiple_impact_options, exponent, 8);
AT(perp_multiple_impact_options, step, 16);
AT(perp_multiple_impact_options, tol, 24);
AT(perp_multiple_impact_options, max_steps, 32);
AT(perp_multiple_impact_options, reserved, 36);
AT(perp_multiple_impact_options, stiffness, 40);

SIZE(perp_vi, 32);
AT(perp_vi, n, 0);
AT(perp_vi, reserved, 4);
AT(perp_vi, function, 8);
AT(perp_vi, project, 16);
AT(perp_vi, user, 24);

SIZE(perp_vi_options, 80);
AT(perp_vi_options, struct_size, 0);
AT(perp_vi_options, max_iter, 4);
AT(perp_vi_options, tol, 8);
AT(perp_vi_options, observe, 16);
AT(perp_vi_options, user, 24);
AT(perp_vi_options, budget, 32);
AT(perp_vi_options, kind, 40);
AT(perp_vi_options, step, 48);
AT(perp_vi_options, ratio, 56);
AT(perp_vi_options, shrink, 64);
AT(perp_vi_options, grow, 72);

SIZE(perp_mcp, 104);
AT(perp_mcp, n, 0);
AT(perp_mcp, reserved, 4);
AT(perp_mcp, function, 8);
AT(perp_mcp, jacobian, 16);
AT(perp_mcp, layout, 24);
AT(perp_mcp, lower, 80);
AT(perp_mcp, upper, 88);
AT(perp_mcp, user, 96);

SIZE(perp_mcp_options, 72);
AT(perp_mcp_options, struct_size, 0);
AT(perp_mcp_options, max_iter, 4);
AT(perp_mcp_options, tol, 8);
AT(perp_mcp_options, observe, 16);
AT(perp_mcp_options, user, 24);
AT(perp_mcp_options, budget, 32);
AT(perp_mcp_options, mode, 40);
AT(perp_mcp_options, max_pivots, 44);
AT(perp_mcp_options, crash, 48);
AT(perp_mcp_options, restarts, 52);
AT(perp_mcp_options, memory, 56);
AT(perp_mcp_options, watchdog, 60);
AT(perp_mcp_options, decrease, 64);

SIZE(perp_backend, 40);
AT(perp_backend, struct_size, 0);
AT(perp_backend, reserved, 4);
AT(perp_backend, name, 8);
AT(perp_backend, lu_factor, 16);
AT(perp_backend, lu_solve, 24);
AT(perp_backend, multiply_add, 32);

SIZE(perp_sparse, 64);
AT(perp_sparse, struct_size, 0);
AT(perp_sparse, symmetric, 4);
AT(perp_sparse, name, 8);
AT(perp_sparse, factor, 16);
AT(perp_sparse, solve, 24);
AT(perp_sparse, release, 32);
AT(perp_sparse, solve_product, 40);
AT(perp_sparse, analyse, 48);
AT(perp_sparse, room, 56);

SIZE(perp_system, 16);
AT(perp_system, ops, 0);
AT(perp_system, struct_size, 8);
AT(perp_system, n, 12);

SIZE(perp_harmonic, 24);
AT(perp_harmonic, amplitude, 0);
AT(perp_harmonic, omega, 8);
AT(perp_harmonic, phase, 16);

SIZE(perp_prescribed_velocity, 72);
AT(perp_prescribed_velocity, relation, 0);
AT(perp_prescribed_velocity, index, 24);
AT(perp_prescribed_velocity, constant, 32);
AT(perp_prescribed_velocity, harmonics, 40);
AT(perp_prescribed_velocity, velocity, 48);
AT(perp_prescribed_velocity, user, 56);
AT(perp_prescribed_velocity, n_harmonics, 64);
AT(perp_prescribed_velocity, reserved, 68);

SIZE(perp_control, 56);
AT(perp_control, n_u, 0);
AT(perp_control, reserved, 4);
AT(perp_control, T, 8);
AT(perp_control, effect, 16);
AT(perp_control, u, 24);
AT(perp_control, u_dq, 32);
AT(perp_control, u_dv, 40);
AT(perp_control, user, 48);

SIZE(perp_lagrangian_linear, 296);
AT(perp_lagrangian_linear, system, 0);
AT(perp_lagrangian_linear, M, 16);
AT(perp_lagrangian_linear, C, 72);
AT(perp_lagrangian_linear, K, 128);
AT(perp_lagrangian_linear, f, 184);
AT(perp_lagrangian_linear, force, 192);
AT(perp_lagrangian_linear, user, 200);
AT(perp_lagrangian_linear, control, 208);
AT(perp_lagrangian_linear, z, 264);
AT(perp_lagrangian_linear, typical_q, 272);
AT(perp_lagrangian_linear, typical_v, 280);
AT(perp_lagrangian_linear, n_z, 288);
AT(perp_lagrangian_linear, reserved, 292);

SIZE(perp_first_order_linear, 240);
AT(perp_first_order_linear, system, 0);
AT(perp_first_order_linear, M, 16);
AT(perp_first_order_linear, A, 72);
AT(perp_first_order_linear, b, 128);
AT(perp_first_order_linear, input, 136);
AT(perp_first_order_linear, user, 144);
AT(perp_first_order_linear, state_matrix, 152);
AT(perp_first_order_linear, control, 160);
AT(perp_first_order_linear, z, 216);
AT(perp_first_order_linear, typical, 224);
AT(perp_first_order_linear, n_z, 232);
AT(perp_first_order_linear, reserved, 236);

SIZE(perp_first_order, 176);
AT(perp_first_order, system, 0);
AT(perp_first_order, M, 16);
AT(perp_first_order, f, 72);
AT(perp_first_order, f_dx, 80);
AT(perp_first_order, user, 88);
AT(perp_first_order, control, 96);
AT(perp_first_order, z, 152);
AT(perp_first_order, typical, 160);
AT(perp_first_order, n_z, 168);
AT(perp_first_order, reserved, 172);

SIZE(perp_lagrangian, 248);
AT(perp_lagrangian, system, 0);
AT(perp_lagrangian, M, 16);
AT(perp_lagrangian, mass, 72);
AT(perp_lagrangian, gyroscopic, 80);
AT(perp_lagrangian, gyroscopic_dq, 88);
AT(perp_lagrangian, gyroscopic_dv, 96);
AT(perp_lagrangian, internal, 104);
AT(perp_lagrangian, internal_dq, 112);
AT(perp_lagrangian, internal_dv, 120);
AT(perp_lagrangian, external, 128);
AT(perp_lagrangian, potential, 136);
AT(perp_lagrangian, user, 144);
AT(perp_lagrangian, f, 152);
AT(perp_lagrangian, control, 160);
AT(perp_lagrangian, z, 216);
AT(perp_lagrangian, typical_q, 224);
AT(perp_lagrangian, typical_v, 232);
AT(perp_lagrangian, n_z, 240);
AT(perp_lagrangian, reserved, 244);

SIZE(perp_relation, 24);
AT(perp_relation, ops, 0);
AT(perp_relation, struct_size, 8);
AT(perp_relation, m, 12);
AT(perp_relation, n, 16);
AT(perp_relation, reserved, 20);

SIZE(perp_linear_relation, 88);
AT(perp_linear_relation, relation, 0);
AT(perp_linear_relation, C, 24);
AT(perp_linear_relation, D, 32);
AT(perp_linear_relation, B, 40);
AT(perp_linear_relation, F, 48);
AT(perp_linear_relation, e, 56);
AT(perp_linear_relation, a, 64);
AT(perp_linear_relation, z, 72);
AT(perp_linear_relation, n_z, 80);
AT(perp_linear_relation, reserved, 84);

SIZE(perp_lagrangian_linear_relation, 128);
AT(perp_lagrangian_linear_relation, relation, 0);
AT(perp_lagrangian_linear_relation, H, 24);
AT(perp_lagrangian_linear_relation, D, 32);
AT(perp_lagrangian_linear_relation, F, 40);
AT(perp_lagrangian_linear_relation, b, 48);
AT(perp_lagrangian_linear_relation, z, 56);
AT(perp_lagrangian_linear_relation, n_z, 64);
AT(perp_lagrangian_linear_relation, reserved, 68);
AT(perp_lagrangian_linear_relation, H_rows, 72);

SIZE(perp_first_order_relation, 120);
AT(perp_first_order_relation, relation, 0);
AT(perp_first_order_relation, h, 24);
AT(perp_first_order_relation, g, 32);
AT(perp_first_order_relation, C, 40);
AT(perp_first_order_relation, D, 48);
AT(perp_first_order_relation, B, 56);
AT(perp_first_order_relation, K, 64);
AT(perp_first_order_relation, user, 72);
AT(perp_first_order_relation, z, 80);
AT(perp_first_order_relation, n_z, 88);
AT(perp_first_order_relation, reads, 92);
AT(perp_first_order_relation, typical_x, 96);
AT(perp_first_order_relation, typical_lambda, 104);
AT(perp_first_order_relation, h_dt, 112);

SIZE(perp_linear_varying_relation, 144);
AT(perp_linear_varying_relation, linear, 0);
AT(perp_linear_varying_relation, C, 88);
AT(perp_linear_varying_relation, D, 96);
AT(perp_linear_varying_relation, B, 104);
AT(perp_linear_varying_relation, F, 112);
AT(perp_linear_varying_relation, e, 120);
AT(perp_linear_varying_relation, a, 128);
AT(perp_linear_varying_relation, user, 136);

SIZE(perp_lagrangian_relation, 112);
AT(perp_lagrangian_relation, relation, 0);
AT(perp_lagrangian_relation, h, 24);
AT(perp_lagrangian_relation, H, 32);
AT(perp_lagrangian_relation, h_dt, 40);
AT(perp_lagrangian_relation, D, 48);
AT(perp_lagrangian_relation, user, 56);
AT(perp_lagrangian_relation, z, 64);
AT(perp_lagrangian_relation, n_z, 72);
AT(perp_lagrangian_relation, reads, 76);
AT(perp_lagrangian_relation, typical_q, 80);
AT(perp_lagrangian_relation, typical_lambda, 88);
AT(perp_lagrangian_relation, bodies, 96);
AT(perp_lagrangian_relation, reserved, 100);
AT(perp_lagrangian_relation, bias, 104);

SIZE(perp_lagrangian_velocity_relation, 80);
AT(perp_lagrangian_velocity_relation, relation, 0);
AT(perp_lagrangian_velocity_relation, g, 24);
AT(perp_lagrangian_velocity_relation, H, 32);
AT(perp_lagrangian_velocity_relation, user, 40);
AT(perp_lagrangian_velocity_relation, z, 48);
AT(perp_lagrangian_velocity_relation, n_z, 56);
AT(perp_lagrangian_velocity_relation, bodies, 60);
AT(perp_lagrangian_velocity_relation, typical_v, 64);
AT(perp_lagrangian_velocity_relation, bias, 72);

SIZE(perp_lagrangian_contact_relation, 112);
AT(perp_lagrangian_contact_relation, relation, 0);
AT(perp_lagrangian_contact_relation, h, 24);
AT(perp_lagrangian_contact_relation, G, 32);
AT(perp_lagrangian_contact_relation, T, 40);
AT(perp_lagrangian_contact_relation, h_dt, 48);
AT(perp_lagrangian_contact_relation, s, 56);
AT(perp_lagrangian_contact_relation, user, 64);
AT(perp_lagrangian_contact_relation, z, 72);
AT(perp_lagrangian_contact_relation, n_z, 80);
AT(perp_lagrangian_contact_relation, size, 84);
AT(perp_lagrangian_contact_relation, typical_q, 88);
AT(perp_lagrangian_contact_relation, bodies, 96);
AT(perp_lagrangian_contact_relation, reserved, 100);
AT(perp_lagrangian_contact_relation, bias, 104);

/* check.h */
SIZE(perp_derivative_report, 64);
AT(perp_derivative_report, struct_size, 0);
AT(perp_derivative_report, compared, 4);
AT(perp_derivative_report, wrong, 8);
AT(perp_derivative_report, found, 12);
AT(perp_derivative_report, index, 16);
AT(perp_derivative_report, row, 20);
AT(perp_derivative_report, column, 24);
AT(perp_derivative_report, overrun, 28);
AT(perp_derivative_report, jacobian, 32);
AT(perp_derivative_report, given, 40);
AT(perp_derivative_report, expected, 48);
AT(perp_derivative_report, error, 56);

SIZE(perp_interaction, 32);
AT(perp_interaction, relation, 0);
AT(perp_interaction, law, 8);
AT(perp_interaction, systems, 16);
AT(perp_interaction, n_systems, 24);
AT(perp_interaction, reserved, 28);

SIZE(perp_model, 64);
AT(perp_model, struct_size, 0);
AT(perp_model, n_systems, 4);
AT(perp_model, n_interactions, 8);
AT(perp_model, reserved, 12);
AT(perp_model, systems, 16);
AT(perp_model, interactions, 24);
AT(perp_model, q0, 32);
AT(perp_model, v0, 40);
AT(perp_model, x0, 48);
AT(perp_model, pool, 56);

SIZE(perp_simulation_options, 264);
AT(perp_simulation_options, struct_size, 0);
AT(perp_simulation_options, steps, 4);
AT(perp_simulation_options, t0, 8);
AT(perp_simulation_options, h, 16);
AT(perp_simulation_options, grid, 24);
AT(perp_simulation_options, theta, 32);
AT(perp_simulation_options, thetas, 40);
AT(perp_simulation_options, gamma, 48);
AT(perp_simulation_options, min_gap, 56);
AT(perp_simulation_options, integrator, 64);
AT(perp_simulation_options, integrators, 72);
AT(perp_simulation_options, solver, 80);
AT(perp_simulation_options, solver_options, 88);
AT(perp_simulation_options, backend, 96);
AT(perp_simulation_options, on_failure, 104);
AT(perp_simulation_options, max_halvings, 108);
AT(perp_simulation_options, newton_stop, 112);
AT(perp_simulation_options, newton_start, 116);
AT(perp_simulation_options, newton_max, 120);
AT(perp_simulation_options, newton_halvings, 124);
AT(perp_simulation_options, newton_tol, 128);
AT(perp_simulation_options, reaction_gamma, 136);
AT(perp_simulation_options, projection, 144);
AT(perp_simulation_options, projection_max, 148);
AT(perp_simulation_options, projection_tol, 152);
AT(perp_simulation_options, projection_tol_unilateral, 160);
AT(perp_simulation_options, gap_tol, 168);
AT(perp_simulation_options, switchable, 176);
AT(perp_simulation_options, sparse, 184);
AT(perp_simulation_options, equality_tol, 192);
AT(perp_simulation_options, global, 200);
AT(perp_simulation_options, formulation, 208);
AT(perp_simulation_options, reserved, 212);
AT(perp_simulation_options, accept_tol, 216);
AT(perp_simulation_options, speed_tol, 224);
AT(perp_simulation_options, parallel, 232);
AT(perp_simulation_options, parallel_user, 240);
AT(perp_simulation_options, sleep_energy, 248);
AT(perp_simulation_options, sleep_time, 256);
SIZE(perp_step_solver, 40);
AT(perp_step_solver, struct_size, 0);
AT(perp_step_solver, name, 8);
AT(perp_step_solver, suits, 16);
AT(perp_step_solver, solve, 24);
AT(perp_step_solver, release, 32);

SIZE(perp_contact_view, 232);
AT(perp_contact_view, interaction, 0);
AT(perp_contact_view, copy, 4);
AT(perp_contact_view, systems, 8);
AT(perp_contact_view, identity, 16);
AT(perp_contact_view, law, 24);
AT(perp_contact_view, rows, 28);
AT(perp_contact_view, located, 32);
AT(perp_contact_view, gap, 40);
AT(perp_contact_view, ydot, 48);
AT(perp_contact_view, lambda, 56);
AT(perp_contact_view, point, 64);
AT(perp_contact_view, frame, 88);
AT(perp_contact_view, impulse, 160);
AT(perp_contact_view, force, 184);
AT(perp_contact_view, couple, 208);

SIZE(perp_pool_contact, 152);
AT(perp_pool_contact, systems, 0);
AT(perp_pool_contact, law, 8);
AT(perp_pool_contact, identity, 16);
AT(perp_pool_contact, place, 24);

SIZE(perp_field, 8);
AT(perp_field, offset, 0);
AT(perp_field, holds, 2);
AT(perp_field, rows, 4);
AT(perp_field, columns, 6);
SIZE(perp_owner, 56);
AT(perp_owner, struct_size, 0);
AT(perp_owner, flags, 4);
AT(perp_owner, user, 8);
AT(perp_owner, destroy, 16);
AT(perp_owner, key, 24);
AT(perp_owner, key_bytes, 32);
AT(perp_owner, kept, 40);
AT(perp_owner, n_kept, 48);

SIZE(perp_contact_pool, 48);
AT(perp_contact_pool, struct_size, 0);
AT(perp_contact_pool, capacity, 4);
AT(perp_contact_pool, max_per_system, 8);
AT(perp_contact_pool, plane, 12);
AT(perp_contact_pool, n_laws, 16);
AT(perp_contact_pool, laws, 24);
AT(perp_contact_pool, find, 32);
AT(perp_contact_pool, user, 40);

PIN(PERP_OTHER_GRID == 1);
SIZE(perp_report, 128);
AT(perp_report, struct_size, 0);
AT(perp_report, max_active, 4);
AT(perp_report, steps, 8);
AT(perp_report, active, 16);
AT(perp_report, impacts, 24);
AT(perp_report, solver_iterations, 32);
AT(perp_report, failures, 40);
AT(perp_report, retries, 48);
AT(perp_report, accepted, 56);
AT(perp_report, relaxed, 64);
AT(perp_report, penetration, 72);
AT(perp_report, residual, 80);
AT(perp_report, newton, 88);
AT(perp_report, dropped, 96);
AT(perp_report, left_out, 104);
AT(perp_report, speed_residual, 112);
AT(perp_report, asleep, 120);

/* event_driven.h */
SIZE(perp_event_state, 48);
AT(perp_event_state, t, 0);
AT(perp_event_state, q, 8);
AT(perp_event_state, v, 16);
AT(perp_event_state, x, 24);
AT(perp_event_state, n_q, 32);
AT(perp_event_state, n_v, 36);
AT(perp_event_state, n_x, 40);
AT(perp_event_state, reserved, 44);
SIZE(perp_guard, 32);
AT(perp_guard, value, 0);
AT(perp_guard, reset, 8);
AT(perp_guard, user, 16);
AT(perp_guard, direction, 24);
AT(perp_guard, reserved, 28);
SIZE(perp_schedule, 48);
AT(perp_schedule, times, 0);
AT(perp_schedule, n_times, 8);
AT(perp_schedule, reserved, 12);
AT(perp_schedule, first, 16);
AT(perp_schedule, period, 24);
AT(perp_schedule, reset, 32);
AT(perp_schedule, user, 40);
SIZE(perp_event_options, 184);
AT(perp_event_options, struct_size, 0);
AT(perp_event_options, order, 4);
AT(perp_event_options, t0, 8);
AT(perp_event_options, rtol, 16);
AT(perp_event_options, atol, 24);
AT(perp_event_options, atols, 32);
AT(perp_event_options, smooth, 40);
AT(perp_event_options, linear, 48);
AT(perp_event_options, max_steps, 52);
AT(perp_event_options, h_first, 56);
AT(perp_event_options, h_max, 64);
AT(perp_event_options, contact_tol, 72);
AT(perp_event_options, min_gap, 80);
AT(perp_event_options, velocity_tol, 88);
AT(perp_event_options, impact, 96);
AT(perp_event_options, zeno, 100);
AT(perp_event_options, zeno_tol, 104);
AT(perp_event_options, storm_events, 112);
AT(perp_event_options, samples, 116);
AT(perp_event_options, storm_time, 120);
AT(perp_event_options, lzb, 128);
AT(perp_event_options, stepping, 136);
AT(perp_event_options, solver, 144);
AT(perp_event_options, solver_options, 152);
AT(perp_event_options, guards, 160);
AT(perp_event_options, schedules, 168);
AT(perp_event_options, n_guards, 176);
AT(perp_event_options, n_schedules, 180);
SIZE(perp_event_change, 20);
AT(perp_event_change, kind, 0);
AT(perp_event_change, index, 4);
AT(perp_event_change, copy, 8);
AT(perp_event_change, before, 12);
AT(perp_event_change, after, 16);
SIZE(perp_event, 104);
AT(perp_event, struct_size, 0);
AT(perp_event, kinds, 4);
AT(perp_event, t, 8);
AT(perp_event, error, 16);
AT(perp_event, until, 24);
AT(perp_event, q, 32);
AT(perp_event, v, 40);
AT(perp_event, x, 48);
AT(perp_event, impulse, 56);
AT(perp_event, changes, 64);
AT(perp_event, n_changes, 72);
AT(perp_event, n_q, 76);
AT(perp_event, n_v, 80);
AT(perp_event, n_x, 84);
AT(perp_event, number, 88);
AT(perp_event, n_rows, 96);
AT(perp_event, reserved, 100);
SIZE(perp_event_observer, 64);
AT(perp_event_observer, struct_size, 0);
AT(perp_event_observer, n_times, 4);
AT(perp_event_observer, times, 8);
AT(perp_event_observer, first, 16);
AT(perp_event_observer, every, 24);
AT(perp_event_observer, output, 32);
AT(perp_event_observer, event, 40);
AT(perp_event_observer, step, 48);
AT(perp_event_observer, user, 56);
SIZE(perp_event_report, 144);
AT(perp_event_report, struct_size, 0);
AT(perp_event_report, reserved, 4);
AT(perp_event_report, events, 8);
AT(perp_event_report, impacts, 16);
AT(perp_event_report, switches, 24);
AT(perp_event_report, jumps, 32);
AT(perp_event_report, handovers, 40);
AT(perp_event_report, restarts, 48);
AT(perp_event_report, problems, 56);
AT(perp_event_report, corrections, 64);
AT(perp_event_report, unresolved, 72);
AT(perp_event_report, steps, 80);
AT(perp_event_report, rejected, 88);
AT(perp_event_report, evaluations, 96);
AT(perp_event_report, jacobians, 104);
AT(perp_event_report, guards, 112);
AT(perp_event_report, drift, 120);
AT(perp_event_report, missed, 128);
AT(perp_event_report, indeterminate, 136);
PIN(PERP_LINEAR_AUTO == 0);
PIN(PERP_LINEAR_DENSE == 1);
PIN(PERP_LINEAR_BANDED == 2);
PIN(PERP_LINEAR_SPARSE == 3);
PIN(PERP_IMPACT_LAW == 0);
PIN(PERP_IMPACT_POISSON == 1);
PIN(PERP_IMPACT_LZB == 2);
PIN(PERP_ZENO_JUMP == 0);
PIN(PERP_ZENO_STEP == 1);
PIN(PERP_ZENO_STOP == 2);
PIN(PERP_CONTACT_OPEN == 0);
PIN(PERP_CONTACT_TOUCH == 1);
PIN(PERP_CONTACT_CLOSED == 2);
PIN(PERP_CONTACT_STICK == 3);
PIN(PERP_CONTACT_SLIP == 4);
PIN(PERP_CONTACT_LOWER == 5);
PIN(PERP_CONTACT_BETWEEN == 6);
PIN(PERP_CONTACT_UPPER == 7);
PIN(PERP_EVENT_IMPACT == 1);
PIN(PERP_EVENT_CLOSE == 2);
PIN(PERP_EVENT_OPEN == 4);
PIN(PERP_EVENT_STICK == 8);
PIN(PERP_EVENT_SLIP == 16);
PIN(PERP_EVENT_REVERSE == 32);
PIN(PERP_EVENT_SWITCH == 64);
PIN(PERP_EVENT_SCHEDULE == 128);
PIN(PERP_EVENT_GUARD == 256);
PIN(PERP_EVENT_ACCUMULATION == 512);
PIN(PERP_EVENT_HANDOVER == 1024);
PIN(PERP_EVENT_RETURN == 2048);
PIN(PERP_EVENT_START == 4096);

#elif UINTPTR_MAX == UINT32_MAX

SIZE(perp_matrix, 40);
AT(perp_matrix, kind, 0);
AT(perp_matrix, rows, 4);
AT(perp_matrix, cols, 8);
AT(perp_matrix, ld, 12);
AT(perp_matrix, block_rows, 16);
AT(perp_matrix, reserved, 20);
AT(perp_matrix, values, 24);
AT(perp_matrix, start, 28);
AT(perp_matrix, index, 32);
AT(perp_matrix, offset, 36);

SIZE(perp_problem, 80);
AT(perp_problem, struct_size, 0);
AT(perp_problem, n, 4);
AT(perp_problem, n_blocks, 8);
AT(perp_problem, reserved, 12);
AT(perp_problem, M, 16);
AT(perp_problem, q, 56);
AT(perp_problem, laws, 60);
AT(perp_problem, offset, 64);
AT(perp_problem, states, 68);
AT(perp_problem, weight, 72);
AT(perp_problem, floor, 76);

SIZE(perp_global_problem, 124);
AT(perp_global_problem, struct_size, 0);
AT(perp_global_problem, m, 4);
AT(perp_global_problem, n, 8);
AT(perp_global_problem, n_blocks, 12);
AT(perp_global_problem, M, 16);
AT(perp_global_problem, H, 56);
AT(perp_global_problem, q, 96);
AT(perp_global_problem, b, 100);
AT(perp_global_problem, laws, 104);
AT(perp_global_problem, offset, 108);
AT(perp_global_problem, states, 112);
AT(perp_global_problem, weight, 116);
AT(perp_global_problem, floor, 120);

#endif

#define CHECK(condition) \
  if (!(condition)) return fputs("failed: " #condition "\n", stderr), 1

int main(void) {
  char text[32];
  snprintf(text, sizeof text, "%d.%d.%d%s", PERP_VERSION_MAJOR, PERP_VERSION_MINOR,
           PERP_VERSION_PATCH, PERP_VERSION_SUFFIX);
  CHECK(perp_version() / 100 == PERP_VERSION / 100); /* header and library agree */
  CHECK(strcmp(perp_version_string(), text) == 0);
  CHECK(strcmp(PERP_PROJECT_VERSION, text) == 0); /* what CMake and pkg-config say */
  return 0;
}
