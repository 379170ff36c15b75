# SPDX-License-Identifier: MIT
# Event-driven runs of the same model; see docs/event-driven.md. Between events λ is a force.

"""
    EventDriven(model; t0=0.0, smooth="runge-kutta", solver="auto", tol, max_iter, options...)

A run by events, at the model's initial values. `smooth` is "runge-kutta", "adams", "bdf", "arkode" or
"ida"; other options are the fields of perp_event_options (rtol, atol, contact_tol, zeno, ...).
`sim[:q, ball]`, `:v`, `:x`, `:y`, `:ydot`, `:lambda`, `:rate` are values, `sim.time` is the time.
"""
mutable struct EventDriven
    c::Ptr{Cvoid}
    instance::Instance
    keep::Held
end

function smooth_named(name)
    name == "runge-kutta" && return perp_smooth_runge_kutta()
    name == "adams" && return perp_smooth_adams()
    name == "bdf" && return perp_smooth_bdf()
    name == "arkode" && return perp_smooth_arkode()
    name == "ida" && return perp_smooth_ida()
    throw(ArgumentError("no integrator of the smooth motion is called $name"))
end

function EventDriven(model::Model; smooth="runge-kutta", solver="auto", tol=1e-10, max_iter=0, options...)
    instance = Instance(model)
    held = Held()
    o = Ref(zeroed(perp_event_options))
    perp_event_options_init(o, sizeof(perp_event_options))
    o[] = with(o[]; options...)
    o[] = with(o[]; smooth=smooth_named(smooth), solver=solver_named(solver),
        solver_options=address!(held, solver_options(tol, max_iter)))
    out = Ref{Ptr{Cvoid}}(C_NULL)
    info = Ref(initial(perp_info))
    GC.@preserve instance held begin
        status = perp_event_driven_create(out, instance.model, o, info)
        status == PERP_OK || throw_started(status, "EventDriven", info[], instance.held)
    end
    sim = EventDriven(out[], instance, held)
    finalizer(close, sim)
    return sim
end

"""End it; done twice it does nothing."""
function Base.close(sim::EventDriven)
    c = getfield(sim, :c)
    setfield!(sim, :c, C_NULL)
    c == C_NULL || perp_event_driven_destroy(c)
    return nothing
end
Base.isopen(sim::EventDriven) = getfield(sim, :c) != C_NULL

function Base.getproperty(sim::EventDriven, name::Symbol)
    name === :time && return GC.@preserve sim perp_event_driven_time(handle(sim, "EventDriven"))
    return getfield(sim, name)
end

function gone(call, sim::EventDriven, who)
    info = Ref(initial(perp_info))
    GC.@preserve sim begin
        c = handle(sim, who)
        status = call(c, info)
        words = status < 0 ? unsafe_string(perp_event_driven_message(c)) : ""
    end
    return check(status, who, info[], getfield(sim, :instance).held; detail=words)
end

"""    run!(sim, until) -> status: on to a time (s)."""
run!(sim::EventDriven, until) =
    gone((c, info) -> perp_event_driven_run(c, until, C_NULL, info), sim, "run!")

"""    next!(sim, until) -> status: on to the next event (PERP_OK), or to `until` without one (PERP_END)."""
next!(sim::EventDriven, until) =
    gone((c, info) -> perp_event_driven_next(c, until, info), sim, "next!")

"""
    last_event(sim)

The event that happened last: t, what (bits PERP_EVENT_...), until (where impacts accumulate), error,
number, and changes (what, interaction, copy, before, after).
"""
function last_event(sim::EventDriven)
    found = GC.@preserve sim begin
        e = unsafe_load(perp_event_driven_event(handle(sim, "last_event")))
        changes = Ptr{perp_event_change}(e.changes)
        list = [unsafe_load(changes, i) for i in 1:e.n_changes]
        (t=e.t, what=Int(e.kinds), until=e.until, error=e.error, number=Int(e.number),
            changes=[(what=Int(c.kind), interaction=Int(c.index) + 1, copy=Int(c.copy) + 1,
                before=Int(c.before), after=Int(c.after)) for c in list])
    end
    return found
end

function Base.getindex(sim::EventDriven, what::Symbol, i::Integer)
    n = entries(getfield(sim, :instance), what, i)
    values = GC.@preserve sim begin
        c = handle(sim, "EventDriven")
        at = what === :q ? perp_event_driven_q(c, i - 1) :
             what === :v ? perp_event_driven_v(c, i - 1) :
             what === :x ? perp_event_driven_x(c, i - 1) :
             what === :rate ? perp_event_driven_rate(c, i - 1) :
             what === :y ? perp_event_driven_y(c, i - 1) :
             what === :ydot ? perp_event_driven_ydot(c, i - 1) :
             what === :lambda ? perp_event_driven_lambda(c, i - 1) :
             throw(ArgumentError("an event-driven simulation has no $what"))
        copied(at, n, what, i)
    end
    return values
end

"""    energy(sim) -> (kinetic, potential) in J, of the systems of order 2."""
function energy(sim::EventDriven)
    kinetic, potential = Ref(0.0), Ref(0.0)
    GC.@preserve sim check(perp_event_driven_energy(handle(sim, "energy"), kinetic, potential), "energy")
    return (kinetic=kinetic[], potential=potential[])
end

"""    report(sim) -> perp_event_report: costs and counts."""
function report(sim::EventDriven)
    r = Ref(initial(perp_event_report))
    GC.@preserve sim check(perp_event_driven_report(handle(sim, "report"), r), "report")
    return r[]
end
