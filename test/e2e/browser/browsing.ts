// What must be true of every page that a person sees, and how they press their way through it.
import { AxeBuilder } from "@axe-core/playwright";
import type { FileChooser, Page } from "playwright-core";
import { expect } from "vitest";
import { eventually } from "../../support/eventually.ts";

/**
 * Waits until the page has its heading, and expects nothing on it that a person with another way to read or to press would
 * stumble over. `rules`: only these are asked.
 */
export async function expectAccessible(page: Page, rules: string[] = []): Promise<void> {
  // What stands in the frame is there before the file of the page has been loaded.
  await page.locator("h1").first().waitFor();
  // In this page alone: it has no frames, and another page for each look costs more than the look.
  const axe = new AxeBuilder({ page }).setLegacyMode(true);
  // Of those that axe asks only when it is told to.
  const all = () => axe.options({ rules: { "target-size": { enabled: true } } });
  const { violations } = await (rules.length === 0 ? all() : axe.withRules(rules)).analyze();
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`),
  ).toEqual([]);
  expect(await page.locator("h1").count()).toBe(1);
  expect(await page.locator("main").count()).toBe(1);
}

/** What the focused element is called, or belongs to. */
const FOCUSED = `(() => {
  const it = document.activeElement;
  if (it === null || it === document.body) return "";
  return (it.getAttribute("aria-label") ?? it.labels?.[0]?.textContent ?? it.textContent ?? "").trim();
})()`;
/** Presses Tab until something of this name has the focus. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  const isThere = async () => name.test(String(await page.evaluate(FOCUSED)));
  for (let i = 0; i < 300 && !(await isThere()); i++) await page.keyboard.press("Tab");
  expect(await page.evaluate(FOCUSED)).toMatch(name);
}

/**
 * Chooses a file where `ask` has the page ask for one. The page has answered before: until it knows that somebody listens, it
 * asks nobody.
 */
export async function chooseFile(page: Page, file: Parameters<FileChooser["setFiles"]>[0], ask: () => Promise<void>) {
  const chooser = page.waitForEvent("filechooser");
  await page.evaluate("0");
  await ask();
  await (await chooser).setFiles(file);
}

/** A page has what it asks for. On a busy machine the network may be idle between two of its calls. */
export async function untilLoaded(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
  await eventually(async () =>
    expect(await page.getByRole("status").filter({ hasText: "is loading" }).count()).toBe(0),
  );
}

/** What had the focus has gone: it is in the region around it, and not lost. */
export const expectFocusIn = (page: Page, region: string): Promise<void> =>
  eventually(async () => expect(await page.evaluate("document.activeElement?.ariaLabel")).toBe(region));

const WIDTHS = [390, 768, 1280];
/** The rules that can be kept in one size or colour and broken in another; the others judge what is the same in all. */
const OF_SIZE_AND_COLOUR = ["color-contrast", "link-in-text-block", "scrollable-region-focusable"];
const SCHEMES = ["light", "dark"] as const;
type Look = readonly [width: number, schemes: readonly (typeof SCHEMES)[number][]];
const ALL: readonly Look[] = WIDTHS.map((width) => [width, SCHEMES]);
/** A phone in light and a wide page in dark. Every look at every state is in `npm run test:nightly`. */
const SOME: readonly Look[] =
  process.env.CRIER_EVERY_LOOK === "1"
    ? ALL
    : [
        [390, ["light"]],
        [1280, ["dark"]],
      ];
const countOf = (looks: readonly Look[]) => looks.reduce((sum, [, schemes]) => sum + schemes.length, 0);
/** How often a state of a page is looked at by `expectAccessibleInAll`, `...InSome` and `...InOne`. */
export const LOOKS = { all: countOf(ALL), some: countOf(SOME), one: SOME === ALL ? countOf(ALL) : 1 };

/** The same at each width, light and dark, without loading the page again; nothing has to be scrolled sideways. */
export const expectAccessibleInAll = (page: Page): Promise<void> => lookAt(page, ALL);
/** The same at two of them. */
export const expectAccessibleInSome = (page: Page): Promise<void> => lookAt(page, SOME);
/** The same at one of these two, which take turns. */
export const expectAccessibleInOne = (page: Page, turn: number): Promise<void> =>
  lookAt(page, SOME === ALL ? ALL : SOME.slice(turn % SOME.length, (turn % SOME.length) + 1));

async function lookAt(page: Page, looks: readonly Look[]): Promise<void> {
  const { width: before = 1280 } = page.viewportSize() ?? {};
  for (const [width, schemes] of looks) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      // A phone and a wide page have different things in them; a page between has those of one of the two.
      const isWhole = colorScheme === "light" && width !== 768;
      await expectAccessible(page, isWhole ? [] : OF_SIZE_AND_COLOUR);
    }
    await expectNarrow(page);
  }
  // As a page of 1280 that is zoomed to 400 %.
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
