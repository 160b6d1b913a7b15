// Dry runs are limited for each key and each person, separately from the posts of the plan.
import { expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { limitChecks } from "../../src/operations/rate-limit.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { call, connect, signUp } from "../support/world.ts";

const readRoom = (headers: Headers) => ["limit", "remaining", "reset"].map((name) => headers.get(`ratelimit-${name}`));

it("limits the dry runs of a key and says what is left, but neither its posts nor the dry runs of other callers", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "telegram");
  const send = (token: string, fields: object) =>
    call("POST", "/v1/posts", {
      token,
      headers: { "x-workspace": account.workspace },
      body: { text: "x", channels: [channel.id], publish_at: tomorrow(), ...fields },
    });
  const keyId = await testEnv.DB.prepare("SELECT id FROM workspace_keys WHERE workspace_id = ?")
    .bind(account.workspace)
    .first<string>("id");
  const { workspace: workspaceId } = account;
  const key = {
    kind: "key",
    keyId: keyId ?? "",
    name: "the workspace key",
    workspaceId,
    scopes: [],
    channels: null,
    budget: null,
  } as const;
  await limitChecks(
    compose(testEnv, () => {}),
    key,
    599,
  );
  const last = await send(account.key, { dry_run: true });
  expect(last.status).toBe(200);
  expect(readRoom(last.headers)).toMatchObject(["600", "0", expect.stringMatching(/^[1-9]\d?$/)]);
  const refused = await send(account.key, { dry_run: true });
  expect(refused).toMatchObject({ status: 429, body: { error: "rate_limited" } });
  expect(readRoom(refused.headers)).toMatchObject(["600", "0", expect.stringMatching(/^\d+$/)]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  const queued = await send(account.key, {});
  expect([queued.status, ...readRoom(queued.headers)]).toEqual([201, null, null, null]);
  expect((await send(account.session, { dry_run: true })).status).toBe(200);
});
