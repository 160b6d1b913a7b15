// n8n-nodes-crier as n8n installs it: the packed tarball in an empty folder, loaded by the names in its manifest.
import { execFile } from "node:child_process";
import { access, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import type { IExecuteFunctions, IHookFunctions, INodeExecutionData, IWebhookFunctions } from "n8n-workflow";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeExecution, makeHookFunctions, makeWebhook } from "../../support/n8n.ts";
import { startService } from "../../unit/cli/service.ts";
import { json, type Run, signUp, start, stopAll, USERS_PATH } from "./running.ts";

const exec = promisify(execFile);
const root = join(import.meta.dirname, "../../..");
/** The number of fields of both nodes together, which people have to read. */
const BYTES_MAX = 120 * 1024;

let home: string;
let run: Run;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "crier-n8n-"));
  const [packed, started] = await Promise.all([
    exec(process.execPath, ["scripts/pack-n8n.ts", join(home, "pack")], { cwd: root }),
    start({ DEMO: "0" }),
  ]);
  run = started;
  const tarball = packed.stdout.trim().split("\n").at(-1) ?? "";
  await writeFile(join(home, "package.json"), JSON.stringify({ private: true }));
  // n8n installs a community node without the package that it provides itself.
  const options = ["--offline", "--omit=peer", "--legacy-peer-deps", "--no-audit", "--no-fund", "--loglevel=error"];
  await exec("npm", ["install", ...options, tarball], { cwd: home, env: { ...process.env, PATH: USERS_PATH } });
});
afterAll(async () => {
  await stopAll();
  await rm(home, { recursive: true, force: true });
});

const modules = () => join(home, "node_modules");
/** Creates the classes of the package by the names of their files, as n8n does. */
async function load(): Promise<Record<string, object>> {
  const folder = join(modules(), "n8n-nodes-crier");
  const { n8n } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const require = createRequire(join(home, "package.json"));
  const classes: Record<string, object> = {};
  for (const path of [...n8n.nodes, ...n8n.credentials]) {
    const name = basename(path).split(".")[0] ?? "";
    classes[name] = new (require(join(folder, path))[name])();
    const icon: unknown = Object(classes[name]).icon ?? Object(classes[name]).description.icon;
    await access(join(folder, dirname(path), String(icon).replace("file:", "")));
  }
  return classes;
}

it("the package is small and has no dependencies", async () => {
  expect((await readdir(modules())).filter((name) => !name.startsWith("."))).toEqual(["n8n-nodes-crier"]);
  const dist = join(modules(), "n8n-nodes-crier/dist/nodes");
  const files = ["Crier/Crier.node.js", "CrierTrigger/CrierTrigger.node.js"];
  const texts = await Promise.all(files.map((file) => readFile(join(dist, file))));
  expect(texts.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(BYTES_MAX);
});

/** Creates a minimal version of the package that n8n provides. */
async function bringWorkflow(): Promise<void> {
  await mkdir(join(modules(), "n8n-workflow"), { recursive: true });
  await writeFile(
    join(modules(), "n8n-workflow/index.js"),
    `exports.NodeConnectionTypes = { Main: "main" };
     exports.NodeOperationError = class NodeOperationError extends Error {};
     exports.NodeApiError = class NodeApiError extends Error {
       constructor(node, answer, { message, description }) { super(message); this.description = description; }
     };`,
  );
}

it("its nodes and its credential are loaded by their names, with their icons, and a retry creates no second post", async () => {
  await bringWorkflow();
  const { Crier, CrierApi } = await load();
  expect(CrierApi).toMatchObject({ name: "crierApi" });
  const key = await signUp(run.url);
  const credentials = { identifier: "you.bsky.social", app_password: "abcd-efgh-ijkl-mnop" };
  const account = { platform: "bluesky", handle: "you.bsky.social", credentials };
  const { id: channel } = await json<{ id: string }>(`${run.url}/v1/channels`, key, account);
  const execute = (context: IExecuteFunctions): Promise<INodeExecutionData[][]> => Object(Crier).execute.call(context);
  const items = [{ operation: "post", text: "From a workflow", channels: [channel], when: "now" }];
  const first = await execute(makeExecution(run.url, { items, key }));
  const again = await execute(makeExecution(run.url, { items, key }));
  const id = first[0]?.[0]?.json.id;
  expect(again[0]?.[0]?.json.id).toBe(id);
  const wait = { operation: "wait", postId: id, minutes: 5 };
  expect(await execute(makeExecution(run.url, { items: [wait], key }))).toMatchObject([
    [{ json: { status: "published" } }],
  ]);
  const find = { operation: "find", returnAll: true, filters: { q: "workflow" } };
  expect(await execute(makeExecution(run.url, { items: [find], key }))).toMatchObject([[{ json: { id } }]]);
  const bad = { ...items[0], text: "x".repeat(301) };
  const refused = execute(makeExecution(run.url, { items: [bad], key, id: "72" }));
  await expect(refused).rejects.toMatchObject({ description: expect.stringContaining("text_too_long: /text") });
});

it("its trigger registers an endpoint, accepts the service's calls, and removes the endpoint", async () => {
  await bringWorkflow();
  const { CrierTrigger } = await load();
  const endpoint = await startService((response) => response.end());
  const key = await signUp(run.url);
  const stored: Record<string, unknown> = {};
  const hook = makeHookFunctions(run.url, {
    key,
    stored,
    webhookUrl: `${endpoint.url}/webhook/1`,
    events: ["delivery.failed"],
  });
  const act = (name: string): Promise<boolean> =>
    Object(CrierTrigger).webhookMethods.default[name].call(hook satisfies IHookFunctions);
  expect([await act("checkExists"), await act("create"), await act("checkExists")]).toEqual([false, true, true]);
  expect(await json(`${run.url}/v1/webhooks/${stored.endpoint}/test`, key, {})).toMatchObject({ outcome: "delivered" });
  const [call] = endpoint.calls;
  const body = Buffer.from(call?.body ?? "", "latin1");
  const { context } = makeWebhook({ headers: call?.headers ?? {}, body, stored, mode: "manual" });
  const takes = (on: IWebhookFunctions): Promise<unknown> => Object(CrierTrigger).webhook.call(on);
  expect(await takes(context)).toMatchObject({ workflowData: [[{ json: { event: "webhook.test" } }]] });
  expect(await act("delete")).toBe(true);
  expect(await json(`${run.url}/v1/webhooks`, key)).toMatchObject({ webhooks: [] });
  await endpoint.close();
});
