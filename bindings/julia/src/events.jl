# SPDX-License-Identifier: MIT
# Event-driven runs of the same model; see docs/theory-event-driven.md. Between events λ is a
# force.

"""
    EventDriven(model; t0=0.0, smooth="runge-kutta", solver="auto", tol, max_iter, budget, options...)

A run by events, at the model's initial values. `smooth` is "runge-kutta", "adams", "bdf", "arkode" or
"ida"; other options are the fields of perp_event_options (rtol, atol, contact_tol, zeno, ...).
`sim[:q, ball]`, `:v`, `:x`, `:y`, `:ydot`, `:lambda` (a force, as `:force`), `:rate` are values, `sim.time` is the time; of the
last call that went on `sim.status`, `sim.info` (perp_info: the field that failed) and `sim.ending`, the
same in words (`sim.message`: the integrator's own).
"""
mutable struct EventDriven <: Run
    c::Ptr{Cvoid}
    instance::Instance
    keep::Held
    busy::Bool # C is in it
    status::Int
    info::perp_info
end

const SMOOTH = Dict("runge-kutta" => perp_smooth_runge_kutta, "adams" => perp_smooth_adams, "bdf" => perp_smooth_bdf,
    "arkode" => perp_smooth_arkode, "ida" => perp_smooth_ida)

function smooth_named(name)
    haskey(SMOOTH, name) || throw(ArgumentError("no integrator of the smooth motion is called $name"))
    return SMOOTH[name]()
end

function EventDriven(model::Model; smooth="runge-kutta", solver="auto", tol=1e-10, max_iter=0, budget=0.0,
        options...)
    create(out, instance, o, info) = perp_event_driven_create(out, instance.model, o, info)
    return started(create, EventDriven, model, "EventDriven") do held, instance
        o = options_of(perp_event_options, perp_event_options_init; options...)
        o[] = with(o[]; smooth=smooth_named(smooth), solver=solver_named(solver),
            solver_options=address!(held, solver_options(; tol=tol, max_iter=max_iter, budget=budget)))
        o
    end
end

values_of(::EventDriven) = (q=perp_event_driven_q, v=perp_event_driven_v, x=perp_event_driven_x,
    rate=perp_event_driven_rate, y=perp_event_driven_y, ydot=perp_event_driven_ydot, lambda=perp_event_driven_lambda,
    force=perp_event_driven_lambda)
functions_of(::EventDriven) = (energy=perp_event_driven_energy, report=perp_event_driven_report,
    destroy=perp_event_driven_destroy)
report_type(::EventDriven) = perp_event_report
message_of(c) = unsafe_string(perp_event_driven_message(c))
function words_of(sim::EventDriven, c)
    words = message_of(c)
    return words == "" || sim.info.field == C_NULL ? words : string("at t = ", perp_event_driven_time(c))
end

"""How it ended, in words: "finished: 12 events, t = 10", "not solved: mode was not found at t = 0.2 ..."."""
ending(sim::EventDriven) = written() do text, room
    occupied(sim, "ending") do c
        perp_event_driven_ending(c, Int32(sim.status), Ref(sim.info), Int32(1), text, room)
    end
end
Base.getindex(sim::EventDriven, what::Symbol, i::Integer) = value_of(sim, what, i)

function Base.getproperty(sim::EventDriven, name::Symbol)
    name === :time && return occupied(perp_event_driven_time, sim, "time")
    name === :message && return occupied(message_of, sim, "message")
    name === :ending && return ending(sim)
    return getfield(sim, name)
end

"""    run!(sim, until) -> status: on to a time (s)."""
run!(sim::EventDriven, until) =
    stepped((c, info) -> perp_event_driven_run(c, until, C_NULL, info), sim, "run!")

"""    next!(sim, until) -> status: on to the next event (PERP_OK), or to `until` without one (PERP_END)."""
next!(sim::EventDriven, until) =
    stepped((c, info) -> perp_event_driven_next(c, until, info), sim, "next!")

"""    init(model, EventDriven; options...) -> EventDriven(model; options...)"""
CommonSolve.init(model::Model, ::Type{EventDriven}; options...) = EventDriven(model; options...)

"""    step!(sim, until): as next!(sim, until)."""
CommonSolve.step!(sim::EventDriven, until) = next!(sim, until)

"""    solve!(sim; until) -> sim, at that time if sim.status is PERP_OK."""
function CommonSolve.solve!(sim::EventDriven; until)
    run!(sim, until)
    return sim
end
CommonSolve.solve(model::Model, ::Type{EventDriven}; until, options...) =
    solve!(EventDriven(model; options...); until=until)

"""
    last_event(sim)

The event that happened last: t, kinds (bits PERP_EVENT_...), until (where impacts accumulate), error,
number, and changes: kind (one bit), index (of the interaction, guard or schedule) and copy from 1
(copy 0: none), before and after (PERP_CONTACT_..., -1: none).
"""
function last_event(sim::EventDriven)
    return occupied(sim, "last_event") do c
        e = unsafe_load(perp_event_driven_event(c))
        changes = Ptr{perp_event_change}(e.changes)
        list = [unsafe_load(changes, i) for i in 1:e.n_changes]
        (t=e.t, kinds=Int(e.kinds), until=e.until, error=e.error, number=Int(e.number),
            changes=[(kind=Int(d.kind), index=Int(d.index) + 1, copy=Int(d.copy) + 1,
                before=Int(d.before), after=Int(d.after)) for d in list])
    end
end
