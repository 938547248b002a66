"""What every finding that the source can raise must obey, read from the source."""

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from surefoot.core import CODES

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src" / "surefoot").rglob("*.py"))
EXPLAINED = {
    code
    for page in ("codes.md", "case-checks.md")
    for code in re.findall(r"^\| `([a-z-]+)` \|", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.MULTILINE)
}
CODE = re.compile(r"[a-z]+(-[a-z]+)+|moved|uncorrected")
RAISING = {
    "Diagnostic": 1,
    "of": 1,
    "Refused": 1,
    "Problem": 2,
    "add": 1,
    "stop": 1,
    "error": 1,
    "_add": 1,
    "_error": 1,
}
"""What makes a finding of a code, its first argument, and which argument is the text."""
OPEN = "\0"
"""Stands for what is filled in."""


@dataclass(frozen=True)
class Message:
    """A finding as the source words it, with ``OPEN`` for whatever is filled in; None where another place words it."""

    place: str
    code: str
    text: str | None
    hint: str | None
    has_hint: bool


def worded(node, names):
    """The text of an expression; None where it cannot be read off."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else OPEN for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = [worded(side, names) for side in (node.left, node.right)]
        return None if None in sides else "".join(sides)
    if isinstance(node, ast.Name) and len(names.get(node.id, ())) == 1:
        return worded(names[node.id][0], {})
    return None


def assigned(body):
    """Each name with all that is assigned to it."""
    found = {}
    for node in ast.walk(body):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(node.value)
                elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    for name, value in zip(target.elts, node.value.elts, strict=False):
                        if isinstance(name, ast.Name):
                            found.setdefault(name.id, []).append(value)
    return found


@cache
def messages():
    found = []
    for path in SOURCES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            first = node.args[0]
            if called not in RAISING or not (isinstance(first, ast.Constant) and isinstance(first.value, str)):
                continue
            if not CODE.fullmatch(first.value) or (called == "of" and "DiagnosticsError" not in ast.unparse(node.func)):
                continue
            inside = [each for each in functions if each.lineno <= node.lineno <= each.end_lineno]
            names = assigned(max(inside, key=lambda each: each.lineno)) if inside else {}
            place, options = RAISING[called], {word.arg: word.value for word in node.keywords}
            text = options.get("text", node.args[place] if len(node.args) > place else None)
            further = node.args[place + 1] if len(node.args) > place + 1 and called != "Diagnostic" else None
            hint = options.get("hint", further)
            found.append(
                Message(
                    f"{path.relative_to(ROOT)}:{node.lineno}",
                    first.value,
                    text if text is None else worded(text, names),
                    hint if hint is None else worded(hint, names),
                    hint is not None,
                )
            )
    return found


ASKING = [
    "cannot-combine",
    "checks-off",
    "chosen-in-sample",
    "contradictory-labels",
    "cyclic-steps",
    "duplicate-key",
    "few-effective-rows",
    "few-groups",
    "hazop-cell",
    "hazop-duplicate",
    "hazop-incomplete",
    "hazop-property",
    "hazop-unknown",
    "input-layout",
    "looks-open",
    "model-batch-dependent",
    "model-crashed",
    "model-random",
    "model-timeout",
    "model-untrusted",
    "no-finite-minimum",
    "not-assessed",
    "plug-in-value",
    "repeated-looks",
    "same-input",
    "scores-needed",
    "scores-saturate",
    "seal-broken",
    "seal-signature",
    "seal-unsigned",
    "store-newer",
    "tree-left-out",
    "uncorrected",
    "unknown-step",
    "value-at-floor",
    "verdicts-only",
]
"""Codes of which every finding says what to do."""
UNFINISHED = {
    "there is no file",
    "there is no evidence store",
    "there is no lock file",
    "its data are damaged",
    f"the report has version {OPEN}, and version {OPEN} can be read here",
    f"The data speak against this assumption: {OPEN} ({OPEN})",
    "No held-out labels have corrected this number",
    f"The project's folder holds too much code (more than {OPEN} files or 1 GiB): ",
}
"""Texts that end without a full stop, which none but these may."""


def strings_outside_the_list_of_codes():
    for path in SOURCES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        listed = {
            id(each)
            for node in tree.body
            if isinstance(node, ast.AnnAssign | ast.Assign) and "CODES" in ast.unparse(node).partition("=")[0]
            for each in ast.walk(node)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in listed:
                yield node.value


def test_the_source_is_read():
    assert len(messages()) > 500
    assert sum(message.text is not None for message in messages()) > 400


def test_every_finding_has_a_code_that_is_explained():
    assert set(CODES) <= EXPLAINED
    assert [message for message in messages() if message.code not in CODES] == []


def test_every_code_that_is_explained_is_raised_somewhere():
    assert set(CODES) - set(strings_outside_the_list_of_codes()) == set()


def test_every_text_is_a_sentence_with_its_full_stop():
    texts = {message.text: message.place for message in messages() if message.text is not None}
    begun = {place: text for text, place in texts.items() if not re.match(rf"[\w<'\"{OPEN}]", text)}
    assert begun == {}
    open_ended = {text for text in texts if not text.endswith((".", "?", OPEN))}
    assert {texts[text]: text for text in open_ended - UNFINISHED} == {}
    assert UNFINISHED - open_ended == set(), "they were mended: take them off the list"


def test_nothing_is_left_to_be_filled_in():
    left = re.compile(r"[{}]|TODO|FIXME|XXX|%[sdr]\b|  |\.\.\.|\bNone\b|\n")
    assert {message.place: message.text for message in messages() if message.text and left.search(message.text)} == {}


def test_every_hint_is_a_sentence_or_shows_what_to_write():
    hints = {message.place: message.hint for message in messages() if message.hint}
    ended = re.compile(rf".*([.?{OPEN}]|: .*|\}})", re.DOTALL)
    wrong = {
        place: hint
        for place, hint in hints.items()
        if not re.match(rf"[A-Z{{{OPEN}]", hint) or not ended.fullmatch(hint)
    }
    assert wrong == {}


def test_codes_that_ask_for_a_hint_have_one():
    assert {
        message.place: message.code for message in messages() if message.code in ASKING and not message.has_hint
    } == {}
    assert set(ASKING) <= {message.code for message in messages()}
