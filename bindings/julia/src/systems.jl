# SPDX-License-Identifier: MIT
# Systems; see docs/theory-model.md. Functions write into their first argument, matrices too, which are
# 0 before; a derivative that is left out is taken by differences.

"""A system: its kind, order 1 or 2, degrees of freedom, positions, and how C learns of it."""
struct System
    kind::String
    order::Int
    n::Int
    n_q::Int
    build::Any # held -> address of its head
end

# M: a number, the diagonal as a vector, or a matrix
function mass_of(field, M)
    M === nothing && return nothing
    M isa AbstractVector && return vector_of(field, M)
    new = matrix_of(field, M)
    size(new, 1) == size(new, 2) ||
        throw(DimensionMismatch("$field is $(size(new, 1)) x $(size(new, 2)): not square"))
    return new
end
degrees(M) = size(M, 1)

"""T(q) u of a system: a named tuple of T (n x inputs, or a function), u and its derivatives."""
function control!(held::Held, control, n, order; n_q=n)
    control === nothing && return zeroed(perp_control)
    T = get(control, :T, nothing)
    inputs = T isa Function ? control.inputs : size(matrix_of("T", T, n), 2)
    constant = T isa Function ? nothing : matrix_of("T", T, n)
    calls = callbacks!(held, :state, (u=control.u, u_dq=get(control, :u_dq, nothing),
            u_dv=get(control, :u_dv, nothing), effect=T isa Function ? T : nothing),
        (u=inputs, u_dq=(inputs, n), u_dv=(inputs, n), effect=(n, inputs));
        a=order == 2 ? n_q : 0, b=n)
    return with(zeroed(perp_control); n_u=inputs, T=address!(held, constant), calls...)
end

"""
    LagrangianLinear(M; C, K, f, force, control)

`M dv/dt + C v + K q = f + F(t) + T u + r`. M is a number, the diagonal, or a matrix; `force(F, t)`.
`control` is a named tuple: `(T=matrix, u=(u, t, q, v) -> ...)`, with u_dq, u_dv if you like; or T a
function `(T, t, q, v)` with `inputs` beside it.
"""
function LagrangianLinear(M; C=nothing, K=nothing, f=nothing, force=nothing, control=nothing)
    mass = mass_of("M", M)
    n = degrees(mass)
    damping, stiffness = matrix_of("C", C, n, n), matrix_of("K", K, n, n)
    constant = vector_of("f", f, n)
    return System("LagrangianLinear", 2, n, n, held -> begin
        calls = callbacks!(held, :time, (force=force,), (force=n,))
        described!(held, perp_lagrangian_linear, perp_lagrangian_linear_init, "LagrangianLinear", n;
            M=view!(held, mass), C=view!(held, damping), K=view!(held, stiffness), f=address!(held, constant),
            control=control!(held, control, n, 2), calls...)
    end)
end

"""
    Lagrangian(n; M, mass, gyroscopic, gyroscopic_dq, gyroscopic_dv, internal, internal_dq,
               internal_dv, external, potential, f, control)

`M(q) dv/dt + N(q, v) + F_int(t, q, v) = f + F_ext(t) + T u + p`. All functions are called with
`(out, t, q, v)`; arrays they do not depend on are empty. M is a constant mass in place of `mass`.
"""
function Lagrangian(n; M=nothing, mass=nothing, gyroscopic=nothing, gyroscopic_dq=nothing,
        gyroscopic_dv=nothing, internal=nothing, internal_dq=nothing, internal_dv=nothing,
        external=nothing, potential=nothing, f=nothing, control=nothing)
    constant_mass = mass_of("M", M)
    constant = vector_of("f", f, n)
    return System("Lagrangian", 2, n, n, held -> begin
        calls = callbacks!(held, :state, (mass=mass, gyroscopic=gyroscopic,
                gyroscopic_dq=gyroscopic_dq, gyroscopic_dv=gyroscopic_dv, internal=internal,
                internal_dq=internal_dq, internal_dv=internal_dv, external=external,
                potential=potential),
            (mass=(n, n), gyroscopic=n, gyroscopic_dq=(n, n), gyroscopic_dv=(n, n), internal=n,
                internal_dq=(n, n), internal_dv=(n, n), external=n, potential=1); a=n, b=n)
        described!(held, perp_lagrangian, perp_lagrangian_init, "Lagrangian", n; M=view!(held, constant_mass),
            f=address!(held, constant), control=control!(held, control, n, 2), calls...)
    end)
end

"""
    FirstOrderLinear(A; b, M, input, state_matrix, control)

`M dx/dt = (A + A(t)) x + b + B(t) + T u + r`; `input(B, t)`, `state_matrix(A, t)`; functions of control
get an empty q, and x as v.
"""
function FirstOrderLinear(A; b=nothing, M=nothing, input=nothing, state_matrix=nothing, control=nothing)
    matrix = matrix_of("A", A)
    n = size(matrix, 1)
    matrix_of("A", A, n, n)
    mass = matrix_of("M", M, n, n)
    constant = vector_of("b", b, n)
    return System("FirstOrderLinear", 1, n, n, held -> begin
        calls = callbacks!(held, :time, (input=input, state_matrix=state_matrix),
            (input=n, state_matrix=(n, n)))
        described!(held, perp_first_order_linear, perp_first_order_linear_init, "FirstOrderLinear", n;
            A=view!(held, matrix), M=view!(held, mass), b=address!(held, constant),
            control=control!(held, control, n, 1), calls...)
    end)
end

"""
    FirstOrder(n, f; f_dx, M, control)

`M dx/dt = f(t, x) + T u + r`; `f(out, t, x)`.
"""
function FirstOrder(n, f; f_dx=nothing, M=nothing, control=nothing)
    mass = matrix_of("M", M, n, n)
    return System("FirstOrder", 1, n, n, held -> begin
        calls = callbacks!(held, :first_order, (f=f, f_dx=f_dx), (f=n, f_dx=(n, n)); a=n)
        described!(held, perp_first_order, perp_first_order_init, "FirstOrder", n; M=view!(held, mass),
            control=control!(held, control, n, 1), calls...)
    end)
end

"""
    Body(mass; inertia, f, force, torque, torque_frame=PERP_FRAME_BODY, gyroscopic=0, control)

A rigid body: seven positions (place, unit quaternion, scalar first), six velocities (velocity, angular
velocity in its frame). `force(F, t, q, v)` in the fixed frame, `torque(T, t, q, v)`, three entries each. T
of control has six rows: forces in the fixed frame, torques in that of the body; u_dq is by increments of q.
"""
function Body(mass; inertia=[1.0 0 0; 0 1 0; 0 0 1], f=zeros(3), force=nothing, torque=nothing,
        torque_frame=PERP_FRAME_BODY, gyroscopic=PERP_GYROSCOPIC_IMPLICIT, control=nothing)
    tensor = matrix_of("inertia", inertia, 3, 3)
    constant = vector_of("f", f, 3)
    return System("Body", 2, 6, 7, held -> begin
        calls = callbacks!(held, :body, (force=force, torque=torque), (force=3, torque=3); a=7, b=6)
        described!(held, perp_body, perp_body_init, "Body"; mass=mass, inertia=Tuple(vec(tensor)),
            f=Tuple(constant), torque_frame=torque_frame, gyroscopic=gyroscopic,
            control=control!(held, control, 6, 2; n_q=7), calls...)
    end)
end
