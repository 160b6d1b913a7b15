// Instagram accounts that are connected by Facebook Login: what they may do is refused for others, and taken down on request.
import { expect, it } from "vitest";
import { call, connect, finished, ledger, post, signUp, unique, uploadJpeg } from "../support/world.ts";
import { Browser, createLink, listChannels } from "./connecting.ts";

it("the options of a tier are refused for accounts of another, and only its posts can be taken down", async () => {
  const account = await signUp();
  const token = account.key;
  const plain = await connect(token, "instagram");
  const handle = unique("linked");
  const credentials = { access_token: `EAAuser-for-${handle}` };
  const body = { platform: "instagram", handle, credentials };
  const linked = await call<{ id: string; tier: string }>("POST", "/v1/channels", { token, body });
  expect([linked.status, linked.body.tier]).toEqual([201, "facebook_login"]);
  const media = [(await uploadJpeg(account)).id];
  const options = { paid_partnership: true, sponsors: ["17841400000000001"] };
  const send = (channel: string, own: object = options) => ({
    text: unique("partners "),
    channels: [channel],
    media,
    overrides: { [channel]: own },
  });
  const refused = await call<{ violations: { option: string; option_fault: string }[] }>("POST", "/v1/posts", {
    token,
    body: { ...send(plain.id), dry_run: true },
  });
  expect([refused.status, refused.body.violations]).toMatchObject([
    422,
    [
      { option: "paid_partnership", option_fault: "permission_missing" },
      { option: "sponsors", option_fault: "permission_missing" },
    ],
  ]);
  const takeDown = async (channel: string, own: object) => {
    const { id } = await post(token, send(channel, own));
    expect((await finished(token, id)).deliveries[0]).toMatchObject({ status: "live" });
    return call("DELETE", `/v1/posts/${id}/deliveries/${channel}`, { token });
  };
  expect((await takeDown(plain.id, {})).body.error).toBe("takedown_not_offered");
  const removed = await takeDown(linked.body.id, options);
  expect([removed.status, removed.body.status]).toEqual([200, "removed"]);
  expect((await ledger(handle))[0]).toMatchObject({
    deleted: true,
    shown: { facts: { Partnership: "17841400000000001" } },
  });
});

it("a link by Facebook Login leads to Facebook, offers the accounts of the Pages, and a reconnection keeps the channel", async () => {
  const account = await signUp();
  const link = () => createLink(account, { platform: "instagram", via: "facebook" });
  const browser = new Browser();
  const url = await link();
  const page = await browser.visit(url);
  expect(page.text).toContain("Continue to Facebook");
  const name = unique("ada");
  const answers = { decision: "allow", account: name, pages: "2" };
  const choicePage = await browser.consent(url, answers);
  expect(choicePage.text.match(/type="checkbox"[^>]* checked>/g)).toHaveLength(2);
  expect((await browser.choose(choicePage)).text).toContain("Connected");
  const [channel] = await listChannels(account);
  expect(channel).toMatchObject({ platform: "instagram", handle: name, tier: "facebook_login", state: "connected" });
  const again = new Browser();
  await again.connect(await link(), { ...answers, pages: "1" });
  expect(await listChannels(account)).toMatchObject([{ id: channel?.id, tier: "facebook_login" }]);
  await again.connect(await createLink(account, { platform: "instagram" }), { decision: "allow", account: name });
  expect(await listChannels(account)).toMatchObject([{ id: channel?.id, tier: "instagram_login" }]);
});

it("a denied consent at Facebook connects nothing, and only ways that a network has are accepted", async () => {
  const account = await signUp();
  const link = await createLink(account, { platform: "instagram", via: "facebook" });
  const denied = await new Browser().consent(link, { decision: "deny" });
  expect([denied.status, denied.text]).toEqual([422, expect.stringContaining("You did not give consent")]);
  expect(await listChannels(account)).toEqual([]);
  for (const [platform, via, hint] of [
    ["instagram", "myspace", "Leave it out, or send one of facebook."],
    ["pinterest", "facebook", "Leave it out."],
  ]) {
    const refused = await call("POST", "/v1/channels/connect", { token: account.key, body: { platform, via } });
    expect(refused).toMatchObject({ status: 422, body: { error: "invalid_field", field: "/via", hint } });
  }
  const { body } = await call<{ platforms: { platform: string; connect_ways?: object[] }[] }>("GET", "/v1/platforms");
  const ways = body.platforms.flatMap(({ platform, connect_ways: own }) =>
    own === undefined ? [] : [{ platform, own }],
  );
  expect(ways).toMatchObject([
    {
      platform: "instagram",
      own: [
        { via: null, tier: "instagram_login", available: true },
        { via: "facebook", tier: "facebook_login", available: true },
      ],
    },
  ]);
});
