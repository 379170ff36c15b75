# SPDX-License-Identifier: MIT
"""
    Perp

Nonsmooth dynamical systems: mechanics with contact and friction, circuits with ideal diodes, relays.
Models, time-stepping, event-driven integration and the solvers of perp. See docs/julia.md.

The library is `libperp`; `ENV["PERP_LIBRARY"]` may name the file before `using Perp`.
"""
module Perp

import Libdl

const libperp = "libperp.so.0.2"

# What is loaded here is found by its name in every call.
const loaded = Ref{Ptr{Cvoid}}(C_NULL)
function __init__()
    loaded[] = Libdl.dlopen(get(ENV, "PERP_LIBRARY", libperp), Libdl.RTLD_LAZY | Libdl.RTLD_GLOBAL)
    if div(perp_version(), 100) != div(PERP_VERSION, 100)
        throw(ErrorException("libperp has version $(perp_version()), this package is for $(PERP_VERSION)"))
    end
    return nothing
end

include("memory.jl")
include("c.jl")
include("errors.jl")
include("callbacks.jl")
include("solve.jl")
include("solve_functions.jl")
include("laws.jl")
include("systems.jl")
include("relations.jl")
include("bodies.jl")
include("model.jl")
include("run.jl")
include("simulation.jl")
include("events.jl")

export PerpError, Solution, solved
export solve_lcp, solve_lcp!, solve_mlcp, solve_mlcp!, solve_relay, solve_friction, solve_friction!,
    solve_rolling, solve_contact, solve_qp, solve_mcp, solve_vi
export equality, complementarity, newton_impact, box, relay, friction, rolling, mixed, compliant,
    fremond, cohesive
export LagrangianLinear, Lagrangian, FirstOrderLinear, FirstOrder, Body
export LinearRelation, VaryingRelation, LagrangianLinearRelation, FirstOrderRelation,
    LagrangianRelation, VelocityRelation, ContactRelation, PrescribedVelocity, BodyContact,
    SpherePlane, SphereSphere, PointPlane, Joint
export Model, add!, connect!
export Simulation, EventDriven, step!, advance!, run!, next!, last_event, energy, report, level
export checkpoint, sealed_checkpoint, restore_sealed

end
