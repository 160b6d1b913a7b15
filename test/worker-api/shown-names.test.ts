// Names that people have to trust are shown without hidden or misleading characters: names of reviewers, client apps,
// members, workspaces and keys.
import { describe, expect, it } from "vitest";
import { REDIRECT } from "../support/oauth.ts";
import { call, getPost, signUp } from "../support/world.ts";
import { approve, createReviewPath, requestApproval } from "./reviewed-post.ts";

describe("the name of a reviewer", () => {
  it("the name of a reviewer is stored without invisible characters and in ordinary letters", async () => {
    const review = await requestApproval();
    expect((await approve(await createReviewPath(review), "\u202eCl\u200bara\u3164  \u{1d5d4}da")).status).toBe(200);
    expect(await getPost(review.owner.key, review.waitingPost.id)).toMatchObject({ approval: { by: "Clara Ada" } });
  });

  it.each([["\u3164\u200b"], ["\u0410da"], ["Ada \u0391lpha"]])(
    "a reviewer has to enter another name if it is %j",
    async (name) => {
      const review = await requestApproval();
      const answer = await approve(await createReviewPath(review), name);
      expect(answer.status).toBe(422);
      expect(await answer.text()).toContain("letters that look alike");
      expect(await getPost(review.owner.key, review.waitingPost.id)).toMatchObject({ status: "awaiting_approval" });
    },
  );
});

describe("the name of a client app", () => {
  const registerAs = (name: string) =>
    call<{ client_name: string }>("POST", "/oauth/register", {
      body: { redirect_uris: [REDIRECT], token_endpoint_auth_method: "none", client_name: name },
    });

  it.each([["Zero\u3164width"], ["\u0421laude"], ["Crier \u0391pp"]])(
    "the name of a client app is refused if it is %j",
    async (name) => {
      expect(await registerAs(name)).toMatchObject({ status: 400, body: { error: "invalid_client_metadata" } });
    },
  );

  it("the name of a client app is stored in ordinary letters", async () => {
    expect((await registerAs("\u{1d5d4}ssistant \u52a9\u624b")).body.client_name).toBe("Assistant \u52a9\u624b");
  });
});

describe("the name of a member, a workspace or a key", () => {
  it("the name of a member, a workspace or a key is stored without invisible characters, and refused if no other is left", async () => {
    const account = await signUp();
    const rename = (name: string) => call("PATCH", "/v1/auth/me", { token: account.session, body: { name } });
    expect(await rename("A\u202ed\u200ba \u2764\ufe0f")).toMatchObject({
      status: 200,
      body: { user: { name: "Ada \u2764\ufe0f" } },
    });
    expect(await rename("\u200b\u3164")).toMatchObject({
      status: 422,
      body: { error: "invalid_field", field: "/name" },
    });

    const path = `/v1/workspaces/${account.workspace}`;
    const renamed = await call("PATCH", path, { token: account.session, body: { name: "En\u200bgines" } });
    expect(renamed).toMatchObject({ status: 200, body: { name: "Engines" } });
    const key = await call("POST", `${path}/keys`, {
      token: account.session,
      body: { name: "re\u2066ports", scopes: ["read"] },
    });
    expect(key).toMatchObject({ status: 201, body: { name: "reports" } });
    const body = {
      email: `x${account.email}`,
      password: account.password,
      name: "Gr\u200bace",
      workspace: "N\u200bavy",
    };
    expect((await call("POST", "/v1/auth/signup", { body })).body).toMatchObject({
      user: { name: "Grace" },
      workspaces: [{ name: "Navy" }],
    });
  });
});
