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

# The forms of callbacks, by the arrays that they hand over.
called_at(user, role, out, t) = guarded(user) do calls
    delivered(to -> calls.functions[role](to, t), out, calls.shapes[role])
end
called_at(user, role, out, t, a) = guarded(user) do calls
    delivered(to -> calls.functions[role](to, t, received(a, calls.a)), out, calls.shapes[role])
end
called_at(user, role, out, t, a, b) = guarded(user) do calls
    delivered(out, calls.shapes[role]) do to
        calls.functions[role](to, t, received(a, calls.a), received(b, get(calls.seconds, role, calls.b)))
    end
end

const TIME_ROLES = (:force, :input, :state_matrix, :velocity, :rate, :C, :D, :B, :e, :a)
const STATE_ROLES = (:mass, :gyroscopic, :gyroscopic_dq, :gyroscopic_dv, :internal, :internal_dq,
    :internal_dv, :external, :potential, :effect, :u, :u_dq, :u_dv, :h, :H, :h_t, :D, :bias, :g, :C,
    :B, :K, :G, :T, :s)
const FIRST_ORDER_ROLES = (:f, :f_dx)
const BODY_ROLES = (:force, :torque)

for role in TIME_ROLES
    name = Symbol("call_time_", role)
    @eval function $name(t::Cdouble, out::Ptr{Cdouble}, user::Ptr{Cvoid})::Int32
        return called_at(user, $(QuoteNode(role)), out, t)
    end
    @eval function pointer_of(::Val{:time}, ::Val{$(QuoteNode(role))})
        return @cfunction($name, Int32, (Cdouble, Ptr{Cdouble}, Ptr{Cvoid}))
    end
end

for role in STATE_ROLES
    name = Symbol("call_state_", role)
    @eval function $name(t::Cdouble, a::Ptr{Cdouble}, b::Ptr{Cdouble}, z::Ptr{Cdouble},
            out::Ptr{Cdouble}, user::Ptr{Cvoid})::Int32
        return called_at(user, $(QuoteNode(role)), out, t, a, b)
    end
    @eval function pointer_of(::Val{:state}, ::Val{$(QuoteNode(role))})
        return @cfunction($name, Int32, (Cdouble, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble},
            Ptr{Cdouble}, Ptr{Cvoid}))
    end
end

for role in FIRST_ORDER_ROLES
    name = Symbol("call_first_order_", role)
    @eval function $name(t::Cdouble, x::Ptr{Cdouble}, z::Ptr{Cdouble}, out::Ptr{Cdouble},
            user::Ptr{Cvoid})::Int32
        return called_at(user, $(QuoteNode(role)), out, t, x)
    end
    @eval function pointer_of(::Val{:first_order}, ::Val{$(QuoteNode(role))})
        return @cfunction($name, Int32, (Cdouble, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cvoid}))
    end
end

for role in BODY_ROLES
    name = Symbol("call_body_", role)
    @eval function $name(t::Cdouble, q::Ptr{Cdouble}, v::Ptr{Cdouble}, out::Ptr{Cdouble},
            user::Ptr{Cvoid})::Int32
        return called_at(user, $(QuoteNode(role)), out, t, q, v)
    end
    @eval function pointer_of(::Val{:body}, ::Val{$(QuoteNode(role))})
        return @cfunction($name, Int32, (Cdouble, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cvoid}))
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
