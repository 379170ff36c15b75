#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What scripts/docs does beside Doxygen.

  site.py layout FILE   writes the layout for Doxygen: the sidebar has the groups of "Documentation" in README.md
  site.py finish        adds the search to docs/html, and checks all pages
  site.py faults        plants a fault of each kind, and sees it found

Checked: links and anchors, text that should have been markup, absolute paths, pages that no other page links, and
the size of the site.
"""
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS, SITE, HTML = ROOT / "docs", ROOT / "docs" / "site", ROOT / "docs" / "html"
LUNR = pathlib.Path("/usr/share/javascript/lunr/lunr.min.js")
MOST = {"pages": 32, "words": 45000, "words of a page": 3000}
REFERENCE = [("filelist", "Headers"), ("classlist", "Structs and classes"), ("globals", "Functions and constants")]
VOID = {"br", "img", "meta", "link", "hr", "input", "col", "area", "base", "wbr", "source"}
CODE = {"code", "pre", "script", "style", "tt", "title"}
CODE_CLASSES = {"fragment", "memproto", "memItemLeft", "memItemRight", "memTemplItemLeft", "memTemplItemRight",
                "memTemplParams", "memtitle", "fieldtype", "fieldname", "paramname", "paramtype", "tt", "entry"}


def html_name(page):
    """The file that Doxygen makes of a page: by the label of its title, or by its path."""
    title = re.search(r"^# .*?(?:\{#([\w-]+)\})?\s*$", page.read_text(), re.M)
    path = str(page.relative_to(ROOT).with_suffix(""))
    return (title[1] or "md_" + re.sub(r"[^\w]", "_", path)) + ".html"


def groups():
    """[(name of a group, [(title, page)])] of the section Documentation of the README."""
    section = (ROOT / "README.md").read_text().split("\n## Documentation\n")[1].split("\n## ")[0]
    return [(part.split("\n")[0].strip(), re.findall(r"^\* \[([^]]+)\]\(([\w./-]+\.md)\)", part, re.M))
            for part in section.split("\n### ")[1:]]


def layout(file):
    listed = [page for _, pages in groups() for _, page in pages]
    wanted = {str(page.relative_to(ROOT)) for page in DOCS.glob("*.md")}
    wrong = sorted(wanted - set(listed)) + sorted({page for page in listed if listed.count(page) > 1})
    if wrong:
        raise SystemExit(f"README.md, Documentation: not listed exactly once: {', '.join(wrong)}")
    tabs = ['<tab type="mainpage" visible="yes" title="perp"/>']
    for name, pages in groups():
        tabs.append(f'<tab type="usergroup" visible="yes" title="{name}">')
        tabs += [f'<tab type="user" visible="yes" url="{html_name(ROOT / page)}" title="{title}"/>' for title, page in pages]
        if name == "Reference":
            tabs += [f'<tab type="{kind}" visible="yes" title="{title}"/>' for kind, title in REFERENCE]
        tabs.append("</tab>")
    subprocess.run(["doxygen", "-l", file], check=True, stdout=subprocess.DEVNULL)
    text = pathlib.Path(file).read_text()
    pathlib.Path(file).write_text(re.sub(r"<navindex>.*</navindex>", lambda _: "<navindex>\n" + "\n".join(tabs) + "\n</navindex>",
                                         text, flags=re.S))


class Page(html.parser.HTMLParser):
    """Links, anchors, the text that is no code, and what is searched: [(anchor, heading, text)]."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.prose, self.sections = set(), [], [], [["", "", []]]
        self.title, self.stack, self.anchor = "", [], ""
        self.feed(text)

    def inside(self, *names):
        return any(name in names for entry in self.stack for name in entry)

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        classes = (named.get("class") or "").split()
        for anchor in {named.get("id"), named.get("name") if tag == "a" else None} - {None}:
            self.anchors.add(anchor)
            self.anchor = anchor if tag == "a" else self.anchor
        for link in (named.get("href"), named.get("src")):
            if link is not None:
                self.links.append((link, self.inside("contents")))
        if tag in ("h1", "h2", "h3") and self.inside("contents"):
            self.sections.append([self.anchor if "memtitle" in classes else None, "", []])
        if tag not in VOID:
            self.stack.append([tag, *classes])

    def handle_endtag(self, tag):
        for k in range(len(self.stack) - 1, -1, -1):
            if self.stack[k][0] == tag:
                del self.stack[k:]
                break

    def handle_data(self, data):
        if self.stack and self.stack[-1] == ["title"]:
            self.title += data
        if not any(entry[0] in CODE or CODE_CLASSES.intersection(entry[1:]) for entry in self.stack):
            self.prose.append(data)
        if self.inside("contents") and not self.inside("script", "style"):
            section = self.sections[-1]
            if self.inside("h1", "h2", "h3"):
                section[1] += data
                section[0] = section[0] or self.anchor
            else:
                section[2].append(data)


def without_mathematics(text):
    return re.sub(r"\\\(.*?\\\)|\\\[.*?\\\]", " ", text, flags=re.S)


def faults_of(pages, names, root):
    """What is wrong with pages {file: text}; names: the pages that others have to link."""
    parsed = {name: Page(text) for name, text in pages.items()}
    linked, wrong = set(), []
    for name, page in parsed.items():
        for mark in ("@ref", "**", "$", "`"):
            for found in re.finditer(".{0,30}" + re.escape(mark) + ".{0,30}", without_mathematics("".join(page.prose))):
                wrong.append(f"{name}: {mark} stands in the text: {found[0].strip()}")
        if root in pages[name] or "file://" in pages[name].replace("<code>file://</code>", ""):
            wrong.append(f"{name}: an absolute path")
        for link, content in page.links:
            where = urllib.parse.urlsplit(link)
            if where.scheme or link.startswith("//"):
                if where.scheme not in ("http", "https", "mailto", "javascript", "data"):
                    wrong.append(f"{name}: a strange link: {link}")
                continue
            target, anchor = urllib.parse.unquote(where.path) or name, urllib.parse.unquote(where.fragment)
            if target.startswith("/"):
                wrong.append(f"{name}: an absolute path: {link}")
            elif target in parsed:
                if anchor and anchor not in parsed[target].anchors:
                    wrong.append(f"{name}: no such anchor: {link}")
                if content and name not in (target, "index.html"):
                    linked.add(target)
            elif target.endswith((".html", ".md")) or not (HTML / target).exists():
                wrong.append(f"{name}: no such page: {link}")
    wrong += [f"{name}: no other page but the first links it" for name in sorted(set(names) - linked)]
    return parsed, wrong


def sizes():
    words = {page.name: len(page.read_text().split()) for page in DOCS.glob("*.md")}
    print(f"docs: {len(words)} pages, {sum(words.values())} words, the longest {max(words.values())}")
    found = {"pages": len(words), "words": sum(words.values())}
    wrong = [f"docs: {found[what]} {what}, more than {MOST[what]}" for what in found if found[what] > MOST[what]]
    return wrong + [f"docs/{name}: {n} words, more than {MOST['words of a page']}" for name, n in sorted(words.items())
                    if n > MOST["words of a page"]]


def entries(name, page, guide):
    """What is searched: of a page every section, with the weight guide; of the reference (0) every function and struct."""
    title = re.sub(r" (File|Struct|Class|Struct Template|Class Template) Reference$", "", page.title.replace("perp: ", ""))
    for number, (anchor, heading, text) in enumerate(page.sections):
        words = " ".join("".join(text).split())
        heading = " ".join(re.sub("[\u25c6\u00a0]", "", heading).split())
        if guide or number == 0:
            yield {"page": name, "url": f"{name}#{anchor}" if anchor else name, "title": title, "heading": heading,
                   "text": words if guide else words[:600], "weight": guide or 0.25}
        elif re.match(r"^~?\w+\(\)(\s*\[.*\])?$", heading):
            yield {"page": f"{name}#{anchor}", "url": f"{name}#{anchor}", "title": heading, "heading": "",
                   "text": words[:300], "weight": 0.25}


def finish():
    names = {html_name(page): page for page in DOCS.glob("*.md")}
    pages = {path.name: path.read_text() for path in HTML.glob("*.html")}
    for name, text in pages.items():  # Doxygen 1.9.4 links a summary that it does not write
        if 'href="#nested-classes"' in text and 'name="nested-classes"' not in text:
            pages[name] = re.sub(r'<a href="#nested-classes">[^<]*</a>(?: &#124;)?', "", text)
    parsed, wrong = faults_of(pages, names, str(ROOT))
    wrong += sizes()
    shown = [name for name in parsed if name in names or re.match(r"(index|md_\w+|\w+_8hp*|struct\w+|class\w+|union\w+)\.html$", name)]
    documents = [entry for name in sorted(shown)
                 for entry in entries(name, parsed[name], 1 if name in names else 0.3 if name.startswith(("index", "md_")) else 0)]
    # Names of pages in the list of words are those of docs.
    files = {page.stem: name for name, page in names.items()} | {"README": "index.html", "CONTRIBUTING": "md_CONTRIBUTING.html"}
    for name in ("search.js", "search.css"):
        shutil.copy(SITE / name, HTML / name)
    shutil.copy(LUNR, HTML / "lunr.js")
    built = subprocess.run(["node", str(SITE / "index.js"), str(LUNR), str(HTML / "search-index.js")], universal_newlines=True,
                           input=json.dumps({"documents": documents, "files": files, "words": (SITE / "words.tsv").read_text()}))
    for name, text in pages.items():
        added = '<link href="search.css" rel="stylesheet"/>\n<script defer="defer" src="search.js"></script>\n</head>'
        (HTML / name).write_text(text.replace("</head>", added, 1))
    if wrong or built.returncode != 0:
        raise SystemExit("\n".join(wrong + ["scripts/docs: the pages are not in order"]))


def faults():
    good = ('<html><head><title>a</title></head><body><div class="contents"><p>\\(x\\) <code>** $ @ref</code>'
            '<a class="anchor" id="here"></a><a href="b.html#here">b</a></p></div></body></html>')
    pages = {"a.html": good, "b.html": good.replace("b.html", "a.html")}
    assert faults_of(pages, ["a.html", "b.html"], "/root/of/it")[1] == []
    for planted in ("see @ref lemke", "very **bold**", "costs $x$", "the `code`", '<a href="c.html">c</a>', '<a href="a.html#there">a</a>',
                    '<a href="c.md">c</a>', '<a href="/a.html">a</a>', "/root/of/it/docs", '<img src="none.png"/>'):
        bad = dict(pages, **{"a.html": good.replace("<p>", "<p>" + planted)})
        assert faults_of(bad, ["a.html"], "/root/of/it")[1], planted
    alone = dict(pages, **{"b.html": good.replace("b.html", "b.html#here")})
    assert faults_of(alone, ["a.html"], "/root/of/it")[1], "a page that nobody links"


if __name__ == "__main__":
    if sys.argv[1:2] == ["layout"]:
        layout(sys.argv[2])
    elif sys.argv[1:] == ["finish"]:
        finish()
    elif sys.argv[1:] == ["faults"]:
        faults()
    else:
        raise SystemExit(__doc__)
