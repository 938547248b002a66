"""Damage to files: bytes, tokens, values of structured text, and members of archives whose checksums still agree."""

import io
import json
import random
import re
import string
import zipfile

import yaml

TOKENS = re.compile(rb"\s+|[A-Za-z_][\w-]*|\d+|.", re.DOTALL)
NASTY = [
    *(
        b"",
        b"\x00",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        "\u2028".encode(),
        "\u202e".encode(),
        "e\u0301".encode(),
        b"\xed\xa0\x80",
    ),
    *(b"-1", b"0", b"1e309", b"-0.0", b"NaN", b"inf", b"1" * 400, b"9223372036854775808", b"0x1f", b"1_000", b"1e-400"),
    *(
        b"null",
        b"~",
        b"true",
        b"&a ",
        b"*a",
        b"<<: *a",
        b"!!python/object:os.system ",
        b"{}",
        b"[]",
        b"[[",
        b"}}",
        b"---\n",
    ),
    *(b'"', b"'", b"\\", b"|", b">", b"#", b"%", b"\t", b"\r", b"\n\n", b",,", b";", b": ", b"- ", b"? "),
    *(b"<!DOCTYPE x [<!ENTITY e 'e'>]>", b"&e;", b"<!--", b"]]>", b"<?x?>", b"xmlns:x='y'", b"</", b"/>"),
    *(b"../", b"/etc/passwd", b"~/", b"file:///", b"a" * 5000, b"(" * 300, b"[" * 3000, b"=1+1", b"%s%n", b"\x1b[31m"),
]
VALUES = [
    None,
    True,
    False,
    0,
    -1,
    1.5,
    1e308,
    10**30,
    "",
    "x",
    "\x00",
    "..",
    [],
    {},
    [None],
    {"": None},
    [[[]]],
    "1",
    "nan",
    " ",
]


def damaged(seed: bytes, others: list[bytes], chance: random.Random) -> bytes:
    """A seed with one to four pieces of damage, now and then of its values instead of its text."""
    if zipfile.is_zipfile(io.BytesIO(seed)) and chance.random() < 0.8:
        return of_archive(seed, chance)
    if chance.random() < 0.35:
        found = of_values(seed, chance)
        if found is not None:
            return found
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 4))):
        seed = chance.choice(TEXT_DAMAGE)(seed, others, chance)
    return seed


def _bytes(seed, _others, chance):
    content = bytearray(seed or b"x")
    for _ in range(chance.choice((1, 1, 2, 8))):
        content[chance.randrange(len(content))] = chance.randrange(256)
    return bytes(content)


def _cut(seed, _others, chance):
    ends = sorted(chance.randrange(len(seed) + 1) for _ in range(2))
    return seed[: ends[0]] if chance.random() < 0.4 else seed[: ends[0]] + seed[ends[1] :]


def _inserted(seed, _others, chance):
    at = chance.randrange(len(seed) + 1)
    return seed[:at] + chance.choice(NASTY) + seed[at:]


def _token(seed, others, chance):
    tokens = TOKENS.findall(seed) or [b""]
    at = chance.randrange(len(tokens))
    kind = chance.randrange(5)
    if kind == 0:
        del tokens[at]
    elif kind == 1:
        tokens.insert(at, chance.choice(tokens))
    elif kind == 2:
        tokens[at] = chance.choice(tokens)
    elif kind == 3:
        tokens[at] = chance.choice(NASTY)
    else:
        tokens[at] = chance.choice(TOKENS.findall(chance.choice(others)) or [b""])
    return b"".join(tokens)


def _lines(seed, others, chance):
    lines = seed.split(b"\n")
    at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    kind = chance.randrange(5)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(at, lines[other])
    elif kind == 2:
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == 3:
        lines[at] = b"  " * chance.randrange(4) + lines[at].lstrip()
    else:
        lines.insert(at, chance.choice(chance.choice(others).split(b"\n")))
    return b"\n".join(lines)


def _spliced(seed, others, chance):
    other = chance.choice(others)
    return seed[: chance.randrange(len(seed) + 1)] + other[chance.randrange(len(other) + 1) :]


def _repeated(seed, _others, chance):
    ends = sorted(chance.randrange(len(seed) + 1) for _ in range(2))
    return seed[: ends[1]] + seed[ends[0] : ends[1]] * chance.choice((1, 2, 50)) + seed[ends[1] :]


TEXT_DAMAGE = (_bytes, _cut, _inserted, _inserted, _token, _token, _token, _lines, _lines, _spliced, _repeated)


def of_values(seed, chance):
    """JSON or YAML with one or two values changed, written anew; None for anything else."""
    try:
        text = seed.decode()
    except UnicodeDecodeError:
        return None
    is_json = text.lstrip()[:1] in ("{", "[")
    if not is_json and not re.search(r"^[\w -]+:", text, re.MULTILINE):
        return None
    try:
        data = json.loads(text) if is_json else yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (ValueError, yaml.YAMLError, RecursionError):
        return None
    for _ in range(chance.choice((1, 1, 2))):
        data = _changed(data, chance)
    try:
        return (json.dumps(data) if is_json else yaml.safe_dump(data, allow_unicode=True, sort_keys=False)).encode()
    except (ValueError, TypeError, yaml.YAMLError, RecursionError, UnicodeEncodeError):
        return None


def _changed(data, chance):
    """The data with one value, anywhere, replaced, removed, renamed or given a neighbour."""
    if not isinstance(data, dict | list) or not data or chance.random() < 0.1:
        return _value(chance)
    if isinstance(data, list):
        at = chance.randrange(len(data))
        kind = chance.random()
        if kind < 0.15:
            return [*data[:at], *data[at + 1 :]]
        if kind < 0.3:
            return [*data, data[at]]
        return [*data[:at], _changed(data[at], chance), *data[at + 1 :]]
    key = chance.choice(list(data))
    kind = chance.random()
    if kind < 0.1:
        return {name: value for name, value in data.items() if name != key}
    if kind < 0.2:
        return {
            chance.choice(["x", "step", "path", "", key, 1]) if name == key else name: v for name, v in data.items()
        }
    if kind < 0.3:
        return {
            **data,
            chance.choice(["".join(chance.choices(string.ascii_lowercase, k=4)), "step", "of"]): _value(chance),
        }
    return {**data, key: _changed(data[key], chance)}


def _value(chance):
    return chance.choice([*VALUES, chance.randrange(-5, 10**6), chance.uniform(-2, 2)])


def of_archive(seed, chance):
    """An archive of which one member was damaged, removed, doubled or renamed, written so that all checksums agree."""
    content = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(seed)) as source, zipfile.ZipFile(content, "w", chance.choice((0, 8))) as target:
        names = source.namelist()
        chosen, kind = chance.choice(names), chance.random()
        for name in names:
            member = source.read(name)
            if name != chosen:
                target.writestr(name, member)
            elif kind < 0.75:
                others = [source.read(chance.choice(names))]
                changed = of_values(member, chance) if chance.random() < 0.4 else None
                target.writestr(name, damaged_plainly(member, others, chance) if changed is None else changed)
            elif kind < 0.85:
                target.writestr(chance.choice(["../x", " ", "x" * 300, "a/b", name.upper()]), member)
    return content.getvalue()


def damaged_plainly(member, others, chance):
    return chance.choice(TEXT_DAMAGE)(member, others, chance)
