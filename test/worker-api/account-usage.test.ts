// The usage of all workspaces of a person, for those who bill their customers.
import { expect, it } from "vitest";
import { tomorrow } from "../support/dates.ts";
import { makeAccountKey } from "../support/keys.ts";
import { join } from "../support/members.ts";
import { call, connect, post, signUp, uploadImage } from "../support/world.ts";

interface Usage {
  workspaces: { workspace: string; external_id: string | null; posts: { used: number }; channels: number }[];
  next: string | null;
}
const read = (token: string, query = "") => call<Usage>("GET", `/v1/auth/usage${query}`, { token });

it("the usage of an account lists each workspace that the person owns, page by page, and no other", async () => {
  const [owner, stranger] = [await signUp(), await signUp()];
  await join(stranger, owner, "publisher");
  const { key } = await makeAccountKey(owner, ["workspaces", "keys"]);
  const body = { name: "Customer", external_id: "customer-1", include_key: true };
  const customer = await call<{ id: string; key: string }>("POST", "/v1/workspaces", { token: key, body });
  const channel = await connect(customer.body.key, "telegram");
  const gone = await connect(customer.body.key, "telegram");
  await call("DELETE", `/v1/channels/${gone.id}`, { token: customer.body.key });
  await uploadImage({ ...owner, key: customer.body.key });
  await post(customer.body.key, { text: "x", channels: [channel.id], publish_at: tomorrow() });
  const answer = await read(key);
  expect(answer).toMatchObject({
    status: 200,
    body: {
      workspaces: [
        {
          workspace: customer.body.id,
          external_id: "customer-1",
          name: "Customer",
          plan: "unlimited",
          posts: { used: 1, allowed: null },
          media_bytes: expect.any(Number),
          channels: 1,
        },
        { workspace: owner.workspace, external_id: null, posts: { used: 0 }, media_bytes: 0, channels: 0 },
      ],
      next: null,
    },
  });
  expect(JSON.stringify(answer.body)).not.toContain(stranger.workspace);
  const first = await read(owner.session, "?limit=1");
  const second = await read(owner.session, `?limit=1&cursor=${first.body.next}`);
  expect([...first.body.workspaces, ...second.body.workspaces]).toEqual(answer.body.workspaces);
  expect((await read(customer.body.key)).body).toMatchObject({ error: "key_not_allowed" });
});
