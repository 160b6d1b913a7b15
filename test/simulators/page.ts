// The page at `/`: what was published, per account, newest first, as a person would see it.
import { html, raw } from "hono/html";
import type { LedgerEntry } from "./ledger.ts";

export function page(entries: LedgerEntry[]) {
  const accounts = Map.groupBy(entries.toReversed(), (entry) => `${entry.platform} ${entry.account}`);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="3">
<title>What was published</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<header><h1>What was published</h1><p>${entries.length} ${entries.length === 1 ? "post" : "posts"} on ${accounts.size} ${accounts.size === 1 ? "account" : "accounts"} of the simulated networks.</p></header>
<main>${accounts.size === 0 ? html`<p class="empty">Nothing yet. Connect a channel, send a post, and it appears here.</p>` : [...accounts.values()].map(column)}</main>
</body>
</html>`;
}

function column(entries: LedgerEntry[]) {
  const [first] = entries;
  if (first === undefined) return "";
  return html`<section>
<h2><span class="avatar" style="--hue:${hueOf(first.platform)}">${first.account.replace(/^@/, "").charAt(0).toUpperCase()}</span><span>${first.account}<small>${first.platform}</small></span></h2>
${entries.map(post)}
</section>`;
}

function post(entry: LedgerEntry) {
  const at = new Date(entry.at_ms);
  return html`<article${entry.deleted ? raw(' class="deleted"') : ""}>
${entry.text === "" ? "" : html`<p>${marked(entry)}</p>`}
${entry.media.length === 0 ? "" : html`<div class="media n${Math.min(entry.media.length, 4)}">${entry.media.map(file)}</div>`}
${card(entry)}
<footer><time datetime="${at.toISOString()}">${at.toISOString().slice(11, 23)}</time>${entry.deleted ? html`<b>deleted</b>` : ""}<code>${entry.id}</code></footer>
</article>`;
}

function file({ type, alt, bytes, sha256 }: LedgerEntry["media"][number]) {
  const address = `/_sim/media/${sha256}`;
  const shown = type.startsWith("video/")
    ? html`<video src="${address}" controls muted></video>`
    : html`<img src="${address}" alt="${alt ?? ""}">`;
  return html`<figure>${shown}<figcaption>${alt === null ? html`<i>no alt text</i>` : alt} · ${Math.ceil(bytes / 1024)} KiB</figcaption></figure>`;
}

function card({ detail }: LedgerEntry) {
  const embed = detail.embed;
  if (typeof embed !== "object" || embed === null || !("external" in embed)) return "";
  const external = embed.external as { uri: string; title: string; description: string };
  return html`<a class="card" href="${external.uri}"><b>${external.title}</b><span>${external.description}</span><small>${external.uri}</small></a>`;
}

interface Facet {
  index: { byteStart: number; byteEnd: number };
}

/** The text with its links, mentions and tags marked: by the network's own offsets, or as the network links plain text. */
function marked({ text, detail }: LedgerEntry) {
  const bytes = new TextEncoder().encode(text);
  const facets = Array.isArray(detail.facets)
    ? (detail.facets as Facet[]).map(({ index }) => index)
    : [...text.matchAll(/https?:\/\/\S+|[@#][\p{L}\p{N}_]+/gu)].map((match) => {
        const byteStart = new TextEncoder().encode(text.slice(0, match.index)).byteLength;
        return { byteStart, byteEnd: byteStart + new TextEncoder().encode(match[0]).byteLength };
      });
  const cut = (from: number, to?: number) => new TextDecoder().decode(bytes.slice(from, to));
  let at = 0;
  const pieces = facets.map(({ byteStart, byteEnd }) => {
    const piece = html`${cut(at, byteStart)}<mark>${cut(byteStart, byteEnd)}</mark>`;
    at = byteEnd;
    return piece;
  });
  return html`${pieces}${cut(at)}`;
}

function hueOf(name: string): number {
  return [...name].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 360, 7);
}

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d9dee5, #2d343e); --soft: light-dark(#5a6675, #98a3b3); --card: light-dark(#fff, #171b21); }
* { box-sizing: border-box; }
body { margin: 0; background: light-dark(#f3f5f8, #0d1014); font: 15px/1.45 system-ui, sans-serif; }
header { padding: 28px 32px 4px; }
h1 { margin: 0; font-size: 22px; }
header p { margin: 4px 0 0; color: var(--soft); }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(330px, 1fr)); gap: 24px; padding: 20px 32px 40px; align-items: start; }
.empty { color: var(--soft); }
section { display: grid; gap: 12px; min-width: 0; }
h2 { display: flex; gap: 10px; align-items: center; margin: 0; font-size: 15px; }
h2 small { display: block; font-weight: 400; color: var(--soft); }
.avatar { display: grid; place-items: center; width: 38px; height: 38px; border-radius: 50%; color: #fff; background: hsl(var(--hue) 55% 45%); }
article { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 14px; overflow: hidden; }
article p { margin: 0 0 10px; white-space: pre-wrap; overflow-wrap: anywhere; }
article.deleted { opacity: .55; }
mark { background: none; color: light-dark(#0b57d0, #8ab4f8); }
.media { display: grid; gap: 6px; margin-bottom: 10px; }
.media.n2, .media.n3, .media.n4 { grid-template-columns: 1fr 1fr; }
figure { margin: 0; min-width: 0; }
img, video { display: block; width: 100%; max-height: 320px; object-fit: cover; border-radius: 8px; background: var(--line); }
figcaption { margin-top: 3px; font-size: 12px; color: var(--soft); overflow-wrap: anywhere; }
.card { display: grid; gap: 2px; padding: 10px; margin-bottom: 10px; border: 1px solid var(--line); border-radius: 8px; color: inherit; text-decoration: none; }
.card span, .card small { color: var(--soft); overflow-wrap: anywhere; }
footer { display: flex; flex-wrap: wrap; gap: 4px 10px; font-size: 12px; color: var(--soft); }
footer code { overflow-wrap: anywhere; }
footer b { color: #c5221f; }
`;
