"""The HTML page: it is well formed, needs nothing from elsewhere, and draws each finding at its line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from pullback.tools.cli import main

from ..conftest import CLASS

pytest.importorskip("jinja2")
pytest.importorskip("pygments")

ALONE = {"meta", "br", "link", "img"}


class Page(HTMLParser):
    """The texts by class, the links and the ids; refuses a tag that is not closed where it should be."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.classes: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        assert tag not in ("script", "link", "img"), "the page stands alone"
        if tag not in ALONE:
            self.open.append(tag)
            self.classes.append(given.get("class") or "")
        self.ids += [given["id"] or ""] if "id" in given else []
        self.links += [given["href"] or ""] if "href" in given else []

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self.classes.pop()

    def handle_data(self, data: str) -> None:
        for name in set(" ".join(self.classes).split()):
            self.texts.setdefault(name, []).append(data)


@pytest.fixture
def page(folder: Path) -> Callable[..., Page]:
    """The page of these paths."""

    def read(*paths: str) -> Page:
        main(["lint", "--format", "html", "-o", "out.html", *paths])
        return Page((folder / "out.html").read_text(encoding="utf-8"))

    return read


def test_the_class_has_its_verdict_and_the_finding_stands_below_its_line(page: Callable[..., Page]) -> None:
    found = page("f.py")
    assert found.texts["badge"] == ["error"]
    assert "".join(found.texts["summary"]) == "1 error: 1 autograd function in 1 file"
    assert found.texts["marks"][0] == " " * 33 + "^"
    assert "PB101" in found.texts["note"]
    text = "".join(found.texts["source"])
    line = text.index("ctx.save_for_backward(b, t)")
    assert line < text.index("^") < text.index("is an intermediate") < text.index("return t * b")


def test_what_classes_inherit_is_drawn_once_and_said_of_each(folder: Path, page: Callable[..., Page]) -> None:
    path = folder / "f.py"
    path.write_text(path.read_text() + "\n\nclass Other(Scaled):\n    pass\n")
    found = page("f.py")
    assert "".join(found.texts["source"]).count("t saved") == 1
    assert "".join(found.texts["note"]).count("captured-intermediate in Scaled") == 1
    assert "".join(found.texts["note"]).count("captured-intermediate in Other") == 1


def test_the_path_of_the_value_is_drawn_at_its_lines(page: Callable[..., Page]) -> None:
    found = page("f.py")
    assert found.texts["step"] == ["← t computed", "← t saved", "← t enters the returned gradient"]


def test_a_step_in_another_file_is_not_drawn_in_this_one(folder: Path, page: Callable[..., Page]) -> None:
    head, backward = CLASS.split("    @staticmethod\n    def backward")
    (folder / "base.py").write_text(head)
    (folder / "f.py").write_text(
        "from base import Scaled\n\n\nclass Derived(Scaled):  # a Function\n"
        "    @staticmethod\n    def backward" + backward
    )
    found = page("f.py")
    assert found.texts["step"] == ["← t computed", "← t saved"]
    assert "base.py" in "".join(found.texts["file"]), "the finding stands where the value is saved"


def test_every_link_leads_somewhere(folder: Path, page: Callable[..., Page]) -> None:
    (folder / "g.py").write_text("\n" * 40 + CLASS + "\n" * 40 + CLASS.replace("Scaled", "Other"))
    found = page(".")
    assert {link.removeprefix("#") for link in found.links} <= set(found.ids)
    assert len(found.ids) == len(set(found.ids))
    assert "41" not in found.texts["number"][:-60], "what was not looked at is left out"


def test_markup_in_the_source_is_text(folder: Path, page: Callable[..., Page]) -> None:
    evil = CLASS.replace("t = a + b", "t = a + b  # <script>alert(1)</script> &amp;")
    (folder / "f.py").write_text(evil)
    assert "<script>alert(1)</script> &amp;" in "".join(page("f.py").texts["source"])


@pytest.mark.parametrize(
    "text", ["", "x = 1\n", "def f(:\n", CLASS.replace("\n", "\r\n"), '"""\n\n"""\n' + CLASS]
)
def test_any_file_makes_a_page(text: str, folder: Path, page: Callable[..., Page]) -> None:
    (folder / "f.py").write_bytes(text.encode())
    page("f.py")


def test_it_needs_a_file_to_write(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "--format", "html", "f.py"]) == 2
    assert "add -o FILE" in capsys.readouterr().err


def test_without_its_packages_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pullback.tools.lint.output.page", None)
    assert main(["lint", "--format", "html", "-o", "out.html", "f.py"]) == 2
    assert "pip install 'pullback-lint[report]'" in capsys.readouterr().err


def test_the_verdicts_are_counted_at_the_top(page: Callable[..., Page], folder: Path) -> None:
    (folder / "clean.py").write_text(CLASS.replace("(b, t)", "(a, b)").replace("* t +", "* (a + b) +"))
    texts = "".join(page("f.py", "clean.py").texts["tiles"]).split("\n")
    assert [text for text in texts if text] == ["1with an error", "0with a warning", "1clean"]


def test_what_a_message_quotes_is_code(page: Callable[..., Page]) -> None:
    found = page("f.py")
    assert "`" not in "".join(found.texts["note"])
