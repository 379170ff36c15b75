# SPDX-License-Identifier: MIT
# Quadratic programs; nonlinear complementarity and variational inequalities with functions of the
# caller's: each writes into its first argument.

"""
    solve_qp(P, c; A, row_lower, row_upper, lower, upper, x, solver="auto", tol=1e-10, max_iter=0, budget=0)

`min x'P x / 2 + c'x` subject to `row_lower <= A x <= row_upper`, `lower <= x <= upper`; what is left out
is not there. A named tuple of x, the multipliers nu (rows) and zeta (bounds), with
`P x + c = A'nu + zeta`, and the status.
"""
function solve_qp(P::StridedMatrix{Cdouble}, c::StridedVector{Cdouble}; A=nothing, row_lower=nothing,
        row_upper=nothing, lower=nothing, upper=nothing, x=zeros(length(c)), given...)
    n, held = length(c), Held()
    ld = stride_of("P", P, n, n)
    rows = A === nothing ? 0 : size(A, 1)
    nu, zeta = zeros(max(rows, 1)), zeros(max(n, 1))
    bounds(field, a, m) = address!(held, vector_of(field, a, m))
    problem = Ref(perp_qp(n, rows, dense(n, n, ld, pointer(P)), view!(held, matrix_of("A", A, rows, n)), pointer(c),
        bounds("row_lower", row_lower, rows), bounds("row_upper", row_upper, rows),
        bounds("lower", lower, n), bounds("upper", upper, n)))
    s = solved_by((by, o) -> perp_qp_workspace(by, problem, o),
        (by, o, work, bytes, info) -> perp_qp_solve(by, problem, o, x, nu, zeta, work, bytes, info),
        "solve_qp", (P, c, held), ("x", "x", "c"), x, x, c; given...)
    return (x=x, nu=nu[1:rows], zeta=zeta[1:n], status=s.status)
end

"""
    solve_mcp(f!, lower, upper, z; jacobian=nothing, tol=1e-10, max_iter=0)

z in `[lower, upper]` with `f_i >= 0` where `z_i = lower_i`, `f_i <= 0` where `z_i = upper_i`, 0 between.
`f!(f, z)` and `jacobian(J, z)` write, the latter into zeros; z is the start. A named tuple of z, f and the status.
"""
function solve_mcp(f!, lower, upper, z; jacobian=nothing, tol=1e-10, max_iter=0)
    n, held = length(z), Held()
    low, high = vector_of("lower", lower, n), vector_of("upper", upper, n)
    calls = callbacks!(held, :map, (function_=f!, jacobian=jacobian), (function_=n, jacobian=(n, n)); a=n)
    problem = Ref(with(zeroed(perp_mcp); n=n, lower=address!(held, low), upper=address!(held, high),
        layout=jacobian === nothing ? zeroed(perp_matrix) : dense(n, n, max(n, 1), C_NULL), calls...))
    options = options_of(perp_mcp_options, perp_mcp_options_init; tol=tol, max_iter=max_iter)
    new, values, status = root("solve_mcp", held, vector_of("z", z, n), perp_mcp_solve, problem, options,
        perp_mcp_workspace(problem, options))
    return (z=new, f=values, status=status)
end

"""Solve a problem of functions from x, in place: x, the function there, the status."""
function root(who, held, x, solve, problem, options, bytes)
    info, values, work = Ref(initial(perp_info)), zeros(max(length(x), 1)), workspace(who, bytes)
    status = GC.@preserve held solve(problem, options, x, values, work, length(work), info)
    return x, values[1:length(x)], check(status, who, info[], held)
end

"""
    solve_vi(f!, project!, x; method=:extragradient, tol=1e-10, max_iter=0)

x in K with `f(x)'(y - x) >= 0` for all y in K. `f!(f, x)` and `project!(p, x)`, the point of K next to x,
write; x is the start. method may be :fixed_point. A named tuple of x, f and the status.
"""
function solve_vi(f!, project!, x; method=:extragradient, tol=1e-10, max_iter=0)
    method in (:extragradient, :fixed_point) || throw(ArgumentError("method is $method"))
    n, held = length(x), Held()
    calls = callbacks!(held, :map, (function_=f!, project=project!), (function_=n, project=n); a=n)
    problem = Ref(with(zeroed(perp_vi); n=n, calls...))
    options = options_of(perp_vi_options, perp_vi_options_init; tol=tol, max_iter=max_iter)
    new, values, status = root("solve_vi", held, vector_of("x", x, n),
        method === :fixed_point ? perp_vi_fixed_point : perp_vi_extragradient, problem, options, perp_vi_workspace(n))
    return (x=new, f=values, status=status)
end
