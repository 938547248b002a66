"""What differs between a part of the record and the same part made anew."""

import math

TOLERANCE = 1e-7
"""Of numbers: processors and libraries differ in the last digits, meanings do not."""


def differences(old, new, where=""):
    """One line for each value that differs, by more than rounding where it is a number."""
    if isinstance(old, dict) and isinstance(new, dict):
        return [
            line
            for name in [*old, *(name for name in new if name not in old)]
            for line in differences(old.get(name), new.get(name), f"{where}.{name}" if where else name)
        ]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [
            line
            for number, pair in enumerate(zip(old, new, strict=True))
            for line in differences(*pair, f"{where}[{number}]")
        ]
    if isinstance(old, list) and isinstance(new, list) and all(isinstance(item, str) for item in old + new):
        return [f"{where}: gone {sorted(set(old) - set(new))}, new {sorted(set(new) - set(old))}, or in another order"]
    return [] if _same(old, new) else [f"{where}: was {_short(old)}, is {_short(new)}"]


def same_key_other_result(old, new):
    """Steps whose evidence changed by more than rounding while their key did not."""
    if "result" not in old:
        return []
    steps, found = old["steps"], new["steps"]
    kept = [name for name, step in steps.items() if name in found and step["key"] == found[name]["key"]]
    return [
        name
        for name in kept
        if steps[name]["results"] != found[name]["results"]
        and differences(old["result"]["evidence"][name], new["result"]["evidence"][name])
    ]


def comparable_keys(old, new):
    """Whether keys can be compared: with other libraries, or inputs trained on another machine, they differ."""
    return old["libraries"] == new["libraries"] and old["inputs"] == new["inputs"]


def _same(old, new):
    if isinstance(old, bool) or isinstance(new, bool) or not all(isinstance(v, int | float) for v in (old, new)):
        return old == new
    return old == new or math.isclose(old, new, rel_tol=TOLERANCE, abs_tol=1e-12) or (old != old and new != new)


def _short(value):
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:117]}..."
