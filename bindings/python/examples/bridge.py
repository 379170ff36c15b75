# SPDX-License-Identifier: MIT
"""An LC oscillator feeds a resistor through a bridge of four ideal diodes (V, A, s):

    C dv/dt = −i − λ2 + λ3,  L di/dt = v,
    y = ((λ0 + λ1)/R − λ2, (λ0 + λ1)/R − λ3, λ0 − v, λ1 + v),  0 ≤ y ⟂ λ ≥ 0.

The oscillator sees the resistor itself, C dv/dt = −i − v/R, which is what v is compared with.
"""
import math
import sys

import perp

C, L, R = 1e-6, 1e-2, 1e3
m = perp.Model()
oscillator = m.add(perp.FirstOrderLinear(A=[[0, -1 / C], [1 / L, 0]]), x0=[10, 0])
bridge = m.connect(perp.LinearRelation(
    C=[[0, 0], [0, 0], [-1, 0], [1, 0]],
    D=[[1 / R, 1 / R, -1, 0], [1 / R, 1 / R, 0, -1], [1, 0, 0, 0], [0, 1, 0, 0]],
    B=[[0, 0, -1 / C, 1 / C], [0, 0, 0, 0]]), perp.complementarity(), oscillator)

sim = perp.Simulation(m, h=1e-7, solver="lemke")
history = perp.record(sim, until=5e-3, every=500, x=[oscillator], y=[bridge], lambda_=[bridge])
damping = 1 / (2 * R * C)
w = math.sqrt(1 / (L * C) - damping**2)
worst = 0.0
print("  t (ms)    v (V)   exact (V)")
for k, t in enumerate(history.t):
    v = history.x[oscillator][k, 0]
    exact = 10 * math.exp(-damping * t) * (math.cos(w * t) - damping / w * math.sin(w * t))
    worst = max(worst, abs(v - exact))
    if k % 10 == 0:
        print(f"{1e3 * t:8.2f} {v:9.4f} {exact:10.4f}")
y, z = history.y[bridge][1:], history.lambda_[bridge][1:]
print(f"largest error {worst:.1e} V; least of y and λ {min(y.min(), z.min()):.1e}, |yλ| <= {abs(y * z).max():.1e}")
sys.exit(not (worst < 2e-2 and min(y.min(), z.min()) > -1e-9 and abs(y * z).max() < 1e-12))
