// A post as people without an account see it on their pages: review links and portals.
import { html } from "hono/html";
import { formatDate, localReading } from "../domain/instant.ts";
import type { Json } from "../domain/json.ts";
import { networkName } from "../domain/network-name.ts";
import { describeRepeat, readWeekday } from "../domain/posts/describe-repeat.ts";
import type { Poll } from "../domain/posts/poll.ts";
import { describeFile } from "../domain/posts/sent-file.ts";
import type { Review, ReviewedChannel, ReviewedFile } from "../operations/posts/reviewed.ts";
import { renderMark } from "./brand.ts";
import type { Html } from "./page.ts";

/** Says when the post is published. `lateHint`: what to do about a post whose time has passed. */
export function renderTime({ publishAt, timezone, isLate }: Review, lateHint: string): Html {
  if (publishAt === null && isLate) return html`The time of one of its channels has passed. ${lateHint}`;
  if (publishAt === null) return html`It will be published <strong>as soon as it is approved</strong>.`;
  const time = renderInstant(publishAt, timezone);
  return isLate
    ? html`It was planned for ${time}, which has passed. ${lateHint}`
    : html`It will be published on ${time}.`;
}

function renderInstant(instant: number, timezone: string): Html {
  const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "short", timeZone: timezone });
  const offset = /(?:Z|[+-]\d\d:\d\d)$/.exec(localReading(instant, timezone))?.[0] ?? "";
  return html`<strong><time datetime="${new Date(instant).toISOString()}">${day.format(instant)}</time></strong>
    (${timezone === "UTC" ? "UTC" : `${timezone}, UTC${offset}`})`;
}

/** Says how the post repeats, with the texts that take turns. */
export function renderRepeat({ repeat, publishAt, timezone }: Review): Html | "" {
  if (repeat === null) return "";
  const weekday = publishAt === null ? null : readWeekday(localReading(publishAt, timezone));
  const words = describeRepeat(repeat, weekday, (until) => formatDate(Date.parse(until), timezone));
  return html`<p class="note">It repeats <strong>${words}</strong>.${
    repeat.variations.length === 0 ? "" : " These texts take turns with its own:"
  }</p>${repeat.variations.map((text) => html`<p class="text" dir="auto">${text}</p>`)}`;
}

/** One channel's version of a post. */
export function channelSection(channel: ReviewedChannel, timezone: string): Html {
  const { platform, handle, name, publishAt, postType, parts, poll, thumbnail, options } = channel;
  const type: [string, Json][] = postType === null ? [] : [["type", postType]];
  const facts = [...type, ...options];
  return html`<section><h2 class="account">${renderMark(platform)}<span>${networkName(platform)}</span> <small>${name === null || name === handle ? handle : html`${name}, ${handle}`}</small></h2>
    ${publishAt === null ? "" : html`<p class="note">On this channel it will be published on ${renderInstant(publishAt, timezone)}.</p>`}
    ${parts.map(
      ({ text, files }, i) =>
        html`${parts.length === 1 ? "" : html`<p class="note">Part ${i + 1} of ${parts.length}</p>`}
          ${text === "" ? "" : html`<p class="text" dir="auto">${text}</p>`}${files.map((file) => fileFigure(platform, file))}`,
    )}
    ${poll === null ? "" : pollList(poll)}
    ${thumbnail.map((file) => html`<p class="note">Thumbnail</p>${fileFigure(platform, file)}`)}
    ${
      facts.length === 0
        ? ""
        : html`<dl>${facts.map(([name, value]) => html`<div><dt>${name.replaceAll("_", " ")}</dt><dd class="text" dir="auto">${shownValue(value)}</dd></div>`)}</dl>`
    }</section>`;
}

/** A poll. Where polls have no question, the text already ends with it. */
const pollList = ({ question, options, minutes }: Poll): Html =>
  html`<p class="note">Poll, open for ${minutes} minutes: <span dir="auto">${question}</span></p>
    <ul>${options.map((option) => html`<li dir="auto">${option}</li>`)}</ul>`;

const shownValue = (value: Json) => (typeof value === "string" ? value : JSON.stringify(value));

/** A file on another host is shown as a link, so opening the page sends no request to that host. */
function fileFigure(platform: string, { kind, url, isStored, alt, adapted }: ReviewedFile): Html {
  const file =
    url === null
      ? html`The ${kind} cannot be shown here.`
      : !isStored
        ? html`<a href="${url}" rel="noreferrer noopener" target="_blank">Open the ${kind}</a> (${new URL(url).host})`
        : kind === "video"
          ? html`<video src="${url}" controls preload="metadata"></video>`
          : html`<img src="${url}" alt="${alt ?? ""}">`;
  return html`<figure>${file}<figcaption class="note">${
    alt === null ? html`No alternative text.` : html`Alternative text: <span dir="auto">${alt}</span>`
  }${
    adapted === null
      ? ""
      : html`<br>Adapted for ${networkName(platform)}: ${describeFile(adapted.copy)}. The original is ${describeFile(adapted.original)}.`
  }</figcaption></figure>`;
}
