// A real browser for tests: the one that a package brings, or the one that `CHROMIUM` names.
import { type Browser, chromium } from "playwright-core";

export async function launchBrowser(): Promise<Browser> {
  const named = process.env.CHROMIUM;
  if (named !== undefined) return chromium.launch({ executablePath: named, args: ["--no-sandbox"] });
  // Before the import: the package then unpacks the libraries that it brings (NSS, expat, fonts).
  process.env.VERCEL ??= "1";
  const { default: packed } = await import("@sparticuz/chromium");
  // Not its own arguments: they switch web security off.
  return chromium.launch({ executablePath: await packed.executablePath(), args: ["--no-sandbox"] });
}
