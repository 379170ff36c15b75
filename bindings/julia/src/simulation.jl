# SPDX-License-Identifier: MIT
# Time-stepping. What is returned is a copy, so that nothing hangs in the air when a simulation ends.

"""
    Simulation(model; h, steps=0, t0=0.0, options...)

A run by time-stepping, at the model's initial values. Options are the fields of perp_simulation_options
(theta, gamma, min_gap, projection, newton_tol, ...), and

* `grid`: increasing times in place of t0, h, steps;  `thetas`: one for each system;
* `integrator`: "automatic", "moreau-jean", "schatzman-paoli", "theta", "theta-gamma",
  "theta-gamma-full", for systems of its order;
* `solver`, `tol`, `max_iter`, `budget`: of the one-step problems;  `switchable`.

`sim[:q, ball]`, `:v`, `:x`, `:y`, `:ydot`, `:lambda` (see [`level`](@ref)), `:force` are the values of a system or interaction;
`sim.time`, `sim.step`; of the last step `sim.status`, `sim.info` (perp_info: iterations, residual, the
field that was not solved) and `sim.ending`, the same in words. It ends when nobody has it any more, or by
`close(sim)`. The model's functions may not use the simulation that calls them.
"""
mutable struct Simulation <: Run
    c::Ptr{Cvoid}
    instance::Instance
    keep::Held
    busy::Bool # C is in it
    status::Int
    info::perp_info
end

"""Integrators of the systems, by the order of each."""
function integrators_of(name, order)
    by_order = [perp_integrator_theta(), perp_integrator_moreau_jean()]
    if name == "schatzman-paoli"
        by_order[2] = perp_integrator_schatzman_paoli()
    elseif name == "theta-gamma"
        by_order[1] = perp_integrator_theta_gamma()
    elseif name == "theta-gamma-full"
        by_order[1] = perp_integrator_theta_gamma_full()
    elseif !(name in ("automatic", "moreau-jean", "theta"))
        throw(ArgumentError("no integrator is called $name"))
    end
    return Ptr{Cvoid}[by_order[o] for o in order]
end

"""Options of C, and what they point to kept."""
function stepping_options(held::Held, instance::Instance; grid=nothing, thetas=nothing,
        integrator="automatic", solver="auto", tol=1e-10, max_iter=0, budget=0.0, switchable=false,
        formulation=PERP_FORMULATION_REDUCED, options...)
    o = options_of(perp_simulation_options, perp_simulation_options_init; options...)
    times = vector_of("grid", grid)
    chosen = integrators_of(integrator, instance.order)
    o[] = with(o[]; switchable=switchable ? 1 : 0, formulation=formulation,
        thetas=address!(held, vector_of("thetas", thetas, length(instance.order))),
        solver=solver_named(solver),
        solver_options=address!(held, solver_options(; tol=tol, max_iter=max_iter, budget=budget)))
    if formulation != PERP_FORMULATION_REDUCED
        o[] = with(o[]; global_=perp_global_step())
    end
    if times !== nothing
        o[] = with(o[]; grid=address!(held, times), steps=length(times) - 1)
    end
    if !isempty(chosen)
        o[] = with(o[]; integrator=chosen[1], integrators=address!(held, chosen))
    end
    return o
end

Simulation(model::Model; options...) = simulation(model, "Simulation"; options...) do out, instance, o, info
    perp_simulation_create(out, instance.model, o, info)
end

simulation(create, model, who; options...) = started(create, Simulation, model, who) do held, instance
    stepping_options(held, instance; options...)
end

"""
    Simulation(model, bytes::Vector{UInt8}; options...)

Go on from a checkpoint of a run of the same model and options, with the same bits.
"""
Simulation(model::Model, bytes::Vector{UInt8}; options...) =
    simulation(model, "Simulation"; options...) do out, instance, o, info
        perp_simulation_restore(out, instance.model, o, bytes, length(bytes), info)
    end

"""
    restore_sealed(model, sealed::Vector{UInt8}; other_grid=false, options...) -> Simulation

Go on from a sealed checkpoint; one that is damaged, or of another model, other options or another grid,
is refused. other_grid: h, t0 or grid may be others.
"""
function restore_sealed(model::Model, sealed::Vector{UInt8}; other_grid=false, options...)
    return simulation(model, "restore_sealed"; options...) do out, instance, o, info
        state = zeros(UInt8, perp_simulation_state_size(instance.model, o))
        status = perp_simulation_unseal(instance.model, o, sealed, length(sealed),
            other_grid ? PERP_OTHER_GRID : 0, state, length(state), info)
        status == PERP_OK || return status
        return perp_simulation_restore(out, instance.model, o, state, length(state), info)
    end
end

function Base.getproperty(sim::Simulation, name::Symbol)
    name === :time && return occupied(perp_simulation_time, sim, "time")
    name === :step && return Int(occupied(perp_simulation_step_index, sim, "step"))
    name === :ending && return ending(sim)
    return getfield(sim, name)
end

"""How it ended, in words: "finished: 1000 steps, t = 10", "not solved: iteration limit in step 280 ..."."""
ending(sim::Simulation) = written() do text, room
    occupied(c -> perp_simulation_ending(c, Int32(sim.status), Ref(sim.info), Int32(1), text, room), sim, "ending")
end

"""    init(model; h, steps, options...) -> Simulation(model; h, steps, options...)"""
CommonSolve.init(model::Model; options...) = Simulation(model; options...)

"""    step!(sim) -> status: the grid's next step; PERP_OK, PERP_END, or why it was not taken."""
CommonSolve.step!(sim::Simulation) = stepped((c, info) -> perp_simulation_step(c, info), sim, "step!")

"""    advance!(sim, h) -> status: a step of length h (s) that is not the grid's."""
advance!(sim::Simulation, h) = stepped((c, info) -> perp_simulation_advance(c, h, info), sim, "advance!")

"""    run!(sim; until=Inf, steps=0) -> status: until a time, so many steps, or the end of the grid."""
run!(sim::Simulation; until=Inf, steps=0) = stepped(
    (c, info) -> perp_simulation_run(c, steps, until, C_NULL, C_NULL, info), sim, "run!")

"""    solve!(sim) -> sim, at the end of its grid; sim.status and sim.ending tell whether it got there."""
function CommonSolve.solve!(sim::Simulation)
    run!(sim)
    return sim
end

"""    for s in sim: one step each, to the end of the grid; another ending throws."""
function Base.iterate(sim::Simulation, state=nothing)
    status = step!(sim)
    status == PERP_OK && return (sim, nothing)
    status == PERP_END && return nothing
    info = sim.info
    throw(PerpError(status, "step!", info, ""))
end
Base.IteratorSize(::Type{Simulation}) = Base.SizeUnknown()
Base.eltype(::Type{Simulation}) = Simulation

values_of(::Simulation) = (q=perp_simulation_q, v=perp_simulation_v, x=perp_simulation_x, y=perp_simulation_y,
    ydot=perp_simulation_ydot, lambda=perp_simulation_lambda)
functions_of(::Simulation) = (energy=perp_simulation_energy, report=perp_simulation_report,
    destroy=perp_simulation_destroy)
report_type(::Simulation) = perp_report
words_of(::Simulation, c) = ""

function Base.getindex(sim::Simulation, what::Symbol, i::Integer)
    what === :force || return value_of(sim, what, i)
    f = zeros(entries(getfield(sim, :instance), what, i))
    check(occupied(c -> perp_simulation_force(c, i - 1, f), sim, "force"), "force")
    return f
end

"""    level(sim, i) -> what sim[:lambda, i] is: :force, :impulse (h times a force) or :position (h^2 times a force)."""
function level(sim::Simulation, i::Integer)
    found = occupied(c -> perp_simulation_level(c, i - 1), sim, "level")
    found < 0 && throw(ArgumentError("there is no interaction $i"))
    return (:force, :impulse, :position)[found + 1]
end

"""
    set_state!(sim, i; q, v, x)

Set positions and velocities, or states, of system i between two steps; what is not given stays. It
begins anew there, see `perp_simulation_set_state()`.
"""
function set_state!(sim::Simulation, i::Integer; q=nothing, v=nothing, x=nothing)
    entries(getfield(sim, :instance), :v, i)
    sizes = occupied(sim, "set_state!") do c
        (perp_simulation_n_q(c, i - 1), perp_simulation_n_v(c, i - 1), perp_simulation_n_x(c, i - 1))
    end
    row(field, a, n) = a === nothing ? C_NULL : vector_of(field, a, n)
    qs, vs, xs = row("q", q, sizes[1]), row("v", v, sizes[2]), row("x", x, sizes[3])
    info = Ref(initial(perp_info))
    status = occupied(c -> perp_simulation_set_state(c, i - 1, 1, qs, vs, xs, info), sim, "set_state!")
    check(status, "set_state!", info[])
    return nothing
end

"""    checkpoint(sim) -> bytes of the state, for Simulation(model, bytes)."""
function checkpoint(sim::Simulation)
    bytes = Ref{Csize_t}(0)
    return occupied(sim, "checkpoint") do c
        at = perp_simulation_state(c, bytes)
        copy(unsafe_wrap(Array, Ptr{UInt8}(at), Int(bytes[])))
    end
end

"""
    sealed_checkpoint(sim) -> bytes, for files and restore_sealed()

A copy of the state with a checksum and a fingerprint of model and options, see docs/memory.md.
"""
function sealed_checkpoint(sim::Simulation)
    info = Ref(initial(perp_info))
    return occupied(sim, "sealed_checkpoint") do c
        sealed = zeros(UInt8, perp_simulation_checkpoint_size(c))
        check(perp_simulation_checkpoint(c, sealed, length(sealed), info), "sealed_checkpoint", info[])
        return sealed
    end
end
