// A real browser for tests: the one that a package brings, or a current one that this machine has.
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Where Debian and its relatives install Chromium. */
const USUAL_PATH = "/usr/bin/chromium";

/** The browser that this machine has: `CHROMIUM` names it. null: there is none. */
export const findInstalledBrowser = (): string | null =>
  process.env.CHROMIUM ?? (existsSync(USUAL_PATH) ? USUAL_PATH : null);

/**
 * A project of tests says which browser it is for (`CRIER_BROWSER` = `packed` | `installed`). Scripts say nothing: they take the
 * one that `CHROMIUM` names, or the packed one.
 */
function findExecutable(): string | null {
  const { CRIER_BROWSER: wanted, CHROMIUM: named } = process.env;
  if (wanted === "packed") return null;
  return wanted === "installed" ? findInstalledBrowser() : (named ?? null);
}

export async function launchBrowser(): Promise<Browser> {
  const executablePath = findExecutable();
  // Not the arguments of the package: they switch web security off.
  return chromium.launch({ executablePath: executablePath ?? (await unpackBrowser()), args: ["--no-sandbox"] });
}

/** Unpacks the browser of the package, if that has not been done before, and says where it is. */
export async function unpackBrowser(): Promise<string> {
  // Before the import: the package then unpacks the libraries that it brings (NSS, expat, fonts).
  process.env.VERCEL ??= "1";
  const { default: packed } = await import("@sparticuz/chromium");
  return packed.executablePath();
}
