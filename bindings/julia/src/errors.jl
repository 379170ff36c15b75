# SPDX-License-Identifier: MIT
# Negative statuses are exceptions; positive ones are honest endings without a solution.

"""
    PerpError

A call that was wrong, or an environment that failed: `status` (negative), who refused, the offending
`field`, its `index` (from 1; 0: none) and `value`, and a `detail` in words.
"""
struct PerpError <: Exception
    status::Int
    who::String
    field::String
    index::Int
    value::Float64
    detail::String
end

Base.showerror(io::IO, e::PerpError) =
    print(io, "PerpError: ", sentence(e.status, e.who, e.field, e.index, e.value), e.detail == "" ? "" : ": ", e.detail)

"""What a status tells, with the field it is about."""
function sentence(status, who, field, index, value)
    place = index > 0 ? "[$index]" : ""
    return string(who, field == "" ? "" : ": $field$place", explained(status, field, value))
end

"""What C has to say behind the name of a field."""
function explained(status, field, value)
    text = Vector{UInt8}(undef, 256)
    perp_explain(Int32(status), field, Float64(value), text, length(text))
    return GC.@preserve text unsafe_string(pointer(text))
end

"""One line for a status."""
status_text(status) = unsafe_string(perp_status_string(Int32(status)))

static_text(p::Ptr{UInt8}) = p == C_NULL ? "" : unsafe_string(p)

"""Throw what a callback threw, with its own backtrace as the cause."""
function rethrow_kept(held::Held)
    held.thrown === nothing && return nothing
    what, trace = held.thrown
    held.thrown = nothing
    try
        throw(CapturedException(what, trace))
    catch
        throw(what)
    end
end

"""The status where it is not negative; otherwise an exception."""
function check(status, who, info=initial(perp_info), held=nothing; detail="")
    held === nothing || rethrow_kept(held)
    status >= 0 && return Int(status)
    throw(PerpError(Int(status), who, static_text(info.field), Int(info.index) + 1,
        Float64(info.value), detail))
end
