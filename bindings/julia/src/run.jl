# SPDX-License-Identifier: MIT
# What runs by time-stepping and by events have in common: beginning and end, calls of C, values.

"""A run of a model: fields c, instance, keep, busy, status, info; values_of and functions_of tell what C
has for it."""
abstract type Run end

"""Make a run by what creates it in C, with options by what fills them."""
function started(options, create, ::Type{R}, model, who) where {R<:Run}
    instance, held = Instance(model), Held()
    out, info = Ref{Ptr{Cvoid}}(C_NULL), Ref(initial(perp_info))
    try
        GC.@preserve instance held begin
            status = create(out, instance, options(held, instance), info)
            if status != PERP_OK
                check(status, who, info[], instance.held)
                throw(PerpError(status, who, info[], ""))
            end
        end
    catch
        release(instance)
        rethrow()
    end
    sim = R(out[], instance, held, false, PERP_OK, info[])
    finalizer(ended, sim)
    return sim
end

"""What is told to functions and tasks that want a simulation while C is in it."""
running(who) = PerpError(PERP_EINVAL, who, "", 0, 0.0, "it is running, and may not be used before it returns")

"""End it; done twice it does nothing, and it is refused while C is in it."""
function Base.close(sim::Run)
    getfield(sim, :busy) && throw(running("close"))
    c = getfield(sim, :c)
    setfield!(sim, :c, C_NULL)
    if c != C_NULL
        functions_of(sim).destroy(c)
        release(getfield(sim, :instance))
    end
    return nothing
end
Base.isopen(sim::Run) = getfield(sim, :c) != C_NULL

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

"""Call C with the simulation; the status where it is not negative."""
function stepped(call, sim::Run, who)
    info = Ref(initial(perp_info))
    status, words = occupied(sim, who) do c
        code = call(c, info)
        setfield!(sim, :status, Int(code))
        setfield!(sim, :info, info[])
        (code, code < 0 ? words_of(sim, c) : "")
    end
    return check(status, who, info[]; detail=words)
end

"""Copy n numbers from C; nothing where there are none."""
copied(at::Ptr{Cdouble}, n) = at == C_NULL ? nothing : copy(unsafe_wrap(Array, at, n))

"""Entries of a quantity of system or interaction i."""
function entries(instance::Instance, what, i)
    lengths = what === :q ? instance.n_q : what in (:v, :x, :rate) ? instance.n : instance.m
    1 <= i <= length(lengths) || throw(BoundsError(lengths, i))
    return lengths[i]
end

"""A value of system or interaction i."""
function value_of(sim::Run, what, i)
    n = entries(getfield(sim, :instance), what, i)
    read = get(values_of(sim), what, nothing)
    read === nothing && throw(ArgumentError("a run of this kind has no $what"))
    values = occupied(c -> copied(read(c, i - 1), n), sim, "value")
    values === nothing && throw(ArgumentError("there is no $what of $i"))
    return values
end

"""    energy(sim) -> (kinetic, potential) in J, of the systems of order 2."""
function energy(sim::Run)
    kinetic, potential = Ref(0.0), Ref(0.0)
    check(occupied(c -> functions_of(sim).energy(c, kinetic, potential), sim, "energy"), "energy")
    return (kinetic=kinetic[], potential=potential[])
end

"""
    report(sim)

What happened since the start: a perp_report, or by events a perp_event_report.
"""
function report(sim::Run)
    r = Ref(initial(report_type(sim)))
    check(occupied(c -> functions_of(sim).report(c, r), sim, "report"), "report")
    return r[]
end
