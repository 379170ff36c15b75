# SPDX-License-Identifier: MIT
# Contacts and joints of rigid bodies; see docs/theory-rigid-bodies.md. The law says how many rows a
# contact has: 1 (normal), 2, 3 (tangential), 5 (rolling).

function require_bodies(at::Joined, who)
    at.n_q == 7 * at.systems ||
        throw(PerpError(PERP_EINVAL, who, "systems", 0, Float64(at.systems), "they have to be bodies"))
    return nothing
end

function contact!(held, at, who, locate, user)
    require_bodies(at, who)
    return described!(held, perp_body_contact, perp_body_contact_init, who, at.law_size, at.systems;
        locate=locate, user=user), at.law_size
end

function call_locate(t::Cdouble, q::Ptr{Cdouble}, place::Ptr{perp_contact_place}, calls::Callbacks)::Int32
    calls.held.thrown === nothing || return Int32(-1)
    try
        found = calls.functions.locate(t, received!(calls.a, q, calls.lengths.locate[2]))
        found === :retry && return Int32(1)
        unsafe_store!(place, with(zeroed(perp_contact_place); found...))
        return Int32(0)
    catch what
        return gave_up(calls, what)
    end
end
locator(::T) where {T<:Callbacks} =
    @cfunction(call_locate, Int32, (Cdouble, Ptr{Cdouble}, Ptr{perp_contact_place}, Ref{T}))

"""
    BodyContact(locate)

`locate(t, q)` gives a named tuple of gap, normal (a tuple of three, to the first body), a, b (points, in
the fixed frame), tangent, velocity; what is left out is 0.
"""
function BodyContact(locate)
    return Relation("BodyContact", 2, (held, at) -> begin
        calls = kept_calls!(held, (:locate,), (locate=locate,), (Cdouble[],), at.n_q, (0,))
        contact!(held, at, "BodyContact", locator(calls), pointer_from_objref(calls))
    end)
end

"""A contact by a locator of the library, which has an address in it, and its geometry."""
located(who, name, geometry) = Relation(who, 2, (held, at) ->
    contact!(held, at, who, Libdl.dlsym(loaded[], name), address!(held, Ref(geometry))))

"""    SpherePlane(radius; normal=(0, 0, 1), offset=0): a sphere and the half space normal·x <= offset."""
function SpherePlane(radius; normal=(0.0, 0.0, 1.0), offset=0.0)
    return located("SpherePlane", :perp_locate_sphere_plane, perp_sphere_plane(radius, Tuple(normal), offset))
end

"""    SphereSphere(radius_a, radius_b): two spheres about the centres of mass."""
function SphereSphere(radius_a, radius_b)
    return located("SphereSphere", :perp_locate_sphere_sphere, perp_sphere_sphere((Cdouble(radius_a), Cdouble(radius_b))))
end

"""    PointPlane(point; normal=(0, 0, 1), offset=0): a point in the frame of the body and a half space."""
function PointPlane(point; normal=(0.0, 0.0, 1.0), offset=0.0)
    return located("PointPlane", :perp_locate_point_plane, perp_point_plane(Tuple(point), Tuple(normal), offset))
end

"""
    Joint(kind; point=zeros(3), axis=[1, 0, 0], lead=0)

A joint of one body with the ground, or of two, for the equality law. kind is Perp.PERP_JOINT_SPHERICAL,
...; point and axis are in the fixed frame at the initial positions.
"""
function Joint(kind; point=zeros(3), axis=[1.0, 0.0, 0.0], lead=0.0)
    at_point, direction = vector_of("point", point, 3), vector_of("axis", axis, 3)
    return Relation("Joint", 2, (held, at) -> begin
        require_bodies(at, "Joint")
        c = Ref(zeroed(perp_joint))
        check(perp_joint_init(c, sizeof(perp_joint), kind, at.systems), "Joint")
        check(perp_joint_place(c, at_point, direction, at.q[1:7], at.q[end-6:end]), "Joint: axis")
        c[] = with(c[]; lead=lead)
        (address!(held, c), Int(c[].relation.m))
    end, true)
end
