"""The documentation tells the truth: pages follow the code, examples run, links lead somewhere."""

from __future__ import annotations

import dataclasses
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
import typer
from typer.testing import CliRunner

import unveil as package
from tools.reference import http_page as reference_http
from tools.reference import pages as reference
from unveil.cli.app import app
from unveil.protocol.roles import Role
from unveil.roles.owner import policy_file
from unveil.roles.review_unit.masking import kind_of, mask_values
from unveil.runtime.gauges import GAUGES
from unveil.runtime.reviews import ReviewUnitService
from unveil.runtime.units import AttributeUnitService, RecordUnitService, UnitService
from unveil.schema import Schema, built_in, parse
from unveil.transport.http.endpoints import ENDPOINTS
from unveil.transport.http.endpoints.about_unit import METRICS
from unveil.transport.http.metrics import COUNTERS, Metrics
from unveil.transport.port import OPERATOR, Caller
from unveil.transport.status import STATUSES, descriptions

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *DOCS.glob("*.md")])
COMMANDS = dict(reference.documented_commands())
#: Where links may lead outside the repository.
KNOWN_SITES = {"keepachangelog.com", "semver.org"}
#: Addresses of units in examples: a word that stands for one, this machine, and names that nobody can have.
EXAMPLE_SITE = re.compile(r"(host|127\.0\.0\.1|[a-z]+\.example\.org)(:port|:\d+)?")
#: Numeric addresses that mean the same on every machine.
EVERYWHERE = {"127.0.0.1", "0.0.0.0"}  # noqa: S104 - nothing listens here
GROUPS = {name.split()[1] for name in COMMANDS if len(name.split()) > 2}
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def blocks(page: Path, language: str) -> list[str]:
    return [body for found, body in BLOCK.findall(text_of(page)) if found == language]


def shell_lines(page: Path) -> list[str]:
    """Every command line of a page that calls unveil; the usage lines of the reference are no commands."""
    lines = [line for block in blocks(page, "sh") for line in block.splitlines()]
    usage = [line for line in lines if "[OPTIONS]" in line or line.split()[-1:] == ["SHELL"]]
    return [line for line in lines if line.startswith("unveil ") and line not in usage]


def words_of(line: str) -> list[str]:
    """The arguments of a command line, without its name and without where its output goes."""
    words = shlex.split(line, comments=True)[1:]
    return words[: words.index(">")] if ">" in words else words


def parsed(line: str) -> Any:
    """Parse a command line as the command line itself would, without running it."""
    command: Any = typer.main.get_command(app)
    words = words_of(line)
    while inner := getattr(command, "commands", None):
        command = inner[words.pop(0)]
    return command.make_context(command.name, words)


def documented_lines() -> list[str]:
    return list(dict.fromkeys(line for page in PAGES for line in shell_lines(page)))


def anchors(page: Path) -> set[str]:
    """The names that a link may give after #: headings in lower case, without punctuation, with dashes for blanks."""
    plain = BLOCK.sub("", text_of(page))
    titles = re.findall(r"^#+ (.+)$", plain, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("name", reference.PAGES)
@pytest.mark.parametrize("columns", ["40", "200"])
def test_generated_pages_are_current(name: str, columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever changes a command, a setting or a message runs `make docs`; the terminal's width changes nothing."""
    monkeypatch.setenv("COLUMNS", columns)
    assert reference.PAGES[name]() == text_of(DOCS / name)


def test_reference_writes_what_is_missing_and_check_tells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A check that cannot fail would let the pages rot."""
    assert 1 == reference.main([str(tmp_path), "--check"])
    assert [] == list(tmp_path.iterdir())
    assert 0 == reference.main([str(tmp_path)])
    assert 0 == reference.main([str(tmp_path), "--check"])
    (tmp_path / "schema.md").write_text("# Something else\n", encoding="utf-8")
    capsys.readouterr()
    assert 1 == reference.main([str(tmp_path), "--check"])
    assert f"{tmp_path / 'schema.md'} is out of date: run make docs\n" == capsys.readouterr().err


def test_reference_is_no_command_of_users() -> None:
    """It is a tool of those who change the code."""
    assert not any("reference" in name for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_gives_an_example_of_itself(name: str) -> None:
    """People copy examples before they read."""
    example = reference.example_of(COMMANDS[name])
    assert example.startswith(f"{name} ")
    assert example in text_of(DOCS / "commands.md")
    parsed(example)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_a_meaning_on_the_page(name: str) -> None:
    """An option that nobody explains is used wrongly."""
    section = reference.commands_page().split(f"\n## {name}\n")[1].split("\n## ")[0]
    for parameter in COMMANDS[name].params:
        assert parameter.help
        assert parameter.help in section
        for word in parameter.opts if parameter.param_type_name == "option" else ():
            assert f"`{word}`" in section


@pytest.mark.parametrize("line", documented_lines())
def test_every_documented_command_line_parses(line: str) -> None:
    """A renamed option must not live on in the documentation."""
    parsed(line)


def test_parsing_notices_what_does_not_exist() -> None:
    """Otherwise the test above would prove nothing."""
    with pytest.raises(KeyError):
        parsed("unveil conjure --data people")
    with pytest.raises(Exception, match=r"(?i)no such option"):
        parsed("unveil simulate --data people --bugdet 300")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_and_options_named_in_passing_exist(page: Path) -> None:
    """Prose gets out of date as easily as examples."""
    known = {word for command in COMMANDS.values() for each in command.params for word in each.opts} | {"--help"}
    known |= {"--check"}  # of the reference itself
    for code in re.findall(r"`([^`\n]+)`", BLOCK.sub("", text_of(page))):
        assert set(re.findall(r"(?<!\S)--[a-z][a-z-]*", code)) <= known
        if found := re.match(rf"unveil ((?:(?:{'|'.join(GROUPS)}) )?[a-z]+)\b", code):
            assert f"unveil {found[1]}" in COMMANDS or found[1] in GROUPS


def test_the_tutorial_runs_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command in order, on fewer people; the one that needs a person at a terminal is left out."""
    monkeypatch.chdir(tmp_path)
    page = DOCS / "tutorial.md"
    lines = [line for line in shell_lines(page) if "--review" not in line]
    assert len(lines) > 10
    for line in lines:
        words = words_of(re.sub(r"--records \d+", "--records 300", line))
        done = CliRunner().invoke(app, words)
        assert (0, line) == (done.exit_code, line), done.output
        if " > " in line:
            Path(shlex.split(line)[-1]).write_text(done.stdout, encoding="utf-8")
            Path("hard.toml").write_text(done.stdout.replace("t = 4,", "t = 5,"), encoding="utf-8")
    assert [5] == [step.t for step in parse(Path("hard.toml").read_text(encoding="utf-8")).layer_r.hardening]
    assert {"links.csv", "report.html", "model.npz"} <= {path.name for path in tmp_path.iterdir()}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_schema_snippets_in_the_documentation_are_valid(page: Path) -> None:
    """A snippet is copied into somebody's schema: added to the smallest one it must be accepted."""
    for block in blocks(page, "toml"):
        parse(block if "\nname" in block else f'name = "mine"\n[[attributes]]\nname = "city"\n{block}')


def test_every_setting_has_a_description_and_a_row() -> None:
    """A setting that nobody explains is left at its default or set wrongly."""
    page = text_of(DOCS / "schema.md")
    sections = {title: model for title, model, _ in reference.schema_sections(Schema)}
    assert {"Top level", "[[attributes]]", "[[layer_r.hardening]]", "[protocol.review]"} <= set(sections)
    tables = {title.strip("[]") for title in sections}
    for title, model in sections.items():
        section = page.split(f"\n## {title}\n")[1].split("\n## ")[0]
        path = "" if title == "Top level" else f"{title.strip('[]')}."
        for name, field in model.model_fields.items():
            if f"{path}{name}" not in tables:
                assert field.description, f"{path}{name}"
                assert re.search(rf"^\| `{name}` \| .+ \| {re.escape(field.description)} \|$", section, re.MULTILINE)


def test_every_endpoint_is_on_the_page_with_everybody_who_may_call_it() -> None:
    """Whoever writes a client, or a rule of a firewall, must not miss one."""
    page = text_of(DOCS / "http.md")
    for endpoint in ENDPOINTS:
        assert f"\n### {endpoint.title}\n" in page
        rows = re.findall(rf"^\| `{re.escape(endpoint.title)}` \| (.+) \| (.+) \|$", page, re.MULTILINE)
        for unit, callers in endpoint.callers.items():
            named = [who for where, who in rows if where == "every unit" or unit.value in where.split(", ")]
            assert [sorted(callers)] == [sorted(who.split(", ")) for who in named]


def test_an_endpoint_that_is_added_changes_the_page() -> None:
    """Otherwise the page could be current and incomplete."""
    added = dataclasses.replace(METRICS, name="secrets", path="/v1/secrets")
    assert "\n### GET /v1/secrets\n" in reference_http.http_page((*ENDPOINTS, added))


def test_what_units_tell_about_themselves_is_explained() -> None:
    """A field that nobody explains is misread."""
    services: dict[Role, type[UnitService]] = {
        Role.RECORD_UNIT: RecordUnitService,
        Role.ATTRIBUTE_UNIT: AttributeUnitService,
        Role.REVIEW_UNIT: ReviewUnitService,
    }
    page = text_of(DOCS / "http.md")
    for role, service in services.items():
        unit = service(role, {}, MagicMock())
        sent = unit.machine_status(MagicMock(), Caller(OPERATOR)).as_json()
        assert list(descriptions(STATUSES[role.value])) == list(sent)
        assert all(f"`{name}`" in page for name in sent)


def test_every_gauge_and_count_of_a_unit_is_explained_to_whoever_watches_over_it() -> None:
    """An alarm on a gauge that nobody explains wakes somebody who does not know what to do."""
    text = Metrics()
    text.count(None, 403, 0)
    counted = set(re.findall(r"^(unveil_\w+)", text.text([]).decode(), re.MULTILINE))
    assert {name for name in counted if not name.endswith("_created")} == set(COUNTERS)
    for page in ("deployment.md", "http.md"):
        table = dict(re.findall(r"^\| `(unveil_\w+)` \| (.*) \|$", text_of(DOCS / page), re.MULTILINE))
        assert {gauge.name for gauge in GAUGES} | set(COUNTERS) == set(table), page
        assert [] == [gauge.name for gauge in GAUGES if not table[gauge.name].startswith(gauge.help)], page


def test_the_example_of_a_policy_is_valid_and_complete() -> None:
    """It is copied, and then changed: every setting must be in it, under its right name."""
    text = next(block for block in blocks(DOCS / "policy.md", "text") if "[consent]" in block)
    found = policy_file.parse(text, names=built_in().names)
    tables = [found, found.consent, found.attributes, found.review, found.answers, *vars(found.caps).values()]
    for table in tables:
        assert table is not None
        assert set(type(table).model_fields) == table.model_fields_set


def test_masked_examples_are_what_the_display_shows() -> None:
    """Clerks learn the grammar from this table."""
    rows = re.findall(
        r"^\| `(.+?)` \| `(.+?)` \| (characters|placeholders) \| `(.+?)` \| `(.+?)` \| (.+?) \|$",
        text_of(DOCS / "how-it-works.md"),
        re.MULTILINE,
    )
    assert 8 == len(rows)
    for left, right, show, masked_left, masked_right, words in rows:
        seen = mask_values(left, right, show=show, kind=kind_of(left, right))
        assert (masked_left, masked_right, words) == (seen.left, seen.right, seen.words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    """Files, pictures and headings; nothing is fetched."""
    for target in LINK.findall(BLOCK.sub("", text_of(page))):
        if target.startswith("https://"):
            assert target.split("/")[2] in KNOWN_SITES
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.is_file(), target
        assert not anchor or anchor in anchors(file), target


def test_every_page_can_be_reached_from_the_readme() -> None:
    """A page that nothing links to is read by nobody."""
    linked = {target.partition("#")[0] for target in LINK.findall(text_of(ROOT / "README.md"))}
    assert {f"docs/{page.name}" for page in DOCS.glob("*.md")} <= linked


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_tests_and_modules_that_are_named_exist(page: Path) -> None:
    """A claim that points at its proof must point at something."""
    for name in re.findall(r"`(tests/[\w/.]+)`", text_of(page)):
        place = ROOT / name
        assert place.is_file() or any(place.glob("*.*")), name
    for name in re.findall(r"`unveil((?:\.[a-z_]+)+)", text_of(page)):
        place = ROOT / "src/unveil" / name[1:].replace(".", "/")
        assert place.is_dir() or place.with_suffix(".py").is_file(), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_make_targets_that_are_named_exist(page: Path) -> None:
    """`make` is the first thing a newcomer types."""
    targets = set(re.findall(r"^([a-z]+):", text_of(ROOT / "Makefile"), re.MULTILINE))
    assert "demo" in targets
    code = "\n".join(blocks(page, "sh"))
    named = re.findall(r"^make ([a-z]+)", code, re.MULTILINE) + re.findall(r"`make ([a-z]+)`", text_of(page))
    assert set(named) <= targets
    if page.name == "README.md":
        assert "demo" in named


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_names_a_machine_or_an_index(page: Path) -> None:
    """What holds on one machine only is of no use to others."""
    text = text_of(page)
    assert not re.findall(r"(?<![\w.])/(?:home|root|tmp|work|Users|mnt|var(?!/lib/unveil\b))/\S*", text)
    assert not re.findall(r"(?i)index-url|pypi|/simple\b", text)
    assert set(re.findall(r"\b\d{1,3}(?:\.\d{1,3}){3}\b", text)) <= EVERYWHERE
    sites = re.findall(r"https?://([a-z0-9.:-]*[a-z0-9])", text)
    assert set() == {site for site in sites if not EXAMPLE_SITE.fullmatch(site)} - KNOWN_SITES


def test_the_version_is_the_same_everywhere() -> None:
    """A release is named by three files."""
    project = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]
    assert package.__version__ == project["version"]
    assert f"\n## [{package.__version__}]" in text_of(ROOT / "CHANGELOG.md")
    assert "Apache-2.0" == project["license"]
    assert "Apache License" in text_of(ROOT / "LICENSE").splitlines()[0]
