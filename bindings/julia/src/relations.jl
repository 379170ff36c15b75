# SPDX-License-Identifier: MIT
# Relations between y and the systems joined; see docs/relations.md. q, v, x: of the systems joined, one
# after another.

"""A relation: its order, and how C learns of it."""
struct Relation
    order::Int
    build::Any   # (held, joined) -> (address of its head, rows)
    placed::Bool # whether that depends on the initial positions
end
Relation(order, build) = Relation(order, build, false)

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
    return Relation(1, (held, at) -> begin
        c, m = linear!(held, at, C, D, B, F, e, a, z)
        (address!(held, Ref(c)), m)
    end)
end

function linear!(held, at, C, D, B, F, e, a, z)
    output = matrix_of("C", C, nothing, at.n)
    m = size(output, 1)
    c = Ref(zeroed(perp_linear_relation))
    check(perp_linear_relation_init(c, sizeof(perp_linear_relation), m, at.n), "LinearRelation")
    parameters = vector_of("z", z)
    n_z = parameters === nothing ? 0 : length(parameters)
    filled = with(c[]; C=address!(held, output), D=address!(held, matrix_of("D", D, m, m)),
        B=address!(held, matrix_of("B", B, at.n, m)), F=address!(held, matrix_of("F", F, m, n_z)),
        e=address!(held, vector_of("e", e, m)), a=address!(held, vector_of("a", a, at.n)),
        z=address!(held, parameters), n_z=n_z)
    return filled, m
end

"""
    VaryingRelation(C; D, B, F, e, a, z, C_of, D_of, B_of, e_of, a_of)

As LinearRelation; each `..._of(out, t)` stands in the place of the constant.
"""
function VaryingRelation(C; D=nothing, B=nothing, F=nothing, e=nothing, a=nothing, z=nothing,
        C_of=nothing, D_of=nothing, B_of=nothing, e_of=nothing, a_of=nothing)
    return Relation(1, (held, at) -> begin
        constants, m = linear!(held, at, C, D, B, F, e, a, z)
        c = Ref(zeroed(perp_linear_varying_relation))
        check(perp_linear_varying_relation_init(c, sizeof(perp_linear_varying_relation), m, at.n),
            "VaryingRelation")
        head = with(constants; relation=c[].linear.relation)
        calls = callbacks!(held, :time, (C=C_of, D=D_of, B=B_of, e=e_of, a=a_of),
            (C=(m, at.n), D=(m, m), B=(at.n, m), e=m, a=at.n))
        c[] = with(c[]; linear=head, calls...)
        (address!(held, c), m)
    end)
end

"""
    LagrangianLinearRelation(H; D, F, b, z)

`y = H q + F z + b, dy/dt = H v + D λ, r = H'λ`. H is a number or a matrix; a vector is one row.
"""
function LagrangianLinearRelation(H; D=nothing, F=nothing, b=nothing, z=nothing)
    rows = H isa AbstractVector ? reshape(collect(Cdouble, H), 1, length(H)) : H
    return Relation(2, (held, at) -> begin
        directions = matrix_of("H", rows, nothing, at.n)
        m = size(directions, 1)
        c = Ref(zeroed(perp_lagrangian_linear_relation))
        check(perp_lagrangian_linear_relation_init(c, sizeof(perp_lagrangian_linear_relation), m, at.n),
            "LagrangianLinearRelation")
        parameters = vector_of("z", z)
        n_z = parameters === nothing ? 0 : length(parameters)
        c[] = with(c[]; H=address!(held, directions), D=address!(held, matrix_of("D", D, m, m)),
            F=address!(held, matrix_of("F", F, m, n_z)), b=address!(held, vector_of("b", b, m)),
            z=address!(held, parameters), n_z=n_z)
        (address!(held, c), m)
    end)
end

"""
    FirstOrderRelation(m, h; g, C, D, B, K, h_t, reads_lambda=true, reads_x=true)

`y = h(t, x, λ), r = g(t, x, λ)` with m rows; all functions are called with `(out, t, x, λ)`. C = ∂h/∂x,
D = ∂h/∂λ, B = ∂g/∂λ, K = ∂g/∂x. reads_lambda: h depends on λ; reads_x: g depends on x.
"""
function FirstOrderRelation(m, h; g=nothing, C=nothing, D=nothing, B=nothing, K=nothing, h_t=nothing,
        reads_lambda=true, reads_x=true)
    return Relation(1, (held, at) -> begin
        n = at.n
        c = Ref(zeroed(perp_first_order_relation))
        check(perp_first_order_relation_init(c, sizeof(perp_first_order_relation), m, n),
            "FirstOrderRelation")
        calls = callbacks!(held, :state, (h=h, g=g, C=C, D=D, B=B, K=K, h_t=h_t),
            (h=m, g=n, C=(m, n), D=(m, m), B=(n, m), K=(n, n), h_t=m); a=n, b=m)
        reads = (reads_lambda ? PERP_OUTPUT_READS_LAMBDA : Int32(0)) |
                (reads_x ? PERP_REACTION_READS_X : Int32(0))
        c[] = with(c[]; reads=reads, calls...)
        (address!(held, c), m)
    end)
end

"""
    LagrangianRelation(m, h; H, h_t, D, bias, reads_time=false, reads_lambda=false)

`y = h(t, q, λ), dy/dt = H v + ∂h/∂t, r = H'λ, H = ∂h/∂q` with m rows; functions are called with
`(out, t, q, λ)`, bias with `(out, t, q, v)`. H must be given where bodies are joined.
"""
function LagrangianRelation(m, h; H=nothing, h_t=nothing, D=nothing, bias=nothing, reads_time=false,
        reads_lambda=false)
    return Relation(2, (held, at) -> begin
        n = at.n
        c = Ref(zeroed(perp_lagrangian_relation))
        check(perp_lagrangian_scleronomous_init(c, sizeof(perp_lagrangian_relation), m, n),
            "LagrangianRelation")
        calls = callbacks!(held, :state, (h=h, H=H, h_t=h_t, D=D, bias=bias),
            (h=m, H=(m, n), h_t=m, D=(m, m), bias=m); a=at.n_q, b=m, seconds=(bias=n,))
        reads = (reads_time ? PERP_GAP_READS_TIME : Int32(0)) |
                (reads_lambda ? PERP_GAP_READS_LAMBDA : Int32(0))
        c[] = with(c[]; reads=reads, bodies=bodies_of(at), calls...)
        (address!(held, c), m)
    end)
end

"""
    VelocityRelation(m, g; H, bias)

`dy/dt = g(t, q, v), r = H'λ, H = ∂g/∂v, y = 0` with m rows; functions are called with `(out, t, q, v)`.
"""
function VelocityRelation(m, g; H=nothing, bias=nothing)
    return Relation(2, (held, at) -> begin
        n = at.n
        c = Ref(zeroed(perp_lagrangian_velocity_relation))
        check(perp_lagrangian_velocity_relation_init(c, sizeof(perp_lagrangian_velocity_relation), m, n),
            "VelocityRelation")
        calls = callbacks!(held, :state, (g=g, H=H, bias=bias), (g=m, H=(m, n), bias=m); a=at.n_q, b=n)
        c[] = with(c[]; bodies=bodies_of(at), calls...)
        (address!(held, c), m)
    end)
end

"""
    ContactRelation(gaps, h, T; G, h_t, s, bias)

Contacts with tangential directions; the law says how many rows each gap has. `h(out, t, q, λ)`: the
gaps; `T(out, t, q, λ)`: the tangential directions, those of the first gap, of the second, ...;
G = ∂h/∂q; s: minus the velocity of a belt. λ is empty.
"""
function ContactRelation(gaps, h, T; G=nothing, h_t=nothing, s=nothing, bias=nothing)
    return Relation(2, (held, at) -> begin
        n, m = at.n, gaps * at.law_size
        c = Ref(zeroed(perp_lagrangian_contact_relation))
        check(perp_lagrangian_contact_relation_init(c, sizeof(perp_lagrangian_contact_relation), gaps,
                at.law_size, n), "ContactRelation")
        calls = callbacks!(held, :state, (h=h, T=T, G=G, h_t=h_t, s=s, bias=bias),
            (h=gaps, T=(m - gaps, n), G=(gaps, n), h_t=gaps, s=m - gaps, bias=m); a=at.n_q, b=n)
        c[] = with(c[]; bodies=bodies_of(at), calls...)
        (address!(held, c), m)
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
    return Relation(2, (held, at) -> begin
        c = Ref(zeroed(perp_prescribed_velocity))
        check(perp_prescribed_velocity_init(c, sizeof(perp_prescribed_velocity), m, at.n),
            "PrescribedVelocity")
        calls = callbacks!(held, :time, (velocity=velocity,), (velocity=m,))
        c[] = with(c[]; index=address!(held, places), constant=address!(held, vector_of("constant", constant, m)),
            calls...)
        (address!(held, c), m)
    end)
end
