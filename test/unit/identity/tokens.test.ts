import { describe, expect, it } from "vitest";
import { NETWORK_COLORS } from "../../../src/identity/networks.ts";
import { COLORS } from "../../../src/identity/tokens.ts";

/** The relative luminance of a colour (https://www.w3.org/TR/WCAG22/#dfn-relative-luminance). */
function computeLuminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function computeContrast(first: string, second: string): number {
  const [light = 0, dark = 0] = [computeLuminance(first), computeLuminance(second)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

type Name = keyof typeof COLORS;
const GROUNDS: Name[] = ["paper", "surface", "raised", "sunken"];
const STATES = ["scheduled", "live", "waiting", "failed", "draft"] as const;

/** Text and the ground that it stands on. */
const TEXTS: [text: Name, ground: Name][] = [
  ...(["ink", "ink-soft", "signal", ...STATES] as const).flatMap((text) =>
    GROUNDS.map((ground): [Name, Name] => [text, ground]),
  ),
  ...STATES.map((state): [Name, Name] => [state, `${state}-wash`]),
  ...STATES.map((state): [Name, Name] => ["ink", `${state}-wash`]),
  ["signal-strong", "signal-wash"],
  ["ink", "signal-wash"],
  ["ink-soft", "signal-wash"],
  ["on-signal", "signal-fill"],
  ["on-signal", "signal-fill-over"],
];

describe.each([
  ["light", 0],
  ["dark", 1],
] as const)("the colours of the %s theme", (_theme, index) => {
  it("give every text a contrast of at least 4.5", () => {
    const weak = TEXTS.filter(([text, ground]) => computeContrast(COLORS[text][index], COLORS[ground][index]) < 4.5);
    expect(weak).toEqual([]);
  });

  it("give the border of a field a contrast of at least 3", () => {
    const weak = GROUNDS.filter((ground) => computeContrast(COLORS["line-strong"][index], COLORS[ground][index]) < 3);
    expect(weak).toEqual([]);
  });
});

it("every network's mark stands out on its white ground", () => {
  expect(Object.keys(NETWORK_COLORS)).toHaveLength(10);
  expect(Object.entries(NETWORK_COLORS).filter(([, color]) => computeContrast(color, "#ffffff") < 3)).toEqual([]);
});
