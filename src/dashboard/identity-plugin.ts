// The part of the build that brings the identity: the tokens as a style sheet, the typefaces and the marks of the networks.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";
import { BELL } from "../identity/bell.ts";
import { FONT_FACES, getMarkAddress, MARKS, SANS, SERIF } from "../identity/files.ts";
import { NETWORK_COLORS, NETWORK_STYLE } from "../identity/networks.ts";
import { TOKENS } from "../identity/tokens.ts";

const MODULES = join(import.meta.dirname, "../../node_modules");

/** The path of a file in a package, whose version must be the one in the file's address. */
function findFile(packageName: string, file: string, address: string): string {
  const { version } = JSON.parse(readFileSync(join(MODULES, packageName, "package.json"), "utf8"));
  if (!address.includes(`-${version}.`)) throw new Error(`${packageName} is ${version}, but its file is ${address}`);
  return join(MODULES, packageName, file);
}

/** The icon of a network in the package, if it has another name there. */
const ICONS: Record<string, string> = { x: "twitter-x" };

/** The paths of a network's mark, in a square of 16 units. */
function readPaths(platform: string, address: string): string {
  const icon = findFile(MARKS.package, `icons/${ICONS[platform] ?? platform}.svg`, address);
  return (readFileSync(icon, "utf8").match(/<path[^>]*\/>/g) ?? []).join("");
}

/** One SVG with a symbol for each network. */
function drawMarks(): string {
  const symbols = Object.keys(NETWORK_COLORS).map(
    (platform) => `<symbol id="${platform}" viewBox="0 0 16 16">${readPaths(platform, MARKS.address)}</symbol>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join("")}</svg>`;
}

const drawMark = (platform: string, color: string, address: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="${color}">${readPaths(platform, address)}</svg>`;

/** The name of an emitted file: its address without the leading slash. */
const toFileName = (address: string) => address.slice(1);

const BELL_PICTURE =
  `<svg class="bell" viewBox="0 0 32 32" aria-hidden="true"><g transform="${BELL.tilt}">` +
  `<path class="clapper" d="${BELL.clapper}"/><path d="${BELL.handle}"/><path d="${BELL.body}"/></g></svg>`;

export const identity = (): Plugin => ({
  name: "crier-identity",
  load: (id) => (id.split("?")[0]?.endsWith("/styles/tokens.css") ? FONT_FACES + TOKENS + NETWORK_STYLE : null),
  // The page has the bell before the first file of code has arrived.
  transformIndexHtml: (html) => html.replace("<!-- bell -->", BELL_PICTURE),
  generateBundle() {
    for (const font of [SANS, SERIF]) {
      const source = readFileSync(findFile(font.package, font.file, font.address));
      this.emitFile({ type: "asset", fileName: toFileName(font.address), source });
    }
    this.emitFile({ type: "asset", fileName: toFileName(MARKS.address), source: drawMarks() });
    for (const [platform, color] of Object.entries(NETWORK_COLORS)) {
      const address = getMarkAddress(platform);
      this.emitFile({ type: "asset", fileName: toFileName(address), source: drawMark(platform, color, address) });
    }
  },
});
