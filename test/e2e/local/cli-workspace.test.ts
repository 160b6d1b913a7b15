import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LedgerEntry } from "../../../simulators/ledger.ts";
import { crier, type Ended, home, key, parsed, run, useInstalled } from "./installed-cli.ts";
import { json } from "./running.ts";

useInstalled();

interface Account {
  platform: string;
  handle: string;
  credentials: object;
}
async function connect(platform: string): Promise<Ended> {
  const { accounts } = await json<{ accounts: Account[] }>(`${run.simulators}/_sim/demo`);
  const account = accounts.find((account) => account.platform === platform);
  const words = ["channels", "connect", platform, "--handle", account?.handle ?? "", "--credentials-stdin"];
  return crier(words, { input: JSON.stringify(account?.credentials) });
}
/** Opens a link, gives consent on the network, returns and confirms the account. */
async function consent(link: string): Promise<void> {
  const origin = new URL(link).origin;
  const opened = await fetch(link, { method: "POST", redirect: "manual", headers: { origin } });
  const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
  const page = `${opened.headers.get("location")}&decision=allow&account=ada`;
  const back = (await fetch(page, { redirect: "manual" })).headers.get("location") ?? "";
  const confirmation = await (await fetch(back, { headers: { cookie } })).text();
  const getField = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(confirmation)?.[1] ?? "";
  const body = new URLSearchParams({ account: getField("account"), state: getField("state") });
  await fetch(back, { method: "POST", headers: { cookie, origin }, body });
}
const mediaCount = async () => (await json<{ media: unknown[] }>(`${run.url}/v1/media`, key)).media.length;
const ledger = async () => (await json<{ ledger: LedgerEntry[] }>(`${run.simulators}/_sim/ledger`)).ledger;

describe("the command line in a workspace", () => {
  it("connects channels until the plan has no more room", async () => {
    for (const platform of ["telegram", "bluesky"]) expect(await connect(platform)).toMatchObject({ code: 0 });
    const consented = await crier(["channels", "connect", "pinterest"], {
      onStart: (child) => void child.stderr?.once("data", (text) => void consent(String(text).split("\n")[0] ?? "")),
    });
    expect(consented).toMatchObject({ code: 0, out: expect.stringContaining("ada on pinterest is connected") });
    expect(await connect("x")).toMatchObject({ code: 5, err: expect.stringContaining("channels: 3 of 3 in use") });
    const { body } = await parsed(["channels", "--json"]);
    expect(body.channels).toHaveLength(3);
    expect(await crier(["channels"])).toMatchObject({ code: 0, out: expect.stringContaining("crier.bsky.social") });
  });

  it("prints a link by which the owner of an account gives consent", async () => {
    const { body, code } = await parsed(["channels", "connect", "linkedin", "--no-wait", "--json"]);
    expect(code).toBe(0);
    expect(body).toMatchObject({ url: expect.stringContaining(`${run.url}/connect/`), expires_at: expect.any(String) });
    expect(await crier(["channels", "connect", "reddit"])).toMatchObject({ code: 4 });
    expect(await crier(["channels", "connect", "nonet"])).toMatchObject({ code: 2 });
  });

  it("checks local files by their bytes in a dry run, and uploads none", async () => {
    const words = ["post", "Grüße 👋", "-c", "telegram", "-c", "bluesky", "--file", "a.png", "--file", "b.txt"];
    const { code, body } = await parsed([...words, "--dry-run", "--json"]);
    expect(code).toBe(0);
    expect(body).toMatchObject({
      dry_run: true,
      deliveries: [
        { text: "Grüße 👋", media: 2 },
        { text_length: 7, media: 2 },
      ],
    });
    const dryRun = await crier([...words, "--dry-run"]);
    expect(dryRun.out).toMatch(/1\. a\.png: image\/png, .*, 64 × 48\n.*2\. b\.txt: image\/png, .*, 640 × 480/);
    const video = await crier(["post", "-c", "telegram", "--file", "clip.jpg", "--dry-run"]);
    expect(video.out).toMatch(/1\. clip\.jpg: video\/mp4, 237 kB, 540 × 960, 5\.2 s/);
    expect(await mediaCount()).toBe(0);
  });

  it("prints every broken rule of a refused post, uploads nothing, and gives scripts the response body", async () => {
    const words = ["post", "x".repeat(310), "-c", "bluesky", "--file", "a.png", "--alt", "a".repeat(2001)];
    const long = await crier(words);
    expect(long).toMatchObject({ code: 4, out: "", err: expect.stringContaining("alt") });
    const { code, body, err } = await parsed(["post", "x".repeat(310), "-c", "bluesky", "--file", "a.png", "--json"]);
    expect(code).toBe(4);
    expect(body).toMatchObject({ error: "text_too_long", violations: [{ over_by: 10 }] });
    expect(err).toContain("310 of 300 graphemes, 10 too many");
    expect(err).toContain("--set 'crier.bsky.social.text=…'");
    expect(await mediaCount()).toBe(0);
  });

  it("publishes a post with files as it was typed, and prints the outcome with --wait", async () => {
    const { code, body, err } = await parsed(
      ["post", "-", "-c", "telegram", "-c", "bluesky", "--set", "telegram.text=Kurz"].concat([
        "--file",
        "a.png",
        "--alt",
        "Ein Würfel",
        "--file",
        "b.txt",
        "--wait",
        "--json",
      ]),
      { input: "Grüße 👋\n" },
    );
    expect(code).toBe(0);
    expect(body).toMatchObject({
      status: "published",
      text: "Grüße 👋",
      deliveries: [{ status: "live" }, { status: "live" }],
    });
    expect(err).toMatch(/on bluesky +live +https/);
    const accepted = await ledger();
    expect(accepted.find(({ platform }) => platform === "telegram")?.text).toBe("Kurz");
    const onBluesky = accepted.find(({ platform }) => platform === "bluesky");
    const sizes = await Promise.all(["a.png", "b.txt"].map(async (name) => (await stat(join(home, name))).size));
    expect(onBluesky?.media.map(({ bytes, alt }) => [bytes, alt])).toEqual([
      [sizes[0], "Ein Würfel"],
      [sizes[1], null],
    ]);
    const status = await crier(["status", body.id]);
    expect(status).toMatchObject({ code: 0, out: expect.stringContaining("published") });
    expect((await parsed(["status", body.id, "--json"])).body).toMatchObject({ id: body.id });
  });

  it("creates nothing new if a post with files is repeated with the same key", async () => {
    const words = ["post", "Einmal", "-c", "telegram", "--file", "a.png", "--idempotency-key", "once-1", "--json"];
    const first = await parsed(words);
    const again = await parsed(words);
    expect([first.code, again.code]).toEqual([0, 0]);
    expect(again.body.id).toBe(first.body.id);
    expect(again.err).toContain("nothing new");
    const otherPost = ["post", "Zweimal", "-c", "telegram", "--idempotency-key", "once-1"];
    expect(await crier(otherPost)).toMatchObject({
      code: 4,
      err: expect.stringContaining("another --idempotency-key"),
    });
  });

  it("reads a time in the workspace's time zone, and prints it before sending", async () => {
    await fetch(`${run.url}/v1/workspace`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ timezone: "Asia/Tokyo" }),
    });
    const later = await parsed(["post", "Morgen", "-c", "telegram", "--at", "tomorrow 9:00", "--json"]);
    expect(later.err).toMatch(/Publishes \w{3} \d{4}-\d\d-\d\d 09:00 Asia\/Tokyo, 00:00 UTC, in /);
    expect(later.body).toMatchObject({ status: "scheduled", publish_at: expect.stringMatching(/T00:00:00\.000Z$/) });
    expect(await crier(["post", "x", "-c", "telegram", "--at", "gestern"])).toMatchObject({ code: 2 });
    expect(await crier(["post", "x", "-c", "telegram", "--at", "2020-01-01 9:00"])).toMatchObject({ code: 4 });
    const status = await crier(["status"]);
    expect(status.out).toMatch(/scheduled +1\n/);
    expect(status.out).toContain("Morgen");
    expect(status.out).toMatch(/network +state +published/);
    expect(status.out).toMatch(/telegram +works/);
    expect((await parsed(["status", "--json"])).body).toMatchObject({
      due_next: [{ id: later.body.id }],
      service: { failing: [] },
    });
    expect((await parsed(["cancel", later.body.id, "--json"])).body).toMatchObject({ status: "cancelled" });
    expect(await crier(["cancel", later.body.id])).toMatchObject({ code: 4 });
    const draft = await parsed(["post", "Entwurf", "--draft", "--json"]);
    expect(await crier(["cancel", draft.body.id])).toMatchObject({
      code: 0,
      err: expect.stringContaining("Discarded"),
    });
  });

  it("takes a live post down if the network allows it", async () => {
    const { body } = await parsed(["post", "Weg damit", "-c", "telegram", "--wait", "--json"]);
    expect(await crier(["take-down", body.id])).toMatchObject({ code: 2, err: expect.stringContaining("--channel") });
    const words = ["take-down", body.id, "--channel", "telegram"];
    expect(await crier(words)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Taken down: .* on telegram\.\n$/),
    });
    expect((await parsed([...words, "--json"])).body).toMatchObject({ deliveries: [{ status: "removed" }] });
    expect((await parsed(["status", body.id, "--json"])).body.deliveries[0]).toMatchObject({ removed_by: "you" });
  });

  it("lists the values that a network offers for an option", async () => {
    const listed = await crier(["channels", "options", "pinterest", "board"]);
    expect(listed).toMatchObject({ code: 0, out: expect.stringMatching(/101 +Board 101/) });
    const sections = ["channels", "options", "pinterest", "board_section", "--json"];
    expect(await crier(sections)).toMatchObject({ code: 4, err: expect.stringContaining("board") });
    expect((await parsed([...sections, "--board", "101"])).body).toMatchObject({
      options: [{ value: "7" }],
      next: null,
    });
    expect((await parsed([...sections, "--board", "101", "--find", "nowhere"])).body).toMatchObject({ options: [] });
  });

  it("warns about a clock that is wrong by an hour, and works as usual", async () => {
    const shift = "const now=Date.now;Date.now=()=>now()+3600000;";
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(shift)}` };
    const { body } = await parsed(["post", "x", "-c", "telegram", "--at", "+2h", "--dry-run", "--json"], { env });
    const away = Date.parse(body.publish_at) - Date.now();
    expect(Math.round(away / 600_000)).toBe(12);
    const { findings } = (await parsed(["doctor", "--json"], { env })).body;
    expect(findings).toContainEqual(expect.objectContaining({ check: "clock", state: "warning" }));
  });

  it("ends a waiting command with exit code 7 if a delivery fails", async () => {
    const fault = { platform: "telegram", call: "sendMessage", do: "status", status: 400, body: TOO_LONG };
    await json(`${run.simulators}/_sim/faults`, undefined, fault);
    const words = ["post", "Abgelehnt", "-c", "telegram", "--wait"];
    expect(await crier(words)).toMatchObject({ code: 7, out: expect.stringContaining("failed") });
  });
  const TOO_LONG = { ok: false, error_code: 400, description: "Bad Request: message is too long" };

  it("lists events, and follows them line by line until Ctrl-C", async () => {
    expect(await crier(["events", "--limit", "5"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("delivery.failed"),
    });
    expect((await parsed(["events", "--json"])).body.events.length).toBeGreaterThan(2);
    let received = "";
    const followed = await crier(["events", "--follow", "--json", "--limit", "1"], {
      onStart(child) {
        child.stdout?.on("data", (text) => {
          const isFirst = received === "";
          received += text;
          if (isFirst) void crier(["post", "Neu", "-c", "telegram"]);
          if (received.trim().split("\n").length === 2) child.kill("SIGINT");
        });
      },
    });
    expect(followed.code).toBe(130);
    const lines = followed.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([{ event: "delivery.failed" }, { event: "delivery.succeeded" }]);
  });

  it("finds events and posts of one person or key by the id in an event", async () => {
    const { events } = (await parsed(["events", "--json"])).body;
    const { id } = events.find((event: { actor: object | null }) => event.actor !== null).actor;
    const nobody = "user_00000000000000000000000000";
    for (const [words, list] of [
      [["events", "--actor"], "events"],
      [["posts", "--author"], "posts"],
    ] as const) {
      expect((await parsed([...words, id, "--json"])).body[list].length).toBeGreaterThan(0);
      expect((await parsed([...words, nobody, "--json"])).body[list]).toEqual([]);
    }
    const rows = async (author: string) =>
      (await crier(["export", "--csv", "--author", author])).out.trim().split("\n");
    expect((await rows(id)).length).toBeGreaterThan(1);
    expect(await rows(nobody)).toHaveLength(1);
  });

  it("prints labels, analytics, rules and the export", async () => {
    expect(await crier(["plan"])).toMatchObject({ code: 0, out: expect.stringMatching(/posts +\d+ of 30 used/) });
    expect(await crier(["platforms"])).toMatchObject({ code: 0, out: expect.stringContaining("graphemes") });
    expect((await parsed(["platforms", "bluesky", "--json"])).body).toMatchObject({ platform: "bluesky" });
    expect(await crier(["platforms", "pinterest"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/board +required/),
    });
    expect(await crier(["platforms", "pinterst"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("pinterest?"),
    });
    expect(await crier(["analytics", "--days", "7"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("bluesky"),
    });
    expect((await parsed(["analytics", "--json"])).body).toMatchObject({ days: 30 });
    expect(await crier(["analytics", "--days", "8"])).toMatchObject({ code: 2 });
  });

  it("finds no problem with doctor, which leaves nothing behind", async () => {
    const before = await mediaCount();
    const { code, body } = await parsed(["doctor", "--json"]);
    expect(code).toBe(0);
    expect(body.findings.filter(({ state }: { state: string }) => state === "failed")).toEqual([]);
    expect(body.findings).toContainEqual(expect.objectContaining({ check: "media", state: "ok" }));
    expect(await mediaCount()).toBe(before);
  });
});
