// Services and callers that would lead the client astray.
import { afterEach, expect, it } from "vitest";
import { createClient } from "../../../src/client/client.ts";
import { everyItem, exported } from "../../../src/client/pages.ts";
import { type Answer, json, type Service, startService } from "../cli/service.ts";

const open: Service[] = [];
afterEach(async () => {
  for (const service of open.splice(0)) await service.close();
});

async function start(answer: Answer) {
  const service = await startService(answer);
  open.push(service);
  return { service, client: createClient({ url: service.url, key: "crier_live_key" }) };
}
const endOf = (promise: Promise<unknown>) =>
  promise.then(
    () => Promise.reject(new Error("it went well")),
    (error: unknown) => error,
  );
async function readAll(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const item of items) all.push(item);
  return all;
}
const refusal = (error: string, more = {}) => ({ error, message: "No.", request_id: "req_1", ...more });

it.each(["", ".", ".."])("an id that would lead to another path is refused before anything is sent: %j", async (id) => {
  const { client, service } = await start((response) => json(response, 200, {}));
  expect(await endOf(client.call("posts.take-down", { params: { id: "post_1", channel: id } }))).toMatchObject({
    name: "CrierError",
    message: `"${id}" cannot be the channel of a call.`,
  });
  expect(service.calls).toEqual([]);
});

it("a list whose next page is the page itself ends with an error", async () => {
  const { client, service } = await start((response) => json(response, 200, { posts: [], next: "again" }));
  const pages = everyItem(async (cursor) => {
    const { body } = await client.call("posts.list", { query: { cursor } });
    return { items: body.posts, next: body.next };
  });
  expect(await endOf(readAll(pages))).toMatchObject({ name: "NoAnswer" });
  expect(service.calls).toHaveLength(2);
});

it.each([
  ["violations that are no list", { violations: {} }],
  ["a hint that is no text", { hint: 7 }],
  ["a number that is no number", { more_violations: "x" }],
])("a refusal with %s is no refusal of Crier's", async (_name, more) => {
  const { client } = await start((response) => json(response, 422, refusal("text_too_long", more)));
  expect(await endOf(client.call("posts.get", { params: { id: "post_1" } }))).toMatchObject({
    name: "NoAnswer",
    status: 422,
  });
});

it("an export with a line that is no JSON ends with an error of the client's", async () => {
  const { client } = await start((response) => {
    response.end('{"type":"post"\n{"type":"end","lines":1,"next":null}\n');
  });
  expect(await endOf(readAll(exported(client)))).toMatchObject({ name: "NoAnswer", passes: false });
});
