"""The words of a file: which keys there are, in the order they are written, and which field of a node each is."""

from __future__ import annotations

from surefoot.case.node import KINDS
from surefoot.documents import Kind

MARK, VERSION = "surefoot-case", 1
SYNTAX, VALUE = "case-syntax", "case-value"
CASE = Kind(
    SYNTAX,
    beginning=f"The first line of a case is '{MARK}: {VERSION}'.",
    flatter="Write inner nodes by themselves and name their ids.",
)
SECTIONS = (MARK, "name", "description", "notation", "confidence", "modules", "nodes")
LINKS = {"supported by": "supported_by", "in context of": "in_context_of", "challenges": "challenges"}
FIELDS = {
    **LINKS,
    "block": "block",
    "combining": "combining",
    "undeveloped": "undeveloped",
    "module": "module",
    "of": "of",
    "public": "public",
    "number": "number",
    "rests on": "rests_on",
    "assumption": "assumption",
    "digest": "digest",
    "stated": "stated",
    "defeated": "defeated",
    "multiplicity": "multiplicity",
    "choice": "choice",
    "uninstantiated": "uninstantiated",
    "tags": "tags",
    "note": "note",
    "url": "url",
}
"""What a node may say besides its kind and text: the key in a file and the name in ``Node``."""
TEXTS = ("block", "combining", "module", "of", "rests on", "assumption", "digest", "note", "url")
TRUTHS = ("undeveloped", "public", "defeated", "uninstantiated")
NODE_KEYS = (*KINDS, *FIELDS)
MODULE_KEYS = ("name", "brief", "extends", "file")
MASSES = ("belief", "disbelief", "uncertainty")
RATES = {"base rate": "base_rate", "prior weight": "prior_weight"}
VERBAL = ("likelihood", "confidence")
OPINION_KEYS = (*VERBAL, *MASSES, *RATES)
CONDITIONALS = {"given true": "given_true", "given false": "given_false"}
STATED_KEYS = (*OPINION_KEYS, *CONDITIONALS, "by", "why")
NUMBER_KEYS = ("quantity", "at most", "at least", "per", "level", "strict level", "source", "uncertainty", "kinds")
CONVENTIONS = ("checked", "unchecked", "contradicted", "undeveloped")
POLICY_KEYS = (*CONVENTIONS, "discounting", "disagreement")
CHOICE_KEYS = ("among", "least", "most")
