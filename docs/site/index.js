// SPDX-License-Identifier: MIT
// node index.js LUNR OUT < {documents, files, words}: writes the index for search.js, and checks that for each
// line of words.tsv one of the pages it names is among the first three.
"use strict";
const fs = require("fs");
const [, , path, out] = process.argv;
const lunr = require(path);
const { plain, configure, find } = require("./search.js");

const { documents, files, words } = JSON.parse(fs.readFileSync(0, "utf8"));
// A name is found whole and by its parts: bouncing_ball is bouncing, too.
const parts = (text) => plain(text).replace(/\w+_\w+/g, (name) => `${name} ${name.split("_").join(" ")}`);
configure(lunr);
const index = lunr(function () {
  this.ref("id");
  this.pipeline.remove(lunr.stopWordFilter);
  this.b(0.3); // long sections count nearly as much as short ones
  this.field("title", { boost: 6 });
  this.field("heading", { boost: 6 });
  this.field("text");
  documents.forEach(({ title, heading, text, weight }, id) =>
    this.add({ id, title: parts(title), heading: parts(heading), text: parts(text) }, { boost: weight }));
});
const shown = documents.map(({ page, url, title, heading }) => ({ page, url, title, heading }));
fs.writeFileSync(out, `var perp_search = ${JSON.stringify({ documents: shown, index })};\n`);

let wrong = 0, all = 0;
for (const line of words.split("\n")) {
  if (!line || line.startsWith("#")) continue;
  const [query, pages] = line.split("\t");
  const wanted = pages.split(" ").map((name) => files[name] ?? `${name} (no such page)`);
  const found = find(lunr, index, shown, query).slice(0, 3).map(({ page }) => page);
  all++;
  if (!found.some((page) => wanted.includes(page))) {
    console.error(`search for "${query}": ${wanted.join(" or ")} is not among the first three: ${found.join(", ")}`);
    wrong++;
  }
}
console.log(`search: ${documents.length} entries, ${fs.statSync(out).size} bytes; ${all - wrong} of ${all} words find their page`);
process.exit(wrong > 0 ? 1 : 0);
