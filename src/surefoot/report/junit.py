"""JUnit XML for CI: one test case a target, failed unless it counts as met and operation agrees.

Estimates that contradict each other are a failed test case of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from surefoot.core import Diagnostic
from surefoot.documents import visible
from surefoot.project.answer import Answer
from surefoot.project.result import Result
from surefoot.report.words import STATUS_WORDS, finding, looks_words, plain_status, reason


def junit(result: Result) -> str:
    """A document that CI servers show as test results."""
    name = visible(result.definition["system"]["name"])
    failed = sum(not answer.met or bool(result.against(answer.name)) for answer in result.answers)
    disagree = result.disagreements
    tests, failed = len(result.answers) + len(disagree), failed + len(disagree)
    counts = {"tests": str(tests), "failures": str(failed), "errors": "0", "skipped": "0", "time": "0"}
    suites = Element("testsuites", {"name": "surefoot", **counts})
    stamp = {"timestamp": visible(result.created[:19])} if result.created else {}
    suite = SubElement(suites, "testsuite", {"name": name, **counts, **stamp})
    for answer in result.answers:
        _case(suite, name, answer, result.against(answer.name))
    for each in disagree:
        case = SubElement(suite, "testcase", {"classname": name, "name": each.code, "time": "0"})
        SubElement(case, "failure", {"type": each.code, "message": visible(each.text)}).text = each.hint
    indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suites, encoding="unicode")}\n'


def _case(suite: Element, system: str, answer: Answer, operation: Sequence[Diagnostic]) -> None:
    case = SubElement(suite, "testcase", {"classname": system, "name": visible(answer.name), "time": "0"})
    alone = f"{STATUS_WORDS['alone']}." if answer.alone else ""
    against = [each.text for each in operation]
    words = [answer.claim, *against, alone, finding(answer), *answer.needed, looks_words(answer), answer.previous]
    text = "\n".join(visible(line) for line in words if line)
    if against:
        SubElement(case, "failure", {"type": operation[0].code, "message": visible(" ".join(against))}).text = text
    elif answer.met:
        SubElement(case, "system-out").text = text
    else:
        status = answer.status
        message = visible(f"{STATUS_WORDS[status]}: {reason(answer)}")
        SubElement(case, "failure", {"type": plain_status(status), "message": message}).text = text
