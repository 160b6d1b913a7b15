// `crier platforms` prints the versions of the networks' APIs that the deployment uses.
import { expect, it } from "vitest";
import { COMMANDS } from "../../../cli/commands.ts";
import { outputTo } from "../../../cli/output/terminal.ts";
import { handlers } from "../../../src/operations/index.ts";
import { nodeContext } from "../../support/node-context.ts";
import { db, NOW } from "../store/deliveries/stored-delivery.ts";
import { json, startService } from "./service.ts";

const ctx = nodeContext(db, NOW);
Object.assign(ctx, { settings: { ...ctx.settings, apiVersions: { LINKEDIN_VERSION: "202610", META_VERSION: null } } });
const raw = { params: {}, query: {}, body: undefined, idempotencyKey: null };
const { body: rules } = await handlers["platforms.list"].invoke(ctx, { kind: "nobody" }, raw);

async function runPlatforms(...words: string[]): Promise<string> {
  const service = await startService((response) => json(response, 200, Object(rules)));
  let text = "";
  const out = outputTo({ write: (chunk) => (text += chunk) }, {});
  const env = { CRIER_URL: service.url, XDG_CONFIG_HOME: "/nonexistent" };
  const signal = new AbortController().signal;
  const command = COMMANDS.find(({ name }) => name === "platforms");
  await command?.runRaw(words, { env, stdin: process.stdin, out, err: out, signal }, "platforms");
  await service.close();
  return text.replace(/[^\S\n]+/g, " ");
}

it("the API version of each network is listed with its end of support", async () => {
  const lines = (await runPlatforms()).split("\n");
  const findRow = (platform: string) => lines.find((line) => line.startsWith(`${platform} `));
  expect(lines[0]).toContain(" API until ");
  expect(findRow("linkedin")).toContain(" 202610 2027-10-15 ");
  expect(findRow("x")).toContain(" v2 ");
});

it("the details of one network name the setting of its API version, or that no end date is announced", async () => {
  expect(await runPlatforms("linkedin")).toContain(
    "API 202610, supported until 2027-10-15; set by the operator with LINKEDIN_VERSION",
  );
  expect(await runPlatforms("x")).toContain("API v2, the network has announced no end date\n");
  expect(await runPlatforms("bluesky")).not.toContain("\nAPI ");
});
