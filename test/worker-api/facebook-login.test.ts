// Instagram accounts that are connected by Facebook Login: what they may do is refused for others, and taken down on request.
import { expect, it } from "vitest";
import { call, connect, finished, ledger, post, signUp, unique, uploadJpeg } from "../support/world.ts";

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
