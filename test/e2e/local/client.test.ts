// @crier/client as a program installs it: the packed tarball in an empty folder, on the Node of this machine.
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { json, type Run, start, stopAll, USERS_PATH } from "./running.ts";

const exec = promisify(execFile);
const root = join(import.meta.dirname, "../../..");
const BYTES_MAX = 16 * 1024;

let home: string;
let run: Run;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "crier-program-"));
  const [packed, started] = await Promise.all([
    exec(process.execPath, ["scripts/pack-client.ts", join(home, "pack")], { cwd: root }),
    start({ DEMO: "0" }),
  ]);
  run = started;
  const tarball = packed.stdout.trim().split("\n").at(-1) ?? "";
  await writeFile(join(home, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const options = ["--offline", "--no-audit", "--no-fund", "--loglevel=error"];
  await exec("npm", ["install", ...options, tarball], { cwd: home, env: { ...process.env, PATH: USERS_PATH } });
});
afterAll(async () => {
  await stopAll();
  await rm(home, { recursive: true, force: true });
});

it("the package is small and has no dependencies", async () => {
  expect((await readdir(join(home, "node_modules"))).filter((name) => !name.startsWith("."))).toEqual(["@crier"]);
  const code = await readFile(join(home, "node_modules/@crier/client/dist/index.mjs"));
  expect(gzipSync(code).length).toBeLessThanOrEqual(BYTES_MAX);
});

it("a program signs up, uploads, receives a refusal with its reason, and reads an event", async () => {
  await writeFile(
    join(home, "program.js"),
    `import { createClient, events, finished, Refusal, upload } from "@crier/client";
     const [url, picture] = process.argv.slice(2);
     const nobody = createClient({ url, key: null });
     const account = { email: "program@example.com", password: "correct horse" };
     const { body: { token, workspaces: [{ id: workspace }] } } = await nobody.call("accounts.sign-up", { body: account });
     const person = createClient({ url, key: token, workspace });
     const { body: { key } } = await person.call("workspaces.reveal-key", { params: { id: workspace } });
     const crier = createClient({ url, key });
     const png = new Blob([await (await import("node:fs/promises")).readFile(picture)], { type: "image/png" });
     const media = await upload(crier, png, { alt: "A dot" });
     const refused = await crier.call("posts.create", { body: { text: "x", media: [media], channels: ["ch_none"] } })
       .catch((error) => error);
     const { body: { channels } } = await crier.call("channels.list");
     console.log(JSON.stringify({ media, code: refused instanceof Refusal && refused.code, channels: channels.length }));`,
  );
  const { makePng } = await import("../../../scripts/local/png.ts");
  await writeFile(join(home, "dot.png"), makePng(8, 8, 3));
  const { stdout } = await exec("node", ["program.js", run.url, join(home, "dot.png")], {
    cwd: home,
    env: { PATH: USERS_PATH },
  });
  expect(JSON.parse(stdout)).toEqual({ media: expect.stringMatching(/^med_/), code: "unknown_channel", channels: 0 });
  expect((await json<{ status: string }>(`${run.url}/healthz`)).status).toBe("ok");
});

it("its types follow the contract: correct calls compile, and wrong ones are errors at the right place", async () => {
  const good = `import { createClient, type Event, events, Refusal, verifyWebhook } from "@crier/client";
    const crier = createClient({ url: "https://crier.example.com", key: null });
    const { body } = await crier.call("posts.list", { query: { status: "scheduled", limit: 5 } });
    const text: string | null = body.posts[0]?.text ?? null;
    await crier.call("usage.read");
    for await (const event of events(crier)) { const one: Event = event; console.log(one.id, text); break; }
    try { await verifyWebhook({ body: "", headers: {} }, "whsec_"); } catch (error) {
      if (error instanceof Refusal && error.code === "plan_limit") console.log(error.body.used);
    }`;
  await writeFile(join(home, "good.ts"), good);
  const bad = [
    `import { createClient } from "@crier/client";`,
    `const crier = createClient({ url: "https://crier.example.com", key: null });`,
    `await crier.call("posts.created", {});`,
    `await crier.call("posts.create", { body: { txt: "x" } });`,
    `await crier.call("posts.get");`,
    `(await crier.call("usage.read")).body.nothing;`,
  ];
  await writeFile(join(home, "bad.ts"), bad.join("\n"));
  const options = [
    "--noEmit",
    "--strict",
    "--target",
    "es2022",
    "--module",
    "nodenext",
    "--lib",
    "es2022,dom",
    "--types",
    "",
  ];
  const compile = (file: string) =>
    exec(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), ...options, file], { cwd: home }).then(
      () => "",
      ({ stdout }: { stdout: string }) => stdout,
    );
  expect(await compile("good.ts")).toBe("");
  const errors = [...(await compile("bad.ts")).matchAll(/^bad\.ts\((\d+),/gm)].map(([, line]) => Number(line));
  expect([...new Set(errors)]).toEqual([3, 4, 5, 6]);
});
