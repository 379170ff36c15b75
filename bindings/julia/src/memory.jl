# SPDX-License-Identifier: MIT
# Structs of C as values, and what must live as long as C looks at it.

"""A value of all zeros: what C calls a zeroed struct."""
zeroed(::Type{T}) where {T<:Number} = zero(T)
zeroed(::Type{Ptr{T}}) where {T} = Ptr{T}(C_NULL)
zeroed(::Type{NTuple{N,T}}) where {N,T} = ntuple(i -> zeroed(T), N)
zeroed(::Type{T}) where {T} = T(map(zeroed, fieldtypes(T))...)

"""A copy of a struct with some fields changed."""
function with(x::T; changes...) where {T}
    new = values(changes)
    for name in keys(new)
        name in fieldnames(T) || throw(ArgumentError("$T has no field $name"))
    end
    return T(map(name -> haskey(new, name) ? new[name] : getfield(x, name), fieldnames(T))...)
end

"""What C has addresses of, kept from the garbage collector; and what a callback threw."""
mutable struct Held
    keep::Vector{Any}
    thrown::Any # nothing, or an exception and its backtrace
end
Held() = Held(Any[], nothing)

"""Keep something, and tell where it is."""
address!(::Held, ::Nothing) = C_NULL
function address!(held::Held, a::Array)
    push!(held.keep, a)
    return Ptr{Cvoid}(pointer(a))
end
function address!(held::Held, r::Base.RefValue{T}) where {T}
    push!(held.keep, r)
    return Ptr{Cvoid}(Base.unsafe_convert(Ptr{T}, r))
end

"""Initialise a description of C for the call `who`, change it, keep it; its address."""
function described!(change, held::Held, ::Type{T}, init, who, arguments...) where {T}
    c = Ref(zeroed(T))
    check(init(c, sizeof(T), arguments...), who)
    c[] = change(c[])
    return address!(held, c)
end

"""A struct of C as `init` sets it, with some fields changed, kept by `held`."""
described!(held::Held, ::Type{T}, init, who, arguments...; changes...) where {T} =
    described!(c -> with(c; changes...), held, T, init, who, arguments...)

"""Options of C with their defaults, and some fields changed."""
function options_of(::Type{T}, init; changes...) where {T}
    o = Ref(zeroed(T))
    init(o, sizeof(T))
    o[] = with(o[]; changes...)
    return o
end

"""A copy of numbers as a vector of doubles, of the length needed if one is."""
function vector_of(field, a, n=nothing)
    a === nothing && return nothing
    new = a isa Real ? Cdouble[a] : collect(Cdouble, vec(a))
    if n !== nothing && length(new) != n
        throw(DimensionMismatch("$field has $(length(new)) entries where $n are needed"))
    end
    return new
end

"""A copy of numbers as a matrix of doubles; a number is 1 x 1."""
function matrix_of(field, a, rows=nothing, columns=nothing)
    a === nothing && return nothing
    new = a isa Real ? fill(Cdouble(a), 1, 1) : collect(Cdouble, a)
    if ndims(new) != 2
        throw(DimensionMismatch("$field is no matrix"))
    end
    if (rows !== nothing && size(new, 1) != rows) || (columns !== nothing && size(new, 2) != columns)
        needed = string(rows === nothing ? "any" : rows, " x ", columns === nothing ? "any" : columns)
        throw(DimensionMismatch("$field is $(size(new, 1)) x $(size(new, 2)) where $needed is needed"))
    end
    return new
end

"""A const view of a matrix that is kept: dense, diagonal (of a vector), or absent."""
function view!(held::Held, a)
    a === nothing && return zeroed(perp_matrix)
    a isa Vector || return dense(size(a, 1), size(a, 2), size(a, 1), address!(held, a))
    return with(zeroed(perp_matrix); kind=PERP_DIAGONAL, rows=length(a), cols=length(a), values=address!(held, a))
end

"""A view of a dense matrix by columns that are ld numbers apart."""
dense(rows, columns, ld, values) =
    with(zeroed(perp_matrix); kind=PERP_DENSE, rows=rows, cols=columns, ld=ld, values=values)
