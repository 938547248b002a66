"""Where what several branches rest on comes together again.

The meeting place of a unit is the lowest one that every way from the top down to it passes through: its immediate
dominator (Cooper, Harvey and Kennedy 2001, "A simple, fast dominance algorithm"; in a graph without circles one pass
suffices). Skip pointers make each step logarithmic in the depth.
"""

from __future__ import annotations

from collections.abc import Sequence


def meeting_places(users: Sequence[Sequence[int]]) -> list[int]:
    """For each unit where all uses of it meet; ``len(users)`` where they never do.

    Users have larger numbers than what they use.

    >>> meeting_places([(1, 2), (3,), (3,), ()])
    [3, 3, 3, 4]
    """
    root = len(users)
    above, skip, depth = [root] * (root + 1), [root] * (root + 1), [0] * (root + 1)

    def met(one: int, other: int) -> int:
        if depth[one] < depth[other]:
            one, other = other, one
        while depth[one] > depth[other]:
            one = skip[one] if depth[skip[one]] >= depth[other] else above[one]
        while one != other:
            apart = skip[one] != skip[other]
            one, other = (skip[one], skip[other]) if apart else (above[one], above[other])
        return one

    for unit in range(root - 1, -1, -1):
        place = users[unit][0] if users[unit] else root
        for user in users[unit][1:]:
            place = met(place, user)
        above[unit], depth[unit] = place, depth[place] + 1
        far = skip[place]
        skip[unit] = skip[far] if depth[place] - depth[far] == depth[far] - depth[skip[far]] else place
    return above[:root]
