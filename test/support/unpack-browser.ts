// Unpacks the browser once, before the files that use it: several at a time would write the program that one of them starts.
import { unpackBrowser } from "./browser.ts";

export async function setup(): Promise<void> {
  await unpackBrowser();
}
