# SPDX-License-Identifier: MIT
# Models, and what a simulation of one keeps for C. Systems and interactions count from 1.

"""
    Model()

    ball = add!(m, LagrangianLinear(1.0; f=-9.81); q0=1.0)
    floor = connect!(m, LagrangianLinearRelation(1.0), newton_impact(0.9), ball)

One system, relation or law may be used often: it is then described once. A model may change while
simulations of it run.
"""
struct Model
    systems::Vector{System}
    q::Vector{Vector{Float64}}
    v::Vector{Vector{Float64}}
    x::Vector{Vector{Float64}}
    interactions::Vector{Tuple{Relation,Law,Vector{Int}}}
end
Model() = Model(System[], Vector{Float64}[], Vector{Float64}[], Vector{Float64}[],
    Tuple{Relation,Law,Vector{Int}}[])

initial_values(field, values, n) = values === nothing ? zeros(n) : vector_of(field, values, n)

"""
    add!(model, system; q0, v0, x0) -> its number

At position q0 and velocity v0 (order 2), or in state x0 (order 1); what is left out is 0, and a body
then not rotated.
"""
function add!(m::Model, s::System; q0=nothing, v0=nothing, x0=nothing)
    if s.order == 1
        q0 === nothing && v0 === nothing ||
            throw(ArgumentError("a system of order 1 has an x0, neither q0 nor v0"))
        q, v, x = Float64[], Float64[], initial_values("x0", x0, s.n)
    else
        x0 === nothing || throw(ArgumentError("a system of order 2 has q0 and v0, no x0"))
        q, v, x = initial_values("q0", q0, s.n_q), initial_values("v0", v0, s.n), Float64[]
        if q0 === nothing && s.n_q != s.n
            q[4] = 1.0
        end
    end
    push!(m.systems, s)
    push!(m.q, q)
    push!(m.v, v)
    push!(m.x, x)
    return length(m.systems)
end

"""
    connect!(model, relation, law, systems...) -> its number

Join systems by a relation and copies of a law, as many as fill its rows.
"""
function connect!(m::Model, r::Relation, l::Law, systems::Integer...)
    isempty(systems) && throw(ArgumentError("an interaction joins one system or more"))
    for s in systems
        1 <= s <= length(m.systems) || throw(BoundsError(m.systems, s))
        m.systems[s].order == r.order ||
            throw(ArgumentError("system $s is of the other order than the relation"))
    end
    push!(m.interactions, (r, l, Int[systems...]))
    return length(m.interactions)
end

"""A model as C's builder has it, for one simulation, which ends it."""
mutable struct Instance
    held::Held
    builder::Ptr{Cvoid}
    model::Ptr{perp_model}
    n::Vector{Int}
    n_q::Vector{Int}
    order::Vector{Int}
    m::Vector{Int}
end

function Instance(m::Model)
    out = Ref{Ptr{Cvoid}}(C_NULL)
    info = Ref(initial(perp_info))
    check(perp_builder_create(out, info), "Model", info[])
    instance = Instance(Held(), out[], Ptr{perp_model}(C_NULL), [s.n for s in m.systems],
        [s.n_q for s in m.systems], [s.order for s in m.systems], Int[])
    try
        build!(instance, m, info)
    catch
        release(instance)
        rethrow()
    end
    return instance
end

"""Hand a model to the builder, which copies it; equal descriptions become one."""
function build!(instance::Instance, m::Model, info)
    held, b = instance.held, instance.builder
    known = IdDict{Any,Ptr{Cvoid}}() # functions that build, and what they have built
    joined = Dict{Any,Any}()
    starts(i) = ((perp_builder_set_q, m.q[i]), (perp_builder_set_v, m.v[i]), (perp_builder_set_x, m.x[i]))
    GC.@preserve held begin
        for (i, s) in enumerate(m.systems)
            head = get!(() -> s.build(held), known, s.build)
            check(perp_builder_add(b, head, C_NULL, C_NULL, info), "add!", info[], held)
            for (set, values) in starts(i)
                isempty(values) || check(set(b, i - 1, length(values), values, info), "add!", info[], held)
            end
        end
        for (r, l, systems) in m.interactions
            at = Joined(sum(m.systems[s].n for s in systems), sum(m.systems[s].n_q for s in systems),
                length(systems), l.size, reduce(vcat, (m.q[s] for s in systems)))
            key = (r.build, at.n, at.n_q, at.systems, at.law_size, r.placed ? at.q : nothing)
            relation, rows = get!(() -> r.build(held, at), joined, key)
            rows % l.size == 0 || throw(DimensionMismatch(
                "interaction $(length(instance.m) + 1): a law of $(l.size) rows does not fill $rows"))
            law = get!(() -> l.build(held), known, l.build)
            places = address!(held, Int32[s - 1 for s in systems])
            c = Ref(perp_interaction(relation, law, places, length(systems), 0))
            check(perp_builder_connect(b, c, C_NULL, C_NULL, C_NULL, info), "connect!", info[], held)
            push!(instance.m, rows)
        end
    end
    instance.model = perp_builder_model(b)
    return nothing
end

"""End what C has of a model, after the simulation of it."""
function release(instance::Instance)
    perp_builder_destroy(instance.builder)
    instance.builder = C_NULL
    return nothing
end
