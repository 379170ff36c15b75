# SPDX-License-Identifier: MIT
# A ball dropped from 1 m (m, kg, s), by time-stepping and by events: M dv = -M g dt + impulses,
# q >= 0, v+ = -e v- at impacts. Exact: impacts at t1 = sqrt(2 H / g) and then 2 e^n t1 apart,
# infinitely many before t1 (1 + e) / (1 - e), and rest from there on. Checked: the times of impacts to
# 1e-10 s, their accumulation to 1e-9 s, heights by steps to 10 h, the floor's force at rest.
import Perp as P

const g, e, height, h = 9.81, 0.8, 1.0, 1e-3
const t1 = sqrt(2 * height / g)

function exact_height(t)
    start, flight = -t1, 2 * t1
    while t >= start + flight && flight > 1e-9
        start += flight
        flight *= e
    end
    return flight > 1e-9 ? g / 2 * (t - start) * (start + flight - t) : 0.0
end

function by_steps(model, ball, floor)
    sim = P.Simulation(model; h=h, steps=5000)
    worst = 0.0
    for s in sim
        worst = max(worst, abs(s[:q, ball][1] - exact_height(s.time)))
    end
    weight = sim[:force, floor][1]
    println("by steps: heights within $worst m, at rest the floor bears $weight N")
    return worst < 10 * h && abs(weight - g) < 1e-9
end

function by_events(model, ball, floor)
    sim = P.EventDriven(model)
    impact, worst, accumulation, n = t1, 0.0, 0.0, 0
    while P.next!(sim, 5.0) == P.PERP_OK
        event = P.last_event(sim)
        if event.kinds & P.PERP_EVENT_ACCUMULATION != 0
            accumulation = event.until
        end
        n += 1
        worst = max(worst, abs(event.t - impact))
        n % 20 == 1 && println("impact $n at $(event.t) s, then $(sim[:v, ball][1]) m/s")
        impact += 2 * t1 * e^n
    end
    weight = sim[:lambda, floor][1]
    println("by events: times within $worst s, accumulation at $accumulation s")
    return n >= 50 && worst < 1e-10 && abs(weight - g) < 1e-9 &&
           abs(accumulation - t1 * (1 + e) / (1 - e)) < 1e-9
end

model = P.Model()
ball = P.add!(model, P.LagrangianLinear(1.0; f=-g); q0=height)
ground = P.connect!(model, P.LagrangianLinearRelation(1.0), P.newton_impact(e), ball)
by_steps(model, ball, ground) || error("ball: steps disagree")
by_events(model, ball, ground) || error("ball: events disagree")
