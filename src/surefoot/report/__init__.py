"""Reports of a result: a page for assessors, a PDF to print and sign, JSON, JUnit XML and Markdown for CI.

The page is one HTML file that loads nothing and runs no script but its own, which its policy names by digest: it opens
and closes the graph of the case. Text from files never becomes markup in any format.
May import ``project`` and everything below it; jinja2 is loaded when a page is made.
"""

from surefoot.report.case_chapter import case_chapter
from surefoot.report.chapters import bound_picture, requirements, trend_picture
from surefoot.report.formats import (
    as_json,
    junit,
    markdown,
    read,
    read_report,
    same_page,
    shown_data,
    shown_digests,
    shown_form,
    visible_text,
    write,
)
from surefoot.report.page import case_page, html
from surefoot.report.paged_document import pdf
from surefoot.report.schema import result_schema
from surefoot.report.sensitivity import without_assumption
from surefoot.report.signature import signature
from surefoot.report.verdict import first_screen, headline

__all__ = [
    "as_json",
    "bound_picture",
    "case_chapter",
    "case_page",
    "first_screen",
    "headline",
    "html",
    "junit",
    "markdown",
    "pdf",
    "read",
    "read_report",
    "requirements",
    "result_schema",
    "same_page",
    "shown_data",
    "shown_digests",
    "shown_form",
    "signature",
    "trend_picture",
    "visible_text",
    "without_assumption",
    "write",
]
