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
  const { workspace, range, before, label, networks } = report;
  return page(
    c,
    workspace,
    html`<p><strong>${formatRange(toDates(range))}</strong>${label === null ? "" : html`, posts labelled <span dir="auto">${label}</span>`}</p>
      <p class="note">The change is against ${formatRange(toDates(before))}. Networks count in different ways, so figures are not added up across networks.</p>
      ${networks.length === 0 ? html`<p>No posts were published in this period.</p>` : networks.map(networkSection)}`,
    200,
    { style: STYLE },
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
  return html`<section><h2>${networkName(platform)}</h2>${channels.map(channelTable)}
    ${best.length === 0 ? "" : html`<h3>Best posts by ${orderedBy}</h3><ol>${best.map(bestPost)}</ol>`}</section>`;
}

function channelTable({ handle, deliveries, deliveriesBefore, figures }: ReportedChannel): Html {
  const rows = [{ figure: "posts", value: deliveries, before: deliveriesBefore }, ...figures];
  return html`<table><caption dir="auto">${handle}</caption><thead><tr><th scope="col">Figure</th><th scope="col">Value</th><th scope="col">Before</th><th scope="col">Change</th></tr></thead>
    <tbody>${rows.map(
      ({ figure, value, before }) =>
        html`<tr><th scope="row">${figure}</th><td>${number.format(value)}</td><td>${before === null ? "" : number.format(before)}</td><td>${formatChange(value, before) ?? ""}</td></tr>`,
    )}</tbody></table>${figures.length === 0 ? html`<p class="note">No figures were reported.</p>` : ""}`;
}

/** How much of a post's text is shown. */
const TEXT_SHOWN = 280;

function bestPost({ handle, text, url, publishedAt, figures }: ReportedPost): Html {
  const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
  const shown = [...text].slice(0, TEXT_SHOWN).join("");
  return html`<li><p class="text" dir="auto">${shown}</p><p class="note"><span dir="auto">${handle}</span>${
    publishedAt === null ? "" : `, ${day.format(publishedAt)}`
  }: ${figures.map(([figure, value]) => `${number.format(value)} ${figure}`).join(", ")}${
    url === null ? "" : html` <a href="${url}" rel="noreferrer noopener" target="_blank">Open</a>`
  }</p></li>`;
}

const STYLE = `
main { width: min(96vw, 52rem); }
table { width: 100%; margin: 0 0 1.2rem; border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { padding: .3rem 0; text-align: start; font-weight: 600; overflow-wrap: anywhere; }
th, td { padding: .35rem .5rem; border-bottom: 1px solid var(--line); text-align: end; }
th:first-child { text-align: start; }
th { font-weight: 400; }
h3 { margin: 1rem 0 .4rem; font-size: 1rem; }
li { margin: 0 0 .8rem; break-inside: avoid; }
li p { margin: 0; }
@media print {
  :root { color-scheme: light; }
  body { display: block; background: none; font-size: 11pt; }
  header, footer, .skip { display: none; }
  main { width: auto; padding: 0; border: 0; }
  table { break-inside: avoid; }
  h2, h3, caption { break-after: avoid; }
  @page { margin: 18mm; }
}`;
