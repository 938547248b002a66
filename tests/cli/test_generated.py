"""What is generated in a checkout is as the definitions are."""

from pathlib import Path

from surefoot.cli import generated

ROOT = Path(__file__).parents[2]
FOUND = generated.generated(ROOT)


def test_a_file_is_as_it_would_be_written_now():
    for path in FOUND:
        assert path.read_text(encoding="utf-8") == FOUND[path], f"{path}; run: make generated"


def test_the_catalogue_has_a_line_for_everything_and_says_what_it_does():
    page = FOUND[ROOT / "docs" / "catalogue.md"]
    for kind in generated.registries():
        assert f"`{kind.group}`" in page
        for entry in kind.own.values():
            (line,) = [line for line in page.splitlines() if line.endswith(f"{entry.module[9:]}.{entry.attribute}` |")]
            assert line.startswith(f"| `{entry.name}` |")
            assert len(entry.summary) > 10
