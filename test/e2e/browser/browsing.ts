// Checks that apply to every page, and helpers that use a page as a person does.
import { AxeBuilder } from "@axe-core/playwright";
import type { FileChooser, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { eventually } from "../../support/eventually.ts";

/**
 * Waits for the page's heading, and expects the page to be accessible. `rules`: only these rules are checked.
 * `within`: a selector of the only part of the page that is checked.
 */
export async function expectAccessible(page: Page, rules: string[] = [], within?: string): Promise<void> {
  // The frame is rendered before the file of the page has been loaded.
  await page.locator("h1").first().waitFor();
  // Legacy mode runs in this page alone: it has no frames, and opening another page takes longer than the check.
  const axe = new AxeBuilder({ page }).setLegacyMode(true);
  if (within !== undefined) axe.include(within);
  // By default, axe describes every element that it has checked, even without a violation.
  axe.options({
    resultTypes: ["violations"],
    // A rule that axe checks only on request.
    rules: rules.length === 0 ? { "target-size": { enabled: true } } : {},
  });
  const { violations } = await (rules.length === 0 ? axe : axe.withRules(rules)).analyze();
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`),
  ).toEqual([]);
  expect(await page.locator("h1").count()).toBe(1);
  expect(await page.locator("main").count()).toBe(1);
}

/** The name or label of the focused element. */
const FOCUSED = `(() => {
  const it = document.activeElement;
  if (it === null || it === document.body) return "";
  return (it.getAttribute("aria-label") ?? it.labels?.[0]?.textContent ?? it.textContent ?? "").trim();
})()`;
/** Presses Tab until an element with this name has the focus. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  const isThere = async () => name.test(String(await page.evaluate(FOCUSED)));
  for (let i = 0; i < 300 && !(await isThere()); i++) await page.keyboard.press("Tab");
  expect(await page.evaluate(FOCUSED)).toMatch(name);
}

/**
 * Chooses a file in the file dialog that `ask` opens. A round trip to the page comes first, because the dialog is
 * suppressed until the page knows of a listener.
 */
export async function chooseFile(page: Page, file: Parameters<FileChooser["setFiles"]>[0], ask: () => Promise<void>) {
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.evaluate("0").then(ask)]);
  await chooser.setFiles(file);
}

/** Waits until a page has loaded its data. On a busy machine the network may be idle between two calls. */
/** Opens a "..." menu and presses one of its entries. */
export async function chooseInMenu(within: Page | Locator, menu: string, entry: string): Promise<void> {
  await within.getByRole("button", { name: menu }).click();
  await within.getByRole("menuitem", { name: entry }).click();
}

export async function untilLoaded(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
  await eventually(async () => expect(await page.getByRole("status").filter({ hasText: ": loading" }).count()).toBe(0));
}

/** Expects the focus in the region around an element that has disappeared. */
export const expectFocusIn = (page: Page, region: string): Promise<void> =>
  eventually(async () => expect(await page.evaluate("document.activeElement?.ariaLabel")).toBe(region));

/** The visible texts of a page, and those that a screen reader or a pointer shows. */
const READ_TEXTS = `(() => {
  const texts = [document.body.innerText];
  for (const element of document.querySelectorAll("[title], [aria-label], [placeholder]"))
    for (const name of ["title", "aria-label", "placeholder"]) texts.push(element.getAttribute(name) ?? "");
  return texts;
})()`;
/** Words for programs, which no person should have to read. */
const FOR_PROGRAMS =
  /`|\b(?:GET|POST|PATCH|PUT|DELETE) \/v1|overrides|publish_at|utf16|graphemes|\b(?:ch|med|post|ws)_/;

/** Expects that a page has no words for programs: names of fields, calls, units or ids. */
export async function expectPlainWords(page: Page): Promise<void> {
  const texts = await page.evaluate<string[]>(READ_TEXTS);
  const lines = texts.flatMap((text) => text.split("\n"));
  expect({ page: page.url(), lines: lines.filter((line) => FOR_PROGRAMS.test(line)) }).toEqual({
    page: page.url(),
    lines: [],
  });
}

const WIDTHS = [390, 768, 1280];
const SCHEMES = ["light", "dark"] as const;
type Look = readonly [width: number, scheme: (typeof SCHEMES)[number]];
/** Rules whose result depends on size or colour. All other rules give the same result in every look. */
const RULES_OF_SIZE_AND_COLOUR = ["color-contrast", "link-in-text-block", "scrollable-region-focusable"];

const isEveryLook = process.env.CRIER_EVERY_LOOK === "1";
/** A phone in light and a wide page in dark mode. `npm run test:nightly` checks every width in both modes. */
const LOOKS: readonly Look[] = isEveryLook
  ? WIDTHS.flatMap((width) => SCHEMES.map((scheme) => [width, scheme] as const))
  : [
      [390, "light"],
      [1280, "dark"],
    ];
/** How many looks `expectAccessibleInAll` and `expectAccessibleInOne` check. */
export const LOOK_COUNTS = { all: LOOKS.length, one: isEveryLook ? LOOKS.length : 1 };

/** Expects the page to be accessible in every look, without loading it again, and never to scroll sideways. */
export const expectAccessibleInAll = (page: Page): Promise<void> => lookAt(page, LOOKS);
/** The same in a single look, which `turn` selects so that pages take turns. */
export const expectAccessibleInOne = (page: Page, turn: number): Promise<void> =>
  lookAt(page, isEveryLook ? LOOKS : LOOKS.slice(turn % LOOKS.length, (turn % LOOKS.length) + 1));

async function lookAt(page: Page, looks: readonly Look[]): Promise<void> {
  const { width: before = 1280 } = page.viewportSize() ?? {};
  const complete = new Set<number>();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await expectNarrow(page);
    for (const [, scheme] of looks.filter(([lookWidth]) => lookWidth === width)) {
      await page.emulateMedia({ colorScheme: scheme });
      // At 768 pixels a page has the elements of a phone or of a wide page, so it needs no complete check of its own.
      const isComplete = !complete.has(width) && width !== 768;
      complete.add(width);
      await expectAccessible(page, isComplete ? [] : RULES_OF_SIZE_AND_COLOUR);
    }
  }
  // This corresponds to a page of 1280 pixels zoomed to 400 %.
  await page.setViewportSize({ width: 320, height: 256 });
  await expectNarrow(page);
  await page.setViewportSize({ width: before, height: 900 });
}

async function expectNarrow(page: Page): Promise<void> {
  const { scroll, client } = await page.evaluate<{ scroll: number; client: number }>(
    "({ scroll: document.documentElement.scrollWidth, client: document.documentElement.clientWidth })",
  );
  expect({ page: page.url(), scroll }).toEqual({ page: page.url(), scroll: client });
}

/** Chooses, as an owner, which posts of the workspace need approval. `posts` is the label of the choice. */
export async function setApproval(page: Page, posts: string): Promise<void> {
  await page.goto("/settings/workspace");
  await page.getByLabel("Posts that need approval").selectOption({ label: posts });
  await page.getByRole("button", { name: "Save approval" }).click();
  await page.getByText("Saved. This applies to new posts.").waitFor();
}
