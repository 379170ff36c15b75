# SPDX-License-Identifier: MIT
"""
    Perp

Nonsmooth dynamical systems: mechanics with contact and friction, circuits with ideal diodes, relays.
Models, time-stepping, event-driven integration and the solvers of perp. See docs/julia.md.

The library is found by its name on this system; [`Perp.library!`](@ref) names another file for good, and
`ENV["PERP_LIBRARY"]`, set before `using Perp`, for one session.

Exported are `PerpError`, `solve_lcp` and the like, and `init`, `step!`, `solve!`, `solve` of CommonSolve.
All else has names that other packages have, too: `import Perp as P` and `P.Model()`, or
`using Perp: Model, add!`.
"""
module Perp

import CommonSolve, Libdl
import CommonSolve: init, solve, solve!, step!
using Preferences: @delete_preferences!, @load_preference, @set_preferences!

const default_library = Sys.isapple() ? "libperp.0.2.dylib" : Sys.iswindows() ? "libperp.dll" : "libperp.so.0.2"
const libperp = @load_preference("library", default_library)

"""
    Perp.library!(path)

Take the library from this file, from the next session on; `nothing`: from where the system finds it.
"""
function library!(path::Union{AbstractString,Nothing})
    if path === nothing
        @delete_preferences!("library")
    else
        isfile(path) || throw(ArgumentError("there is no file $path"))
        @set_preferences!("library" => abspath(path))
    end
    return nothing
end

# What is loaded here is found by its name in every call.
const loaded = Ref{Ptr{Cvoid}}(C_NULL)
function __init__()
    loaded[] = Libdl.dlopen(get(ENV, "PERP_LIBRARY", libperp), Libdl.RTLD_LAZY | Libdl.RTLD_GLOBAL)
    if div(perp_version(), 100) != div(PERP_VERSION, 100)
        throw(ErrorException("libperp has version $(perp_version()), this package is for $(PERP_VERSION)"))
    end
    return nothing
end

include("memory.jl")
include("c.jl")
include("errors.jl")
include("callbacks.jl")
include("solve.jl")
include("solve_functions.jl")
include("laws.jl")
include("systems.jl")
include("relations.jl")
include("bodies.jl")
include("model.jl")
include("run.jl")
include("simulation.jl")
include("events.jl")
include("show.jl")

export PerpError
export solve_lcp, solve_lcp!, solve_mlcp, solve_mlcp!, solve_relay, solve_friction, solve_friction!,
    solve_rolling, solve_contact, solve_qp, solve_mcp, solve_vi
export init, solve, solve!, step!

end
