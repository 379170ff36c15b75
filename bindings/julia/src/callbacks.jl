# SPDX-License-Identifier: MIT
# How C calls functions of Julia. One description of C has one `user`: the address of a Callbacks,
# which has the functions by the names of their fields, and arrays for what they read and write. Its
# type tells all of them, so that a call finds its function when it is compiled and allocates nothing.
# A function writes into its first argument; it may return :retry to ask for a smaller step. What it
# throws is kept, C is told to give up, and whoever called C throws it again. Its arrays are no memory
# of C: they keep their numbers until a function of the same description is called.

mutable struct Callbacks{F<:NamedTuple,O<:NamedTuple,L<:NamedTuple}
    held::Held
    functions::F
    outs::O             # what each writes to
    lengths::L          # of each: entries of that, of the first array that C hands over, of the second
    a::Vector{Cdouble}  # the first array
    b::Vector{Cdouble}  # the second one
end

"""Copy the n numbers that C hands over into an array of ours, which a function may have left at another
length; none where C has none."""
function received!(to::Vector{Cdouble}, p::Ptr{Cdouble}, n::Int)
    n = p == C_NULL ? 0 : n
    length(to) == n || resize!(to, n)
    GC.@preserve to unsafe_copyto!(pointer(to), p, n)
    return to
end
inputs(calls, ::Tuple{}, n_a, n_b) = ()
inputs(calls, p::Tuple{Ptr{Cdouble}}, n_a, n_b) = (received!(calls.a, p[1], n_a),)
inputs(calls, p::NTuple{2,Ptr{Cdouble}}, n_a, n_b) = (received!(calls.a, p[1], n_a), received!(calls.b, p[2], n_b))

cleared!(out::Matrix{Cdouble}, n) = fill!(out, 0.0)
cleared!(out::Vector{Cdouble}, n) = fill!(length(out) == n ? out : resize!(out, n), 0.0)

"""Call the function of a role with zeros to write to, a time or none, and copies of the arrays; copy to C
what it leaves. 1 where it asks for a smaller step."""
function called(calls::Callbacks, ::Val{role}, p::Ptr{Cdouble}, time::Tuple, arrays::Tuple) where {role}
    f, out = getfield(calls.functions, role), getfield(calls.outs, role)
    n, n_a, n_b = getfield(calls.lengths, role)
    cleared!(out, n)
    result = f(out, time..., inputs(calls, arrays, n_a, n_b)...)
    if length(out) != n
        throw(DimensionMismatch("a function left $(length(out)) entries where it was given $n to write"))
    end
    GC.@preserve out unsafe_copyto!(p, pointer(out), n)
    return result === :retry ? Int32(1) : Int32(0)
end

"""Keep what a function threw, for whoever called C: nothing runs after it."""
function gave_up(calls::Callbacks, what)
    calls.held.thrown = (what, catch_backtrace())
    return Int32(-1)
end

# Forms of callbacks: the fields that have them, what C hands over, and what of it a function is given.
const FORMS = (
    (:time, (:force, :input, :state_matrix, :velocity, :rate, :C, :D, :B, :e, :a),
        :((t::Cdouble, out::Ptr{Cdouble}, user::Ptr{Cvoid})), (:t,)),
    (:state, (:mass, :gyroscopic, :gyroscopic_dq, :gyroscopic_dv, :internal, :internal_dq, :internal_dv,
            :external, :potential, :effect, :u, :u_dq, :u_dv, :h, :H, :h_dt, :D, :bias, :g, :C, :B, :K, :G, :T, :s),
        :((t::Cdouble, a::Ptr{Cdouble}, b::Ptr{Cdouble}, z::Ptr{Cdouble}, out::Ptr{Cdouble}, user::Ptr{Cvoid})),
        (:t, :a, :b)),
    (:first_order, (:f, :f_dx),
        :((t::Cdouble, a::Ptr{Cdouble}, z::Ptr{Cdouble}, out::Ptr{Cdouble}, user::Ptr{Cvoid})), (:t, :a)),
    (:body, (:force, :torque),
        :((t::Cdouble, a::Ptr{Cdouble}, b::Ptr{Cdouble}, out::Ptr{Cdouble}, user::Ptr{Cvoid})), (:t, :a, :b)),
    (:map, (:function_, :jacobian, :project),
        :((a::Ptr{Cdouble}, out::Ptr{Cdouble}, user::Ptr{Cvoid})), (:a,)),
)

for (form, roles, arguments, given) in FORMS, role in roles
    name = Symbol("call_", form, "_", role)
    read = arguments.args[1:end-1] # in the place of user, the last, is what it leads to
    types = [argument.args[2] for argument in read]
    time = Expr(:tuple, filter(==(:t), given)...)
    arrays = Expr(:tuple, filter(!=(:t), given)...)
    @eval function $name($(read...), calls::Callbacks)::Int32
        calls.held.thrown === nothing || return Int32(-1)
        try
            return called(calls, Val($(QuoteNode(role))), out, $time, $arrays)
        catch what
            return gave_up(calls, what)
        end
    end
    @eval function pointer_of(::Val{$(QuoteNode(form))}, ::Val{$(QuoteNode(role))}, ::T) where {T<:Callbacks}
        return @cfunction($name, Int32, ($(types...), Ref{T}))
    end
end

"""
Keep the functions that are not nothing, with the shapes of what they write; the fields of C as a
named tuple: `user`, and the address for each function.
"""
function callbacks!(held::Held, form::Symbol, functions, shapes; a=0, b=0, seconds=NamedTuple())
    roles = Tuple(role for (role, f) in pairs(functions) if f !== nothing)
    calls = kept_calls!(held, roles, functions, map(role -> zeros(Cdouble, shapes[role]), roles),
        a, map(role -> get(seconds, role, b), roles))
    addresses = map(role -> pointer_of(Val(form), Val(role), calls), roles)
    return NamedTuple{(:user, roles...)}((pointer_from_objref(calls), addresses...))
end

"""Callbacks of some roles, what each writes to, and the lengths of what each reads."""
function kept_calls!(held::Held, roles, functions, outs, a, seconds)
    calls = Callbacks(held, NamedTuple{roles}(map(role -> functions[role], roles)), NamedTuple{roles}(outs),
        NamedTuple{roles}(map((out, b) -> (length(out), a, b), outs, seconds)), Cdouble[], Cdouble[])
    push!(held.keep, calls)
    return calls
end
