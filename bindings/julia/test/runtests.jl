# SPDX-License-Identifier: MIT
# Judged by definitions and exact motions, with code that shares nothing with the library.
using LinearAlgebra, Perp, Random, Test
using Perp: Model, add!, connect!, Simulation, EventDriven, advance!, run!, next!, last_event, energy, report, level,
    checkpoint, sealed_checkpoint, restore_sealed, set_state!, solved, equality, complementarity, newton_impact, relay, friction,
    LagrangianLinear, Lagrangian, FirstOrderLinear, FirstOrder, Body, LinearRelation, LagrangianLinearRelation,
    LagrangianRelation, ContactRelation, BodyContact, SpherePlane

"""Largest violation of -w in N_[lower,upper](z), w = M z + q."""
function box_error(M, q, lower, upper, z, w)
    worst = norm(M * z + q - w, Inf)
    for i in eachindex(q)
        worst = max(worst, lower[i] - z[i], z[i] - upper[i])
        w[i] > 0 && (worst = max(worst, min(w[i], z[i] - lower[i])))
        w[i] < 0 && (worst = max(worst, min(-w[i], upper[i] - z[i])))
    end
    return worst
end

"""How far (r, u) is from solving contacts; `parts`: components of each tangential part, bounded by `bounds` times r_n."""
function contact_error(W, q, bounds, parts, r, u)
    worst = norm(W * r + q - u, Inf)
    for c in 1:(1+sum(parts)):length(q)
        worst = max(worst, -u[c], -r[c], min(u[c], r[c]))
        first = c + 1
        for (bound, part) in zip(bounds, parts)
            rt, ut = r[first:first+part-1], u[first:first+part-1]
            worst = max(worst, norm(rt) - bound * r[c])
            norm(ut) > 0 && (worst = max(worst, min(norm(ut), norm(rt + bound * r[c] * ut / norm(ut)))))
            first += part
        end
    end
    return worst
end

"""What f throws."""
function thrown(f)
    try
        f()
    catch what
        return what
    end
    return nothing
end
sentence(what) = sprint(showerror, what)

Random.seed!(1)
const n = 12

@testset "solvers" begin
    for _ in 1:20
        A = rand(n, n) .- 0.5
        M, q = A'A + 0.1I, 2 * rand(n) .- 1.2
        zero_, inf_ = zeros(n), fill(Inf, n)
        s = solve_lcp(M, q)
        @test solved(s) && box_error(M, q, zero_, inf_, s.z, s.w) < 1e-8
        s = solve_lcp(M, q; solver="lemke")
        @test solved(s) && s.solver == "lemke" && box_error(M, q, zero_, inf_, s.z, s.w) < 1e-8
        s = solve_mlcp(M, q, fill(-0.1, n), fill(0.3, n))
        @test solved(s) && box_error(M, q, fill(-0.1, n), fill(0.3, n), s.z, s.w) < 1e-8
        s = solve_relay(M, q)
        @test solved(s) && box_error(M, q, -ones(n), ones(n), s.z, s.w) < 1e-8
        s = solve_relay(M, q; limit=0.2)
        @test solved(s) && box_error(M, q, fill(-0.2, n), fill(0.2, n), s.z, s.w) < 1e-8
        s = solve_friction(M, q, fill(0.3, 6))
        @test solved(s) && contact_error(M, q, [0.3], [1], s.z, s.w) < 1e-7
        s = solve_friction(M, q, fill(0.3, 4))
        @test solved(s) && contact_error(M, q, [0.3], [2], s.z, s.w) < 1e-7
        s = solve_rolling(M, q, fill(0.3, 4), fill(0.2, 4))
        @test solved(s) && contact_error(M, q, [0.3, 0.2], [1, 1], s.z, s.w) < 1e-7
        c = solve_contact(M[1:3, 1:3], q[1:3], 0.4)
        @test c.status == 0 && contact_error(M[1:3, 1:3], q[1:3], [0.4], [2], c.r, c.u) < 1e-9
        # a section whose columns have gaps between them is taken in place
        big = fill(7.0, n + 3, n)
        big[1:n, :] = M
        s = solve_lcp(view(big, 1:n, :), q)
        @test box_error(M, q, zero_, inf_, s.z, s.w) < 1e-8
    end
    # Nocedal and Wright, example 16.4
    p = solve_qp([2.0 0; 0 2], [-2.0, -5]; A=[1 -2; -1 -2; -1 2], row_lower=[-2, -6, -2], lower=[0, 0])
    @test p.status == 0 && norm(p.x - [1.4, 1.7]) < 1e-8
    square!(f, z) = (f .= z .^ 2 .- 4)
    slope!(J, z) = (J .= Matrix(Diagonal(2 * z)))
    for jacobian in (nothing, slope!)
        p = solve_mcp(square!, [0, 3], [10, 10], [1, 1]; jacobian=jacobian)
        @test p.status == 0 && norm(p.z - [2, 3]) < 1e-8 && norm(p.f - [0, 5]) < 1e-6
    end
    nearest!(f, x) = (f .= x - [3, 4])
    ball!(p, x) = (p .= x / max(1, norm(x)))
    p = solve_vi(nearest!, ball!, [0, 0])
    @test p.status == 0 && norm(p.x - [0.6, 0.8]) < 1e-8
    s = solve_lcp([2.0 1; 1 2], [-5.0, -6])
    @test s.amplification ≈ 2 && s.bound == 0 # (4/3 + 14/3 + 6) / 6
    s = solve_lcp(zeros(1, 1), [-1.0])
    @test s.status == Perp.PERP_INFEASIBLE && s.bound == Inf
end

@testset "bad input of solvers" begin
    M, q = Matrix(2.0I, n, n), -ones(n)
    @test_throws DimensionMismatch solve_lcp(M[:, 1:n-1], q)
    @test_throws DimensionMismatch solve_lcp!(zeros(3), zeros(n), M, q)
    @test_throws DimensionMismatch solve_friction(M, q, fill(0.3, 5))
    @test_throws MethodError solve_lcp(fill(1, n, n), q)
    @test_throws ArgumentError solve_lcp(view(fill(1.0, 2n, n), 1:2:2n, :), q)
    # sections that run backwards
    @test_throws ArgumentError solve_lcp(view(M, :, n:-1:1), q)
    @test_throws ArgumentError solve_lcp(view(M, n:-1:1, :), q)
    @test_throws ArgumentError solve_friction(view(M, :, n:-1:1), q, fill(0.3, 4))
    @test_throws ArgumentError solve_rolling(view(M, :, n:-1:1), q, fill(0.3, 4), fill(0.3, 4))
    @test_throws ArgumentError solve_contact(view(M, 1:3, 3:-1:1), q[1:3], 0.4)
    @test_throws ArgumentError solve_qp(view(M, :, n:-1:1), q)
    @test_throws ArgumentError solve_lcp(M, view(q, n:-1:1))
    @test_throws ArgumentError solve_lcp(M, q; solver="lemming")
    @test_throws MethodError solve_lcp(M, q; solver="lemke", rho=1.0) # of another solver
    e = thrown(() -> solve_relay(M, q; limit=-1.0))
    @test e isa PerpError && e.field == "lower" && e.who == "solve_relay"
    @test solve_lcp(M, q; solver="pgs", budget=1.0).status == Perp.PERP_MAX_ITER
    told = thrown(() -> Perp.workspace("solve_lcp", typemax(UInt)))
    @test told isa PerpError && told.status == Perp.PERP_EWORKSPACE && occursin("work_bytes", sentence(told))
    q[3] = NaN
    for f in (() -> solve_lcp(M, q), () -> solve_friction(M, q, fill(0.3, 4)),
            () -> solve_rolling(M, q, fill(0.3, 4), fill(0.3, 4)))
        e = thrown(f)
        @test e isa PerpError && e.status == Perp.PERP_ENOTFINITE && e.field == "q" && e.index == 3
        @test occursin("q[3] = NaN", sentence(e))
    end
    q[3] = 0
    W = copy(M)
    W[4, 3] = Inf
    e = thrown(() -> solve_rolling(W, q, fill(0.3, 4), fill(0.3, 4)))
    @test e isa PerpError && e.status == Perp.PERP_ENOTFINITE && e.field == "W" && e.value == Inf
    @test e.index == LinearIndices(W)[4, 3]
    e = thrown(() -> solve_mlcp(M, q, fill(2.0, n), fill(1.0, n)))
    @test e isa PerpError && e.status == Perp.PERP_EINVAL && e.field == "lower"
    e = thrown(() -> solve_mcp((f, z) -> throw(DomainError(z[1], "broken")), [0], [1], [0.5]))
    @test e isa DomainError
    @test thrown(() -> solve_vi((f, x) -> error("broken"), (p, x) -> (p .= x), [0.0])) isa ErrorException
end

const g = 9.81

@testset "systems" begin
    m = Model()
    s = add!(m, LagrangianLinear(1.0; K=4.0); q0=1)
    sim = EventDriven(m)
    run!(sim, 1.0)
    @test abs(sim[:q, s][1] - cos(2)) < 1e-8
    m = Model()
    s = add!(m, LagrangianLinear(1.0; force=(f, t) -> (f[1] = cos(t))))
    sim = EventDriven(m)
    run!(sim, 3.0)
    @test abs(sim[:q, s][1] - (1 - cos(3))) < 1e-8
    m = Model()
    s = add!(m, LagrangianLinear(1.0; control=(T=1.0, u=(u, t, q, v) -> (u[1] = -5 * v[1]))); v0=1)
    sim = EventDriven(m)
    run!(sim, 1.0)
    @test abs(sim[:v, s][1] - exp(-5)) < 1e-8
    m = Model()
    s = add!(m, FirstOrder(1, (f, t, x) -> (f[1] = x[1] * (1 - x[1]))); x0=0.1)
    sim = EventDriven(m)
    run!(sim, 3.0)
    @test abs(sim[:x, s][1] - 1 / (1 + 9 * exp(-3))) < 1e-8
    m = Model()
    s = add!(m, FirstOrderLinear(-1.0; input=(b, t) -> (b[1] = t)))
    sim = EventDriven(m)
    run!(sim, 2.0)
    @test abs(sim[:x, s][1] - (1 + exp(-2))) < 1e-8
    # a pendulum by functions, and the same point on a rod
    length_, mass = 0.5, 2.0
    m = Model()
    s = add!(m, Lagrangian(1; mass=(M, t, q, v) -> (M[1] = mass * length_^2),
            internal=(F, t, q, v) -> (F[1] = mass * g * length_ * sin(q[1])),
            potential=(V, t, q, v) -> (V[1] = mass * g * length_ * (1 - cos(q[1])))); q0=1)
    sim = EventDriven(m)
    total = energy(sim).potential
    @test abs(total - mass * g * length_ * (1 - cos(1))) < 1e-12
    run!(sim, 2.0)
    @test abs(sum(energy(sim)) - total) < 1e-9 * total
    phi = sim[:q, s][1]
    m = Model()
    s = add!(m, LagrangianLinear([mass, mass]; f=[0, -mass * g]); q0=length_ * [sin(1), -cos(1)])
    connect!(m, LagrangianRelation(1, (y, t, q, l) -> (y[1] = norm(q) - length_);
            H=(H, t, q, l) -> (H .= (q / norm(q))')), equality(), s)
    sim = Simulation(m; h=1e-4, projection=Perp.PERP_PROJECT_POSITIONS)
    run!(sim; until=2.0)
    @test norm(sim[:q, s] - length_ * [sin(phi), -cos(phi)]) < 1e-4
end

@testset "contacts and relays" begin
    # a block on a belt of speed 1: carried along until it sticks
    m = Model()
    s = add!(m, LagrangianLinear([2.0, 2.0]; f=[0, -2 * g]))
    i = connect!(m, ContactRelation(1, (y, t, q, l) -> (y[1] = q[2]), (T, t, q, l) -> (T[1, 1] = 1);
            s=(s, t, q, l) -> (s[1] = -1)), friction(0.3; plane=true), s)
    sim = Simulation(m; h=1e-3)
    run!(sim; until=0.2)
    @test abs(sim[:v, s][1] - 0.3 * g * sim.time) < 1e-9
    @test norm(sim[:force, i] - [2 * g, 0.6 * g]) < 1e-8
    @test level(sim, i) === :impulse && sim[:force, i] ≈ sim[:lambda, i] / 1e-3
    @test_throws ArgumentError level(sim, i + 1)
    run!(sim; until=1.0)
    @test abs(sim[:v, s][1] - 1) < 1e-9
    # a ball that slides on a plane begins to roll with 5/7 of its speed
    m = Model()
    s = add!(m, Body(1.0; inertia=Matrix(0.4I, 3, 3), f=[0, 0, -g]); q0=[0, 0, 1, 1, 0, 0, 0],
        v0=[1, 0, 0, 0, 0, 0])
    connect!(m, SpherePlane(1.0), friction(0.2), s)
    sim = Simulation(m; h=1e-3)
    run!(sim; until=0.5)
    @test abs(sim[:v, s][1] - 5 / 7) < 1e-3
    m = Model()
    s = add!(m, Body(1.0; force=(F, t, q, v) -> (F[3] = 2.0)))
    connect!(m, BodyContact((t, q) -> (gap=3 - q[3], normal=(0, 0, -1), a=(q[1], q[2], q[3]))),
        newton_impact(0), s)
    sim = Simulation(m; h=1e-3)
    run!(sim; until=3.0)
    @test abs(sim[:q, s][3] - 3) < 5e-3
    # relay: dx/dt = 1 + 3 l slides at 0 with l = -1/3
    m = Model()
    s = add!(m, FirstOrderLinear(0.0; b=1.0); x0=1)
    i = connect!(m, LinearRelation(1.0; B=3.0), relay(), s)
    sim = Simulation(m; h=0.01)
    run!(sim; until=2.0)
    @test abs(sim[:x, s][1]) < 1e-10 && abs(sim[:lambda, i][1] + 1 / 3) < 1e-9
    # one description, used often
    m = Model()
    bead, gap, law = LagrangianLinear(1.0; f=-g), LagrangianLinearRelation(1.0), newton_impact(0.5)
    for k in 1:100
        connect!(m, gap, law, add!(m, bead; q0=k))
    end
    sim = Simulation(m; h=1e-3)
    run!(sim; steps=100)
    @test abs(sim[:q, 100][1] - (100 - g * sim.time^2 / 2)) < 1e-9
end

@testset "ownership, checkpoints, callbacks" begin
    m = Model()
    s = add!(m, LagrangianLinear(1.0; f=-g); q0=1)
    connect!(m, LagrangianLinearRelation(1.0), newton_impact(0.9), s)
    a = Simulation(m; h=0.01)
    run!(a; steps=77)
    b = Simulation(m, checkpoint(a); h=0.01)
    run!(a; steps=50)
    run!(b; steps=50)
    @test a[:q, s] == b[:q, s] && b.step == 127
    # sealed: the same, and damage, another model, option or grid are seen
    sealed = sealed_checkpoint(a)
    c = restore_sealed(m, sealed; h=0.01)
    run!(a; steps=50)
    run!(c; steps=50)
    @test a[:q, s] == c[:q, s] && c.step == 177
    refused(bytes; options...) = thrown(() -> restore_sealed(m, bytes; options...)).field
    for byte in 37:5:length(sealed)
        damaged = copy(sealed)
        damaged[byte] ⊻= 0x01
        @test refused(damaged; h=0.01) == "checkpoint.checksum"
    end
    @test refused(UInt8[]; h=0.01) == "checkpoint.bytes"
    @test refused(checkpoint(a); h=0.01) == "checkpoint.magic"
    @test refused(sealed; h=0.01, theta=0.75) == "checkpoint.model"
    @test refused(sealed; h=0.005) == "checkpoint.grid"
    d = restore_sealed(m, sealed; h=0.005, other_grid=true)
    @test step!(d) == Perp.PERP_OK && abs(d.time - 1.275) < 1e-12
    close(a)
    close(a)
    @test !isopen(a)
    for f in (() -> step!(a), () -> sealed_checkpoint(a), () -> a[:q, s], () -> energy(a), () -> a.time)
        @test occursin("closed", sentence(thrown(f)))
    end
    for _ in 1:1000
        step!(Simulation(m; h=0.01))
    end
    GC.gc()
    # an exception comes out as itself, with its own trace as the cause; the state stays
    breaks(f, t) = t > 0.5 ? throw(DomainError(t, "the motor is broken")) : (f[1] = 1.0)
    m = Model()
    s = add!(m, LagrangianLinear(1.0; force=breaks))
    for sim in (Simulation(m; h=0.01), EventDriven(m))
        what = thrown(() -> sim isa Simulation ? run!(sim; until=1.0) : run!(sim, 1.0))
        @test what isa DomainError && occursin("the motor is broken", sentence(what))
        @test abs(sim[:v, s][1] - sim.time) < 1e-8
    end
    sim = Simulation(m; h=0.01)
    causes = try
        run!(sim; until=1.0)
        []
    catch
        isdefined(Base, :current_exceptions) ? Base.current_exceptions() : Base.catch_stack()
    end
    @test any(c -> c[1] isa CapturedException && occursin("breaks", sprint(showerror, c[1])), causes)
    retries(f, t) = t > 0.5 ? :retry : (f[1] = 1.0)
    m = Model()
    add!(m, LagrangianLinear(1.0; force=retries))
    @test run!(Simulation(m; h=0.01); until=1.0) == Perp.PERP_RETRY
    m = Model()
    add!(m, LagrangianLinear(1.0; force=(f, t) -> (f[1] = NaN)))
    e = thrown(() -> step!(Simulation(m; h=0.01)))
    @test e isa PerpError && e.status == Perp.PERP_ENOTFINITE
end

@testset "the ending says in words which step was not taken and where" begin
    m = Model()
    x = add!(m, FirstOrderLinear(0.0; b=-1.0); x0=0.035)
    connect!(m, LinearRelation(1.0), complementarity(), x)
    sim = Simulation(m; h=0.01, steps=10, solver="lemke")
    @test sim.status == Perp.PERP_OK && sim.ending == "not ended: 0 steps, t = 0"
    @test run!(sim) == Perp.PERP_INFEASIBLE == sim.status
    @test startswith(sim.ending, "not solved: no solution in step 4 at t = 0.03, interaction 1 of system 1, residual ")
    @test sim.info.index == 0
    e = thrown(() -> foreach(identity, Simulation(m; h=0.01, steps=10, solver="lemke")))
    @test e isa PerpError && e.field == "one-step problem at interaction" && e.index == 1
end

@testset "an event-driven run says in words why it ended" begin
    m = Model()
    add!(m, LagrangianLinear(1.0; f=-g); q0=1)
    sim = EventDriven(m; h_max=1e-3, max_steps=5)
    @test sim.status == Perp.PERP_OK && sim.message == ""
    @test run!(sim, 1.0) == Perp.PERP_MAX_ITER == sim.status
    @test startswith(sim.message, "5 steps since the last event or output")
    @test Perp.static_text(sim.info.field) == "max_steps"
    @test startswith(sim.ending, "not solved: max_steps are over since the last event or output at t = ")
    @test run!(sim, sim.time + 1e-3) == Perp.PERP_OK && sim.message == ""
end

@testset "a state that is set: what follows has the bits of a run that starts there" begin
    n = Model()
    t = add!(n, LagrangianLinear(1.0; f=-g); q0=2, v0=-3)
    connect!(n, LagrangianLinearRelation(1.0), newton_impact(0.5), t)
    e, f = Simulation(n; h=0.01), Simulation(n; h=0.01)
    run!(e; steps=77)
    set_state!(e, t; q=[2], v=[-3])
    run!(e; steps=99)
    run!(f; steps=99)
    @test e[:q, t] == f[:q, t] && e[:v, t] == f[:v, t]
    set_state!(e, t; v=[7])
    @test e[:q, t] == f[:q, t] && e[:v, t] == [7]
    @test thrown(() -> set_state!(e, t; q=[1, 2])) isa DimensionMismatch
    @test thrown(() -> set_state!(e, t; x=[1])) isa DimensionMismatch
    @test thrown(() -> set_state!(e, 2)) isa BoundsError
    @test thrown(() -> set_state!(e, t; q=[Inf])).status == Perp.PERP_ENOTFINITE
end

@testset "functions and the simulation that calls them" begin
    by_steps(m) = Simulation(m; h=0.01)
    on(sim) = sim isa Simulation ? step!(sim) : run!(sim, sim.time + 0.1)
    cases = (
        (by_steps, (close, step!, s -> advance!(s, 0.01), run!, energy, checkpoint, sealed_checkpoint, report,
            s -> set_state!(s, 1; q=[2.0]), s -> s.time, s -> s.step, s -> s[:q, 1], s -> s[:force, 1])),
        (EventDriven, (close, s -> run!(s, 1.0), s -> next!(s, 1.0), energy, report, last_event,
            s -> s.time, s -> s.message, s -> s[:q, 1])))
    for (make, uses) in cases, use in uses
        inner = Ref{Any}(nothing)
        pull(f, t) = (inner[] === nothing || use(inner[]); f[1] = 1.0)
        m = Model()
        s = add!(m, LagrangianLinear(1.0; force=pull); q0=1)
        connect!(m, LagrangianLinearRelation(1.0), newton_impact(0.9), s)
        sim = make(m)
        inner[] = sim
        e = thrown(() -> on(sim))
        @test e isa PerpError && e.status == Perp.PERP_EINVAL && occursin("is running", sentence(e))
        @test isopen(sim) && sim.time == 0
        inner[] = nothing # it was left as it was before
        @test on(sim) >= 0 && abs(sim[:v, s][1] - sim.time) < 1e-8
        close(sim)
        @test !isopen(sim)
    end
    # finalize waits, too
    for make in (by_steps, EventDriven)
        inner = Ref{Any}(nothing)
        pull(f, t) = (inner[] === nothing || finalize(inner[]); f[1] = 1.0)
        m = Model()
        s = add!(m, LagrangianLinear(1.0; force=pull))
        sim = make(m)
        inner[] = sim
        @test on(sim) >= 0 && isopen(sim) && abs(sim[:v, s][1] - sim.time) < 1e-8
        finalize(sim)
        @test !isopen(sim)
    end
    # arrays are copies, which may be written to, and of any length afterwards
    for make in (by_steps, EventDriven)
        seen = Tuple{Float64,Vector{Float64}}[]
        spring(F, t, q, v) = (push!(seen, (q[1], copy(q))); F[1] = 4 * q[1]; q .= NaN; resize!(v, 5))
        m = Model()
        s = add!(m, Lagrangian(1; M=1.0, internal=spring); q0=1)
        sim = make(m)
        while sim.time < 1
            on(sim)
        end
        @test abs(sim[:q, s][1] - cos(2 * sim.time)) < 0.05
        @test length(seen) > 10 && all(pair -> pair[2][1] == pair[1], seen)
        close(sim)
        m = Model()
        add!(m, LagrangianLinear(1.0; force=(F, t) -> resize!(F, 1000000)))
        @test thrown(() -> on(make(m))) isa DimensionMismatch
    end
    # a potential that fails does it where the energy is asked for
    for make in (by_steps, EventDriven)
        broken = Ref(false)
        height(V, t, q, v) = broken[] ? throw(DomainError(q[1], "no height")) : (V[1] = g * q[1])
        m = Model()
        s = add!(m, Lagrangian(1; M=1.0, internal=(F, t, q, v) -> (F[1] = g), potential=height); q0=1)
        sim = make(m)
        broken[] = true
        @test thrown(() -> energy(sim)) isa DomainError
        @test on(sim) >= 0
        broken[] = false
        @test abs(energy(sim).potential - g * sim[:q, s][1]) < 1e-12
    end
end

@testset "a call of a function allocates nothing" begin
    damped(u, t, q, v) = (u[1] = -q[1] - v[1]; nothing)
    m = Model()
    add!(m, LagrangianLinear(1.0; force=(F, t) -> (F[1] = cos(t); nothing), control=(T=1.0, u=damped)); q0=1)
    sim = Simulation(m; h=1e-3)
    run!(sim; steps=10)
    few, many = (@allocated run!(sim; steps=10)), (@allocated run!(sim; steps=10_000))
    @test many <= few + 1000 # bytes
end

@testset "init, step!, solve!, show" begin
    m = Model()
    s = add!(m, LagrangianLinear(1.0; f=-g); q0=1)
    connect!(m, LagrangianLinearRelation(1.0), newton_impact(0.5), s)
    sim = init(m; h=0.01, steps=3)
    @test step!(sim) == Perp.PERP_OK && sim.step == 1
    @test solve!(sim) === sim && sim.step == 3 && sim.status == Perp.PERP_END
    @test solve(m; h=0.01, steps=3)[:q, s] == sim[:q, s]
    events = init(m, EventDriven)
    @test step!(events, 1.0) == Perp.PERP_OK && abs(events.time - sqrt(2 / g)) < 1e-9
    @test solve!(events; until=2.0).time == 2 == solve(m, EventDriven; until=2.0).time
    @test string(m) == "Model of 1 system and 1 interaction"
    @test string(m.systems[1]) == "LagrangianLinear of 1 degree of freedom"
    @test string(newton_impact(0.5)) == "law newton_impact of 1 row"
    @test startswith(string(sim), "Simulation: finished: 3 steps")
    @test startswith(string(solve_lcp([2.0 1; 1 2], [-5.0, -6])), "Solution of 2 unknowns by ")
    close(sim)
    @test string(sim) == "Simulation: closed"
    inner = Ref{Any}(nothing)
    m = Model()
    add!(m, LagrangianLinear(1.0; force=(F, t) -> (@test(string(inner[]) == "Simulation: running"); F[1] = 1)))
    inner[] = init(m; h=0.01, steps=1)
    @test step!(inner[]) == Perp.PERP_OK
    @test_throws ArgumentError Perp.library!("no such file")
end

@testset "events" begin
    m = Model()
    s = add!(m, LagrangianLinear(1.0; f=-g); q0=1)
    connect!(m, LagrangianLinearRelation(1.0), newton_impact(0), s)
    sim = EventDriven(m)
    @test next!(sim, 1.0) == Perp.PERP_OK
    event = last_event(sim)
    @test abs(event.t - sqrt(2 / g)) < 1e-9
    @test event.kinds == Perp.PERP_EVENT_IMPACT | Perp.PERP_EVENT_CLOSE
    @test sort([c.kind for c in event.changes]) == [Perp.PERP_EVENT_IMPACT, Perp.PERP_EVENT_CLOSE]
    @test all(c -> c.index == 1 && c.copy == 1, event.changes)
    @test all(c -> c.before == Perp.PERP_CONTACT_OPEN && c.after == Perp.PERP_CONTACT_CLOSED, event.changes)
    @test next!(sim, 1.0) == Perp.PERP_END
end

@testset "bad input of models" begin
    m = Model()
    @test_throws DimensionMismatch add!(m, LagrangianLinear(1.0); q0=[1, 2])
    @test_throws ArgumentError add!(m, LagrangianLinear(1.0); x0=1)
    @test_throws DimensionMismatch LagrangianLinear([1.0 0.0])
    s = add!(m, LagrangianLinear(1.0))
    @test_throws BoundsError connect!(m, LagrangianLinearRelation(1.0), equality(), 2)
    @test_throws ArgumentError connect!(m, LinearRelation(1.0), equality(), s)
    @test_throws ArgumentError Simulation(m; h=0.01, integrator="jean-moreau")
    @test_throws ArgumentError Simulation(m; h=0.01, step_length=1)
    e = thrown(() -> Simulation(m; h=-1.0))
    @test e isa PerpError && e.field == "h" && e.value == -1
    connect!(m, LagrangianLinearRelation([1.0 2.0]), newton_impact(0.5), s)
    @test_throws DimensionMismatch Simulation(m; h=0.01)
    m = Model()
    s = add!(m, LagrangianLinear(1.0))
    connect!(m, LagrangianLinearRelation(1.0), newton_impact(1.5), s)
    e = thrown(() -> Simulation(m; h=0.01))
    @test e isa PerpError && e.field == "e" && startswith(sentence(e), "PerpError: connect!: ")
    m = Model()
    add!(m, LagrangianLinear(Inf))
    @test thrown(() -> Simulation(m; h=0.01)) isa PerpError
end

@testset "examples" begin
    for name in ("ball", "bridge", "friction")
        command = `$(Base.julia_cmd()) --project=$(dirname(@__DIR__)) $(joinpath(@__DIR__, "..", "examples", name * ".jl"))`
        @test success(pipeline(command; stdout=stdout, stderr=stderr))
    end
end
