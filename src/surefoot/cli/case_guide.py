"""What ``surefoot case --help`` teaches."""

from __future__ import annotations

ABOUT = """Assurance cases: show, check, draw, compare, seal.

A case says by which arguments a claim follows from evidence. Every project has one, made from its targets and results;
a case can also be a file of its own, or a part that a project takes over (case: file:). All commands take a case, a
project that was assessed, or a report of it, and both notations: CAE (claims, arguments, evidence) and GSN (goals,
strategies, solutions).
"""
GUIDE = """\b
A case of a project:
  surefoot assess --html report.html
  surefoot case show
  surefoot case seal --by 'A. Assessor'
  surefoot case diff report.html surefoot.yaml

\b
A case of its own, from a pattern or written by hand:
  surefoot case new own.case.yaml --template monitor
  surefoot case check own.case.yaml
  surefoot case draw own.case.yaml own.svg --notation gsn

\b
The smallest file that says something:
  surefoot-case: 1
  nodes:
    C1: {claim: The brake stops in time, supported by: [A1]}
    A1: {argument: By tests, block: evidence incorporation, supported by: [E1]}
    E1: {evidence: Tests of May, url: tests.pdf}
"""
