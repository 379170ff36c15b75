# SPDX-License-Identifier: MIT
# What objects look like where Julia shows them: one line each.

counted(n, what) = n == 1 ? "1 $what" : "$n $(what)s"

Base.show(io::IO, s::System) =
    print(io, s.kind, " of ", s.order == 2 ? counted(s.n, "degree") * " of freedom" : counted(s.n, "state"))
Base.show(io::IO, r::Relation) = print(io, r.kind, " of systems of order ", r.order)
Base.show(io::IO, l::Law) = print(io, "law ", l.kind, " of ", counted(l.size, "row"))
Base.show(io::IO, m::Model) =
    print(io, "Model of ", counted(length(m.systems), "system"), " and ", counted(length(m.interactions), "interaction"))
Base.show(io::IO, s::Solution) = print(io, "Solution of ", counted(length(s.z), "unknown"), " by ", s.solver, ": ",
    status_text(s.status), ", ", counted(s.iterations, "iteration"), ", relative residual ", s.relative_residual)

"""The state of a run that may be closed, or in use by the function that shows it."""
state_of(sim::Run) = !isopen(sim) ? "closed" : getfield(sim, :busy) ? "running" : how(sim)
how(sim::Simulation) = sim.ending
how(sim::EventDriven) = "t = $(sim.time)" * (sim.message == "" ? "" : ", " * sim.message)
Base.show(io::IO, sim::Run) = print(io, nameof(typeof(sim)), ": ", state_of(sim))
