# SPDX-License-Identifier: MIT
"""A ball of 1 kg is dropped from 1 m on a floor with restitution 0.9: v̇ = −g + λ, 0 ≤ q ⟂ λ ≥ 0.

By events the bounces are at t_1 = √(2/g), t_k+1 = t_k + 2·0.9^k √(2/g). Time-stepping with h = 1 ms
is compared with them, and ends with 1 where something is not as it has to be.
"""
import math
import sys

import perp

g, e = 9.81, 0.9
m = perp.Model()
ball = m.add(perp.LagrangianLinear(M=1.0, f=[-g]), q0=[1.0])
floor = m.connect(perp.LagrangianLinearRelation(H=[1.0]), perp.newton_impact(e), ball)

by_events = perp.EventDriven(m)
times = [event.t for event in by_events.events(until=3.0)]
fall = math.sqrt(2 / g)
exact = [fall * (1 + 2 * sum(e**j for j in range(1, k + 1))) for k in range(len(times))]
print("bounce   by events (s)       exact (s)")
for k, (t, x) in enumerate(zip(times, exact)):
    print(f"{k + 1:6d} {t:15.12f} {x:15.12f}")
worst = max(abs(t - x) for t, x in zip(times, exact))

steps = perp.Simulation(m, h=1e-3)
steps.run(until=3.0)
gap = abs(steps.q(ball)[0] - by_events.q(ball)[0])
print(f"at 3 s: {by_events.q(ball)[0]:.6f} m by events, {steps.q(ball)[0]:.6f} m by time-stepping")
sys.exit(not (len(times) == 4 and worst < 1e-10 and gap < 5e-3))
