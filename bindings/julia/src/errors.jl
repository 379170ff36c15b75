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

function Base.showerror(io::IO, e::PerpError)
    print(io, "PerpError: ", e.who)
    if e.field != ""
        print(io, ": ", e.field)
        e.index > 0 && print(io, "[", e.index, "]")
        print(io, " = ", e.value)
    end
    print(io, ": ", status_text(e.status))
    e.detail == "" || print(io, ": ", e.detail)
    return nothing
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
