// A connect link stops working once its creator has lost the right to connect accounts, and a workspace can create only
// a limited number of links.
import { describe, expect, it } from "vitest";
import { makeAccountKey, makeKey, revoke } from "../support/keys.ts";
import { asMember, join } from "../support/members.ts";
import { type Account, call, signUp, unique } from "../support/world.ts";
import { Browser, createLink, listChannels } from "./connecting.ts";

describe("a connect link whose creator may no longer connect accounts", () => {
  const createLinkAs = async (caller: object) => {
    const body = { platform: "pinterest" };
    const answer = await call<{ url: string }>("POST", "/v1/channels/connect", { ...caller, body });
    expect(answer.status).toBe(201);
    return answer.body.url;
  };
  const endings: [string, () => Promise<{ account: Account; link: string; end: () => Promise<unknown> }>][] = [
    [
      "a key that was revoked",
      async () => {
        const account = await signUp();
        const key = await makeKey(account, { scopes: ["manage"] });
        const link = await createLinkAs({ token: key.key });
        return { account, link, end: () => revoke(account, key.id) };
      },
    ],
    [
      "an account key that was revoked",
      async () => {
        const account = await signUp();
        const { id, key } = await makeAccountKey(account, ["connect"]);
        const link = await createLinkAs({ token: key, headers: { "x-workspace": account.workspace } });
        const path = `/v1/auth/keys/${id}`;
        return { account, link, end: () => call("DELETE", path, { token: account.session }) };
      },
    ],
    [
      "a member who was removed",
      async () => {
        const [account, member] = [await signUp(), await signUp()];
        const id = await join(account, member, "owner");
        const link = await createLinkAs(asMember(member, account));
        const path = `/v1/workspaces/${account.workspace}/members/${id}`;
        return { account, link, end: () => call("DELETE", path, { token: account.session }) };
      },
    ],
    [
      "a member who was demoted",
      async () => {
        const [account, member] = [await signUp(), await signUp()];
        const id = await join(account, member, "owner");
        const link = await createLinkAs(asMember(member, account));
        const path = `/v1/workspaces/${account.workspace}/members/${id}`;
        return {
          account,
          link,
          end: () => call("PATCH", path, { token: account.session, body: { role: "viewer" } }),
        };
      },
    ],
  ];

  it.each(endings)("each step of a connect link is refused if its creator is %s", async (_who, prepare) => {
    const unopened = await prepare();
    await unopened.end();
    expect((await new Browser().visit(unopened.link)).status).toBe(410);
    expect((await new Browser().visit(unopened.link, { method: "POST" })).status).toBe(410);

    const opened = await prepare();
    const browser = new Browser();
    const { location } = await browser.visit(opened.link, { method: "POST" });
    await opened.end();
    const back = await browser.visit(`${location}&decision=allow&account=${unique("a")}`);
    expect((await browser.visit(back.location)).status).toBe(410);

    const answered = await prepare();
    const otherBrowser = new Browser();
    const page = await otherBrowser.consent(answered.link, { decision: "allow", account: unique("a") });
    expect(page.status).toBe(200);
    await answered.end();
    expect((await otherBrowser.choose(page)).status).toBe(410);
    for (const { account } of [unopened, opened, answered]) expect(await listChannels(account)).toEqual([]);
  });
});

it("a workspace can create at most sixty connect links in an hour", async () => {
  const account = await signUp();
  for (let count = 0; count < 60; count++) await createLink(account);
  const answer = await call("POST", "/v1/channels/connect", { token: account.key, body: { platform: "pinterest" } });
  expect(answer).toMatchObject({ status: 429, body: { error: "rate_limited" } });
  await createLink(await signUp());
});
