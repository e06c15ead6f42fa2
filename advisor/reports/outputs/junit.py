"""JUnit XML: a test suite for each file, a test case for each finding, for the test views of CI servers."""

from __future__ import annotations

import re
from collections import defaultdict
from xml.etree import ElementTree

from advisor.model.findings import Finding, Problem, Report
from advisor.reports.outputs import RenderOptions, RuleCatalogue
from advisor.reports.outputs.wording.counts import problem_name
from advisor.reports.outputs.wording.locations import Locations
from advisor.reports.outputs.wording.places import further_lines

FOR_MACHINES = True
SHOWS_FIXES = False

# Characters that XML 1.0 cannot hold, not even escaped (https://www.w3.org/TR/xml/#charsets).
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Report, rules: RuleCatalogue, options: RenderOptions) -> str:  # noqa: ARG001
    """The report as XML: warnings and errors are failures, infos and notices passed, problems errors."""
    findings: defaultdict[str, list[Finding]] = defaultdict(list)
    problems: defaultdict[str, list[Problem]] = defaultdict(list)
    for finding in report.findings:
        findings[finding.path].append(finding)
    for problem in report.problems:
        problems[problem.path].append(problem)
    locations = Locations(report)
    root = ElementTree.Element("testsuites", name="kernel-advisor")
    for path in sorted({*findings, *problems}):
        suite = _element(root, "testsuite", name=path or "kernel-advisor")
        for problem in problems[path]:
            _problem(suite, problem, locations)
        for finding in findings[path]:
            _finding(suite, finding, locations)
        _count(suite)
    if report.notices:
        suite = _element(root, "testsuite", name="notices")
        for number, notice in enumerate(report.notices, 1):
            case = _element(suite, "testcase", name=f"notice {number}", classname="notice")
            _element(case, "system-out").text = _clean(notice)
        _count(suite)
    if len(root) == 0:
        suite = _element(root, "testsuite", name="kernel-advisor")
        _element(suite, "testcase", name="no findings", classname="kernel-advisor")
        _count(suite)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=False).join(
        ['<?xml version="1.0" encoding="UTF-8"?>\n', "\n"]
    )


def _finding(suite: ElementTree.Element, finding: Finding, locations: Locations) -> None:
    place = locations.of(finding.path, finding.span)
    case = _element(suite, "testcase", name=f"{finding.rule} {place}", classname=finding.rule)
    case.set("file", _clean(finding.path))
    case.set("line", str(place.file_line))
    also = filter(None, [further_lines(finding, locations)])
    text = "\n".join([f"{place}: {finding.message}", *also, *finding.advice])
    if finding.severity == "info":
        _element(case, "system-out").text = _clean(text)
    else:
        _element(case, "failure", message=finding.message, type=finding.severity).text = _clean(text)


def _problem(suite: ElementTree.Element, problem: Problem, locations: Locations) -> None:
    kind = problem_name(problem)
    name = f"{kind.replace('-', ' ')} {str(locations.of_problem(problem)) or '.'}"
    case = _element(suite, "testcase", name=name, classname=kind)
    _element(case, "error", message=problem.message, type="problem")


def _count(suite: ElementTree.Element) -> None:
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("errors", str(len(suite.findall("testcase/error"))))


def _element(parent: ElementTree.Element, tag: str, **attributes: str) -> ElementTree.Element:
    return ElementTree.SubElement(parent, tag, {key: _clean(value) for key, value in attributes.items()})


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))
