// An invalid credential is refused before anything else is checked, so that a caller without a valid one learns
// nothing.
import { beforeAll, expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import { type Account, call, post, signUp } from "../support/world.ts";

let owner: Account;
let stranger: Account;
let revoked: Account;
let ended: Account;
let draft: string;

beforeAll(async () => {
  [owner, stranger, revoked, ended] = [await signUp(), await signUp(), await signUp(), await signUp()];
  draft = (await post(owner.key, { text: "x", draft: true })).id;
  const rotated = await call("POST", `/v1/workspaces/${revoked.workspace}/key/rotate`, { token: revoked.session });
  expect(rotated.status).toBe(200);
  await testEnv.DB.prepare("DELETE FROM sessions WHERE user_id IN (SELECT id FROM users WHERE email = ?)")
    .bind(ended.email)
    .run();
}, 60_000);

it.each<[string, string, (id: string) => string, object | string | undefined]>([
  ["a body that breaks the schema", "POST", () => "/v1/posts", { text: 1 }],
  ["a body that is not JSON", "POST", () => "/v1/posts", "{"],
  ["a post that breaks a rule", "POST", () => "/v1/posts", { text: "", channels: [] }],
  ["a valid post", "POST", () => "/v1/posts", { text: "x", draft: true }],
  ["an existing post", "GET", (id) => `/v1/posts/${id}`, undefined],
  ["an unknown post", "GET", () => "/v1/posts/post_00000000000000000000000000", undefined],
  ["an unreadable cursor", "GET", () => "/v1/posts?cursor=%21", undefined],
  ["an edit", "PATCH", (id) => `/v1/posts/${id}`, { text: "y" }],
  ["an edit of an unknown post", "PATCH", () => "/v1/posts/post_00000000000000000000000000", { text: "x" }],
  ["the removal of a draft", "DELETE", (id) => `/v1/posts/${id}`, undefined],
  ["the usage of the plan", "GET", () => "/v1/usage", undefined],
])("checks the credential first for %s", async (_name, method, buildPath, body) => {
  const path = buildPath(draft);
  const answer = async (token: string | null, workspace?: string) => {
    const headers: Record<string, string> = workspace === undefined ? {} : { "x-workspace": workspace };
    const answered = await call<{ error: string }>(method, path, { token, headers, body });
    return `${answered.status} ${answered.body.error}`;
  };
  expect(await answer(null)).toBe("401 unauthorized");
  expect(await answer("sess_x")).toBe("401 unauthorized");
  expect(await answer(revoked.key)).toBe("401 key_revoked");
  expect(await answer(ended.session, ended.workspace)).toBe("401 session_expired");
  expect(await answer(ended.session, owner.workspace)).toBe("401 session_expired");
  expect(await answer(stranger.session, owner.workspace)).toBe("403 not_a_member");
  expect(await answer(stranger.session, "ws_of_nobody")).toBe("403 not_a_member");
  expect(await answer(stranger.key, owner.workspace)).toBe("403 not_a_member");
  expect(await answer(stranger.session)).toBe("422 workspace_required");
  const unchanged = await call("GET", `/v1/posts/${draft}`, { token: owner.key });
  expect(unchanged).toMatchObject({ status: 200, body: { text: "x", status: "draft" } });
});
