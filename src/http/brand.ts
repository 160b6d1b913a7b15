// The mark of Crier and the marks of the networks, for pages that the Worker renders.
import { html, raw } from "hono/html";
import { BELL } from "../identity/bell.ts";
import { getMarkAddress } from "../identity/files.ts";

const bell = raw(
  `<svg viewBox="0 0 32 32" aria-hidden="true"><g transform="${BELL.tilt}"><path d="${BELL.clapper}"/><path d="${BELL.handle}"/><path d="${BELL.body}"/></g></svg>`,
);

/** The bell and a name, as a link to the start page. */
export const renderBrand = (name: string) => html`<a class="brand" href="/">${bell}<span>${name}</span></a>`;

/** A network's mark. It is decoration: the name stands beside it. */
export const renderMark = (platform: string) =>
  html`<span class="mark"><img src="${getMarkAddress(platform)}" alt="" width="16" height="16"></span>`;
