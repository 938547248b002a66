"""``surefoot case diff``, ``seal``, ``verify`` and ``key``, and what ``assess`` does with a seal."""

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.case.change.assessed import case, snapshot, step

from surefoot.case import Seal
from surefoot.project import DocumentControl, Result, load
from surefoot.report import read_report, write

RESULTS = {
    "good": (case(), step("misses", 1), step("alarms", 1)),
    "worse": (case(), step("misses", 60, data="d2"), step("alarms", 1)),
    "other": (case(), step("misses", 1, model="m2"), step("alarms", 1)),
    "bad": (case(), step("misses", 60), step("alarms", 60)),
}


def result(name):
    found = snapshot(*RESULTS[name])
    parts = {part: getattr(found, part) for part in ("case", "evaluation", "evidence", "digests", "versions")}
    definition, now = {"system": {"name": "Door guard"}}, replace(found, system="Door guard")
    return SimpleNamespace(**parts, feedback=(), unattached=(), definition=definition, snapshot=now)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder in which reports of these names can be read, and a project whose stored result is one of them."""
    monkeypatch.chdir(tmp_path)
    stated = "evidence: {rate: {step: stated, quantity: rate, value: 0.1, source: logs}}"
    Path("surefoot.yaml").write_text(f"version: 1\nsystem: {{name: Door guard}}\n{stated}\n")
    project = load("surefoot.yaml")
    monkeypatch.setattr("surefoot.report.read", lambda path: path)
    monkeypatch.setattr("surefoot.report.shown_digests", lambda shown, sealed="": {})
    monkeypatch.setattr(Result, "from_dict", lambda data: result(data.stem))
    monkeypatch.setattr("surefoot.project.load", lambda path: project)
    monkeypatch.setattr("surefoot.project.run", lambda project, **options: result("good"))
    return tmp_path


@pytest.fixture
def sealed(surefoot, folder):
    assert surefoot("case", "seal", "--by", "A. Assessor", "--date", "2026-05-17").exit_code == 0
    return Path("surefoot.seal.json")


def test_diff_names_the_claims_that_fell_and_why(surefoot, folder):
    found = surefoot("case", "diff", "good.html", "worse.html")
    assert found.exit_code == 1
    assert "misses fell: supported -> contradicted  It misses little" in found.stdout
    assert "because of: data door.test d1d1d1d1d1d1... -> d2d2d2d2d2d2... (step misses)" in found.stdout
    assert "up to the top: misses < over < top" in found.stdout
    assert found.stdout.endswith("2 claims fell, 0 rose.\n")


def test_diff_exits_well_when_claims_rise_or_stand(surefoot, folder):
    assert surefoot("case", "diff", "worse.html", "good.html").exit_code == 0
    found = surefoot("case", "diff", "good.html", "surefoot.yaml", "--all")
    assert found.exit_code == 0
    assert found.stdout.startswith("Nothing differs.")
    assert "claims: top, misses, alarms" in found.stdout


def test_diff_as_json(surefoot, folder):
    found = surefoot("case", "diff", "good.html", "worse.html", "--json")
    data = json.loads(found.stdout)
    assert (found.exit_code, [each["id"] for each in data["fell"]]) == (1, ["top", "misses"])


def test_seal_tells_what_it_holds(surefoot, folder):
    found = surefoot("case", "seal", "worse.html", "--date", "2026-05-17")
    assert found.exit_code == 0
    assert Path("worse.seal.json").exists()
    assert "1 claim that held: alarms" in found.stdout
    assert "misses (contradicted)" in found.stdout
    assert "not signed" in found.stdout


def test_a_seal_is_replaced_only_when_asked(surefoot, sealed):
    before = sealed.read_bytes()
    again = surefoot("case", "seal", "--by", "B")
    assert again.exit_code == 2
    assert "surefoot.seal.json" in again.stderr
    assert sealed.read_bytes() == before
    assert surefoot("case", "seal", "--by", "B", "--replace").exit_code == 0
    assert Seal.read(sealed).sealed.by == "B"


def test_nothing_to_seal(surefoot, folder):
    found = surefoot("case", "seal", "bad.html")
    assert found.exit_code == 2
    assert "nothing to seal" in found.stderr
    assert not Path("bad.seal.json").exists()


def test_verify_by_exit_codes(surefoot, sealed):
    verify = ("case", "verify", "--unsigned", sealed)
    well = surefoot(*verify, "surefoot.yaml")
    assert (well.exit_code, "every sealed claim holds" in well.stdout) == (0, True)
    assert "note [seal-unsigned]" in well.stderr
    moved = surefoot(*verify, "other.html")
    assert (moved.exit_code, "warning [seal-moved]" in moved.stderr) == (0, True)
    fell = surefoot(*verify, "worse.html")
    assert (fell.exit_code, "misses: error [seal-claim-fell]" in fell.stderr) == (1, True)
    assert surefoot(*verify).exit_code == 0
    unsigned = surefoot("case", "verify", sealed)
    assert (unsigned.exit_code, "error [seal-unsigned]" in unsigned.stderr) == (2, True)
    sealed.write_text(sealed.read_text().replace("It misses little", "It misses nothing"))
    broken = surefoot("case", "verify", sealed, "surefoot.yaml")
    assert (broken.exit_code, "seal-broken" in broken.stderr) == (2, True)


def test_signed_and_verified_with_the_public_key(surefoot, folder):
    pytest.importorskip("cryptography")
    made = surefoot("case", "key", "key.pem")
    assert (made.exit_code, Path("key.pem.pub").exists()) == (0, True)
    assert surefoot("case", "key", "key.pem").exit_code == 2
    assert surefoot("case", "seal", "--key", "key.pem").exit_code == 0
    good = surefoot("case", "verify", "surefoot.seal.json", "--public-key", "key.pem.pub")
    assert (good.exit_code, good.stderr) == (0, "")
    surefoot("case", "key", "other.pem")
    wrong = surefoot("case", "verify", "surefoot.seal.json", "--public-key", "other.pem.pub")
    assert (wrong.exit_code, "seal-signature" in wrong.stderr) == (2, True)
    signed = surefoot(
        "case", "sign", "surefoot.seal.json", "--key", "other.pem", "--by", "B. Assessor", "--role", "assessor"
    )
    assert (signed.exit_code, "B. Assessor as assessor" in signed.stdout) == (0, True)
    both = ("--public-key", "key.pem.pub", "--public-key", "other.pem.pub")
    assert surefoot("case", "verify", "surefoot.seal.json", *both).exit_code == 0
    assert surefoot("case", "sign", "surefoot.seal.json", "--key", "other.pem").exit_code == 2


def test_trouble_exits_with_two_and_says_why(surefoot, folder):
    for words in (
        ("verify", "none.json"),
        ("verify", "surefoot.yaml"),
        ("diff", "none.yaml", "good.html"),
        ("diff", "good.html", "worse.html", "--threshold", "7"),
        ("seal", "good.html", "--date", "soon"),
        ("seal", "good.html", "--key", "none.pem"),
        ("seal", "good.html", "-o", "none/x.json"),
        ("key", "none/key.pem"),
    ):
        found = surefoot("case", *words)
        assert found.exit_code == 2, words
        assert found.stderr, words
        assert "bug of Surefoot" not in found.stderr, words


def test_assess_holds_what_it_finds_against_the_seal(surefoot, project):
    pytest.importorskip("cryptography")

    def assessed(*options):
        found = surefoot("assess", "--fail-on", "never", *options)
        return found.exit_code, found.stderr

    assert "seal" not in assessed()[1]
    Path("surefoot.seal.pub").write_text("key")
    code, told = assessed("--quiet")
    assert (code, "error [file-missing]" in told) == (2, True)
    assert surefoot("case", "key", "key.pem").exit_code == 0
    Path("surefoot.seal.pub").write_bytes(Path("key.pem.pub").read_bytes())
    assert surefoot("case", "seal").exit_code == 0
    assert assessed("--quiet")[0] == 2, "the key beside the seal must have signed it"
    assert surefoot("case", "seal", "--key", "key.pem", "--replace").exit_code == 0
    code, told = assessed()
    assert (code, "Every claim sealed in surefoot.seal.json holds." in told) == (0, True)
    head, *rows = Path("test.csv").read_text().splitlines()
    Path("test.csv").write_text("\n".join([head, *reversed(rows)]) + "\n")
    code, told = assessed()
    assert (code, "seal-moved" in told) == (0, True)
    assert assessed("--quiet") == (0, "")


def test_assess_fails_when_a_sealed_claim_no_longer_holds(surefoot, project):
    sealed = surefoot("case", "seal", "--by", "A. Assessor")
    assert sealed.exit_code == 0, sealed.output
    assert "1 claim that held: errors" in sealed.stdout
    assert surefoot("case", "verify", "--unsigned", "surefoot.seal.json", "report.html").exit_code == 0
    assert surefoot("assess", "--fail-on", "never", "--quiet").exit_code == 0
    file = project / "surefoot.yaml"
    file.write_text(file.read_text().replace("at_most: 0.05", "at_most: 0.01"))
    fell = surefoot("assess", "--fail-on", "never", "--quiet")
    assert (fell.exit_code, "errors: error [seal-claim-fell]" in fell.stderr) == (1, True)
    changed = surefoot("case", "diff", "report.html", ".")
    assert changed.exit_code == 1
    assert "errors fell: supported -> not shown" in changed.stdout
    assert "limit tightened" in changed.stdout
    file.write_text(file.read_text().replace("at_most: 0.01", "at_most: 0.06"))
    weaker = surefoot("assess", "--quiet", "--fail-on", "never")
    assert (weaker.exit_code, "limit loosened: at most 0.05 -> at most 0.06" in weaker.stderr) == (1, True)
    (project / "surefoot.seal.json").write_text("{}")
    assert surefoot("assess", "--quiet", "--fail-on", "never").exit_code == 2


def verified(surefoot, seal, source, *options):
    found = surefoot("case", "verify", "--unsigned", seal, source, *options)
    assert "bug of Surefoot" not in found.stderr
    return found.exit_code, found.stderr


def test_a_sealed_page_is_known_to_the_last_word(surefoot, project):
    page, seal = Path("report.html"), Path("report.seal.json")
    assert surefoot("case", "seal", page).exit_code == 0
    assert verified(surefoot, seal, page)[0] == 0
    honest = page.read_text()
    page.write_text(honest.replace("<h1", "<h1 hidden"))
    code, told = verified(surefoot, seal, page)
    assert (code, "[report-edited]" in told) == (2, True)
    assert surefoot("case", "seal", page, "--replace").exit_code == 2, "an edited page is not sealed"
    page.write_text(honest)
    result = read_report(page)
    for part, change in {
        "created": {"created": "2020-01-01T00:00:00+00:00"},
        "document": {"document": DocumentControl(title="Approved by all")},
        "case": {"case": result.case.with_nodes([replace(next(iter(result.case)), note="Seen and approved.")])},
    }.items():
        write(replace(result, **change), page)
        code, told = verified(surefoot, seal, page)
        assert (code, "[seal-page]" in told, part in told) == (2, True, True), part


def test_a_seal_of_a_project_holds_of_its_page_all_but_date_and_history(surefoot, project):
    assert surefoot("case", "seal").exit_code == 0
    seal, page = Path("surefoot.seal.json"), Path("report.html")
    code, told = verified(surefoot, seal, page)
    assert (code, "note [seal-page]" in told) == (0, True)
    result = read_report(page)
    estimate = next(iter(result.evidence.values())).estimates[0]
    (name, evidence), *_ = result.evidence.items()
    better = replace(evidence, estimates=(replace(estimate, value=estimate.value / 2), *evidence.estimates[1:]))
    write(replace(result, evidence={**result.evidence, name: better}), page)
    code, told = verified(surefoot, seal, page)
    assert (code, f"evidence.{name}" in told) == (2, True)


def test_a_store_that_was_rewritten_is_noticed_by_an_earlier_seal(surefoot, project):
    assert surefoot("case", "seal").exit_code == 0
    file, seal = project / "surefoot.yaml", Path("surefoot.seal.json")
    text = file.read_text()
    file.write_text(text.replace("at_most: 0.05", "at_most: 0.06"))
    surefoot("assess", "--quiet", "--fail-on", "never")
    file.write_text(text)
    assert verified(surefoot, seal, "surefoot.yaml")[0] == 0, "what came after the seal does not matter"
    first, _ = sorted(Path(".surefoot/iterations").glob("*/*"))
    content = first.read_bytes().replace(b"'errors'", b"'another'").replace(b'"level": 0.95', b'"level": 0.99')
    first.unlink()
    (first.parent / f"00000001-{hashlib.sha256(content).hexdigest()}").write_bytes(content)
    code, told = verified(surefoot, seal, "surefoot.yaml")
    assert (code, "error [seal-history]" in told) == (2, True)
    assert surefoot("assess", "--quiet", "--fail-on", "never").exit_code == 2
    shutil.rmtree(".surefoot/iterations")
    assert surefoot("assess", "--quiet", "--fail-on", "never").exit_code == 0
    code, told = verified(surefoot, seal, "surefoot.yaml")
    assert (code, "warning [seal-history]" in told) == (0, True)
