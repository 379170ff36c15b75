# SPDX-License-Identifier: MIT
# Relations between y and the systems joined; see docs/theory-model.md. q, v, x: of the systems joined,
# one after another.

"""A relation: its kind and order, and how C learns of it."""
struct Relation
    kind::String
    order::Int
    build::Any   # (held, joined) -> (address of its head, rows)
    placed::Bool # whether that depends on the initial positions
end
Relation(kind, order, build) = Relation(kind, order, build, false)

"""What a relation joins: n velocities (or states), n_q positions, of so many systems, with a law of
so many rows; q: their initial positions."""
struct Joined
    n::Int
    n_q::Int
    systems::Int
    law_size::Int
    q::Vector{Float64}
end

bodies_of(at::Joined) = at.n_q == at.n ? 0 : 1

"""
    LinearRelation(C; D, B, F, e, a, z)

`y = C x + D λ + F z + e, r = B λ + a`.
"""
function LinearRelation(C; D=nothing, B=nothing, F=nothing, e=nothing, a=nothing, z=nothing)
    return Relation("LinearRelation", 1, (held, at) -> begin
        fields, m = linear!(held, at, C, D, B, F, e, a, z)
        (described!(held, perp_linear_relation, perp_linear_relation_init, "LinearRelation", m, at.n; fields...), m)
    end)
end

"""Fields of the constants, and how many rows they have."""
function linear!(held, at, C, D, B, F, e, a, z)
    output = matrix_of("C", C, nothing, at.n)
    m = size(output, 1)
    parameters, n_z = parameters_of(z)
    return (C=address!(held, output), D=address!(held, matrix_of("D", D, m, m)),
        B=address!(held, matrix_of("B", B, at.n, m)), F=address!(held, matrix_of("F", F, m, n_z)),
        e=address!(held, vector_of("e", e, m)), a=address!(held, vector_of("a", a, at.n)),
        z=address!(held, parameters), n_z=n_z), m
end

"""The parameters, and how many they are."""
function parameters_of(z)
    parameters = vector_of("z", z)
    return parameters, parameters === nothing ? 0 : length(parameters)
end

"""
    VaryingRelation(C; D, B, F, e, a, z, C_of, D_of, B_of, e_of, a_of)

As LinearRelation; each `..._of(out, t)` stands in the place of the constant.
"""
function VaryingRelation(C; D=nothing, B=nothing, F=nothing, e=nothing, a=nothing, z=nothing,
        C_of=nothing, D_of=nothing, B_of=nothing, e_of=nothing, a_of=nothing)
    return Relation("VaryingRelation", 1, (held, at) -> begin
        constants, m = linear!(held, at, C, D, B, F, e, a, z)
        calls = callbacks!(held, :time, (C=C_of, D=D_of, B=B_of, e=e_of, a=a_of),
            (C=(m, at.n), D=(m, m), B=(at.n, m), e=m, a=at.n))
        address = described!(held, perp_linear_varying_relation, perp_linear_varying_relation_init,
            "VaryingRelation", m, at.n) do c
            with(c; linear=with(c.linear; constants...), calls...)
        end
        (address, m)
    end)
end

"""
    LagrangianLinearRelation(H; D, F, b, z)

`y = H q + F z + b, dy/dt = H v + D λ, r = H'λ`. H is a number or a matrix; a vector is one row.
"""
function LagrangianLinearRelation(H; D=nothing, F=nothing, b=nothing, z=nothing)
    rows = H isa AbstractVector ? reshape(collect(Cdouble, H), 1, length(H)) : H
    return Relation("LagrangianLinearRelation", 2, (held, at) -> begin
        directions = matrix_of("H", rows, nothing, at.n)
        m = size(directions, 1)
        parameters, n_z = parameters_of(z)
        (described!(held, perp_lagrangian_linear_relation, perp_lagrangian_linear_relation_init,
            "LagrangianLinearRelation", m, at.n; H=address!(held, directions),
            D=address!(held, matrix_of("D", D, m, m)), F=address!(held, matrix_of("F", F, m, n_z)),
            b=address!(held, vector_of("b", b, m)), z=address!(held, parameters), n_z=n_z), m)
    end)
end

"""
    FirstOrderRelation(m, h; g, C, D, B, K, h_dt, reads_lambda=true, reads_x=true)

`y = h(t, x, λ), r = g(t, x, λ)` with m rows; all functions are called with `(out, t, x, λ)`. C = ∂h/∂x,
D = ∂h/∂λ, B = ∂g/∂λ, K = ∂g/∂x. reads_lambda: h depends on λ; reads_x: g depends on x.
"""
function FirstOrderRelation(m, h; g=nothing, C=nothing, D=nothing, B=nothing, K=nothing, h_dt=nothing,
        reads_lambda=true, reads_x=true)
    return Relation("FirstOrderRelation", 1, (held, at) -> begin
        n = at.n
        calls = callbacks!(held, :state, (h=h, g=g, C=C, D=D, B=B, K=K, h_dt=h_dt),
            (h=m, g=n, C=(m, n), D=(m, m), B=(n, m), K=(n, n), h_dt=m); a=n, b=m)
        reads = (reads_lambda ? PERP_OUTPUT_READS_LAMBDA : Int32(0)) |
                (reads_x ? PERP_REACTION_READS_X : Int32(0))
        (described!(held, perp_first_order_relation, perp_first_order_relation_init, "FirstOrderRelation", m, n;
            reads=reads, calls...), m)
    end)
end

"""
    LagrangianRelation(m, h; H, h_dt, D, bias, reads_time=false, reads_lambda=false)

`y = h(t, q, λ), dy/dt = H v + ∂h/∂t, r = H'λ, H = ∂h/∂q` with m rows; functions are called with
`(out, t, q, λ)`, bias with `(out, t, q, v)`. H must be given where bodies are joined.
"""
function LagrangianRelation(m, h; H=nothing, h_dt=nothing, D=nothing, bias=nothing, reads_time=false,
        reads_lambda=false)
    return Relation("LagrangianRelation", 2, (held, at) -> begin
        n = at.n
        calls = callbacks!(held, :state, (h=h, H=H, h_dt=h_dt, D=D, bias=bias),
            (h=m, H=(m, n), h_dt=m, D=(m, m), bias=m); a=at.n_q, b=m, seconds=(bias=n,))
        reads = (reads_time ? PERP_GAP_READS_TIME : Int32(0)) |
                (reads_lambda ? PERP_GAP_READS_LAMBDA : Int32(0))
        (described!(held, perp_lagrangian_relation, perp_lagrangian_scleronomous_init, "LagrangianRelation", m, n;
            reads=reads, bodies=bodies_of(at), calls...), m)
    end)
end

"""
    VelocityRelation(m, g; H, bias)

`dy/dt = g(t, q, v), r = H'λ, H = ∂g/∂v, y = 0` with m rows; functions are called with `(out, t, q, v)`.
"""
function VelocityRelation(m, g; H=nothing, bias=nothing)
    return Relation("VelocityRelation", 2, (held, at) -> begin
        n = at.n
        calls = callbacks!(held, :state, (g=g, H=H, bias=bias), (g=m, H=(m, n), bias=m); a=at.n_q, b=n)
        (described!(held, perp_lagrangian_velocity_relation, perp_lagrangian_velocity_relation_init,
            "VelocityRelation", m, n; bodies=bodies_of(at), calls...), m)
    end)
end

"""
    ContactRelation(gaps, h, T; G, h_dt, s, bias)

Contacts with tangential directions; the law says how many rows each gap has. `h(out, t, q, λ)`: the
gaps; `T(out, t, q, λ)`: the tangential directions, those of the first gap, of the second, ...;
G = ∂h/∂q; s: minus the velocity of a belt. λ is empty.
"""
function ContactRelation(gaps, h, T; G=nothing, h_dt=nothing, s=nothing, bias=nothing)
    return Relation("ContactRelation", 2, (held, at) -> begin
        n, m = at.n, gaps * at.law_size
        calls = callbacks!(held, :state, (h=h, T=T, G=G, h_dt=h_dt, s=s, bias=bias),
            (h=gaps, T=(m - gaps, n), G=(gaps, n), h_dt=gaps, s=m - gaps, bias=m); a=at.n_q, b=n)
        (described!(held, perp_lagrangian_contact_relation, perp_lagrangian_contact_relation_init,
            "ContactRelation", gaps, at.law_size, n; bodies=bodies_of(at), calls...), m)
    end)
end

"""
    PrescribedVelocity(index; constant, velocity)

Velocities `index` (from 1, over the systems joined) are `constant + F(t)`; `velocity(F, t)`. For the
equality law.
"""
function PrescribedVelocity(index; constant=nothing, velocity=nothing)
    places = Int32[i - 1 for i in index]
    m = length(places)
    return Relation("PrescribedVelocity", 2, (held, at) -> begin
        calls = callbacks!(held, :time, (velocity=velocity,), (velocity=m,))
        (described!(held, perp_prescribed_velocity, perp_prescribed_velocity_init, "PrescribedVelocity", m, at.n;
            index=address!(held, places), constant=address!(held, vector_of("constant", constant, m)), calls...), m)
    end)
end
