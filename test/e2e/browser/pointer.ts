// Positions and touches on a page.
import type { Locator, Page } from "playwright-core";

/** The middle of an element in the window, after scrolling to it. */
export async function getMiddle(locator: Locator): Promise<{ x: number; y: number }> {
  await locator.scrollIntoViewIfNeeded();
  const box = await locator.boundingBox();
  if (box === null) throw new Error("it is not on the page");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Simulates the touches of a finger. */
export async function createFinger(page: Page) {
  const cdp = await page.context().newCDPSession(page);
  const send = (type: "touchStart" | "touchMove" | "touchEnd", touchPoints: { x: number; y: number }[]) =>
    cdp.send("Input.dispatchTouchEvent", { type, touchPoints });
  return {
    down: (point: { x: number; y: number }) => send("touchStart", [point]),
    to: (point: { x: number; y: number }) => send("touchMove", [point]),
    up: () => send("touchEnd", []),
  };
}
