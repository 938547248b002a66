"""JUnit XML for CI: one test case a target, failed unless it is met."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from surefoot.draw import visible
from surefoot.project.result import Answer, Result
from surefoot.report.words import STATUS_WORDS, finding, looks_words


def junit(result: Result) -> str:
    """A document that CI servers show as test results."""
    name = visible(result.definition["system"]["name"])
    failed = sum(not answer.verdict for answer in result.answers)
    counts = {"tests": str(len(result.answers)), "failures": str(failed), "errors": "0", "skipped": "0", "time": "0"}
    suites = Element("testsuites", {"name": "surefoot", **counts})
    stamp = {"timestamp": visible(result.created[:19])} if result.created else {}
    suite = SubElement(suites, "testsuite", {"name": name, **counts, **stamp})
    for answer in result.answers:
        _case(suite, name, answer)
    indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suites, encoding="unicode")}\n'


def _case(suite: Element, system: str, answer: Answer) -> None:
    case = SubElement(suite, "testcase", {"classname": system, "name": visible(answer.name), "time": "0"})
    words = [answer.claim, finding(answer), *answer.needed, looks_words(answer)]
    text = "\n".join(visible(line) for line in words if line)
    if answer.verdict:
        SubElement(case, "system-out").text = text
    else:
        message = visible(f"{STATUS_WORDS[answer.verdict.status]}: {answer.verdict.text}")
        SubElement(case, "failure", {"type": answer.verdict.status, "message": message}).text = text
