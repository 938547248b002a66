"""Corruptions of images: noise, blur, weather, light, digital faults, scenes, sensors, dropout and channels.

Each is a function ``f(images, severity, rngs)`` of images (n x h x w x c) with pixels in [0, 1], one generator an
image; ``items`` checks what comes in and gives it back in its shape and type. Sources: Hendrycks and Dietterich (2019),
paper MON (Guerin et al. 2022). May import ``core``; scipy and Pillow where they are used.
"""
