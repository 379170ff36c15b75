# SPDX-License-Identifier: MIT
# Problems in plain arrays. Arrays are handed to C as they are: matrices by columns, with any distance
# between columns, but without gaps within them.

"""
    Solution

What a solver gave: `z` and `w` (for contacts the forces r and the velocities u), a `status` that is
not negative (0: solved and verified), the `solver`, iterations and residuals. `amplification` tells
how much larger the terms of w are than the data; where the status is `PERP_INFEASIBLE`, every
solution would have a 1-norm of at least `bound` (`Inf`: there is none).
"""
struct Solution
    z::Vector{Float64}
    w::Vector{Float64}
    status::Int
    solver::String
    iterations::Int
    residual::Float64
    relative_residual::Float64
    amplification::Float64
    bound::Float64
end

"""Whether it is a solution."""
solved(s::Solution) = s.status == PERP_OK

solution(z, w, status, info) = Solution(z, w, status, static_text(info.solver), Int(info.iterations),
    info.residual, info.relative_residual, info.amplification, info.bound)

"""Column stride of M, which must be rows x columns."""
function stride_of(field, M::StridedMatrix{Cdouble}, rows, columns)
    if size(M) != (rows, columns)
        throw(DimensionMismatch("$field is $(size(M, 1)) x $(size(M, 2)) where $rows x $columns is needed"))
    end
    if rows > 1 && stride(M, 1) != 1
        throw(ArgumentError("$field has gaps within its columns, or they run backwards: copy it"))
    end
    if columns > 1 && stride(M, 2) < max(rows, 1)
        throw(ArgumentError("$field has its columns in reverse, or they overlap: copy it"))
    end
    return columns > 1 ? stride(M, 2) : max(rows, 1)
end

"""x has n entries and no gaps."""
function require_length(field, x::StridedVector{Cdouble}, n)
    length(x) == n || throw(DimensionMismatch("$field has $(length(x)) entries where $n are needed"))
    n > 1 && stride(x, 1) != 1 && throw(ArgumentError("$field has gaps between its entries: copy it"))
    return nothing
end

"""The descriptor of a solver by its name in `perp solvers`."""
function solver_named(name)
    found = name == "auto" ? perp_solver_auto() : perp_solver_find(name)
    found == C_NULL && throw(ArgumentError("no solver is called $name"))
    return found
end

"""
What all solvers take: `tol`, the accepted relative residual; `max_iter`, 0: the solver's own rule;
`budget`, multiply-adds, 0: by the number of unknowns.
"""
function solver_options(; tol=1e-10, max_iter=0, budget=0.0)
    return options_of(perp_solver_options, perp_solver_options_init; tol=tol, max_iter=max_iter, budget=budget)
end

"""Memory for the call `who`; where there is none, the bytes are told."""
function workspace(who, bytes)
    try
        return Vector{UInt8}(undef, max(bytes, 1))
    catch # OutOfMemoryError, or a size that no array has
        throw(PerpError(PERP_EWORKSPACE, who, "work_bytes", 0, Float64(bytes), "no memory"))
    end
end

"""
Solve a problem in arrays that are kept: `needs(by, options)` tells the bytes, `solve(by, options, work,
bytes, info)` does it; z, w and q, which have names, have the same length.
"""
function solved_by(needs, solve, who, held, names, z, w, q; solver="auto", given...)
    for (name, a) in zip(names, (z, w, q))
        require_length(name, a, length(q))
    end
    by, options, info = solver_named(solver), solver_options(; given...), Ref(initial(perp_info))
    work = GC.@preserve held workspace(who, needs(by, options))
    status = GC.@preserve held solve(by, options, work, length(work), info)
    return solution(z, w, check(status, who, info[]), info[])
end

"""
    solve_lcp!(z, w, M, q; solver="auto", tol=1e-10, max_iter=0, budget=0) -> Solution

`w = M z + q, 0 <= z ⟂ w >= 0` into z and w; z is the start where the method takes one.
"""
function solve_lcp!(z::StridedVector{Cdouble}, w::StridedVector{Cdouble}, M::StridedMatrix{Cdouble},
        q::StridedVector{Cdouble}; given...)
    n = length(q)
    problem = Ref(perp_lcp(n, stride_of("M", M, n, n), pointer(M), pointer(q)))
    return solved_by((by, o) -> perp_lcp_workspace(by, n, o),
        (by, o, work, bytes, info) -> perp_lcp_solve(by, problem, o, z, w, work, bytes, info),
        "solve_lcp", (M, q), ("z", "w", "q"), z, w, q; given...)
end

"""    solve_lcp(M, q; ...) -> Solution: as solve_lcp!, in new vectors."""
solve_lcp(M, q; options...) = solve_lcp!(zeros(length(q)), zeros(length(q)), M, q; options...)

"""
    solve_mlcp!(z, w, M, q, lower, upper; solver="auto", tol=1e-10, max_iter=0, budget=0) -> Solution

`w = M z + q` with `w_i >= 0` where `z_i = lower_i`, `w_i <= 0` where `z_i = upper_i`, 0 between; bounds
may be infinite.
"""
function solve_mlcp!(z::StridedVector{Cdouble}, w::StridedVector{Cdouble}, M::StridedMatrix{Cdouble},
        q::StridedVector{Cdouble}, lower::StridedVector{Cdouble}, upper::StridedVector{Cdouble};
        who="solve_mlcp", given...)
    n = length(q)
    ld = stride_of("M", M, n, n)
    require_length("lower", lower, n)
    require_length("upper", upper, n)
    problem = Ref(perp_mlcp(n, ld, pointer(M), pointer(q), pointer(lower), pointer(upper)))
    return solved_by((by, o) -> perp_mlcp_workspace(by, n, o),
        (by, o, work, bytes, info) -> perp_mlcp_solve(by, problem, o, z, w, work, bytes, info),
        who, (M, q, lower, upper), ("z", "w", "q"), z, w, q; given...)
end

"""    solve_mlcp(M, q, lower, upper; ...) -> Solution"""
solve_mlcp(M, q, lower, upper; options...) =
    solve_mlcp!(zeros(length(q)), zeros(length(q)), M, q, lower, upper; options...)

"""    solve_relay(M, q; limit=1.0, ...) -> Solution: solve_mlcp with bounds -limit and limit."""
solve_relay(M, q; limit=1.0, options...) = solve_mlcp!(zeros(length(q)), zeros(length(q)), M, q,
    fill(Cdouble(-limit), length(q)), fill(Cdouble(limit), length(q)); who="solve_relay", options...)

"""Rows of each contact: one of two numbers."""
function rows_of(n, contacts, allowed)
    for rows in allowed
        rows * contacts == n && return rows
    end
    throw(DimensionMismatch("q has $n entries where $contacts contacts need " *
                            join((contacts * rows for rows in allowed), " or ")))
end

"""
    solve_friction!(r, u, W, q, mu; solver="auto", tol=1e-10, max_iter=0, budget=0) -> Solution

`u = W r + q` with Coulomb's law at each contact; components contact by contact, normal first: two each
(plane) or three (space), as many contacts as mu has entries. r is the start.
"""
function solve_friction!(r::StridedVector{Cdouble}, u::StridedVector{Cdouble},
        W::StridedMatrix{Cdouble}, q::StridedVector{Cdouble}, mu::StridedVector{Cdouble};
        given...)
    n, contacts = length(q), length(mu)
    rows = rows_of(n, contacts, (3, 2))
    ld = stride_of("W", W, n, n)
    require_length("mu", mu, contacts)
    problem = Ref(perp_fc(contacts, rows, ld, 0, pointer(W), pointer(q), pointer(mu)))
    return solved_by((by, o) -> perp_fc_workspace(by, contacts, rows, o),
        (by, o, work, bytes, info) -> perp_fc_solve(by, problem, o, r, u, work, bytes, info),
        "solve_friction", (W, q, mu), ("r", "u", "q"), r, u, q; given...)
end

"""    solve_friction(W, q, mu; ...) -> Solution"""
solve_friction(W, q, mu; options...) =
    solve_friction!(zeros(length(q)), zeros(length(q)), W, q, mu; options...)

"""
    solve_rolling(W, q, mu, mu_rolling; ...) -> Solution

As solve_friction with resistance to rolling (mu_rolling in m): three components a contact (plane) or
five (space).
"""
function solve_rolling(W::StridedMatrix{Cdouble}, q::StridedVector{Cdouble}, mu, mu_rolling;
        given...)
    n = length(q)
    rows = rows_of(n, length(mu), (5, 3))
    ld = stride_of("W", W, n, n)
    length(mu_rolling) == length(mu) ||
        throw(DimensionMismatch("mu_rolling has $(length(mu_rolling)) entries where $(length(mu)) are needed"))
    held, r, u = Held(), zeros(n), zeros(n)
    laws = Ptr{Cvoid}[rolling(mu[i], mu_rolling[i]; plane=rows == 3).build(held) for i in 1:length(mu)]
    problem = Ref(with(initial(perp_problem); M=dense(n, n, ld, pointer(W)), q=pointer(q), n=n,
        n_blocks=length(laws), laws=pointer(laws)))
    try
        return solved_by((by, o) -> perp_solver_workspace(by, problem, o),
            (by, o, work, bytes, info) -> perp_solver_solve(by, problem, o, r, u, C_NULL, work, bytes, info),
            "solve_rolling", (W, q, laws, held), ("r", "u", "q"), r, u, q; given...)
    catch e # W is called M by C in this problem
        e isa PerpError && e.field == "M" || rethrow()
        throw(PerpError(e.status, e.who, "W", e.index, e.value, e.detail))
    end
end

"""
    solve_contact(W, q, mu; mu_rolling=nothing) -> (r, u, status)

One contact, exactly: q of 2 (plane) or 3 (space) entries, with mu_rolling 3 or 5.
"""
function solve_contact(W::StridedMatrix{Cdouble}, q::StridedVector{Cdouble}, mu; mu_rolling=nothing)
    n = length(q)
    rows = rows_of(n, 1, mu_rolling === nothing ? (2, 3) : (3, 5))
    stride_of("W", W, n, n) == n || throw(ArgumentError("W has gaps between its columns: copy it"))
    require_length("q", q, n)
    r, u = zeros(n), zeros(n)
    if mu_rolling === nothing
        status = rows == 2 ? perp_contact_2d(W, q, mu, r, u) : perp_contact_3d(W, q, mu, r, u)
    elseif rows == 3
        status = perp_contact_rolling_2d(W, q, mu, mu_rolling, r, u)
    else
        status = perp_contact_rolling_3d(W, q, mu, mu_rolling, r, u)
    end
    return (r=r, u=u, status=check(status, "solve_contact"))
end
