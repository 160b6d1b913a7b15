// `crier post` converts images if its flags or, without a flag, the workspace's default ask for it.
import { afterEach, expect, it } from "vitest";
import { makeClient } from "../../../cli/api/client.ts";
import { readFit } from "../../../cli/media-fit.ts";
import { json, type Service, startService } from "./service.ts";

const open: Service[] = [];
afterEach(async () => {
  for (const service of open.splice(0)) await service.close();
});

const args = (...flags: string[]) => ({
  get: () => undefined,
  getAll: () => [],
  has: (flag: string) => flags.includes(flag),
  positionals: [],
  typed: [],
});
async function connectTo(fit: string) {
  const service = await startService((response) => json(response, 200, { id: "ws_1", media_fit: fit }));
  open.push(service);
  const client = makeClient({ url: service.url, key: "crier_live_key", signal: new AbortController().signal });
  return { service, client };
}

it("the flags decide without reading the workspace", async () => {
  const { service, client } = await connectTo("adapt");
  expect(await readFit(args("adapt"), client, true)).toBe("adapt");
  expect(await readFit(args("exact"), client, true)).toBeUndefined();
  expect(await readFit(args(), client, false)).toBeUndefined();
  expect(service.calls).toEqual([]);
});

it("the workspace decides if there is a file and no flag", async () => {
  expect(await readFit(args(), (await connectTo("adapt")).client, true)).toBe("adapt");
  expect(await readFit(args(), (await connectTo("exact")).client, true)).toBeUndefined();
});

it("both flags at once are rejected", async () => {
  const { client } = await connectTo("exact");
  await expect(readFit(args("adapt", "exact"), client, true)).rejects.toMatchObject({ exitCode: 2 });
});
