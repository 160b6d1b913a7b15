// Names that people are asked to trust show what they are: those of reviewers, of client apps, of members and of workspaces.
import { describe, expect, it } from "vitest";
import { REDIRECT } from "../support/oauth.ts";
import { call, getPost, signUp } from "../support/world.ts";
import { approve, asked, linkTo } from "./reviewed-post.ts";

describe("the name of a reviewer", () => {
  it("is kept without characters that nobody sees, and in ordinary letters", async () => {
    const one = await asked();
    expect((await approve(await linkTo(one), "\u202eCl\u200bara\u3164  \u{1d5d4}da")).status).toBe(200);
    expect(await getPost(one.owner.key, one.waits.id)).toMatchObject({ approval: { by: "Clara Ada" } });
  });

  it.each([["\u3164\u200b"], ["\u0410da"], ["Ada \u0391lpha"]])("is asked for again if it is %j", async (name) => {
    const one = await asked();
    const answer = await approve(await linkTo(one), name);
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain("letters that look alike");
    expect(await getPost(one.owner.key, one.waits.id)).toMatchObject({ status: "awaiting_approval" });
  });
});

describe("the name of a client app", () => {
  const registerAs = (name: string) =>
    call<{ client_name: string }>("POST", "/oauth/register", {
      body: { redirect_uris: [REDIRECT], token_endpoint_auth_method: "none", client_name: name },
    });

  it.each([["Zero\u3164width"], ["\u0421laude"], ["Crier \u0391pp"]])("is refused if it is %j", async (name) => {
    expect(await registerAs(name)).toMatchObject({ status: 400, body: { error: "invalid_client_metadata" } });
  });

  it("is kept in ordinary letters", async () => {
    expect((await registerAs("\u{1d5d4}ssistant \u52a9\u624b")).body.client_name).toBe("Assistant \u52a9\u624b");
  });
});

describe("the name of a member, a workspace or a key", () => {
  it("is kept without characters that nobody sees, and is refused if none is left", async () => {
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
    const named = await call("PATCH", path, { token: account.session, body: { name: "En\u200bgines" } });
    expect(named).toMatchObject({ status: 200, body: { name: "Engines" } });
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
