"""What SCRAM finds in a model."""

import subprocess
import xml.etree.ElementTree as Xml
from pathlib import Path

EXAMPLES = Path("/usr/share/scram/input")


def run(*paths, options=("--ccf", "1")):
    """The report of SCRAM on the files of a model."""
    command = ["scram", "--bdd", "--probability", "1", "-l", "1", *options, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return Xml.fromstring(done.stdout)


def probabilities(*paths, options=("--ccf", "1")):
    """The probability of each top event, and of each sequence under ``initiating-event/sequence``."""
    report = run(*paths, options=options)
    found = {}
    for item in report.iter("sum-of-products"):
        if "initiating-event" not in item.attrib:
            phase = f"@{item.get('phase')}" if "phase" in item.attrib else ""
            found[item.get("name") + phase] = float(item.get("probability"))
    for start in report.iter("initiating-event"):
        for item in start.iter("sequence"):
            found[f"{start.get('name')}/{item.get('name')}"] = float(item.get("value"))
    return found


def refusal(path):
    """What SCRAM says of a model that it does not compute; empty where it does."""
    done = subprocess.run(["scram", "--bdd", "--probability", "1", str(path)], capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stderr


def accepts(path):
    """Whether SCRAM finds nothing wrong with a file; else what it says."""
    done = subprocess.run(["scram", "--validate", str(path)], capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stderr
