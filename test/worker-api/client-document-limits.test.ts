// Anyone can make Crier fetch the description of an OAuth client. This neither uses up the calls of workspaces nor
// blocks a client that is in use.
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { NO_TRIES, type Tries } from "../../src/domain/rate-limit.ts";
import { testEnv } from "../support/env.ts";
import { authorizePath, open, REDIRECT } from "../support/oauth.ts";
import { signUp, unique } from "../support/world.ts";

/** Serves the description of a client once. */
async function describeClient() {
  const name = unique("client");
  const id = `${testEnv.RECEIVERS.replace("127.0.0.1", "localhost")}/${name}`;
  const body = JSON.stringify({ client_id: id, client_name: "Described", redirect_uris: [REDIRECT] });
  const answers = [
    { do: "status", status: 200, headers: { "content-type": "application/json" }, body },
    { do: "status", status: 500 },
  ];
  await fetch(`${testEnv.RECEIVERS}/_/${name}`, { method: "PUT", body: JSON.stringify(answers) });
  return { id, secret: null };
}

/** Sets the number of calls that were counted in this minute. */
const setCount = (counter: string, count: number) =>
  runInDurableObject(testEnv.COUNTER.getByName(counter), (_, { storage }) => {
    storage.kv.put<Tries>("tries", { ...NO_TRIES, at: Array(count).fill(Date.now()) });
  });

it("fetching descriptions of clients uses up none of the calls that workspaces may make to the same host", async () => {
  const { session } = await signUp();
  const readTries = () =>
    runInDurableObject(testEnv.COUNTER.getByName("host:localhost"), (_, { storage }) => storage.kv.get("tries"));
  const before = await readTries();
  await open(await authorizePath(await describeClient()), session);
  expect(await readTries()).toEqual(before);
});

it("a client's description is fetched even if workspaces have called its host too often", async () => {
  const { session } = await signUp();
  await setCount("host:localhost", 1_200);
  expect((await open(await authorizePath(await describeClient()), session)).status).toBe(200);
});

it("a fresh description is reused without a call, while new descriptions from a host that was called too often are refused", async () => {
  const { session } = await signUp();
  const path = await authorizePath(await describeClient());
  expect((await open(path, session)).status).toBe(200);
  await setCount("client_document_host:localhost", 300);
  expect((await open(path, session)).status).toBe(200);
  const refused = await open(await authorizePath(await describeClient()), session);
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain("asked for too often");
});
