// The brand of an agency at the top of the pages for its clients.
import { html } from "hono/html";
import type * as z from "zod";
import type { ShownBrand as ShownBrandContract } from "../contract/brand.ts";
import { getTextColor } from "../domain/brand.ts";

export type ShownBrand = z.input<typeof ShownBrandContract>;

/** The name and logo; null: the brand has neither. */
export function renderClientBrand(brand: ShownBrand | null) {
  if (brand === null || (brand.name === null && brand.logo_url === null)) return null;
  const { name, logo_url: logo } = brand;
  return html`<p class="brand">${logo === null ? "" : html`<img src="${logo}" alt="${name === null ? "Logo" : ""}">`}${name ?? ""}</p>`;
}

/** The brand's styles. An accent is checked when it is stored, and again here. */
export function renderAccent(brand: ShownBrand | null): string {
  if (brand === null) return "";
  const accent = /^#[0-9a-f]{6}$/.exec(brand.accent ?? "")?.[0];
  const buttons =
    accent === undefined
      ? ""
      : `button:not(.quiet, .link) { background: ${accent}; color: ${getTextColor(accent)}; border-color: ${accent}; }
button:not(.quiet, .link):hover { filter: brightness(1.08); }`;
  return `
p.brand { display: flex; align-items: center; gap: .7rem; min-height: 44px; margin: 0; font-weight: 700; font-size: 1.25rem; }
p.brand img { max-width: 12rem; max-height: 44px; }
${buttons}`;
}
