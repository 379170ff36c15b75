# SPDX-License-Identifier: MIT
# A cube stands on four corners under its weight and is pulled sideways (N, kg, s): one step of 1 s
# gives u = W r + q with Coulomb's law at each corner. Checked without perp: u = W r + q, normal
# velocities and forces are not negative and never both positive, tangential forces are in the cone,
# and where a corner slips its force is on the rim against the velocity. Exact: with the pull below mu
# times the weight nothing moves; above, the cube slides with (pull - mu weight) / mass.
import Perp as P

const mass, mu, side = 2.0, 0.5, 1.0
const weight = 9.81 * mass

"""Velocity of a corner along d, by velocity and rotation of the cube."""
jacobian(d, at) = [d[1], d[2], d[3], at[2] * d[3] - at[3] * d[2], at[3] * d[1] - at[1] * d[3],
    at[1] * d[2] - at[2] * d[1]]

"""Largest violation of Coulomb's law, by its definition."""
function violation(W, q, r, u)
    worst = maximum(abs.(W * r + q - u))
    for k in 1:3:length(q)
        worst = max(worst, -u[k], -r[k], min(u[k], r[k]))
        rim = mu * r[k]
        slip = sqrt(u[k+1]^2 + u[k+2]^2)
        worst = max(worst, sqrt(r[k+1]^2 + r[k+2]^2) - rim)
        if slip > 1e-5
            worst = max(worst, abs(r[k+1] + rim * u[k+1] / slip), abs(r[k+2] + rim * u[k+2] / slip))
        end
    end
    return worst
end

function friction_solve()
    corners = [side / 2 * [i, j, -1] for i in (1, -1) for j in (1, -1)]
    rows = [jacobian(d, at) for at in corners for d in ([0, 0, 1], [1, 0, 0], [0, 1, 0])]
    H = permutedims(reduce(hcat, rows))
    inverse = 1 ./ [mass, mass, mass, mass * side^2 / 6, mass * side^2 / 6, mass * side^2 / 6]
    W = H * (inverse .* permutedims(H))
    good = true
    for pull in (0.4 * weight, 0.6 * weight)
        load = [pull, 0.0, -weight, 0.0, -pull * side / 2, 0.0] # at the ground: it does not tip
        q = H * (inverse .* load)
        s = P.solve_friction(W, q, fill(mu, 4))
        println("by $(s.solver): pull $pull N, friction $(sum(s.z[2:3:end])) N, speed $(s.w[2]) m/s")
        speed = max(0.0, (pull - mu * weight) / mass)
        good = good && P.solved(s) && violation(W, q, s.z, s.w) < 1e-7 && abs(s.w[2] - speed) < 1e-6 &&
               abs(sum(s.z[1:3:end]) - weight) < 1e-6
    end
    return good
end

friction_solve() || error("friction: disagrees")
