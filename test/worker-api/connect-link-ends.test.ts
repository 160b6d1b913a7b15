// A link to connect an account gives no right that its maker has lost, and a workspace makes only so many.
import { describe, expect, it } from "vitest";
import { makeKey, revoke } from "../support/keys.ts";
import { as, join } from "../support/members.ts";
import { type Account, call, signUp, unique } from "../support/world.ts";
import { Browser, channelsOf, linkOf } from "./connecting.ts";

describe("a link whose maker may not connect accounts any more", () => {
  const started = async (caller: object) => {
    const body = { platform: "pinterest" };
    const made = await call<{ url: string }>("POST", "/v1/channels/connect", { ...caller, body });
    expect(made.status).toBe(201);
    return made.body.url;
  };
  const endings: [string, () => Promise<{ account: Account; link: string; end: () => Promise<unknown> }>][] = [
    [
      "a key that was revoked",
      async () => {
        const account = await signUp();
        const key = await makeKey(account, { scopes: ["manage"] });
        const link = await started({ token: key.key });
        return { account, link, end: () => revoke(account, key.id) };
      },
    ],
    [
      "a member who was removed",
      async () => {
        const [account, member] = [await signUp(), await signUp()];
        const id = await join(account, member, "owner");
        const link = await started(as(member, account));
        const path = `/v1/workspaces/${account.workspace}/members/${id}`;
        return { account, link, end: () => call("DELETE", path, { token: account.session }) };
      },
    ],
    [
      "a member who was demoted",
      async () => {
        const [account, member] = [await signUp(), await signUp()];
        const id = await join(account, member, "owner");
        const link = await started(as(member, account));
        const path = `/v1/workspaces/${account.workspace}/members/${id}`;
        return {
          account,
          link,
          end: () => call("PATCH", path, { token: account.session, body: { role: "viewer" } }),
        };
      },
    ],
  ];

  it.each(endings)("ends at each of its steps: %s", async (_who, prepare) => {
    const before = await prepare();
    await before.end();
    expect((await new Browser().visit(before.link)).status).toBe(410);
    expect((await new Browser().visit(before.link, { method: "POST" })).status).toBe(410);

    const opened = await prepare();
    const browser = new Browser();
    const { location } = await browser.visit(opened.link, { method: "POST" });
    await opened.end();
    const back = await browser.visit(`${location}&decision=allow&account=${unique("a")}`);
    expect((await browser.visit(back.location)).status).toBe(410);

    const answered = await prepare();
    const other = new Browser();
    const page = await other.consent(answered.link, { decision: "allow", account: unique("a") });
    expect(page.status).toBe(200);
    await answered.end();
    expect((await other.choose(page)).status).toBe(410);
    for (const { account } of [before, opened, answered]) expect(await channelsOf(account)).toEqual([]);
  });
});

it("a link is one of at most sixty that a workspace makes in an hour", async () => {
  const account = await signUp();
  for (let made = 0; made < 60; made++) await linkOf(account);
  const answer = await call("POST", "/v1/channels/connect", { token: account.key, body: { platform: "pinterest" } });
  expect(answer).toMatchObject({ status: 429, body: { error: "rate_limited" } });
  await linkOf(await signUp());
});
