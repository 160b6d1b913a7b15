// A real browser for tests: the one that a package brings, or a current one that this machine has.
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

/** Unpacks the browser of the package and its fonts, if that has not been done before, and returns the path of the program. */
export async function unpackBrowser(): Promise<string> {
  // Before the import: the package then unpacks the libraries that it brings (NSS, expat, fonts).
  process.env.VERCEL ??= "1";
  const { default: packed } = await import("@sparticuz/chromium");
  const program = await packed.executablePath();
  process.env.FONTCONFIG_FILE = await writeFontConfiguration(join(tmpdir(), "fonts"));
  return program;
}

/**
 * Writes where the unpacked fonts are, and returns the file's path. The package's own configuration names `/tmp/fonts` wherever
 * temporary files are, and a browser that finds no font at all ends itself.
 */
async function writeFontConfiguration(folder: string): Promise<string> {
  const file = join(folder, "unpacked.conf");
  // Another browser may be reading it.
  if (existsSync(file)) return file;
  const lines = [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "fonts.dtd">',
    `<fontconfig><dir>${folder}</dir><cachedir>${folder}/cache</cachedir></fontconfig>`,
  ];
  await writeFile(file, lines.join("\n"));
  return file;
}
