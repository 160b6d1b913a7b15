// Documents on LinkedIn: uploaded whole, processed, and shown with their title.
import { expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { linkedin } from "../../src/networks/linkedin/index.ts";
import type { NetworkIO } from "../../src/networks/network.ts";
import { account } from "./linkedin-account.ts";
import { file, ledger, prepareOnce, publication, sha256 } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const encode = (text: string) => new Uint8Array(new TextEncoder().encode(text));
const pdf = (pages: number, contentType = "application/pdf") => ({
  ...file(encode(`%PDF-1.4\n${"<< /Type /Page >>\n".repeat(pages)}`), { contentType }),
  kind: "document" as const,
});

it("publishes a page's document with its title, and finds it again", async () => {
  const { handle, context } = await account("page");
  const post = publication("ten slides", { media: [pdf(10)], options: { document_title: "Slides" } });
  const publishKey = await prepareOnce(linkedin, post, context);
  const outcome = await linkedin.publish(post, publishKey, context);
  if (outcome.is !== "live") return expect.fail(JSON.stringify(outcome));
  const [entry] = await ledger(simulators, handle);
  const [document] = post.media;
  expect(entry).toMatchObject({ detail: { shape: "media", title: "Slides" }, media: [{ type: "application/pdf" }] });
  expect(entry?.media[0]?.sha256).toBe(document && (await sha256(document)));
  const accepted = { text: "ten slides", files: 1, options: {} };
  expect(await linkedin.recheck({ id: outcome.id, publishKey }, context, accepted)).toMatchObject({ altered: [] });
});

it("publishes a member's document after a while, because its state cannot be read", async () => {
  const { handle, context, io } = await account("member");
  const post = publication("slides", { media: [pdf(1)] });
  const savedKeys: Json[] = [];
  const waiting = await linkedin.prepare(post, context, null, async (publishKey) => void savedKeys.push(publishKey));
  if (waiting.is !== "retryable") return expect.fail(waiting.is);
  const later: NetworkIO = { ...io, now: () => waiting.retryAt ?? 0 };
  const answer = await linkedin.prepare(post, { ...context, io: later }, savedKeys.at(-1) ?? null, async () => {});
  if (answer.is !== "prepared") return expect.fail(JSON.stringify(answer));
  expect((await linkedin.publish(post, answer.publishKey, context)).is).toBe("live");
  expect(await ledger(simulators, handle)).toHaveLength(1);
});

it.each([
  ["with more than 300 pages", pdf(301)],
  ["of another type", pdf(1, "text/plain")],
])("publishes nothing if the network cannot process a document %s", async (name, document) => {
  const { handle, context } = await account("page");
  const bytes = encode("plain");
  const sent = name.includes("type")
    ? { ...file(bytes, { contentType: "text/plain" }), kind: document.kind }
    : document;
  const outcome = await linkedin.prepare(publication("x", { media: [sent] }), context, null, async () => {});
  expect(outcome).toMatchObject({ is: "rejected", error: "media_refused" });
  expect(await ledger(simulators, handle)).toEqual([]);
});
