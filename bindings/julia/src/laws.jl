# SPDX-License-Identifier: MIT
# Nonsmooth laws; see docs/theory-laws.md. Copies of a law fill the rows of a relation.

"""A law, made by one of the functions below: its kind, rows of one copy, and how C learns of it."""
struct Law
    kind::String
    size::Int
    build::Any # held -> address of its head
end

"""A law of `size` rows with some fields; `friction` are those of the law of friction that it has."""
function law(::Type{T}, init, size; friction=nothing, changes...) where {T}
    kind = string(nameof(T))[length("perp_")+1:end]
    return Law(kind, size, held -> described!(held, T, init, kind) do c
        c = with(resized(c, size); changes...)
        friction === nothing ? c : with(c; friction=with(c.friction; friction...))
    end)
end

# the head of a law, however deep it is
resized(x::perp_law, size) = with(x; size=size)
function resized(x::T, size) where {T}
    first = fieldname(T, 1)
    return with(x; NamedTuple{(first,)}((resized(getfield(x, 1), size),))...)
end

"""y = 0, λ free."""
equality() = law(perp_equality, perp_equality_init, 1)

"""0 <= y ⟂ λ >= 0."""
complementarity() = law(perp_complementarity, perp_complementarity_init, 1)

"""Unilateral contact with restitution 0 <= e <= 1."""
newton_impact(e) = law(perp_newton_impact, perp_newton_impact_init, 1; e=e)

"""−y ∈ N_[lower,upper](λ): as many rows as bounds, which may be infinite."""
function box(lower, upper)
    low = vector_of("lower", lower)
    high = vector_of("upper", upper, length(low))
    return Law("box", length(low), held -> described!(held, perp_box, perp_box_init, "box") do c
        with(resized(c, length(low)); lower=address!(held, low), upper=address!(held, high))
    end)
end

"""−y ∈ N_[−limit,limit](λ): λ = −limit sgn(y)."""
relay(limit=1.0) = box(-limit, limit)

"""Coulomb friction in space, or in the plane; restitution e_n, tangential e_t."""
friction(mu; e_n=0.0, e_t=0.0, plane=false) =
    law(perp_friction, perp_friction_init, plane ? 2 : 3; mu=mu, e_n=e_n, e_t=e_t)

"""Friction with resistance to rolling (mu_rolling in m)."""
rolling(mu, mu_rolling; e_n=0.0, e_t=0.0, plane=false) =
    law(perp_rolling, perp_rolling_init, plane ? 3 : 5; mu=mu, mu_rolling=mu_rolling, e_n=e_n, e_t=e_t)

"""Equalities first, then complementarities, in one copy."""
mixed(equalities, complementarities) =
    law(perp_mixed, perp_mixed_init, equalities + complementarities; equalities=equalities)

"""Unilateral contact of a spring k (N/m) and a damper c (N s/m)."""
compliant(k; c=0.0, theta=0.5) = law(perp_compliant, perp_compliant_init, 1; k=k, c=c, theta=theta)

"""Friction with the impact law of Frémond."""
fremond(mu; e_n=0.0, plane=false) =
    law(perp_fremond, perp_fremond_init, plane ? 2 : 3; friction=(mu=mu, e_n=e_n))

"""Friction between surfaces that stick together: strength sigma_c (Pa), fracture energy G_c (J/m²),
area of one copy (m²)."""
cohesive(mu, sigma_c, G_c; area=1.0, slip_weight=1.0, plane=false) =
    law(perp_cohesive, perp_cohesive_init, plane ? 2 : 3; friction=(mu=mu,), sigma_c=sigma_c, G_c=G_c,
        area=area, slip_weight=slip_weight)
