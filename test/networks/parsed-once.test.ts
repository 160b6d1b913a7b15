// What a session brings to each step of a connector is parsed at the first: to parse takes longer than most steps.
import { expect, it } from "vitest";
import * as z from "zod";
import type { Json } from "../../src/domain/json.ts";
import type { NetworkIO, Publication } from "../../src/networks/network.ts";
import { network } from "../../src/networks/shared/typed-network.ts";
import { telegram } from "../../src/networks/telegram/index.ts";

it("a credential, options and a publish key are parsed once, however many steps they come to", async () => {
  const parsed: string[] = [];
  const noted = (name: string) => z.json().refine(() => parsed.push(name) > 0);
  const at: unknown[] = [];
  const connector = network({
    ...telegram,
    credential: noted("credential"),
    options: noted("options"),
    publishKey: noted("publishKey"),
    refreshAt: () => 0,
    prepare: async (post, context, publishKey) => {
      at.push(post.options, context.credential, publishKey);
      return { is: "retryable", error: "network_unavailable", detail: "" };
    },
    publish: async (post, publishKey, context) => {
      at.push(post.options, context.credential, publishKey);
      return { is: "unknown", detail: "" };
    },
  });
  const io: NetworkIO = {
    app: null,
    fetch: () => expect.fail("nothing is called"),
    fetchPublic: () => expect.fail("nothing is called"),
    now: () => 0,
    wait: () => expect.fail("nothing is waited for"),
    random: (length) => new Uint8Array(length),
    sized: () => expect.fail("nothing is sent"),
    partsDivisor: 1,
  };
  const [credential, options, publishKey] = [{ token: "one" }, { silent: true }, { step: "start" }];
  const post: Publication<Json> = { text: "x", media: [], postType: "feed", options };
  for (let i = 0; i < 2; i++) {
    connector.refreshAt?.(credential);
    // Each step has a context of its own.
    await connector.prepare(post, { credential, io }, publishKey, async () => {});
    await connector.publish(post, publishKey, { credential, io });
  }
  expect(parsed.toSorted()).toEqual(["credential", "options", "publishKey"]);
  expect(at).toEqual(Array(4).fill([options, credential, publishKey]).flat());
  await connector.publish(post, { step: "other" }, { credential: { token: "two" }, io });
  expect(parsed.toSorted()).toEqual(["credential", "credential", "options", "publishKey", "publishKey"]);
});
