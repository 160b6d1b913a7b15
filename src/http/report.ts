// The page of a report, which also prints well.
import type { Hono, Context as HonoContext } from "hono";
import { html } from "hono/html";
import { formatChange } from "../domain/change.ts";
import { toDates } from "../domain/date-range.ts";
import { networkName } from "../domain/network-name.ts";
import { findRefusal } from "../domain/refusal.ts";
import { limitTries } from "../operations/rate-limit.ts";
import {
  openReport,
  type Report,
  type ReportedChannel,
  type ReportedNetwork,
  type ReportedPost,
} from "../operations/reports/open.ts";
import { renderMark } from "./brand.ts";
import type { HttpEnv } from "./mount.ts";
import { type Html, page, pagePolicy } from "./page.ts";

export function mountReport(app: Hono<HttpEnv>): void {
  app.get("/report/:token", pagePolicy({ forms: false }), async (c) => {
    c.header("X-Robots-Tag", "noindex, nofollow, noarchive");
    try {
      await limitTries(c.var.ctx, { address: "portal_address" });
      const report = await openReport(c.var.ctx, c.req.param("token"));
      return report === null ? closed(c) : show(c, report);
    } catch (error) {
      const refusal = findRefusal(error);
      if (refusal === null || refusal.status >= 500) throw error;
      const { status } = refusal;
      return page(c, "This report cannot be shown", html`<p>${refusal.message}</p>`, status === 429 ? 429 : 422);
    }
  });
}

const closed = (c: HonoContext<HttpEnv>) =>
  page(
    c,
    "This report is not available",
    html`<p>The address is incomplete, or the report has expired. Ask the person who sent you the link for a new one.</p>`,
    410,
  );

function show(c: HonoContext<HttpEnv>, report: Report) {
  const { workspace, brand, range, before, label, networks } = report;
  return page(
    c,
    workspace,
    html`<p class="period">${formatRange(toDates(range))}${label === null ? "" : html`<span class="tag" dir="auto">${label}</span>`}</p>
      ${
        networks.length === 0
          ? html`<p>No posts were published in this period.</p>`
          : html`<p class="note">Compared with ${formatRange(toDates(before))}. Each network counts in its own way, so figures of different networks are not added up.</p>`
      }${networks.map(networkSection)}`,
    200,
    { brand, style: STYLE },
  );
}

/** A range of dates, as `1 November 2026 to 30 November 2026`. */
function formatRange({ from, to }: { from: string; to: string }): string {
  const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
  const [first, last] = [from, to].map((date) => day.format(Date.parse(date)));
  return first === last ? `${first}` : `${first} to ${last}`;
}

const number = new Intl.NumberFormat("en-GB");

function networkSection({ platform, channels, orderedBy, best }: ReportedNetwork): Html {
  return html`<section><h2 class="account">${renderMark(platform)}<span>${networkName(platform)}</span></h2>${channels.map(channelFigures)}
    ${best.length === 0 ? "" : html`<h3>Best posts by ${orderedBy}</h3><ol class="best">${best.map(bestPost)}</ol>`}</section>`;
}

function channelFigures({ handle, deliveries, deliveriesBefore, figures }: ReportedChannel): Html {
  const tiles = [{ figure: "posts", value: deliveries, before: deliveriesBefore }, ...figures];
  return html`<h3 dir="auto">${handle}</h3><dl class="tiles">${tiles.map(
    ({ figure, value, before }) =>
      html`<div><dt>${figure.charAt(0).toUpperCase() + figure.slice(1)}</dt><dd><strong>${number.format(value)}</strong>${changeNote(value, before)}</dd></div>`,
  )}</dl>${figures.length === 0 ? html`<p class="note">No figures were reported.</p>` : ""}`;
}

function changeNote(value: number, before: number | null): Html | "" {
  if (before === null) return "";
  const change = formatChange(value, before);
  const direction = value > before ? "up" : value < before ? "down" : "same";
  return html`<small class="${direction}">${change === null ? "" : html`${change} `}<span>from ${number.format(before)}</span></small>`;
}

/** How much of a post's text is shown. */
const TEXT_SHOWN = 280;

function bestPost({ handle, text, url, publishedAt, figures }: ReportedPost): Html {
  const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
  const shown = [...text].slice(0, TEXT_SHOWN).join("");
  return html`<li><p class="text" dir="auto">${shown}</p><p class="note"><bdi>${handle}</bdi>${
    publishedAt === null ? "" : `, ${day.format(publishedAt)}`
  }${url === null ? "" : html` · <a href="${url}" rel="noreferrer noopener" target="_blank">Open</a>`}</p>
    <p class="values">${figures.map(([figure, value]) => html`<span><strong>${number.format(value)}</strong> ${figure}</span>`)}</p></li>`;
}

const STYLE = `
body > header { width: min(94vw, 52rem); padding-bottom: .5rem; }
main { width: min(94vw, 52rem); }
h1 { margin-bottom: .25rem; font-size: 2rem; }
h3 { margin: 1.25rem 0 .5rem; font: 600 var(--text)/1.4 var(--font-sans); overflow-wrap: anywhere; }
section { margin: 1.75rem 0 0; padding-top: 1.5rem; }
.period { margin: 0 0 .5rem; font-size: 1.0625rem; font-weight: 560; }
.tag { margin-inline-start: .625rem; padding: .125rem .625rem; border-radius: 999px; background: var(--sunken); font-size: var(--text-s); font-weight: 480; }
dl.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(8.5rem, 1fr)); gap: .625rem; margin: 0; padding: 0; background: none; }
.tiles > div { padding: .75rem .875rem; border: 1px solid var(--line); border-radius: var(--radius); background: var(--paper); break-inside: avoid; }
.tiles strong { display: block; font: 580 1.5rem/1.25 var(--font-serif); font-variant-numeric: tabular-nums; }
.tiles small { font-size: var(--text-s); font-variant-numeric: tabular-nums; color: var(--ink-soft); }
.up { font-weight: 560; } .tiles small.up { color: var(--live); } .tiles small.down { color: var(--failed); }
.tiles small span { font-weight: 400; color: var(--ink-soft); }
ol.best { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: .75rem; margin: 0; padding: 0; list-style: none; }
.best li { display: flex; flex-direction: column; gap: .5rem; padding: .875rem; border: 1px solid var(--line); border-radius: var(--radius); background: var(--paper); break-inside: avoid; }
.best li p { margin: 0; }
.best .text { flex: 1; max-height: 9.3em; overflow: hidden; }
.best a { display: inline-block; min-height: 24px; }
.values { display: flex; flex-wrap: wrap; gap: .25rem .875rem; font-size: var(--text-s); font-variant-numeric: tabular-nums; }
@media print {
  :root { color-scheme: light; }
  body { display: block; background: none; font-size: 10.5pt; }
  footer, .skip, .best a { display: none; }
  body > header { padding: 0 0 1rem; }
  main { width: auto; padding: 0; border: 0; box-shadow: none; }
  h2, h3 { break-after: avoid; }
  @page { margin: 16mm; }
}`;
