// The credential, options and publish key of a session are parsed at the first step only, because parsing takes longer
// than most steps.
import { expect, it } from "vitest";
import * as z from "zod";
import type { Json } from "../../src/domain/json.ts";
import type { NetworkIO, Publication } from "../../src/networks/network.ts";
import { network } from "../../src/networks/shared/typed-network.ts";
import { telegram } from "../../src/networks/telegram/index.ts";

it("parses a credential, options and a publish key once, however many steps use them", async () => {
  const parsed: string[] = [];
  const recordParse = (name: string) => z.json().refine(() => parsed.push(name) > 0);
  const received: unknown[] = [];
  const connector = network({
    ...telegram,
    credential: recordParse("credential"),
    options: recordParse("options"),
    publishKey: recordParse("publishKey"),
    refreshAt: () => 0,
    prepare: async (post, context, publishKey) => {
      received.push(post.options, context.credential, publishKey);
      return { is: "retryable", error: "network_unavailable", detail: "" };
    },
    publish: async (post, publishKey, context) => {
      received.push(post.options, context.credential, publishKey);
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
    chunksDivisor: 1,
  };
  const [credential, options, publishKey] = [{ token: "one" }, { silent: true }, { step: "start" }];
  const post: Publication<Json> = { text: "x", media: [], postType: "feed", options };
  for (let i = 0; i < 2; i++) {
    connector.refreshAt?.(credential);
    // Each step gets a new context.
    await connector.prepare(post, { credential, io }, publishKey, async () => {});
    await connector.publish(post, publishKey, { credential, io });
  }
  expect(parsed.toSorted()).toEqual(["credential", "options", "publishKey"]);
  expect(received).toEqual(Array(4).fill([options, credential, publishKey]).flat());
  await connector.publish(post, { step: "other" }, { credential: { token: "two" }, io });
  expect(parsed.toSorted()).toEqual(["credential", "credential", "options", "publishKey", "publishKey"]);
});
