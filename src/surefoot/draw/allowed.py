"""What a figure may hold when it stands inside a page: elements, attributes and properties of SVG."""

from __future__ import annotations

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
SHAPES = frozenset({"circle", "ellipse", "line", "path", "polygon", "polyline", "rect"})
_GROUPS = "clipPath defs desc g image linearGradient radialGradient stop svg text title tspan use"
ELEMENTS = SHAPES.union(_GROUPS.split())
REFERRED = SHAPES | {"clipPath", "linearGradient", "radialGradient"}
"""Other ids are left out: nothing allowed refers to them."""
WORDS = ("text", "tspan")
_PROPERTIES = """
clip-path clip-rule color dominant-baseline fill fill-opacity fill-rule font font-family font-size font-stretch
font-style font-variant font-weight image-rendering letter-spacing opacity paint-order shape-rendering stop-color
stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity
stroke-width text-anchor text-decoration text-rendering vector-effect visibility white-space word-spacing
"""
PROPERTIES = frozenset(_PROPERTIES.split())
_GEOMETRY = """
aria-label clipPathUnits cx cy d dx dy fx fy gradientTransform gradientUnits height offset pathLength points
preserveAspectRatio r role rotate rx ry spreadMethod textLength transform viewBox width x x1 x2 y y1 y2
"""
ATTRIBUTES = PROPERTIES.union(_GEOMETRY.split())
