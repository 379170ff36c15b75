# SPDX-License-Identifier: MIT
# Nonsmooth laws; see docs/laws.md. Copies of a law fill the rows of a relation.

"""A law, made by one of the functions below: rows of one copy, and how C learns of it."""
struct Law
    size::Int
    build::Any # held -> address of its head
end

"""Initialise the description of a law, change some fields, keep it."""
function described(held::Held, ::Type{T}, init, size, changes) where {T}
    c = Ref(zeroed(T))
    check(init(c, sizeof(T)), string(T))
    c[] = with(resized(c[], size); changes...)
    return address!(held, c)
end

# the head of a law, however deep it is
resized(x::perp_law, size) = with(x; size=size)
function resized(x::T, size) where {T}
    first = fieldname(T, 1)
    return with(x; NamedTuple{(first,)}((resized(getfield(x, 1), size),))...)
end

"""y = 0, λ free."""
equality() = Law(1, held -> described(held, perp_equality, perp_equality_init, 1, NamedTuple()))

"""0 <= y ⟂ λ >= 0."""
complementarity() =
    Law(1, held -> described(held, perp_complementarity, perp_complementarity_init, 1, NamedTuple()))

"""Unilateral contact with restitution 0 <= e <= 1."""
newton_impact(e) =
    Law(1, held -> described(held, perp_newton_impact, perp_newton_impact_init, 1, (e=e,)))

"""−y ∈ N_[lower,upper](λ): as many rows as bounds, which may be infinite."""
function box(lower, upper)
    low = vector_of("lower", lower)
    high = vector_of("upper", upper, length(low))
    return Law(length(low), held -> described(held, perp_box, perp_box_init, length(low),
        (lower=address!(held, low), upper=address!(held, high))))
end

"""−y ∈ N_[−limit,limit](λ): λ = −limit sgn(y)."""
relay(limit=1.0) = box(-limit, limit)

"""Coulomb friction in space, or in the plane; restitution e_n, tangential e_t."""
function friction(mu; e_n=0.0, e_t=0.0, plane=false)
    size = plane ? 2 : 3
    return Law(size, held -> described(held, perp_friction, perp_friction_init, size,
        (mu=mu, e_n=e_n, e_t=e_t)))
end

"""Friction with resistance to rolling (mu_rolling in m)."""
function rolling(mu, mu_rolling; e_n=0.0, e_t=0.0, plane=false)
    size = plane ? 3 : 5
    return Law(size, held -> described(held, perp_rolling, perp_rolling_init, size,
        (mu=mu, mu_rolling=mu_rolling, e_n=e_n, e_t=e_t)))
end

"""Equalities first, then complementarities, in one copy."""
function mixed(equalities, complementarities)
    size = equalities + complementarities
    return Law(size, held -> described(held, perp_mixed, perp_mixed_init, size,
        (equalities=equalities,)))
end

"""Unilateral contact of a spring k (N/m) and a damper c (N s/m)."""
compliant(k; c=0.0, theta=0.5) = Law(1, held -> described(held, perp_compliant, perp_compliant_init, 1,
    (k=k, c=c, theta=theta)))

"""Friction with the impact law of Frémond."""
function fremond(mu; e_n=0.0, plane=false)
    size = plane ? 2 : 3
    return Law(size, held -> begin
        c = Ref(zeroed(perp_fremond))
        check(perp_fremond_init(c, sizeof(perp_fremond)), "fremond")
        head = with(c[].friction; law=with(c[].friction.law; size=size), mu=mu, e_n=e_n)
        c[] = with(c[]; friction=head)
        address!(held, c)
    end)
end

"""Friction between surfaces that stick together: strength sigma_c (Pa), fracture energy G_c (J/m²),
area of one copy (m²)."""
function cohesive(mu, sigma_c, G_c; area=1.0, slip_weight=1.0, plane=false)
    size = plane ? 2 : 3
    return Law(size, held -> begin
        c = Ref(zeroed(perp_cohesive))
        check(perp_cohesive_init(c, sizeof(perp_cohesive)), "cohesive")
        head = with(c[].friction; law=with(c[].friction.law; size=size), mu=mu)
        c[] = with(c[]; friction=head, sigma_c=sigma_c, G_c=G_c, area=area, slip_weight=slip_weight)
        address!(held, c)
    end)
end
