// SPDX-License-Identifier: MIT
// Full-text search of the pages, from files: lunr.js and search-index.js are loaded as scripts when the
// field is first used. docs/site/index.js makes the index with the same functions, in node.
"use strict";

const plain = (text) => text.normalize("NFD").replace(/[\u0300-\u036f]/g, "");

function configure(lunr) {
  lunr.tokenizer.separator = /[^\p{L}\p{N}_]+/u;
}

// The best pages for a query, each with its best section: [{url, title, heading}].
function find(lunr, index, documents, text) {
  configure(lunr);
  const words = plain(text).toLowerCase().split(lunr.tokenizer.separator).filter(Boolean);
  if (words.length === 0) return [];
  const ask = (presence) => index.query((q) => {
    for (const word of words) {
      q.term(word, { boost: 10, presence });
      if (word.length > 2) q.term(word, { wildcard: lunr.Query.wildcard.TRAILING, usePipeline: false });
    }
  });
  let hits = ask(lunr.Query.presence.REQUIRED);
  if (hits.length === 0) hits = ask(lunr.Query.presence.OPTIONAL);
  const pages = new Map();
  for (const { ref, score } of hits) {
    const document = documents[ref];
    const known = pages.get(document.page);
    if (known === undefined) pages.set(document.page, { ...document, score, more: 0 });
    else if (known.more++ < 4) known.score += 0.3 * score;
  }
  return [...pages.values()].sort((a, b) => b.score - a.score);
}

if (typeof module !== "undefined") {
  module.exports = { plain, configure, find };
} else {
  const title = document.getElementById("titlearea");
  const box = document.createElement("div");
  box.id = "find";
  box.innerHTML = '<input type="search" placeholder="Search" aria-label="Search the documentation"/><ol hidden="hidden"></ol>';
  title.appendChild(box);
  const [field, list] = box.children;
  let index;

  const load = (file) => new Promise((done, failed) => {
    const script = document.createElement("script");
    Object.assign(script, { src: file, onload: done, onerror: failed });
    document.head.appendChild(script);
  });
  let loading;
  const ready = () => loading ??= load("lunr.js").then(() => load("search-index.js")).then(() => {
    configure(lunr);
    index = lunr.Index.load(perp_search.index);
    show();
  });

  function show() {
    if (index === undefined) return;
    const hits = find(lunr, index, perp_search.documents, field.value).slice(0, 12);
    list.replaceChildren(...hits.map(({ url, title, heading }) => {
      const item = document.createElement("li"), link = document.createElement("a");
      link.href = url;
      link.textContent = heading ? `${title}: ${heading}` : title;
      item.appendChild(link);
      return item;
    }));
    if (hits.length === 0 && field.value.trim()) list.textContent = "nothing found";
    list.hidden = !field.value.trim();
  }
  field.addEventListener("focus", ready);
  field.addEventListener("input", () => (ready(), show()));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") list.hidden = true;
    if (event.key === "Enter" && list.querySelector("a")) location.href = list.querySelector("a").href;
  });
  document.addEventListener("click", (event) => {
    if (!box.contains(event.target)) list.hidden = true;
  });
}
