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

`sim[:q, ball]`, `:v`, `:x`, `:y`, `:ydot`, `:lambda`, `:force` are the values of a system or interaction;
`sim.time`, `sim.step`; of the last step `sim.status`, `sim.info` (perp_info: iterations, residual, the
field that was not solved) and `sim.ending`, the same in words. It ends when nobody has it any more, or by
`close(sim)`. The model's functions may not use the simulation that calls them.
"""
mutable struct Simulation
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
    o = Ref(zeroed(perp_simulation_options))
    perp_simulation_options_init(o, sizeof(perp_simulation_options))
    o[] = with(o[]; options...)
    times = vector_of("grid", grid)
    chosen = integrators_of(integrator, instance.order)
    o[] = with(o[]; switchable=switchable ? 1 : 0, formulation=formulation,
        thetas=address!(held, vector_of("thetas", thetas, length(instance.order))),
        solver=solver_named(solver), solver_options=address!(held, solver_options(; tol=tol, max_iter=max_iter, budget=budget)))
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

function Simulation(model::Model; options...)
    instance = Instance(model)
    return started("Simulation", instance; options...) do out, o, info
        perp_simulation_create(out, instance.model, o, info)
    end
end

"""Make a simulation by what creates it in C."""
function started(create, who, instance::Instance; options...)
    held = Held()
    o = stepping_options(held, instance; options...)
    out = Ref{Ptr{Cvoid}}(C_NULL)
    info = Ref(initial(perp_info))
    GC.@preserve instance held begin
        status = create(out, o, info)
        status == PERP_OK || throw_started(status, who, info[], instance.held)
    end
    sim = Simulation(out[], instance, held, false, PERP_OK, info[])
    finalizer(ended, sim)
    return sim
end

function throw_started(status, who, info, held)
    check(status, who, info, held)
    throw(PerpError(Int(status), who, static_text(info.field), Int(info.index) + 1, info.value, ""))
end

"""
    Simulation(model, bytes::Vector{UInt8}; options...)

Go on from a checkpoint of a run of the same model and options, with the same bits.
"""
function Simulation(model::Model, bytes::Vector{UInt8}; options...)
    instance = Instance(model)
    return started("Simulation", instance; options...) do out, o, info
        perp_simulation_restore(out, instance.model, o, bytes, length(bytes), info)
    end
end

"""
    restore_sealed(model, sealed::Vector{UInt8}; other_grid=false, options...) -> Simulation

Go on from a sealed checkpoint; one that is damaged, or of another model, other options or another grid,
is refused. other_grid: h, t0 or grid may be others.
"""
function restore_sealed(model::Model, sealed::Vector{UInt8}; other_grid=false, options...)
    instance = Instance(model)
    return started("restore_sealed", instance; options...) do out, o, info
        state = zeros(UInt8, perp_simulation_state_size(instance.model, o))
        status = perp_simulation_unseal(instance.model, o, sealed, length(sealed),
            other_grid ? PERP_OTHER_GRID : 0, state, length(state), info)
        status == PERP_OK || return status
        return perp_simulation_restore(out, instance.model, o, state, length(state), info)
    end
end

"""What is told to functions and tasks that want a simulation while C is in it."""
running(who) = PerpError(PERP_EINVAL, who, "", 0, 0.0, "it is running, and may not be used before it returns")

"""End it; done twice it does nothing, and it is refused while C is in it."""
function Base.close(sim::Simulation)
    getfield(sim, :busy) && throw(running("close"))
    c = getfield(sim, :c)
    setfield!(sim, :c, C_NULL)
    c == C_NULL || perp_simulation_destroy(c)
    return nothing
end
Base.isopen(sim::Simulation) = getfield(sim, :c) != C_NULL

"""The end by the garbage collector, or by finalize: later, if C is in it."""
function ended(sim)
    if getfield(sim, :busy)
        finalizer(ended, sim)
    else
        close(sim)
    end
    return nothing
end

function handle(sim, who)
    c = getfield(sim, :c)
    c == C_NULL && throw(PerpError(PERP_EINVAL, who, "", 0, 0.0, "it is closed"))
    getfield(sim, :busy) && throw(running(who))
    return c
end

"""
Call C with the simulation, which nobody may use or end before C has come back; throw what a
callback threw.
"""
function occupied(call, sim, who)
    c = handle(sim, who)
    held = getfield(sim, :instance).held
    held.thrown = nothing
    result = try
        setfield!(sim, :busy, true)
        GC.@preserve sim call(c)
    finally
        setfield!(sim, :busy, false)
    end
    rethrow_kept(held)
    return result
end

function Base.getproperty(sim::Simulation, name::Symbol)
    name === :time && return occupied(perp_simulation_time, sim, "time")
    name === :step && return Int(occupied(perp_simulation_step_index, sim, "step"))
    name === :ending && return ending(sim)
    return getfield(sim, name)
end

"""How the last step ended, in words, with its number and the time it begins at where it was not taken."""
function ending(sim)
    status, info = sim.status, sim.info
    taken = status <= 0 || status == PERP_END
    who = taken ? "Simulation" : "step $(sim.step + 1) at t = $(sim.time)"
    return sentence(status, who, static_text(info.field), Int(info.index) + 1, info.value)
end

"""Call C with the simulation; the status where it is not negative."""
function stepped(call, sim, who)
    info = Ref(initial(perp_info))
    status = occupied(sim, who) do c
        code = call(c, info)
        setfield!(sim, :status, Int(code))
        setfield!(sim, :info, info[])
        return code
    end
    return check(status, who, info[])
end

"""    step!(sim) -> status: the grid's next step; PERP_OK, PERP_END, or why it was not taken."""
step!(sim::Simulation) = stepped((c, info) -> perp_simulation_step(c, info), sim, "step!")

"""    advance!(sim, h) -> status: a step of length h (s) that is not the grid's."""
advance!(sim::Simulation, h) = stepped((c, info) -> perp_simulation_advance(c, h, info), sim, "advance!")

"""    run!(sim; until=Inf, steps=0) -> status: until a time, so many steps, or the end of the grid."""
run!(sim::Simulation; until=Inf, steps=0) = stepped(
    (c, info) -> perp_simulation_run(c, steps, until, C_NULL, C_NULL, info), sim, "run!")

"""    for s in sim: one step each, to the end of the grid; another ending throws."""
function Base.iterate(sim::Simulation, state=nothing)
    status = step!(sim)
    status == PERP_OK && return (sim, nothing)
    status == PERP_END && return nothing
    info = sim.info
    throw(PerpError(status, "step!", static_text(info.field), Int(info.index) + 1, info.value, ""))
end
Base.IteratorSize(::Type{Simulation}) = Base.SizeUnknown()
Base.eltype(::Type{Simulation}) = Simulation

"""Copy n numbers from C; nothing where there are none."""
copied(at::Ptr{Cdouble}, n) = at == C_NULL ? nothing : copy(unsafe_wrap(Array, at, n))

const OF_SYSTEM = (:q, :v, :x, :rate)

"""Entries of a quantity of system or interaction i."""
function entries(instance::Instance, what, i)
    lengths = what === :q ? instance.n_q : what in OF_SYSTEM ? instance.n : instance.m
    1 <= i <= length(lengths) || throw(BoundsError(lengths, i))
    return lengths[i]
end

function Base.getindex(sim::Simulation, what::Symbol, i::Integer)
    n = entries(getfield(sim, :instance), what, i)
    if what === :force
        f = zeros(n)
        check(occupied(c -> perp_simulation_force(c, i - 1, f), sim, "force"), "force")
        return f
    end
    values = occupied(sim, "Simulation") do c
        at = what === :q ? perp_simulation_q(c, i - 1) :
             what === :v ? perp_simulation_v(c, i - 1) :
             what === :x ? perp_simulation_x(c, i - 1) :
             what === :y ? perp_simulation_y(c, i - 1) :
             what === :ydot ? perp_simulation_ydot(c, i - 1) :
             what === :lambda ? perp_simulation_lambda(c, i - 1) :
             throw(ArgumentError("a simulation has no $what"))
        copied(at, n)
    end
    values === nothing && throw(ArgumentError("there is no $what of $i"))
    return values
end

"""    energy(sim) -> (kinetic, potential) in J, of the systems of order 2."""
function energy(sim::Simulation)
    kinetic, potential = Ref(0.0), Ref(0.0)
    check(occupied(c -> perp_simulation_energy(c, kinetic, potential), sim, "energy"), "energy")
    return (kinetic=kinetic[], potential=potential[])
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

"""    report(sim) -> perp_report: what happened since the start."""
function report(sim::Simulation)
    r = Ref(initial(perp_report))
    check(occupied(c -> perp_simulation_report(c, r), sim, "report"), "report")
    return r[]
end
