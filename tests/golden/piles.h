/* SPDX-License-Identifier: MIT */
/* Piles in static memory that move: a hundred beads, and spheres with friction that fall on each
 * other and roll apart. */
#ifndef PERP_TESTS_GOLDEN_PILES_H
#define PERP_TESTS_GOLDEN_PILES_H

#include "perp/perp.h"

/* A hundred beads of 1 kg and radius 0.1 m above each other, restitution 0.9. */
const perp_model *golden_beads(void);

/* Ten spheres of 1 kg and radius 0.1 m as a pyramid that is let go a little above the floor, with
 * spins; friction 0.4. rolling: with resistance to rolling, five rows a contact. */
const perp_model *golden_spheres(int rolling);

#endif
