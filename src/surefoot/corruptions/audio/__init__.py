"""Corruptions of sounds: rooms, noise, levels, time, and the channel they come through.

Each is a function ``f(sounds, severity, rngs, *, rate)`` of a list of sounds (1-D floats, full scale 1), one generator
a sound; ``items`` checks what comes in and gives it back in its shape and type. Parameters of paper SYS (Wang et al.
2022, Table 1) at severities 1, 3 and 5. May import ``core``; scipy where it is used.
"""
