/* SPDX-License-Identifier: MIT */
/* Contacts with friction between bodies, solved body by body: the one-step problem in global form,
 *
 *   v = v_free + W⁻¹ Hᵀ λ,   u = H v + c,   −(u + μ‖u_t‖ n) ∈ N_K(λ)   of each contact,
 *
 * by nonsmooth Gauss–Seidel. H W⁻¹ Hᵀ is never formed: a contact is solved against the velocities
 * of its two bodies, which it then changes, so that a sweep costs what touches and memory is linear
 * in it. A body moves as the others see it: velocity and angular velocity in the fixed frame; what
 * is planar has none across its plane, which then stays so.
 *
 * Bodies are gathered in clusters of neighbours. What lies within clusters shares no body with
 * other clusters, what lies between two is coloured, so that the chunks of a phase share no body:
 * they may run at once, with the bits of one after the other.
 *
 *   perp_swept_carve();  perp_swept_arrange(): order, from the pairs of bodies;  contacts are
 * written in that order;  perp_swept_prepare();  perp_swept_solve(). */
#ifndef PERP_CONTACTS_SWEPT_H
#define PERP_CONTACTS_SWEPT_H

#include "base/arena.h"
#include "perp/base.h"
#include "perp/parallel.h"
#include "perp/sparse.h"

/* A body, 128 bytes. */
typedef struct swept_body {
  double v[6];               /* velocity, angular velocity (fixed frame)              */
  double inverse_mass;       /* W⁻¹ of translations                                   */
  double inverse_inertia[9]; /* W⁻¹ of rotations, column-major, symmetric or not      */
} swept_body;

/* A contact, 232 bytes; what sweeps write comes last, together. */
typedef struct swept_contact {
  double normal[3], tangent[3]; /* orthonormal; the second tangent is normal × tangent */
  double arm[2][3];             /* from the centres of the bodies to the point         */
  double c[3];                  /* u = H v + c                                         */
  double mu;                    /* 0: no friction                                      */
  double factor[6]; /* W_αα = L D Lᵀ of H W⁻¹ Hᵀ, its symmetric part: L₁₀ L₂₀ L₂₁ and 1/D₀ 1/D₁
                       1/D₂; where it is ill conditioned W₁₀ W₂₀ W₂₁, −1/W₀₀, W₁₁ W₂₂; factor[3]
                       is 0 where the contact moves nothing                                  */
  int32_t body[2];  /* the first is pushed along the normal; −1: the ground */
  double lambda[3]; /* start, and answer                                    */
  double ahead[3];  /* its momentum                                         */
} swept_contact;

/* Of the pair of bodies that a contact joins. */
typedef struct swept_pair {
  int32_t body[2];
} swept_pair;

/* What a chunk tells of a pass. */
typedef struct swept_told {
  double change; /* of a sweep: the largest, unit of u, squared; of a judge the residual */
  double term;   /* of a sweep: the largest of the answer; of a judge the scale          */
  double square; /* of a sweep: Σ ‖Δλ‖² in the metric of diag(W)                         */
  double along;  /* of a sweep: Σ Δλ·p in that metric                                      */
} swept_told;

typedef struct swept_set {
  int32_t room;     /* bodies and numbers of bodies there can be           */
  int32_t n_bodies; /* those that contacts join, in the order of sweeps    */
  int32_t n_contacts;
  int32_t *number; /* n_bodies: what the pairs called them                */
  int32_t *rank;   /* room: which of them a number is, −1: no contact has it */
  swept_body *bodies;
  double *wide;     /* 36 each, column-major: W⁻¹ of bodies with inverse_mass < 0; NULL: none */
  int32_t *wide_of; /* n_bodies: which of them a body has                                 */
  double *free;     /* 6 each: v_free                                                     */
  double *load, *size; /* 6 each: Hᵀλ and |Hᵀ||λ|, then |v_free| + W⁻¹ of it, of the judge; of
                          sweeps W⁻¹Hᵀ of ahead, and v' before */
  swept_contact *contacts;
  int32_t *order;             /* n_contacts: which pair a contact is, from perp_swept_arrange() */
  int32_t *chunk;             /* chunks + 1: first contact                                 */
  int32_t *phase;             /* phases + 1: first chunk                                   */
  int32_t *owned;             /* owners + 1: first body of a chunk within clusters  */
  swept_told *told;           /* chunks                                                        */
  double momentum, last;      /* β of the next sweep, and of the one before            */
  double recent;              /* 1 where steps and velocities of that count, else 0 */
  int32_t phases, owners;     /* owners: chunks within clusters, the first ones */
  perp_parallel_for parallel; /* NULL: one after the other */
  void *parallel_user;
  const perp_sparse *sparse; /* for direct.h; NULL: sweeps alone */
  void *factor;              /* its                              */
} swept_set;

typedef struct swept_options {
  int32_t max_sweeps; /* >= 0 */
  double tol;         /* relative residual; 0: not asked for                  */
  double speed_tol;   /* residual in the unit of u; 0: not asked for          */
  int32_t plain;      /* 1: to and fro, without momentum                        */
} swept_options;

typedef struct swept_outcome {
  int32_t sweeps;
  int32_t iterations; /* of ADMM */
  double residual; /* max r_α = ‖λ − P(λ − ρ û)‖/ρ, ρ = 1/‖W_αα‖_F, unit of u */
  double scale;    /* max of |H| (|v_free| + W⁻¹ |Hᵀ||λ|) + |c|                   */
  int32_t worst;   /* contact of the residual, −1: none                       */
} swept_outcome;

/* Arrays for so many bodies and contacts. */
void perp_swept_carve(swept_set *s, arena *a, size_t bodies, size_t contacts);
/* Order, chunks and phases of contacts between pairs of numbers below the room, none with itself;
 * contacts are written with ranks then. Uses the memory of contacts and loads. */
void perp_swept_arrange(swept_set *s, int32_t n_contacts, const swept_pair *pairs);
/* W and its inverse, of frame, arms and bodies. */
void perp_swept_prepare(swept_set *s);
/* λ and v from λ and v_free. PERP_OK: judged so; PERP_MAX_ITER; PERP_ENOTFINITE. */
perp_status perp_swept_solve(swept_set *s, const swept_options *o, swept_outcome *out);
/* The residual that is small enough where the answer is made of terms of that size. */
static inline double swept_wanted(const swept_options *o, double size) {
  return o->speed_tol > o->tol * size ? o->speed_tol : o->tol * size;
}
/* v := v_free + W⁻¹ Hᵀ λ from λ alone. */
void perp_swept_apply(swept_set *s);
/* The same, and what is left of the laws there. */
void perp_swept_judge(swept_set *s, swept_outcome *out);
/* u of a contact at the velocities of the bodies. */
void perp_swept_velocity(const swept_set *s, const swept_contact *at, double u[3]);

#endif
