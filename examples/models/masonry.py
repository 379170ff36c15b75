# SPDX-License-Identifier: MIT
"""Contacts of masonry.toml: faces of bricks that touch have four, at the corners of what they have
in common. Bricks turn so little that this is a rectangle along the axes."""


def turned(q):
    """The axes of a brick, by its unit quaternion."""
    w, x, y, z = q[3:7]
    return ((1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)),
            (2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)),
            (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)))


def face(q, n, k, side, x):
    """Where the face of a brick, side along its axis n, meets the line through x along k."""
    along = side
    for c in ((k + 1) % 3, (k + 2) % 3):
        along -= n[c] * (x[c] - q[c])
    return q[k] + along / n[k]


def touch(at, a, b, k):
    """Contacts of bricks a and b, whose faces across axis k look at each other."""
    (name_a, _, half_a), (name_b, _, half_b) = a, b
    qa, qb = at.q(name_a).tolist(), at.q(name_b).tolist()
    axis_a, axis_b = turned(qa)[k], turned(qb)[k]
    i, j = (k + 1) % 3, (k + 2) % 3
    low = {c: max(qa[c] - half_a[c], qb[c] - half_b[c]) for c in (i, j)}
    high = {c: min(qa[c] + half_a[c], qb[c] + half_b[c]) for c in (i, j)}
    if min(high[c] - low[c] for c in (i, j)) < 1e-3:
        return
    for corner in range(4):
        x = {i: (high if corner % 2 else low)[i], j: (high if corner // 2 else low)[j]}
        on_a = {**x, k: face(qa, axis_a, k, -half_a[k], x)}
        on_b = {**x, k: face(qb, axis_b, k, half_b[k], x)}
        gap = (on_a[k] - on_b[k]) * axis_b[k]
        if gap < 1e-3:
            at.add(name_a, name_b, gap=gap, normal=axis_b, at=[on_a[c] for c in range(3)],
                   at_b=[on_b[c] for c in range(3)], identity=corner)


def stand(at, name, half):
    """Contacts of the lower corners of a brick with the ground."""
    q = at.q(name).tolist()
    R = turned(q)
    for corner in range(4):
        p = (half[0] if corner % 2 else -half[0], half[1] if corner // 2 else -half[1], -half[2])
        x = [q[c] + R[0][c] * p[0] + R[1][c] * p[1] + R[2][c] * p[2] for c in range(3)]
        at.add(name, None, gap=x[2], normal=(0, 0, 1), at=x, at_b=(0, 0, 0), identity=corner)


def find(at):
    edges, bricks = at.z[:3].tolist(), int(at.z[3])
    wall = []  # names, courses, halves of the edges
    for name in at.names:
        course = {"bottom": 0, "middle": 1}.get(name.split("[")[0], 2)
        half = [edge / 2 for edge in edges]
        if name in ("middle[0]", f"middle[{bricks}]"):
            half[0] /= 2
        wall.append((name, course, half))
    for k, a in enumerate(wall):
        if a[1] == 0:
            stand(at, a[0], a[2])
        for b in wall[:k]:
            if a[1] == b[1] + 1:
                touch(at, a, b, 2)
            if a[1] == b[1] and b is wall[k - 1]:
                touch(at, a, b, 0)


def perp_plugin_save():  # nothing is remembered
    return b""


def perp_plugin_restore(data):
    pass
