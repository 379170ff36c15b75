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
    of::UInt32
end
PerpError(status, who, field, index, value, detail) =
    PerpError(status, who, field, index, value, detail, PERP_OF_ENTRY)
PerpError(status, who, info::perp_info, detail) = PerpError(Int(status), who, static_text(info.field),
    Int(info.index) + 1, Float64(info.value), detail, info.of)

Base.showerror(io::IO, e::PerpError) =
    print(io, "PerpError: ", e.who, ": ", explained(e), e.detail == "" ? "" : ": ", e.detail)

"""What C has to say of it: the field, its value, and what is allowed."""
explained(e::PerpError) = GC.@preserve e written() do text, room
    field = e.field == "" ? Ptr{UInt8}(C_NULL) : pointer(e.field)
    info = with(initial(perp_info); field=field, index=Int32(e.index - 1), value=e.value, of=e.of)
    perp_explain(Int32(e.status), Ref(info), Int32(1), text, room)
end

"""The text that write(text, room) writes."""
function written(write)
    text = zeros(UInt8, 512)
    write(text, length(text))
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
    throw(PerpError(status, who, info, detail))
end
