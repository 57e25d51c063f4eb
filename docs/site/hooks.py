"""Pages that are made when the site is built, and links that lead out of the pages.

Made are the overview (the README), the tutorial (a notebook), the gallery of examples with their
pictures, the reference of the public names, PyTorch's table of derivatives, and a page for each source
file that a page links to.
"""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from pathspec.gitignore import GitIgnoreSpec

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

import made  # noqa: E402 - it lies beside this file
import table  # noqa: E402 - it lies beside this file

LINK = re.compile(r"(\]\()([^)#\s]+)([^)]*\))")
# Pages that the repository has in another form.
INSTEAD = {"README.md": "overview.md", "docs/tutorial.ipynb": "tutorial.md"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is made."""
    for name, content in {**made.pages(), **table.pages()}.items():
        files.append(File.generated(config, name, content=content))
    notebook = files.get_file_from_path("tutorial.ipynb")
    if notebook is not None:
        files.remove(notebook)
    for path in linked_sources(files):
        files.append(File.generated(config, made.source_page(path), content=made.source(path)))
    return files


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The nav's entry for the folder of rules becomes a page each; sources and the table stand in no nav."""
    rules = sorted(path.name for path in (ROOT / "docs" / "rules").glob("PB*.md"))
    for entry in config.nav or []:
        if entry.get("Lint rules") == "rules/":
            entry["Lint rules"] = ["rules/index.md", *(f"rules/{name}" for name in rules)]
    config.not_in_nav = GitIgnoreSpec.from_lines(["/source/", "/table/*", "!/table/index.md"])
    return config


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links out of the pages lead to what stands for them on the site."""
    place = made.origin(page.file.src_uri)
    return LINK.sub(lambda link: link[1] + target(link[2], place, page.file.src_uri) + link[3], markdown)


def target(link: str, place: str, page: str) -> str:
    """A link of a file of the repository, as the site has it; `page` is the file's page."""
    path = resolved(link, place)
    if path is None:
        return link
    if path in INSTEAD:
        there = INSTEAD[path]
    elif path.startswith("docs/"):
        there = path.removeprefix("docs/")
    else:
        there = made.source_page(path)
    return posixpath.relpath(there, posixpath.dirname(page) or ".")


def resolved(link: str, place: str) -> str | None:
    """The path in the repository that a link in a file there leads to; None for a link to elsewhere."""
    if ":" in link or not link:
        return None
    path = posixpath.normpath(posixpath.join(posixpath.dirname(place), link))
    return path if (ROOT / path).is_file() else None


def linked_sources(files: Files) -> list[str]:
    """The files outside of docs/ that pages link to."""
    found: set[str] = set()
    for file in files:
        if file.src_uri.endswith(".md"):
            text = file.content_string
            for _, link, _ in LINK.findall(text):
                path = resolved(link, made.origin(file.src_uri))
                if path is not None and not path.startswith("docs/") and path not in INSTEAD:
                    found.add(path)
    return sorted(found)


def on_post_page(output: str, **_: Any) -> str:
    """The page as it is; an address of elsewhere among what it loads is an error."""
    loads = re.findall(r'<(?:script|img|link)[^>]+(?:src|href)="(https?:[^"]+)"', output)
    if loads:
        raise ValueError(f"a page loads what is not on the site: {loads}")
    return output
