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
        row_upper=nothing, lower=nothing, upper=nothing, x=zeros(length(c)), solver="auto", given...)
    n = length(c)
    held = Held()
    ld = stride_of("P", P, n, n)
    require_length("c", c, n)
    require_length("x", x, n)
    rows = A === nothing ? 0 : size(A, 1)
    by = solver_named(solver)
    options = solver_options(; given...)
    info = Ref(initial(perp_info))
    nu, zeta = zeros(max(rows, 1)), zeros(max(n, 1))
    bounds(field, a, m) = address!(held, vector_of(field, a, m))
    GC.@preserve P c held begin
        dense = with(zeroed(perp_matrix); kind=PERP_DENSE, rows=n, cols=n, ld=ld, values=pointer(P))
        problem = Ref(perp_qp(n, rows, dense, view!(held, matrix_of("A", A, rows, n)), pointer(c),
            bounds("row_lower", row_lower, rows), bounds("row_upper", row_upper, rows),
            bounds("lower", lower, n), bounds("upper", upper, n)))
        work = workspace("solve_qp", perp_qp_workspace(by, problem, options))
        status = perp_qp_solve(by, problem, options, x, nu, zeta, work, length(work), info)
    end
    return (x=x, nu=nu[1:rows], zeta=zeta[1:n], status=check(status, "solve_qp", info[]))
end

# f(out, z): of mcp and vi
called_with(user, role, out, z) = guarded(user) do calls
    delivered(to -> calls.functions[role](to, received(z, calls.a)), out, calls.shapes[role])
end
for role in (:function_, :jacobian, :project)
    name = Symbol("call_map_", role)
    @eval function $name(z::Ptr{Cdouble}, out::Ptr{Cdouble}, user::Ptr{Cvoid})::Int32
        return called_with(user, $(QuoteNode(role)), out, z)
    end
    @eval function pointer_of(::Val{:map}, ::Val{$(QuoteNode(role))})
        return @cfunction($name, Int32, (Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cvoid}))
    end
end

"""
    solve_mcp(f!, lower, upper, z; jacobian=nothing, tol=1e-10, max_iter=0)

z in `[lower, upper]` with `f_i >= 0` where `z_i = lower_i`, `f_i <= 0` where `z_i = upper_i`, 0 between.
`f!(f, z)` and `jacobian(J, z)` write, the latter into zeros; z is the start. A named tuple of z, f and the status.
"""
function solve_mcp(f!, lower, upper, z; jacobian=nothing, tol=1e-10, max_iter=0)
    n = length(z)
    held = Held()
    new, values = vector_of("z", z, n), zeros(max(n, 1))
    low, high = vector_of("lower", lower, n), vector_of("upper", upper, n)
    calls = callbacks!(held, :map, (function_=f!, jacobian=jacobian),
        (function_=n, jacobian=(n, n)); a=n)
    layout = with(zeroed(perp_matrix); kind=PERP_DENSE, rows=n, cols=n, ld=max(n, 1))
    problem = Ref(with(zeroed(perp_mcp); n=n, lower=address!(held, low), upper=address!(held, high),
        layout=jacobian === nothing ? zeroed(perp_matrix) : layout, calls...))
    options = Ref(zeroed(perp_mcp_options))
    perp_mcp_options_init(options, sizeof(perp_mcp_options))
    options[] = with(options[]; tol=tol, max_iter=max_iter)
    info = Ref(initial(perp_info))
    GC.@preserve held begin
        work = workspace("solve_mcp", perp_mcp_workspace(problem, options))
        status = perp_mcp_solve(problem, options, new, values, work, length(work), info)
    end
    return (z=new, f=values[1:n], status=check(status, "solve_mcp", info[], held))
end

"""
    solve_vi(f!, project!, x; method=:extragradient, tol=1e-10, max_iter=0)

x in K with `f(x)'(y - x) >= 0` for all y in K. `f!(f, x)` and `project!(p, x)`, the point of K next to x,
write; x is the start. method may be :fixed_point. A named tuple of x, f and the status.
"""
function solve_vi(f!, project!, x; method=:extragradient, tol=1e-10, max_iter=0)
    method in (:extragradient, :fixed_point) || throw(ArgumentError("method is $method"))
    n = length(x)
    held = Held()
    new, values = vector_of("x", x, n), zeros(max(n, 1))
    calls = callbacks!(held, :map, (function_=f!, project=project!), (function_=n, project=n); a=n)
    problem = Ref(with(zeroed(perp_vi); n=n, calls...))
    options = Ref(zeroed(perp_vi_options))
    perp_vi_options_init(options, sizeof(perp_vi_options))
    options[] = with(options[]; tol=tol, max_iter=max_iter)
    info = Ref(initial(perp_info))
    work = workspace("solve_vi", perp_vi_workspace(n))
    GC.@preserve held begin
        if method === :fixed_point
            status = perp_vi_fixed_point(problem, options, new, values, work, length(work), info)
        else
            status = perp_vi_extragradient(problem, options, new, values, work, length(work), info)
        end
    end
    return (x=new, f=values[1:n], status=check(status, "solve_vi", info[], held))
end
