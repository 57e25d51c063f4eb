"""The documentation site in a browser: search, links, pictures, light and dark, a phone's width."""

import functools
import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import pullback as pb

from .webdriver import Browser

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "docs" / "site"
needs_mkdocs = pytest.mark.skipif(
    importlib.util.find_spec("mkdocstrings") is None,
    reason="mkdocs comes with the group docs, by `make docs`",
)
needs_browser = pytest.mark.skipif(shutil.which("chromedriver") is None, reason="needs chromedriver on PATH")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address(built):
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(built)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def browser(tmp_path):
    with Browser(9515 + os.getpid() % 1000, tmp_path / "profile") as started:
        yield started


def test_every_public_name_has_its_place_in_the_reference():
    text = (SITE / "made.py").read_text(encoding="utf-8")
    listed = re.findall(r"\w+", text[text.index("REFERENCE = {") : text.index("def pages")])
    assert set(pb.__all__) <= set(listed)


@pytest.fixture
def table(monkeypatch):
    """The module that makes the pages of PyTorch's table."""
    monkeypatch.syspath_prepend(str(SITE))
    return importlib.import_module("table")


def test_without_pytorch_the_table_is_a_page_that_says_so(table, monkeypatch):
    monkeypatch.setattr(table, "find_spec", lambda name: None)
    assert table.pages().keys() == {"table/index.md"}


@pytest.mark.slow
@pytest.mark.torch
def test_the_table_has_a_page_for_each_family_and_links_to_every_entry(table):
    pytest.importorskip("torchgen")
    pytest.importorskip("tree_sitter_cpp")
    pages = table.pages()
    links = re.findall(r"\[`(\w+)`\]\((\w+)\.md#(\w+)\)", pages["table/index.md"])
    assert len(links) > 600
    for name, family, anchor in links:
        assert f"## `{name}` {{#{anchor}}}" in pages[f"table/{family}.md"]
    exp = pages["table/pointwise.md"].partition("## `exp` ")[2].partition("\n## ")[0]
    assert "  self: grad * result.conj()" in exp
    assert "        return grad * aten.conj(result)" in exp
    assert "| `result` | result | 4, shared |" in exp


@pytest.mark.slow
@needs_mkdocs
def test_pages_load_nothing_from_elsewhere_and_no_name_is_left_unparsed(built):
    pages = list(built.rglob("*.html"))
    assert len(pages) > 80
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert not re.findall(r'<(?:script|img|link)[^>]+(?:src|href)="https?:', text), page
    reference = (built / "reference" / "gradients.html").read_text(encoding="utf-8")
    for title in ("Parameters", "Returns", "Raises", "Examples"):
        assert reference.count(title) >= 8


@pytest.mark.slow
@needs_mkdocs
@needs_browser
def test_a_rule_is_found_and_followed(browser, address):
    browser.open(address + "/index.html")
    browser.type("input.md-search__input", "once-differentiable")
    browser.until("return document.querySelectorAll('.md-search-result__link').length")
    links = browser.run("return [...document.querySelectorAll('.md-search-result__link')].map(a => a.href)")
    assert any("rules/PB108.html" in link for link in links)
    browser.run(
        "[...document.querySelectorAll('.md-search-result__link')].find(a => /PB108/.test(a.href)).click()"
    )
    browser.until("return location.pathname.endsWith('rules/PB108.html')")
    assert "PB108" in browser.until("return document.querySelector('h1').innerText")


@pytest.mark.slow
@needs_mkdocs
@needs_browser
@pytest.mark.parametrize(("width", "dark"), [(1300, False), (1300, True), (390, False), (390, True)])
def test_pictures_fit_their_page_and_follow_its_colours(browser, address, width, dark):
    if dark:
        browser.dark()
    browser.size(width, 900)
    browser.open(address + "/gallery.html")
    browser.until("return [...document.images].every(image => image.complete && image.naturalWidth > 0)")
    boxes = browser.run(
        "return [...document.querySelectorAll('article img')].map(i => i.getBoundingClientRect())"
        ".map(b => [b.left, b.right])"
    )
    assert len(boxes) == 7
    assert all(left >= 0 and right <= width for left, right in boxes)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    corner = browser.run(
        "const image = document.images[0], canvas = document.createElement('canvas');"
        "canvas.width = canvas.height = 4; const pen = canvas.getContext('2d');"
        "pen.drawImage(image, 0, 0); return [...pen.getImageData(1, 1, 1, 1).data]"
    )
    assert (max(corner[:3]) < 60) is dark, corner
