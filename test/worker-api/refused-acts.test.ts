// A refusal names the role or scope that the requested act needs, not one that only other acts of the operation need.
import { describe, expect, it } from "vitest";
import { tomorrow } from "../support/dates.ts";
import { makeKey } from "../support/keys.ts";
import { join } from "../support/members.ts";
import { type CallOptions, call, connect, post, signUp } from "../support/world.ts";

const CALLERS: ["viewer" | "read key", { publish: object; draft: object }][] = [
  [
    "viewer",
    { publish: { error: "role_missing", role: "publisher" }, draft: { error: "role_missing", role: "author" } },
  ],
  [
    "read key",
    { publish: { error: "scope_missing", scope: "publish" }, draft: { error: "scope_missing", scope: "draft" } },
  ],
];

describe.each(CALLERS)("a %s", (kind, missing) => {
  const prepare = async () => {
    const [owner, viewer] = [await signUp(), await signUp()];
    await join(owner, viewer, "viewer");
    const { key } = await makeKey(owner, { scopes: ["read"] });
    const token = kind === "viewer" ? viewer.session : key;
    const headers: Record<string, string> = kind === "viewer" ? { "x-workspace": owner.workspace } : {};
    const ask = (method: string, path: string, options: CallOptions = {}) =>
      call(method, path, { token, ...options, headers: { ...headers, ...options.headers } });
    const channel = await connect(owner.key, "telegram");
    return { owner, ask, whole: { text: "x", channels: [channel.id], publish_at: tomorrow() } };
  };
  const buildRefusal = (body: object) => ({ status: 403, body });

  it("a refusal to queue or to draft a post names the right for it, in the first call and in later ones", async () => {
    const { ask, whole } = await prepare();
    for (let i = 0; i < 2; i++) {
      expect(await ask("POST", "/v1/posts", { body: whole })).toMatchObject(buildRefusal(missing.publish));
      expect(await ask("POST", "/v1/posts", { body: { ...whole, draft: true } })).toMatchObject(
        buildRefusal(missing.draft),
      );
      // A caller who may do neither is refused before the body is checked.
      expect(await ask("POST", "/v1/posts", { body: "{" })).toMatchObject({ status: 403 });
    }
  });

  it("a refusal to queue names the right to draft if an author's post would wait for approval", async () => {
    const { owner, ask, whole } = await prepare();
    const path = `/v1/workspaces/${owner.workspace}`;
    const approval = { token: owner.session, body: { approval: "authors" } };
    expect((await call("PATCH", path, approval)).status).toBe(200);
    expect(await ask("POST", "/v1/posts", { body: whole })).toMatchObject(buildRefusal(missing.draft));
  });

  it("a refusal of an edit or a deletion names the right for the status of the post", async () => {
    const { owner, ask, whole } = await prepare();
    const scheduled = `/v1/posts/${(await post(owner.key, whole)).id}`;
    const draft = `/v1/posts/${(await post(owner.key, { ...whole, draft: true })).id}`;
    const edit = { body: { text: "y" } };
    expect(await ask("PATCH", scheduled, edit)).toMatchObject(buildRefusal(missing.publish));
    expect(await ask("PATCH", draft, edit)).toMatchObject(buildRefusal(missing.draft));
    expect(await ask("PATCH", draft, { body: { draft: false } })).toMatchObject(buildRefusal(missing.publish));
    expect(await ask("DELETE", scheduled)).toMatchObject(buildRefusal(missing.publish));
    expect(await ask("DELETE", draft)).toMatchObject(buildRefusal(missing.draft));
    expect(await ask("PATCH", "/v1/posts/post_none", edit)).toMatchObject({ status: 403 });
  });

  it("a refusal of an import names the right for its posts", async () => {
    const { ask, whole } = await prepare();
    const send = (row: object) => {
      const headers = { "content-type": "application/x-ndjson" };
      return ask("POST", "/v1/posts/import", { headers, body: JSON.stringify(row) });
    };
    expect(await send(whole)).toMatchObject(buildRefusal(missing.publish));
    expect(await send({ ...whole, draft: true })).toMatchObject(buildRefusal(missing.draft));
    expect(await ask("POST", "/v1/posts/import", { headers: { "content-type": "text/csv" }, body: "" })).toMatchObject({
      status: 403,
    });
  });
});
