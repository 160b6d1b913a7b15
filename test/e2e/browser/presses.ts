// A person on a page: counts the presses that a journey takes.
import type { FileChooser, Locator, Page } from "playwright-core";
import { expect } from "vitest";

export function countPresses(page: Page) {
  let presses = 0;
  const isFocused = async (field: Locator) => (await field.and(page.locator(":focus")).count()) === 1;
  async function press(target: Locator): Promise<void> {
    await target.click();
    presses++;
  }
  return {
    get presses(): number {
      return presses;
    },
    press,
    /** Types into a field. A field without the focus has to be pressed first. */
    async type(field: Locator, text: string): Promise<void> {
      await field.waitFor();
      if (!(await isFocused(field))) await press(field);
      await page.keyboard.type(text);
    },
    /** Types a text into the field that has the focus once it is there. */
    async typeAtOnce(field: Locator, text: string): Promise<void> {
      await field.and(page.locator(":focus")).waitFor();
      await page.keyboard.insertText(text);
    },
    /** Types into the field that one press of Tab reaches. */
    async typeNext(field: Locator, text: string): Promise<void> {
      await page.keyboard.press("Tab");
      expect(await isFocused(field)).toBe(true);
      await page.keyboard.type(text);
    },
    /** Replaces the text of a field. */
    async replace(field: Locator, text: string): Promise<void> {
      await press(field);
      await page.keyboard.press("Control+a");
      await page.keyboard.insertText(text);
    },
    /** Fills in a field for date and time. */
    async setTime(field: Locator, time: string): Promise<void> {
      await press(field);
      await field.fill(time);
    },
    /** Chooses a file in the file dialog that a press opens. */
    async chooseFile(target: Locator, file: Parameters<FileChooser["setFiles"]>[0]): Promise<void> {
      const [chooser] = await Promise.all([
        page.waitForEvent("filechooser"),
        page.evaluate("0").then(() => press(target)),
      ]);
      await chooser.setFiles(file);
    },
  };
}
