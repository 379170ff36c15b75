# SPDX-License-Identifier: MIT
# Event-driven runs of the same model; see docs/event-driven.md. Between events λ is a force.

"""
    EventDriven(model; t0=0.0, smooth="runge-kutta", solver="auto", tol, max_iter, budget, options...)

A run by events, at the model's initial values. `smooth` is "runge-kutta", "adams", "bdf", "arkode" or
"ida"; other options are the fields of perp_event_options (rtol, atol, contact_tol, zeno, ...).
`sim[:q, ball]`, `:v`, `:x`, `:y`, `:ydot`, `:lambda`, `:rate` are values, `sim.time` is the time; of the
last call that went on `sim.status`, `sim.info` (perp_info: the field that failed) and `sim.message`, what
went wrong in words, empty if nothing did.
"""
mutable struct EventDriven
    c::Ptr{Cvoid}
    instance::Instance
    keep::Held
    busy::Bool # C is in it
    status::Int
    info::perp_info
end

function smooth_named(name)
    name == "runge-kutta" && return perp_smooth_runge_kutta()
    name == "adams" && return perp_smooth_adams()
    name == "bdf" && return perp_smooth_bdf()
    name == "arkode" && return perp_smooth_arkode()
    name == "ida" && return perp_smooth_ida()
    throw(ArgumentError("no integrator of the smooth motion is called $name"))
end

function EventDriven(model::Model; smooth="runge-kutta", solver="auto", tol=1e-10, max_iter=0, budget=0.0,
        options...)
    instance = Instance(model)
    held = Held()
    o = Ref(zeroed(perp_event_options))
    perp_event_options_init(o, sizeof(perp_event_options))
    o[] = with(o[]; options...)
    o[] = with(o[]; smooth=smooth_named(smooth), solver=solver_named(solver),
        solver_options=address!(held, solver_options(; tol=tol, max_iter=max_iter, budget=budget)))
    out = Ref{Ptr{Cvoid}}(C_NULL)
    info = Ref(initial(perp_info))
    GC.@preserve instance held begin
        status = perp_event_driven_create(out, instance.model, o, info)
        status == PERP_OK || throw_started(status, "EventDriven", info[], instance.held)
    end
    sim = EventDriven(out[], instance, held, false, PERP_OK, info[])
    finalizer(ended, sim)
    return sim
end

"""End it; done twice it does nothing, and it is refused while C is in it."""
function Base.close(sim::EventDriven)
    getfield(sim, :busy) && throw(running("close"))
    c = getfield(sim, :c)
    setfield!(sim, :c, C_NULL)
    c == C_NULL || perp_event_driven_destroy(c)
    return nothing
end
Base.isopen(sim::EventDriven) = getfield(sim, :c) != C_NULL

function Base.getproperty(sim::EventDriven, name::Symbol)
    name === :time && return occupied(perp_event_driven_time, sim, "time")
    name === :message && return occupied(c -> unsafe_string(perp_event_driven_message(c)), sim, "message")
    return getfield(sim, name)
end

function gone(call, sim::EventDriven, who)
    info = Ref(initial(perp_info))
    status, words = occupied(sim, who) do c
        code = call(c, info)
        setfield!(sim, :status, Int(code))
        setfield!(sim, :info, info[])
        (code, code < 0 ? unsafe_string(perp_event_driven_message(c)) : "")
    end
    return check(status, who, info[]; detail=words)
end

"""    run!(sim, until) -> status: on to a time (s)."""
run!(sim::EventDriven, until) =
    gone((c, info) -> perp_event_driven_run(c, until, C_NULL, info), sim, "run!")

"""    next!(sim, until) -> status: on to the next event (PERP_OK), or to `until` without one (PERP_END)."""
next!(sim::EventDriven, until) =
    gone((c, info) -> perp_event_driven_next(c, until, info), sim, "next!")

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

function Base.getindex(sim::EventDriven, what::Symbol, i::Integer)
    n = entries(getfield(sim, :instance), what, i)
    values = occupied(sim, "EventDriven") do c
        at = what === :q ? perp_event_driven_q(c, i - 1) :
             what === :v ? perp_event_driven_v(c, i - 1) :
             what === :x ? perp_event_driven_x(c, i - 1) :
             what === :rate ? perp_event_driven_rate(c, i - 1) :
             what === :y ? perp_event_driven_y(c, i - 1) :
             what === :ydot ? perp_event_driven_ydot(c, i - 1) :
             what === :lambda ? perp_event_driven_lambda(c, i - 1) :
             throw(ArgumentError("an event-driven simulation has no $what"))
        copied(at, n)
    end
    values === nothing && throw(ArgumentError("there is no $what of $i"))
    return values
end

"""    energy(sim) -> (kinetic, potential) in J, of the systems of order 2."""
function energy(sim::EventDriven)
    kinetic, potential = Ref(0.0), Ref(0.0)
    check(occupied(c -> perp_event_driven_energy(c, kinetic, potential), sim, "energy"), "energy")
    return (kinetic=kinetic[], potential=potential[])
end

"""    report(sim) -> perp_event_report: costs and counts."""
function report(sim::EventDriven)
    r = Ref(initial(perp_event_report))
    check(occupied(c -> perp_event_driven_report(c, r), sim, "report"), "report")
    return r[]
end
