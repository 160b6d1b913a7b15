// Unpacks the browser once before the test files that use it. If several files unpacked it at the same time, one could start
// a program that another one is still writing.
import { unpackBrowser } from "./browser.ts";

export async function setup(): Promise<void> {
  await unpackBrowser();
}
