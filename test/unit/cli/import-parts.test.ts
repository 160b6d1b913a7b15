import { execFile } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PASSED_OVER, splitImportFile } from "../../../cli/import-parts.ts";
import { ExportedLine } from "../../../src/contract/export.ts";
import { makeWorkspaceKey } from "../../../src/domain/ids.ts";
import { readNdjsonFile } from "../../../src/operations/posts/import/read-ndjson-file.ts";
import { json, startService } from "./service.ts";

/** A key in the valid format. */
const KEY = makeWorkspaceKey((length) => new Uint8Array(length));
const makeId = (prefix: string, n: number) => `${prefix}_${`${n}`.padStart(26, "0")}`;
const channel = { type: "channel", id: makeId("ch", 1), platform: "telegram", handle: "@ada" };
const makeMedia = (n: number) => ({
  type: "media",
  id: makeId("med", n),
  url: `https://e.com/${n}.jpg`,
  kind: "image",
  alt: "",
});
const makePost = (n: number, text = "") => ({
  type: "post",
  status: "draft",
  text: `${n} ${text}`,
  channels: [channel.id],
  media: [makeId("med", n)],
});
const countTo = (count: number) => Array.from({ length: count }, (_, i) => i);
const toFile = (lines: (object | string)[]) =>
  lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");

it("a file that fits into one call is sent unchanged", () => {
  const file = toFile([
    { type: "workspace" },
    channel,
    ...countTo(500).map((n) => ({ text: `${n}` })),
    { type: "end" },
    "",
  ]);
  expect(splitImportFile(file)).toMatchObject([{ text: file }]);
});

it("a longer file is split into parts that fit into one call, each with the channels and files of its posts, and no post is lost or duplicated", () => {
  const events = countTo(3_000).map((n) => ({ type: "event", id: `evt_${n}`, note: "x".repeat(400) }));
  const ownFile = { ...makeMedia(0), id: "of my own" };
  const file = toFile([
    ...[{ type: "workspace" }, channel, ownFile, ...countTo(1_300).map(makeMedia)],
    ...countTo(1_200).map((n) => makePost(n, "ü".repeat(n < 600 ? 1_000 : 1))),
    ...["{ broken", "", ...events, { type: "end", lines: 1, next: null }],
  ]);
  const lines = file.split("\n");
  const parts = splitImportFile(file);
  expect(parts).toHaveLength(3);
  const texts: string[] = [];
  for (const { text, lineOf } of parts) {
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1_048_576);
    const { rows, channelNames } = readNdjsonFile(text);
    expect(rows.length).toBeLessThanOrEqual(500);
    expect(channelNames.get(channel.id)).toBe("telegram:@ada");
    for (const { line, body, files } of rows) {
      const [place, names] = [lineOf(line), [body.media ?? []].flat()];
      expect(lines[place - 1]).toBe(text.split("\n")[line - 1]);
      expect(names.filter((id) => !files.has(`${id}`))).toEqual([]);
      expect(files.has(ownFile.id)).toBe(true);
      texts.push(lines[place - 1] ?? "");
    }
  }
  expect(texts).toEqual(lines.filter((line) => line.startsWith('{"type":"post"') || line === "{ broken"));
});

it("all parts are checked before the first is created, and each is created under its own key", async () => {
  let isBroken = true;
  const service = await startService((response, { path, body }) => {
    const rows = body
      .split("\n")
      .map((_, i) => ({ line: i + 1, external_id: null, valid: true, violations: [], post: null }));
    const isWrong = isBroken && rows.length < 500;
    const violations = [{ code: "text_required", field: "/text", message: "There is no text." }];
    const wrong = { ...rows[0], line: 3, valid: false, violations };
    const created = path.includes("dry_run=true") ? 0 : rows.length;
    json(response, 200, { rows: isWrong ? [wrong] : rows, valid: rows.length, invalid: Number(isWrong), created });
  });
  try {
    const file = join(await mkdtemp(join(tmpdir(), "crier-import-")), "long.ndjson");
    await writeFile(file, toFile(countTo(510).map((n) => ({ text: `${n}`, draft: true }))));
    const run = () =>
      new Promise<{ code: number; out: string }>((resolve) => {
        const env = { ...process.env, CRIER_URL: service.url, CRIER_API_KEY: KEY };
        execFile(process.execPath, ["cli/main.ts", "import", file], { env }, (error, out) =>
          resolve({ code: Number(error?.code ?? 0), out }),
        );
      });
    const refused = await run();
    expect(refused.code).toBe(4);
    expect(refused.out).toContain("503");
    expect(service.calls.map(({ path }) => path.includes("dry_run=true"))).toEqual([true, true]);
    isBroken = false;
    service.calls.length = 0;
    expect((await run()).code).toBe(0);
    expect(service.calls.map(({ path }) => path.includes("dry_run=true"))).toEqual([true, true, false, false]);
    const [firstKey, secondKey] = service.calls.slice(2).map(({ headers }) => headers["idempotency-key"]);
    expect([firstKey, secondKey]).toEqual([
      expect.stringMatching(/^file:[0-9a-f]{64}\/1$/),
      `${firstKey}`.replace(/1$/, "2"),
    ]);
  } finally {
    await service.close();
  }
});

it("every kind of line in an export is either imported or skipped on purpose", () => {
  const types = ExportedLine.options.map(({ shape }) => shape.type.value);
  expect(new Set([...PASSED_OVER, "channel", "media", "post"])).toEqual(new Set(types));
});
