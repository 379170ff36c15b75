# SPDX-License-Identifier: MIT
# How C calls functions of Julia. One description of C has one `user`: the address of a Callbacks,
# which knows the functions by the names of their fields. A function writes into its first argument;
# it may return :retry to ask for a smaller step. What it throws is kept, C is told to give up, and
# whoever called C throws it again. Its arrays are Julia's own and new in every call: one that is kept
# never leads into memory of C.

mutable struct Callbacks
    held::Held
    functions::Dict{Symbol,Any}
    shapes::Dict{Symbol,Any} # of what each writes
    a::Int                   # entries of the first array that C hands over
    b::Int                   # and of the second one
    seconds::Dict{Symbol,Any} # where the second one has another length
end

"""A copy of the n numbers that C hands over; none where C has none."""
function received(p::Ptr{Cdouble}, n)
    p == C_NULL && return Cdouble[]
    a = Vector{Cdouble}(undef, n)
    GC.@preserve a unsafe_copyto!(pointer(a), p, n)
    return a
end

"""Call f with zeros of this shape, and copy to C what it leaves there."""
function delivered(f, p::Ptr{Cdouble}, shape)
    out = zeros(Cdouble, shape)
    n = length(out)
    result = f(out)
    if length(out) != n
        throw(DimensionMismatch("a function left $(length(out)) entries where it was given $n to write"))
    end
    GC.@preserve out unsafe_copyto!(p, pointer(out), n)
    return result
end

answer(result) = result === :retry ? Int32(1) : Int32(0)

"""Run f, which is what a callback does; an exception becomes -1, and nothing runs after one."""
function guarded(f, user::Ptr{Cvoid})::Int32
    calls = unsafe_pointer_to_objref(user)::Callbacks
    calls.held.thrown === nothing || return Int32(-1)
    try
        return answer(f(calls))
    catch what
        calls.held.thrown = (what, catch_backtrace())
        return Int32(-1)
    end
end

"""Call the function of a role with a time, or without one, and copies of the arrays."""
called_at(user, role, out, t::Cdouble, arrays::Ptr{Cdouble}...) = called(user, role, out, (t,), arrays)
called_at(user, role, out, arrays::Ptr{Cdouble}...) = called(user, role, out, (), arrays)
called(user, role, out, time, arrays) = guarded(user) do calls
    lengths = (calls.a, get(calls.seconds, role, calls.b))
    inputs = map(received, arrays, lengths[1:length(arrays)])
    delivered(to -> calls.functions[role](to, time..., inputs...), out, calls.shapes[role])
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
    types = [argument.args[2] for argument in arguments.args]
    @eval function $name($(arguments.args...))::Int32
        return called_at(user, $(QuoteNode(role)), out, $(given...))
    end
    @eval function pointer_of(::Val{$(QuoteNode(form))}, ::Val{$(QuoteNode(role))})
        return @cfunction($name, Int32, ($(types...),))
    end
end

"""
Keep the functions that are not nothing, with the shapes of what they write; the fields of C as a
named tuple: `user`, and the address for each function.
"""
function callbacks!(held::Held, form::Symbol, functions, shapes; a=0, b=0, seconds=NamedTuple())
    given = [(role, f) for (role, f) in pairs(functions) if f !== nothing]
    calls = Callbacks(held, Dict{Symbol,Any}(given), Dict{Symbol,Any}(pairs(shapes)), a, b,
        Dict{Symbol,Any}(pairs(seconds)))
    push!(held.keep, calls)
    names = (:user, (role for (role, f) in given)...)
    addresses = (pointer_from_objref(calls), (pointer_of(Val(form), Val(role)) for (role, f) in given)...)
    return NamedTuple{names}(addresses)
end
