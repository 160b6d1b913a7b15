// A real browser for tests: the one of a package, or a current one that is installed on this machine.
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";

/** The path at which Debian and its derivatives install Chromium. */
const USUAL_PATH = "/usr/bin/chromium";

/** Finds the installed browser, or null. `CHROMIUM` may name it. */
export const findInstalledBrowser = (): string | null =>
  process.env.CHROMIUM ?? (existsSync(USUAL_PATH) ? USUAL_PATH : null);

/**
 * A test project sets its browser with `CRIER_BROWSER` (`packed` or `installed`). Scripts do not set it, and use the browser that
 * `CHROMIUM` names, or else the packed one.
 */
function findExecutable(): string | null {
  const { CRIER_BROWSER: requested, CHROMIUM: chromiumPath } = process.env;
  if (requested === "packed") return null;
  return requested === "installed" ? findInstalledBrowser() : (chromiumPath ?? null);
}

export async function launchBrowser(): Promise<Browser> {
  const executablePath = findExecutable();
  // The arguments of the package are not used, because they turn web security off.
  return chromium.launch({ executablePath: executablePath ?? (await unpackBrowser()), args: ["--no-sandbox"] });
}

/** Unpacks the browser of the package and its fonts, unless that was done before, and returns the path of the program. */
export async function unpackBrowser(): Promise<string> {
  // The variable must be set before the import, so that the package unpacks its libraries (NSS, expat, fonts).
  process.env.VERCEL ??= "1";
  const { default: packed } = await import("@sparticuz/chromium");
  const program = await packed.executablePath();
  process.env.FONTCONFIG_FILE = await writeFontConfiguration(join(tmpdir(), "fonts"));
  return program;
}

/**
 * Writes a configuration with the folder of the unpacked fonts, and returns its path. The package's own configuration always names
 * `/tmp/fonts`, and a browser without any font exits.
 */
async function writeFontConfiguration(folder: string): Promise<string> {
  const file = join(folder, "unpacked.conf");
  // The file is not replaced, because another browser may be reading it.
  if (existsSync(file)) return file;
  const lines = [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "fonts.dtd">',
    `<fontconfig><dir>${folder}</dir><cachedir>${folder}/cache</cachedir></fontconfig>`,
  ];
  await writeFile(file, lines.join("\n"));
  return file;
}
