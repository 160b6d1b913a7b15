// A file at an address is copied when its post begins to wait for approval. Later changes at its host are neither shown
// nor approved nor published.

import { runInDurableObject } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { makePng } from "../../scripts/local/png.ts";
import { NO_TRIES, type Tries } from "../../src/domain/rate-limit.ts";
import { tomorrow } from "../support/dates.ts";
import { sha256 } from "../support/digests.ts";
import { testEnv } from "../support/env.ts";
import { asMember } from "../support/members.ts";
import { type Account, call, finished, ledger, unique } from "../support/world.ts";
import { openTeam } from "./approvals.ts";
import { createReviewPath, openReview } from "./reviewed-post.ts";

const [FIRST, SECOND] = [png(0), png(200)];
const BUCKET = testEnv.MEDIA ?? expect.fail("no bucket");

function png(shade: number) {
  return new Uint8Array(makePng(64, 48, shade));
}

/** Makes a host serve these bytes at an address. */
async function serve(bytes: Uint8Array, name = unique("/f")) {
  const head = btoa(String.fromCharCode(...bytes));
  const body = JSON.stringify({ head, bytes: bytes.byteLength, length: true, ranges: false });
  expect((await fetch(`${testEnv.FILE_HOST}${name}`, { method: "PUT", body })).status).toBe(204);
  return { name, url: `${testEnv.FILE_HOST}${name}` };
}
async function register(owner: Account, url: string, kind = "image"): Promise<string> {
  const answer = await call<{ id: string }>("POST", "/v1/media", { token: owner.key, body: { url, kind } });
  expect(answer.status).toBe(201);
  return answer.body.id;
}
const getMedia = async (owner: Account, id: string) =>
  (await call("GET", `/v1/media/${id}`, { token: owner.key })).body;
const readStagedBytes = ({ workspace }: Account) =>
  testEnv.DB.prepare("SELECT staged_bytes FROM workspaces WHERE id = ?").bind(workspace).first<number>("staged_bytes");
const listCopies = async ({ workspace }: Account) =>
  (await BUCKET.list({ prefix: `m/${workspace}/sealed/` })).objects.map(({ key }) => key);
const importRows = (account: Account, owner: Account, rows: object[], query = "") =>
  call<{ created: number; rows: { violations: object[] }[] }>("POST", `/v1/posts/import${query}`, {
    ...asMember(account, owner),
    headers: { ...asMember(account, owner).headers, "content-type": "application/x-ndjson" },
    body: rows.map((row) => JSON.stringify(row)).join("\n"),
  });

describe("a linked file of a post that waits for approval", () => {
  it("a linked file is shown, approved and published as it was when its post began to wait", async () => {
    const { owner, author, publisher, channel, create, approve } = await openTeam();
    const { url, name } = await serve(FIRST);
    const id = await register(owner, url);
    const { body: waiting } = await create(author, { media: [id], publish_at: null });
    expect(waiting.status).toBe("awaiting_approval");
    await serve(SECOND, name);
    const page = await (await openReview(await createReviewPath({ owner, waitingPost: waiting }))).text();
    const address = /src="([^"]+\/[0-9a-f]{32}\/file\.png)"/.exec(page)?.[1] ?? expect.fail("the page shows no file");
    const response = await exports.default.fetch(new Request(address));
    expect(await sha256(await response.arrayBuffer())).toBe(await sha256(FIRST));
    expect(await approve(publisher, waiting.id, { rev: waiting.rev })).toMatchObject({ status: 200 });
    expect((await finished(owner.key, waiting.id)).status).toBe("published");
    const sentHashes = (await ledger(channel.handle)).flatMap(({ media }) => media.map((file) => file.sha256));
    expect(sentHashes).toEqual([await sha256(FIRST)]);
    expect(await getMedia(owner, id)).toMatchObject({ url, state: "ready", width: 64, bytes: FIRST.byteLength });
    expect(await readStagedBytes(owner)).toBe(FIRST.byteLength);
  });

  it("a linked file is checked by its copy, which other posts share", async () => {
    const { owner, author, create } = await openTeam();
    const { url } = await serve(png(3));
    const id = await register(owner, url);
    expect((await create(author, { media: [id], dry_run: true })).status).toBe(200);
    expect(await listCopies(owner)).toEqual([]);
    const posts = await Promise.all([1, 2, 3].map(() => create(author, { media: [id] })));
    expect(posts.map(({ body }) => body.status)).toEqual(Array(3).fill("awaiting_approval"));
    expect(await readStagedBytes(owner)).toBe(png(3).byteLength);
    const { results } = await testEnv.DB.prepare("SELECT object_key FROM discarded_objects WHERE workspace_id = ?")
      .bind(owner.workspace)
      .all<{ object_key: string }>();
    // The row of the file names one of the copies that were made at once. The others are noted for deletion.
    expect(await listCopies(owner)).toHaveLength(results.length + 1);
  });

  it("a linked file that cannot be copied is refused with the reason", async () => {
    const { owner, author, create, patch } = await openTeam();
    const missingFile = await register(owner, `${testEnv.FILE_HOST}${unique("/nothing")}`);
    const refused = { status: 422, body: { error: "media_not_uploaded", field: "/media/0" } };
    const answer = await create(author, { media: [missingFile] });
    expect(answer).toMatchObject(refused);
    expect(answer.body).toMatchObject({ message: expect.stringContaining("answered 404 at its address") });
    const { url } = await serve(FIRST);
    const wrongKind = await register(owner, url, "video");
    expect((await create(author, { media: [wrongKind] })).body).toMatchObject({
      error: "media_not_uploaded",
      message: expect.stringContaining("is not a video we know"),
    });
    const { body: draft } = await create(author, { media: [missingFile], draft: true });
    expect(await patch(author, draft.id, { draft: false })).toMatchObject(refused);
    expect(await readStagedBytes(owner)).toBe(0);
  });

  it("a linked file is refused for a while if the workspace has called its host too often", async () => {
    const { owner, author, create } = await openTeam();
    // Calls to loopback addresses are not counted, but calls to the name `localhost` are.
    const { url } = await serve(FIRST);
    const id = await register(owner, url.replace("127.0.0.1", "localhost"));
    const counter = testEnv.COUNTER.getByName(`calls:${owner.workspace}`);
    await runInDurableObject(counter, (_, { storage }) => {
      storage.kv.put<Tries>("tries:localhost", { ...NO_TRIES, at: Array(120).fill(Date.now()) });
    });
    expect(await create(author, { media: [id] })).toMatchObject({ status: 429, body: { error: "rate_limited" } });
    await counter.clear();
    expect((await create(author, { media: [id] })).body.status).toBe("awaiting_approval");
  });

  it("the copy of a linked file uses no more storage than the plan allows", async () => {
    const { owner, author, create } = await openTeam();
    const id = await register(owner, (await serve(FIRST)).url);
    await testEnv.DB.prepare("UPDATE workspaces SET plan = 'free', staged_bytes = 1000000000000 WHERE id = ?")
      .bind(owner.workspace)
      .run();
    const refused = { status: 402, body: { error: "plan_limit", limit: "media_bytes" } };
    expect(await create(author, { media: [id] })).toMatchObject(refused);
    await testEnv.DB.prepare("UPDATE workspaces SET staged_bytes = 0 WHERE id = ?").bind(owner.workspace).run();
    expect((await create(author, { media: [id] })).body.status).toBe("awaiting_approval");
  });

  it("a linked file of an imported row is copied, also if the import contains its address", async () => {
    const { owner, author, channel } = await openTeam();
    const [registered, fresh, missingUrl] = [
      await serve(FIRST),
      await serve(png(9)),
      `${testEnv.FILE_HOST}${unique("/no")}`,
    ];
    const id = await register(owner, registered.url);
    const row = { text: "x", channels: [channel.id], publish_at: tomorrow() };
    const buildRows = (url: string, n: number) => {
      const id = `med_${String(n).repeat(26)}`;
      return [
        { type: "media", id, url, kind: "image", alt: null },
        { ...row, media: [id] },
      ];
    };
    const refused = await importRows(author, owner, [{ ...row, media: [id] }, ...buildRows(missingUrl, 1)]);
    expect(refused.body).toMatchObject({ created: 0, rows: [{}, { violations: [{ code: "media_not_uploaded" }] }] });
    const partial = await importRows(
      author,
      owner,
      [...buildRows(fresh.url, 2), ...buildRows(missingUrl, 3)],
      "?partial=true",
    );
    expect(partial.body).toMatchObject({ created: 1 });
    const { body } = await call<{ media: { url: string; state: string }[] }>("GET", "/v1/media", { token: owner.key });
    // The files of the refused rows have been removed again.
    expect(body.media.map(({ url, state }) => [url, state])).toEqual([
      [fresh.url, "ready"],
      [registered.url, "ready"],
    ]);
  });
});
