// The default of `media_fit` for posts, and the default of a workspace, which the dashboard uses and the API does not.
import { expect, it } from "vitest";
import { tomorrow } from "../support/dates.ts";
import { call, connect, post, signUp } from "../support/world.ts";

it("a workspace has its own default, which the API does not use", async () => {
  const account = await signUp();
  const { key, session, workspace } = account;
  const path = `/v1/workspaces/${workspace}`;
  const changed = await call("PATCH", path, { token: session, body: { media_fit: "adapt" } });
  expect(changed).toMatchObject({ status: 200, body: { media_fit: "adapt" } });
  expect((await call("GET", "/v1/workspace", { token: key })).body).toMatchObject({ media_fit: "adapt" });
  const channel = await connect(key, "telegram");
  expect(await post(key, { text: "x", channels: [channel.id] })).toMatchObject({ media_fit: "exact" });
  expect(await call("PATCH", path, { token: session, body: { media_fit: "crop" } })).toMatchObject({
    status: 422,
    body: { error: "invalid_field", field: "/media_fit" },
  });
});

it("a post without `media_fit` is exact", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "telegram");
  const created = await post(account.key, { text: "x", channels: [channel.id], publish_at: tomorrow() });
  expect(created).toMatchObject({ media_fit: "exact", deliveries: [{ files: null }] });
});
