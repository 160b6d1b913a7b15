// The typed client in workerd, against the service itself.
import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { Refusal } from "../../src/client/errors.ts";
import { events, everyItem, finished } from "../../src/client/pages.ts";
import { connect, ledger, signUp, unique } from "../support/world.ts";

const service = {
  url: "http://crier.test",
  fetch: (url: URL, init: RequestInit) => exports.default.fetch(new Request(url, init)),
};

it("the client creates posts, waits for the outcome, reads lists and events, and throws refusals with their code", async () => {
  const { key, session, workspace } = await signUp();
  const channel = await connect(key, "bluesky");
  const crier = createClient({ ...service, key });
  const feed = events(crier);
  const next = feed[Symbol.asyncIterator]().next();
  const text = unique("hello ");
  const { status, body } = await crier.call("posts.create", { body: { text, channels: [channel.id] } });
  expect(status).toBe(201);
  if ("dry_run" in body) throw new Error("it was a dry run");
  expect(await finished(crier, body.id)).toMatchObject({ status: "published", deliveries: [{ status: "live" }] });
  expect(await ledger(channel.handle)).toMatchObject([{ text }]);
  expect((await next).value).toMatchObject({ event: "delivery.succeeded", post: body.id });

  const posts = everyItem(async (cursor) => {
    const { body: page } = await crier.call("posts.list", { query: { limit: 1, cursor } });
    return { items: page.posts, next: page.next };
  });
  const listed: string[] = [];
  for await (const { id } of posts) listed.push(id);
  expect(listed).toEqual([body.id]);

  const refused = await crier
    .call("posts.create", { body: { text: "x".repeat(301), channels: [channel.id] } })
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Refusal);
  expect(refused).toMatchObject({ code: "text_too_long", status: 422, body: { violations: [{ over_by: 1 }] } });

  const person = createClient({ ...service, key: session, workspace });
  expect((await person.call("workspaces.current")).body).toMatchObject({ id: workspace });
  expect((await person.call("accounts.me")).body.workspaces).toMatchObject([{ id: workspace }]);
});
