// The output of the CLI: widths, tables, bars, help, and refusals with a suggested command.
import { expect, it } from "vitest";
import { writeFigures } from "../../../cli/commands/analytics.ts";
import { COMMANDS } from "../../../cli/commands.ts";
import { writeHelp } from "../../../cli/help.ts";
import { refusalLines } from "../../../cli/output/errors.ts";
import { bytesText, localText, relativeText, spanText } from "../../../cli/output/format.ts";
import { progressLine, startProgress } from "../../../cli/output/progress.ts";
import { tableLines } from "../../../cli/output/table.ts";
import { cut, jsonText, measureWidth, oneLine, outputTo, plainPaint, wrapped } from "../../../cli/output/terminal.ts";
import { warn, writeJson } from "../../../cli/session.ts";
import type { RefusalBody } from "../../../src/client/calls.ts";
import { SAMPLE } from "../../../src/contract/samples.ts";

/** A terminal with the given number of columns, and access to its output. */
function makeTerminal(columns: number, env: NodeJS.ProcessEnv = { NO_COLOR: "1" }, isTTY = true) {
  let text = "";
  const output = outputTo({ isTTY, columns, write: (chunk) => (text += chunk) }, env);
  return { output, text: () => text, lines: () => text.trimEnd().split("\n") };
}

it.each([
  ["Grüße", 5],
  ["日本語", 6],
  ["👨‍👩‍👧 ok", 5],
  ["e\u0301", 1],
  ["🇩🇪", 2],
])("%s takes %i columns", (text, width) => {
  expect(measureWidth(text)).toBe(width);
});

it("no character is split when text is cut or wrapped", () => {
  expect(cut("日本語のテキスト", 7)).toBe("日本語…");
  expect(cut("👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧", 5)).toBe("👨‍👩‍👧👨‍👩‍👧…");
  expect(cut("ne\u0301e", 2)).toBe("n…");
  expect(wrapped("日本語のテキスト", 6)).toEqual(["日本語", "のテキ", "スト"]);
  expect(wrapped("a longer line of words", 9)).toEqual(["a longer", "line of", "words"]);
  const address = "https://example.net/a/very/long/address";
  expect(wrapped(`see ${address}`, 20)).toEqual(["see", address]);
});

it("text by others cannot control the terminal", () => {
  expect(oneLine("a\x1b[2Jb\r\nc\u202Ed\u0007")).toBe("a[2Jb cd");
});

/** Every control character, escape sequences of terminals, and characters that change the direction of text. */
const CONTROLS = `${Array.from({ length: 0x20 }, (_, i) => String.fromCharCode(i)).join("")}\x7f${Array.from({ length: 0x20 }, (_, i) => String.fromCharCode(0x80 + i)).join("")}\x1b]0;title\x07\x1b[2J\u202e\u200b`;

it("no line and no JSON value sends a control character by others to a terminal", () => {
  const { output, text } = makeTerminal(80, {});
  output.line(`${output.paint("red", `failed${CONTROLS}`)} ${CONTROLS} end`);
  writeJson(output, { name: CONTROLS, [CONTROLS]: 1 });
  warn(output, CONTROLS);
  const progress = startProgress(output, `a${CONTROLS}.mp4`, 10);
  progress.note(`b${CONTROLS}`);
  progress.end();
  expect(text()).toContain("\x1b[31mfailed");
  // Tabs are allowed because they only separate the columns of completions.
  const ownCodes = ["\r\x1b[2K", "\x1b[31m", "\x1b[33m", "\x1b[39m", "\n", "\t"];
  const textByOthers = ownCodes.reduce((remaining, code) => remaining.replaceAll(code, ""), text());
  expect(textByOthers).not.toMatch(/[\p{Cc}\u202e\u200b]/u);
});

it("JSON is printed as the same value that was received", () => {
  const body = { text: `a${CONTROLS}b\n\u00ad`, list: [1, "👩‍👩‍👧"] };
  expect(JSON.parse(jsonText(body, 2))).toEqual(body);
  expect(JSON.parse(jsonText(body))).toEqual(body);
});

const COLUMNS = [
  { title: "channel", of: (row: string[]) => row[0] ?? "", least: 8 },
  { title: "text", of: (row: string[]) => row[1] ?? "", least: 8 },
  { title: "id", of: (row: string[]) => row[2] ?? "" },
];
const ROWS = [
  ["日本語チャンネル", "Guten Morgen, schöne Welt", "ch_1"],
  ["ada", "👋 hello", "ch_2"],
];
it.each([120, 40, 30])("a table of wide characters keeps its columns in %i columns", (width) => {
  const lines = tableLines(ROWS, COLUMNS, { width, paint: plainPaint });
  expect(Math.max(...lines.map(measureWidth))).toBeLessThanOrEqual(width);
  const idColumns = lines.map((line) => measureWidth(line.slice(0, line.search(/id$|ch_\d$/))));
  expect(new Set(idColumns).size).toBe(1);
});
it("a table that is too wide becomes blocks without losing anything", () => {
  const lines = tableLines(ROWS, COLUMNS, { width: 18, paint: plainPaint });
  expect(lines.join("").replace(/\s+/g, "")).toContain("GutenMorgen,schöneWelt");
  expect(lines.filter((line) => line.startsWith("channel"))).toHaveLength(2);
});
it("without a terminal nothing is cut", () => {
  const lines = tableLines(ROWS, COLUMNS, { width: Number.POSITIVE_INFINITY, paint: plainPaint });
  expect(lines[1]).toContain("Guten Morgen, schöne Welt");
});

it("colours are used only in terminals, and never with NO_COLOR", () => {
  const isPainted = (env: NodeJS.ProcessEnv, isTTY: boolean) =>
    makeTerminal(80, env, isTTY).output.paint("red", "x") !== "x";
  expect(isPainted({}, true)).toBe(true);
  expect(isPainted({}, false)).toBe(false);
  expect(isPainted({ NO_COLOR: "1" }, true)).toBe(false);
  expect(isPainted({ NO_COLOR: "" }, true)).toBe(true);
  expect(isPainted({ TERM: "dumb" }, true)).toBe(false);
});

it.each(
  COMMANDS.flatMap((command) => [[command], ...(command.commands ?? []).map((below) => [command, below])]).map(
    (path) => ({ path }),
  ),
)("help fits 40 columns and shows an example: %#", ({ path }) => {
  const { output, lines, text } = makeTerminal(40);
  writeHelp(output, path, COMMANDS);
  const command = path.at(-1);
  const examples = command?.examples ?? [];
  if (command?.hidden !== true) expect(examples.length).toBeGreaterThan(0);
  for (const [line] of examples) expect(text().replace(/\s+/g, " ")).toContain(line.replace(/\s+/g, " "));
  const tooLong = lines().filter((line) => measureWidth(line) > 40 && line.trim().includes(" "));
  expect(tooLong).toEqual([]);
});

it("a progress bar fits the line and drops the least important part first", () => {
  expect(progressLine("video.mp4", 90e6, 200e6, 12.3e6, 90)).toBe(
    "video.mp4  ██████████████░░░░░░░░░░░░░░░░   45%  90.0 MB of 200 MB  12.3 MB/s  0:09 left",
  );
  for (const width of [20, 40, 60, 120]) {
    expect(measureWidth(progressLine("映画のファイル.mp4", 1e6, 2e9, 1e6, width))).toBeLessThanOrEqual(width);
  }
  expect(progressLine("a.mp4", 0, 100, null, 60)).toContain("0%");
});

it("a file that is sent again restarts its progress bar and its rate", () => {
  let now = 0;
  const { output, text } = makeTerminal(80);
  const progress = startProgress(output, "a.mp4", 1000, () => now);
  for (const [seconds, bytes] of [
    [500, 500],
    [1000, 900],
    [2000, 0],
    [3000, 100],
  ] as const) {
    now = seconds;
    progress.at(bytes);
  }
  expect(text().split("\r").at(-1)).toContain("100 bytes/s  0:09 left");
  const silent = makeTerminal(80, {}, false);
  startProgress(silent.output, "a.mp4", 1000, () => now).at(500);
  expect(silent.text()).toBe("");
});

it("numbers and times are formatted for people", () => {
  expect([0, 999, 1000, 20_600, 999_600, 26_214_400, 2e11].map(bytesText)).toEqual([
    "0 bytes",
    "999 bytes",
    "1.0 kB",
    "20.6 kB",
    "1.0 MB",
    "26.2 MB",
    "200 GB",
  ]);
  expect([0, 900, 59_600, 7_199_900, 90_000_000].map(spanText)).toEqual(["0 s", "1 s", "1 min", "2 h", "1 d 1 h"]);
  expect([relativeText(5000, 0), relativeText(0, 5000), relativeText(100, 0)]).toEqual(["in 5 s", "5 s ago", "now"]);
  expect(localText(Date.UTC(2026, 6, 1, 22, 5), "Asia/Tokyo")).toBe("Thu 2026-07-02 07:05");
});

const TYPED = {
  channels: [
    {
      id: SAMPLE.channel,
      platform: SAMPLE.platform,
      handle: "@größe",
      name: null,
      avatar_url: null,
      profile_url: null,
      connected: true,
      state: "connected" as const,
      token_expires_at: null,
      waits_until: null,
      missing_permissions: [],
      tier: null,
      connected_by: null,
      created_at: SAMPLE.created,
    },
  ],
  files: ["a.jpg", "b.mp4"],
};
const STYLE = { width: 100, paint: plainPaint };
function getText(
  violation: Partial<NonNullable<RefusalBody["violations"]>[number]> & { code: string },
  width = 100,
): string {
  const fullViolation = { message: "A rule.", channel: SAMPLE.channel, platform: SAMPLE.platform, ...violation };
  const body: RefusalBody = {
    error: "text_too_long",
    message: fullViolation.message,
    request_id: "req_1",
    violations: [fullViolation],
  };
  return refusalLines(422, body, TYPED, { ...STYLE, width }).join("\n");
}

it.each<[Parameters<typeof getText>[0], string[]]>([
  [
    { code: "text_too_long", field: "/text", limit: 300, actual: 312, unit: "graphemes", over_by: 12 },
    ["@größe on examplenet, text: 312 of 300 graphemes, 12 too many", "--set '@größe.text=…'"],
  ],
  [
    { code: "media_too_large", field: "/media_preview/1", limit: 2e6, actual: 2.4e6, unit: "bytes", over_by: 4e5 },
    ["b.mp4: 2.4 MB where 2.0 MB is the most, 400 kB too many"],
  ],
  [
    { code: "media_too_short", field: "/media/0", limit: 3, actual: 1.5, unit: "seconds" },
    ["a.jpg: 1.5 seconds, at least 3 needed"],
  ],
  [
    { code: "option_required", field: `/overrides/${SAMPLE.channel}/title`, hint: "`GET /v1/platforms` shows it." },
    ["title", "--set '@größe.title=…'", "crier platforms examplenet"],
  ],
  [{ code: "publish_at_in_past", field: "/publish_at", channel: undefined, platform: undefined }, ["--at"]],
  [{ code: "channels_required", field: "/channels", channel: undefined }, ["--channel '@größe'"]],
  [{ code: "post_type_not_offered", field: "/post_type", hint: "Supported: feed." }, ["--type", "Supported: feed."]],
])("a violation is printed with the field, the excess and a command to type: %j", (violation, words) => {
  for (const word of words) expect(getText(violation)).toContain(word);
  for (const line of getText(violation, 40).split("\n")) expect(measureWidth(line)).toBeLessThanOrEqual(40);
});

it("a plan's limit and a rate's wait are printed in numbers", () => {
  const plan: RefusalBody = {
    error: "plan_limit",
    message: "Full.",
    request_id: "req_1",
    limit: "posts_per_month",
    plan: "free",
  };
  const lines = refusalLines(
    402,
    { ...plan, used: 30, allowed: 30, resets_at: "2026-12-01T00:00:00.000Z" },
    TYPED,
    STYLE,
  );
  expect(lines.join("\n")).toContain("posts_per_month: 30 of 30 in use; resets on 2026-12-01 UTC");
  expect(lines.join("\n")).toContain("crier plan");
  const limited: RefusalBody = { error: "rate_limited", message: "Too many.", request_id: "req_1", retry_after: 90 };
  expect(refusalLines(429, limited, TYPED, STYLE).join("\n")).toContain("try again in 1 min 30 s");
});

it("metrics are printed by network, never as a sum over networks", () => {
  const figure = (value: number) => ({
    value,
    deliveries: 2,
    oldest: "2026-11-20T10:00:00.000Z",
    newest: "2026-11-21T10:00:00.000Z",
  });
  const networks = [
    {
      platform: "alphanet",
      measures: true,
      deliveries: 3,
      figures: { views: figure(300), likes: figure(7) },
      note: null,
    },
    { platform: "betanet", measures: true, deliveries: 2, figures: { views: figure(100) }, note: null },
    { platform: "gammanet", measures: false, deliveries: 4, figures: {}, note: "This network reports no figures." },
    { platform: "deltanet", measures: true, deliveries: 0, figures: {}, note: null },
  ];
  const { output, text } = makeTerminal(100);
  writeFigures(output, "The last 7 days", networks, Date.UTC(2026, 10, 21, 12));
  expect(text()).toMatch(/alphanet +300 +▇{22} +2 of 3 deliveries +1 d 2 h ago to 2 h ago/);
  expect(text()).toMatch(/betanet +100 +▇{7} /);
  expect(text()).toContain("This network reports no figures.");
  expect(text()).not.toContain("400");
  expect(text()).not.toContain("deltanet");
  // A figure of a single network gets no bar, because there is nothing to compare it with.
  expect(text().split("likes").at(-1)).not.toContain("▇");
});
