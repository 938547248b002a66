"""The numbers of SCRAM, an independent tool, to the six digits that it prints."""

import shutil
import subprocess
import xml.etree.ElementTree as ET

import pytest

from surefoot.faulttree import FaultTree

OURS = {"MIF": "birnbaum", "CIF": "criticality", "DIF": "diagnostic", "RAW": "raw", "RRW": "rrw"}
NOT_COHERENT = """<?xml version="1.0"?>
<opsa-mef>
<define-fault-tree name="small">
<define-gate name="top"><or><gate name="g1"/><gate name="g2"/></or></define-gate>
<define-gate name="g1"><and><basic-event name="a"/><not><basic-event name="b"/></not></and></define-gate>
<define-gate name="g2"><and><basic-event name="b"/><basic-event name="c"/></and></define-gate>
<define-basic-event name="a"><float value="0.1"/></define-basic-event>
<define-basic-event name="b"><float value="0.2"/></define-basic-event>
<define-basic-event name="c"><float value="0.3"/></define-basic-event>
</define-fault-tree>
</opsa-mef>
"""

needs_scram = pytest.mark.skipif(shutil.which("scram") is None, reason="needs SCRAM, Debian package scram")


def by_scram(path, *options):
    command = ["scram", "--bdd", "--importance", "1", "--no-indent", *options, str(path)]
    report = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    return {event.get("name"): event.attrib for event in ET.fromstring(report).iterfind(".//results/importance/*")}


def agree(found, expected):
    assert set(found.names) == set(expected)
    for name, numbers in expected.items():
        for theirs, ours in OURS.items():
            assert found.of(name, ours) == pytest.approx(float(numbers[theirs]), rel=1e-5), (name, ours)


@needs_scram
@pytest.mark.parametrize("model", ["chinese", "baobab1", "isp9606"])
def test_aralia_models(aralia, model):
    path = aralia / f"{model}.xml"
    agree(FaultTree.read(path).importance(gates=False), by_scram(path))


@needs_scram
def test_a_tree_that_is_not_coherent(tmp_path):
    path = tmp_path / "small.xml"
    path.write_text(NOT_COHERENT)
    agree(FaultTree.read(path).importance(gates=False), by_scram(path, "--prime-implicants"))
