"""What changed between two assessments of a case, and the seal that notices when something did.

Evidence is known by the hash of its content, so that a comparison names the claims that fell or rose, what below them
changed, and which data, model, code, seed, parameter or target was behind it. A seal holds digests of everything a case
rests on, and may be signed (Ed25519, RFC 8032). May import the model of a case, ``opinions`` and ``core``;
``cryptography`` (extra ``sign``) is loaded when a key is used.
"""
