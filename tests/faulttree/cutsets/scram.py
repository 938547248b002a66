"""What SCRAM finds in a tree without quantities: products of literals."""

import subprocess
import xml.etree.ElementTree as Xml

from surefoot.faulttree import Formula


def products(tree, folder, *options):
    """The products that SCRAM lists, as sets of (event, happens)."""
    path = folder / "tree.xml"
    path.write_text(as_mef(tree))
    done = subprocess.run(
        ["scram", "--bdd", "-l", "100", *options, str(path)], capture_output=True, text=True, check=True
    )
    found = Xml.fromstring(done.stdout).iter("product")
    return {frozenset(_literal(child) for child in product) for product in found}


def top_probability(path, *options):
    """The probability of the top event of a file, as SCRAM prints it."""
    done = subprocess.run(
        ["scram", "--probability", "1", *options, str(path)], capture_output=True, text=True, check=True
    )
    return float(next(Xml.fromstring(done.stdout).iter("sum-of-products")).get("probability"))


def _literal(element):
    if element.tag == "not":
        return element[0].get("name"), False
    return element.get("name"), True


def as_mef(tree):
    """The gates in the Open-PSA format, the top gate first."""
    names = [tree.top, *(name for name in tree.gates if name != tree.top)]
    gates = "".join(f'<define-gate name="{name}">{_formula(tree.gates[name])}</define-gate>' for name in names)
    events = "".join(f'<define-basic-event name="{name}"/>' for name in tree.events)
    return f'<opsa-mef><define-fault-tree name="tree">{gates}{events}</define-fault-tree></opsa-mef>'


def _formula(item):
    if not isinstance(item, Formula):
        return f'<event name="{item}"/>'
    least = "" if item.minimum is None else f' min="{item.minimum}"'
    return f"<{item.kind}{least}>{''.join(map(_formula, item.inputs))}</{item.kind}>"
