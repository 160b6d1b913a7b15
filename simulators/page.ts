// The page at `/`: the published posts, per account, newest first, as a person would see them.
import { html, raw } from "hono/html";
import type { LedgerEntry } from "./ledger.ts";
import { ICON, STYLE } from "./page-style.ts";
import { findPoll } from "./poll.ts";

/** Milliseconds between two updates of an open page. Unchanged parts are left alone, so that a video plays on. */
const LOOK_EVERY_MS = 2_000;

/** `home`: the address of the Crier that publishes here; null: unknown. */
export function page(entries: LedgerEntry[], home: string | null) {
  const accounts = [...Map.groupBy(entries.toReversed(), (entry) => `${entry.platform} ${entry.account}`).values()];
  const networks = new Set(entries.map(({ platform }) => platform)).size;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<noscript><meta http-equiv="refresh" content="3"></noscript>
<title>Published posts</title>
<link rel="icon" href="${ICON}">
<style>${raw(STYLE)}</style>
</head>
<body>
<header>
<h1>Published posts</h1>
<p>Simulated networks on this machine. Nothing is sent to the real networks.</p>
${home === null ? "" : html`<a class="home" href="${home}">Back to Crier</a>`}
</header>
<main>${accounts.length === 0 ? empty() : html`<p class="sum">${counted(entries.length, "post")} · ${counted(accounts.length, "account")} · ${counted(networks, "network")}</p><div class="columns">${accounts.map(column)}</div>`}</main>
<script>${raw(REFRESH)}</script>
</body>
</html>`;
}

const REFRESH = `
setInterval(async () => {
  const answer = await fetch("/").catch(() => null);
  if (!answer || !answer.ok) return;
  const next = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
  const now = document.querySelector("main");
  if (next && next.innerHTML !== now.dataset.html) {
    if (now.dataset.html !== undefined || next.innerHTML !== now.innerHTML) now.innerHTML = next.innerHTML;
    now.dataset.html = next.innerHTML;
  }
}, ${LOOK_EVERY_MS});
`;

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

function empty() {
  return html`<div class="empty">
<div class="stack"><i></i><i></i><i></i></div>
<h2>Nothing has been published yet</h2>
<p>Connect a channel and send a post. It appears here as soon as a network accepts it, with its images, its links and its exact time.</p>
</div>`;
}

function column(entries: LedgerEntry[]) {
  const [first] = entries;
  if (first === undefined) return "";
  const { platform, account } = first;
  const initial = account.replace(/^[@-]/, "").charAt(0).toUpperCase();
  return html`<section style="--hue:${computeHue(platform)}">
<h2><span class="avatar" style="--hue:${computeHue(account)}">${initial}</span><span class="who"><b>${account}</b><span class="network">${platform}</span></span><small>${counted(entries.length, "post")}</small></h2>
${entries.map(post)}
</section>`;
}

function post(entry: LedgerEntry) {
  const timestamp = new Date(entry.at_ms).toISOString();
  const title = entry.detail.title ?? entry.detail.article;
  const time = html`<time datetime="${timestamp}">${timestamp.slice(0, 10)} <b>${timestamp.slice(11, 19)}</b>${timestamp.slice(19, 23)} UTC</time>`;
  return html`<article${entry.deleted ? raw(' class="deleted"') : ""}>
<div class="top">${time}${entry.deleted ? html`<span class="gone">deleted</span>` : ""}</div>
${typeof entry.detail.reply_to === "string" ? html`<footer>Reply to <code>${entry.detail.reply_to}</code></footer>` : typeof entry.detail.comment_on === "string" ? html`<footer>Comment on <code>${entry.detail.comment_on}</code></footer>` : ""}
${typeof entry.detail.reshare_of === "string" ? html`<footer>Repost of <code>${entry.detail.reshare_of}</code></footer>` : ""}
${entry.detail.draft === true ? html`<footer>Draft in the account's inbox, visible only to its owner</footer>` : ""}
${typeof title === "string" && title !== "" ? html`<h3>${title}</h3>` : ""}
${entry.text === "" ? "" : html`<p class="text">${marked(entry)}</p>`}
${entry.media.length === 0 ? "" : html`<div class="media n${Math.min(entry.media.length, 3)}">${entry.media.map(file)}</div>`}
${captions(entry)}
${notes(entry)}
${poll(entry)}
${card(entry)}
${facts(entry)}
<footer><code title="${entry.id}">${entry.id}</code>${entry.url === null ? html`<span>no URL</span>` : html`<span title="Where it would be on the real network">${entry.url}</span>`}</footer>
</article>`;
}

function file({ type, alt, bytes, sha256 }: LedgerEntry["media"][number]) {
  const address = `/_sim/media/${sha256}`;
  const size = bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
  if (type.startsWith("application/"))
    return html`<figure><figcaption><a href="${address}">Document</a><small>${type.split(/[/.]/).at(-1)} · ${size}</small></figcaption></figure>`;
  const preview = type.startsWith("video/")
    ? html`<video src="${address}" controls muted preload="metadata"></video>`
    : html`<img src="${address}" alt="${alt ?? ""}">`;
  return html`<figure>${preview}<figcaption>${alt === null ? html`<i>no alt text</i>` : alt}<small>${type.split("/")[1]} · ${size}</small></figcaption></figure>`;
}

/** Sentences about what a post has besides its text and files. */
const notes = ({ detail }: LedgerEntry) =>
  Array.isArray(detail.notes) ? detail.notes.map((note) => html`<p class="facts">${String(note)}</p>`) : "";

function captions({ detail }: LedgerEntry) {
  if (!Array.isArray(detail.captions) || detail.captions.length === 0) return "";
  const links = detail.captions.map(
    ({ lang, sha256 }) => html` <a href="/_sim/media/${String(sha256)}">${String(lang)}</a>`,
  );
  return html`<p class="facts">Captions:${links}</p>`;
}

function poll({ detail }: LedgerEntry) {
  const shownPoll = findPoll(detail);
  if (shownPoll === null) return "";
  const { question, options, minutes } = shownPoll;
  return html`<div class="poll">${question === null ? "" : html`<b>${question}</b>`}<ul>${options.map((option) => html`<li>${option}</li>`)}</ul><small>${minutes === null ? "poll" : html`poll, ${counted(minutes, "minute")}`}</small></div>`;
}

/** What readers see besides the text and the files: the cover of a video, tagged people, a place. */
function facts({ shown: { facts: listed = {}, cover } }: LedgerEntry) {
  const names = Object.entries(listed);
  if (names.length === 0 && cover === undefined) return "";
  return html`<dl class="facts">${cover === undefined ? "" : html`<dt>Cover</dt><dd><img src="/_sim/media/${cover}" alt=""></dd>`}${names.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`)}</dl>`;
}

function card({ shown }: LedgerEntry) {
  if (shown.card === null) return "";
  const { uri, title, description, thumbSha256 } = shown.card;
  const inside = html`${thumbSha256 === null ? "" : html`<img src="/_sim/media/${thumbSha256}" alt="">`}<span><b>${title}</b>${description === "" ? "" : html`<span>${description}</span>`}<small>${uri}</small></span>`;
  return /^https?:/i.test(uri)
    ? html`<a class="card" href="${uri}" rel="noreferrer">${inside}</a>`
    : html`<span class="card">${inside}</span>`;
}

/** The text with its links, mentions and tags marked, as far as the network detects them. */
function marked({ text, shown }: LedgerEntry) {
  let offset = 0;
  const pieces = shown.marks
    .toSorted((a, b) => a.start - b.start)
    .map(({ start, end }) => {
      if (start < offset) return "";
      const piece = html`${text.slice(offset, start)}<mark>${text.slice(start, end)}</mark>`;
      offset = end;
      return piece;
    });
  return html`${pieces}${text.slice(offset)}`;
}

function computeHue(name: string): number {
  return [...name].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 360, 7);
}
