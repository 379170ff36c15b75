# SPDX-License-Identifier: MIT
# An LC oscillator feeds a resistor through a bridge of four ideal diodes (V, A, s):
#   C dv/dt = -i - l3 + l4,  L di/dt = v,  0 <= y _|_ l >= 0  with
#   y1 = (l1 + l2)/R - l3,  y2 = (l1 + l2)/R - l4,  y3 = l1 - v,  y4 = l2 + v;
# l1, l2 voltages of two diodes, l3, l4 currents of the others. Checked: the resistor carries |v|/R,
# and what it has burnt is what the oscillator has lost.
import Perp as P

stored(x, C, L) = (C * x[1]^2 + L * x[2]^2) / 2

function bridge()
    L, C, R, h = 1e-2, 1e-6, 1e3, 1e-7
    model = P.Model()
    oscillator = P.add!(model, P.FirstOrderLinear([0 -1/C; 1/L 0]); x0=[10.0, 0.0])
    wires = P.LinearRelation([0 0; 0 0; -1 0; 1 0]; D=[1/R 1/R -1 0; 1/R 1/R 0 -1; 1 0 0 0; 0 1 0 0],
        B=[0 0 -1/C 1/C; 0 0 0 0])
    diodes = P.connect!(model, wires, P.complementarity(), oscillator)
    sim = P.Simulation(model; h=h, steps=50000)
    burnt, worst = 0.0, 0.0
    for s in sim
        x, l = s[:x, oscillator], s[:lambda, diodes]
        load = (l[1] + l[2]) / R
        burnt += h * R * load^2
        worst = max(worst, abs(load - abs(x[1]) / R))
        s.step % 10000 == 0 && println("$(1e3 * s.time) ms $(x[1]) V $(1e3 * load) mA")
    end
    missing_part = (stored([10.0, 0.0], C, L) - stored(sim[:x, oscillator], C, L) - burnt) / burnt
    println("load within $worst A, energy missing $missing_part")
    return sim.step == 50000 && worst < 1e-12 && abs(missing_part) < 1e-3
end

bridge() || error("bridge: disagrees")
