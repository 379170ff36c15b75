# SPDX-License-Identifier: MIT
"""A block of 2 kg on a table is pushed, μ = 0.5: u = W r + q with W = 1/m and q = (−g, push/m, 0) for
a second, Coulomb's law between u and r. Below μ m g = 9.81 N it sticks, above it slides.
"""
import sys

import numpy as np

import perp

mass, g, mu = 2.0, 9.81, 0.5
W = np.eye(3) / mass
solver = perp.Solver("nsgs", tol=1e-12)
wrong = False
print("push (N)  friction (N)  slip (m/s)")
for push in (0.0, 5.0, 9.0, 12.0, 20.0):
    s = solver.solve(perp.friction_problem(W, [-g, push / mass, 0.0], mu))
    friction, slip = -s.lambda_[1], s.y[1]
    print(f"{push:8.2f} {friction:13.6f} {slip:11.6f}")
    limit = mu * mass * g
    wrong |= not (s.solved and abs(friction - min(push, limit)) < 1e-9
                  and abs(slip - max(0.0, push - limit) / mass) < 1e-9)
sys.exit(wrong)
