// Portals: their management, the posts that a visitor sees, and decisions on one post or all of them.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { HOUR_MS, PORTAL_LIFE_MAX_S, PORTAL_POSTS_MAX, PORTALS_MAX } from "../../../../src/domain/limits.ts";
import { handlers } from "../../../../src/operations/index.ts";
import { media, members, portals, posts } from "../../../../src/store/db/schema.ts";
import { db, NOW } from "../../store/deliveries/stored-delivery.ts";
import { catchRefusal, setUpWorkspace } from "./workspace-of-two.ts";

type Workspace = NonNullable<Parameters<typeof setUpWorkspace>[0]>["workspace"];
interface Shown {
  post: string;
  rev: number;
  content_tag: string;
  is_late: boolean;
  channels: { handle: string; parts: { text: string }[] }[];
}
interface Opened {
  name: string;
  brand: object | null;
  posts: Shown[];
  decided: object[];
  next: string | null;
}

/** Sets up a workspace where all posts wait, with a portal of an owner for its first channel. */
async function setUpPortal(fields: object = {}, workspace: Workspace = {}) {
  const setup = await setUpWorkspace({ workspace: { approval: "all", ...workspace } });
  const { call, create, join, ctx, first } = setup;
  const [owner, writer] = [await join("owner"), await join("author")];
  const createPortal = (body: object) => call("portals.create", { as: owner, body: { name: "Northwind", ...body } });
  const { body: portal } = await createPortal({ channels: [first], ...fields });
  const token = String(portal.url).split("/").at(-1) ?? "";
  const invoke = async (
    name: "portals.open" | "portals.decide" | "portals.comment",
    body: unknown,
    query: object = {},
    usedToken = token,
  ) => {
    const raw = { params: { token: usedToken }, query, body, idempotencyKey: null };
    return (await handlers[name].invoke(ctx, { kind: "nobody" }, raw)).body;
  };
  const open = async (query: object = {}) => Object(await invoke("portals.open", undefined, query)) as Opened;
  const decide = async (decisions: object[], name = "Clara") => {
    const answer = Object(await invoke("portals.decide", { name, decisions }));
    return (answer.decisions as { result: string }[]).map(({ result }) => result);
  };
  const wait = async (body: object = {}) =>
    String((await create({ channels: [first], ...body }, { as: writer })).body.id);
  return { ...setup, owner, writer, portal, token, createPortal, invoke, open, decide, wait };
}
const version = ({ post, rev, content_tag }: Shown) => ({ post, rev, content_tag });
const approveAll = (shown: Shown[]) => shown.map((each) => ({ ...version(each), decision: "approve" }));

describe("managing portals", () => {
  it("a portal is created with its address, which is stored only as a hash, and listed without it", async () => {
    const { portal, token, call, owner, first, workspaceId } = await setUpPortal({ expires_in: 3_600 });
    expect(portal).toEqual({
      id: expect.stringMatching(/^ptl_/),
      name: "Northwind",
      channels: [first],
      labels: null,
      brand: null,
      is_active: true,
      created_by: owner.userId,
      created_at: new Date(NOW).toISOString(),
      expires_at: new Date(NOW + HOUR_MS).toISOString(),
      url: `https://crier.test/portal/${token}`,
    });
    expect(token).toMatch(/^[\w-]{43}$/);
    const rows = await db.select().from(portals).where(eq(portals.workspaceId, workspaceId));
    expect(JSON.stringify(rows)).not.toContain(token);
    const { url: _url, ...listed } = portal;
    expect((await call("portals.list", { as: owner })).body).toEqual({ portals: [listed], next: null });
  });

  it.each([
    [{}, "missing_field", "/channels"],
    [{ channels: ["ch_x"], labels: ["x"] }, "invalid_field", "/labels"],
    [{ channels: ["ch_x"] }, "unknown_channel", "/channels/0"],
    [{ channels: [] }, "invalid_field", "/channels"],
    [{ labels: ["x"], expires_in: PORTAL_LIFE_MAX_S + 1 }, "invalid_field", "/expires_in"],
    [{ labels: ["x"], brand: { accent: "red" } }, "invalid_field", "/brand/accent"],
    [{ labels: ["x"], brand: { accent: "#12345g" } }, "invalid_field", "/brand/accent"],
    [{ labels: ["x"], brand: { language: "xx" } }, "invalid_field", "/brand/language"],
    [{ labels: ["x"], brand: { logo_media: "med_x" } }, "unknown_media", "/brand/logo_media"],
    [{ labels: ["x"], brand: { color: "#123456" } }, "unknown_field", "/brand/color"],
  ])("refuses a portal with %j", async (fields, code, field) => {
    const { createPortal } = await setUpPortal();
    const refused = await catchRefusal(createPortal(fields));
    expect([refused.code, refused.detail.field]).toEqual([code, field]);
  });

  it("a logo must be an uploaded image", async () => {
    const { createPortal, workspaceId, token, invoke, call, owner, portal } = await setUpPortal();
    const row = { workspaceId, contentType: "image/png", bytes: 5, createdAt: NOW };
    await db.insert(media).values([
      { ...row, id: "med_video", kind: "video", state: "ready", objectKey: "m/x/med_video" },
      { ...row, id: "med_elsewhere", kind: "image", state: "registered", url: "https://example.com/a.png" },
      { ...row, id: "med_logo", kind: "image", state: "ready", objectKey: "m/x/med_logo" },
    ]);
    for (const logo_media of ["med_video", "med_elsewhere"]) {
      const refused = await catchRefusal(createPortal({ labels: ["x"], brand: { logo_media } }));
      expect([refused.code, refused.detail.field]).toEqual(["invalid_field", "/brand/logo_media"]);
    }
    const brand = { name: "Ada & Co.", logo_media: "med_logo", accent: "#AABBCC" };
    const { body } = await call("portals.change", { as: owner, id: String(portal.id), body: { brand } });
    expect(body).toMatchObject({ brand: { ...brand, accent: "#aabbcc", language: "en" } });
    expect(await invoke("portals.open", undefined, {}, token)).toMatchObject({
      brand: { name: "Ada & Co.", accent: "#aabbcc" },
    });
  });

  it("a change keeps what it leaves out, and replaces channels by labels", async () => {
    const { call, owner, portal, first } = await setUpPortal();
    const change = (body: object) => call("portals.change", { as: owner, id: String(portal.id), body });
    expect((await change({ name: "Traders" })).body).toMatchObject({ name: "Traders", channels: [first] });
    expect((await change({})).body).toMatchObject({ name: "Traders", channels: [first] });
    expect((await change({ labels: ["north", "north"] })).body).toMatchObject({ channels: null, labels: ["north"] });
    expect((await change({ expires_in: 60 })).body).toMatchObject({ expires_at: new Date(NOW + 60_000).toISOString() });
    expect((await catchRefusal(call("portals.change", { as: owner, id: "ptl_x", body: {} }))).code).toBe("not_found");
  });

  it("a removed portal is closed", async () => {
    const { call, owner, portal, invoke } = await setUpPortal();
    expect(await call("portals.remove", { as: owner, id: String(portal.id) })).toMatchObject({ status: 204 });
    expect((await catchRefusal(invoke("portals.open", undefined))).code).toBe("not_found");
    expect((await catchRefusal(call("portals.remove", { as: owner, id: String(portal.id) }))).code).toBe("not_found");
  });

  it("a workspace has a maximum number of portals", async () => {
    const { createPortal, workspaceId, owner } = await setUpPortal();
    const row = { workspaceId, name: "x", labels: ["x"], createdBy: owner.userId, createdAt: 0, expiresAt: 8e15 };
    const more = Array.from({ length: PORTALS_MAX - 1 }, (_, i) => ({
      ...row,
      id: `ptl_${i}`,
      tokenHash: `${workspaceId} ${i}`,
    }));
    for (const value of more) await db.insert(portals).values(value);
    expect((await catchRefusal(createPortal({ labels: ["x"] }))).code).toBe("too_many_portals");
  });

  it("only a caller who may publish manages portals, and no key that is limited to some channels", async () => {
    const { call, writer, first } = await setUpPortal();
    const body = { name: "x", labels: ["x"] };
    expect((await catchRefusal(call("portals.create", { as: writer, body }))).code).toBe("role_missing");
    expect((await catchRefusal(call("portals.create", { scopes: ["draft", "read"], body }))).code).toBe(
      "scope_missing",
    );
    expect((await catchRefusal(call("portals.list", { reach: [first] }))).status).toBe(403);
  });
});

describe("a portal", () => {
  it("shows the waiting posts whose channels are all in its list, by time", async () => {
    const { open, wait, first, second } = await setUpPortal();
    const at = (hours: number) => new Date(NOW + hours * HOUR_MS).toISOString();
    const later = await wait({ publish_at: at(5) });
    const sooner = await wait({ publish_at: at(2) });
    await wait({ channels: [first, second] });
    await wait({ channels: [second] });
    const { name, posts: shown, decided, next } = await open();
    expect([name, decided, next]).toEqual(["Northwind", [], null]);
    expect(shown.map(({ post }) => post)).toEqual([sooner, later]);
    expect(shown[0]).toMatchObject({
      rev: 1,
      publish_at: at(2),
      is_late: false,
      channels: [{ platform: "telegram", handle: `@${first}`, parts: [{ text: "hello", files: [] }] }],
    });
  });

  it("shows the waiting posts with one of its labels", async () => {
    const { createPortal, wait, second, invoke } = await setUpPortal();
    const { body } = await createPortal({ labels: ["north", "south"] });
    const token = String(body.url).split("/").at(-1) ?? "";
    const labelled = await wait({ labels: ["west", "south"], channels: [second] });
    await wait({ labels: ["west"] });
    expect(await invoke("portals.open", undefined, {}, token)).toMatchObject({ posts: [{ post: labelled }] });
  });

  it("has pages of a fixed size", async () => {
    const { open, wait } = await setUpPortal();
    for (let i = 0; i <= PORTAL_POSTS_MAX; i++) await wait();
    const page = await open();
    expect(page.posts).toHaveLength(PORTAL_POSTS_MAX);
    const rest = await open({ cursor: page.next });
    expect([rest.posts.length, rest.next]).toEqual([1, null]);
    expect(page.posts.map(({ post }) => post)).not.toContain(rest.posts[0]?.post);
  });

  it("ends a page early if it has skipped too many posts of other scopes, and the next page goes on", async () => {
    const { open, wait, second, workspaceId } = await setUpPortal();
    const hidden = await wait({ channels: [second] });
    const [row = expect.fail("no post")] = await db.select().from(posts).where(eq(posts.id, hidden));
    const others = Array.from({ length: 600 }, (_, i) => ({
      ...row,
      id: `${hidden.slice(0, -4)}z${String(i).padStart(3, "0")}`,
    }));
    // D1 allows a hundred parameters in a statement.
    for (let i = 0; i < others.length; i += 2) await db.insert(posts).values(others.slice(i, i + 2));
    const last = await wait({ publish_at: new Date(NOW + HOUR_MS).toISOString() });
    expect(await db.$count(posts, eq(posts.workspaceId, workspaceId))).toBe(602);
    const page = await open();
    expect([page.posts, page.next]).toEqual([[], expect.any(String)]);
    expect((await open({ cursor: page.next })).posts).toMatchObject([{ post: last }]);
  });

  it("takes decisions on all posts at once, and shows them afterwards", async () => {
    const { open, decide, wait } = await setUpPortal();
    await wait();
    await wait();
    const shown = (await open()).posts;
    expect(await decide(approveAll(shown))).toEqual(["approved", "approved"]);
    const after = await open();
    expect(after.posts).toEqual([]);
    expect(after.decided).toMatchObject([
      { decision: "approve", by: "Clara", reason: null, text: "hello" },
      { decision: "approve", by: "Clara", reason: null, text: "hello" },
    ]);
    expect(await decide(approveAll(shown))).toEqual(["closed", "closed"]);
  });

  it("shows of a decided post only content that was decided on, and nothing once the post is out of its scope", async () => {
    const { open, decide, wait, call, owner, first, second } = await setUpPortal();
    const shownText = { overrides: { [first]: { text: "For the channel" } } };
    const [kept, edited, moved] = [await wait(shownText), await wait(), await wait()];
    await decide(approveAll((await open()).posts));
    await call("posts.update", { as: owner, id: edited, body: { text: "Not yet for the client" } });
    await call("posts.update", { as: owner, id: moved, body: { channels: [second] } });
    const { decided } = await open();
    const byId = Object.fromEntries(
      (decided as { post: string; status: unknown; text: unknown }[]).map(({ post, status, text }) => [
        post,
        [status, text],
      ]),
    );
    expect(byId).toEqual({
      [kept]: [expect.any(String), "For the channel"],
      [edited]: [expect.any(String), null],
      [moved]: [null, null],
    });
  });

  it("declines with a reason, in the visitor's name", async () => {
    const { open, decide, wait } = await setUpPortal();
    const id = await wait();
    const decisions = (await open()).posts.map((shown) => ({
      ...version(shown),
      decision: "decline",
      reason: "Not\r\nyet",
    }));
    expect(await decide(decisions)).toEqual(["declined"]);
    const [row] = await db.select().from(posts).where(eq(posts.id, id));
    expect(row).toMatchObject({ status: "draft", approval: { state: "declined", by: "Clara", reason: "Not\nyet" } });
    expect((await open()).decided).toMatchObject([{ decision: "decline", reason: "Not\nyet", status: "draft" }]);
  });

  it("decides on exactly the version that was shown", async () => {
    const { open, decide, wait, call, owner } = await setUpPortal();
    const [edited, kept] = [await wait(), await wait()];
    const shown = (await open()).posts;
    await call("posts.update", { as: owner, id: edited, body: { text: "other" } });
    const results = await decide(approveAll(shown));
    expect(Object.fromEntries(shown.map(({ post }, i) => [post, results[i]]))).toEqual({
      [edited]: "changed",
      [kept]: "approved",
    });
    const [again] = (await open()).posts;
    const otherTag = { ...version(again ?? expect.fail("no post")), content_tag: "x", decision: "approve" };
    expect(await decide([otherTag])).toEqual(["changed"]);
  });

  it("decides on no post outside its scope", async () => {
    const { open, decide, wait, second, createPortal, invoke } = await setUpPortal();
    await wait({ channels: [second] });
    const { body } = await createPortal({ channels: [second] });
    const token = String(body.url).split("/").at(-1) ?? "";
    const other = Object(await invoke("portals.open", undefined, {}, token)) as Opened;
    expect((await open()).posts).toEqual([]);
    expect(await decide(approveAll(other.posts))).toEqual(["closed"]);
  });

  it("refuses a decision without a name, or a refusal without a reason, and decides nothing", async () => {
    const { open, invoke, wait } = await setUpPortal();
    await wait();
    const [shown = expect.fail("no post")] = (await open()).posts;
    const attempt = (body: object) => catchRefusal(invoke("portals.decide", body));
    const unnamed = await attempt({ name: " ", decisions: approveAll([shown]) });
    expect([unnamed.code, unnamed.detail.field]).toEqual(["invalid_field", "/name"]);
    const silent = await attempt({
      name: "Clara",
      decisions: [{ ...version(shown), decision: "decline", reason: " " }],
    });
    expect([silent.code, silent.detail.field]).toEqual(["missing_field", "/decisions/0/reason"]);
    expect((await open()).posts).toHaveLength(1);
  });

  it("refuses a post whose time has passed, and says so beforehand", async () => {
    const { open, decide, wait } = await setUpPortal();
    const id = await wait();
    await db
      .update(posts)
      .set({ publishAt: NOW - HOUR_MS })
      .where(eq(posts.id, id));
    const { posts: shown } = await open();
    expect(shown).toMatchObject([{ is_late: true }]);
    expect(await decide(approveAll(shown))).toEqual(["refused"]);
  });

  it("takes comments of visitors, which members read, and shows no comments of members", async () => {
    const { open, invoke, wait, call, owner, second } = await setUpPortal();
    const id = await wait();
    await call("comments.create", { as: owner, id, body: { text: "internal" } });
    const comment = (post: string, fields: object = {}) =>
      invoke("portals.comment", { post, name: " Clara ", text: "Larger?", ...fields });
    expect(await comment(id)).toMatchObject({ by: "Clara", text: "Larger?" });
    expect((await open()).posts).toMatchObject([{ comments: [{ by: "Clara", text: "Larger?" }] }]);
    const read = await call("comments.list", { as: owner, id });
    expect(read.body).toMatchObject({ comments: expect.arrayContaining([expect.objectContaining({ by: "Clara" })]) });
    expect((await catchRefusal(comment(await wait({ channels: [second] })))).code).toBe("not_found");
    expect((await catchRefusal(comment(id, { name: "" }))).detail.field).toBe("/name");
    expect((await catchRefusal(comment(id, { text: " " }))).detail.field).toBe("/text");
  });

  it("counts its creator as a decider where two people are required", async () => {
    const { open, decide, create, owner, first } = await setUpPortal({}, { fourEyes: true });
    await create({ channels: [first] }, { as: owner });
    expect(await decide(approveAll((await open()).posts))).toEqual(["own_change"]);
  });

  it("is closed while its creator may not publish, and after its end", async () => {
    const { invoke, open, owner, call, join, portal } = await setUpPortal();
    const other = await join("owner");
    await db.update(members).set({ role: "author" }).where(eq(members.userId, owner.userId));
    expect((await catchRefusal(invoke("portals.open", undefined))).code).toBe("not_found");
    expect((await call("portals.list", { as: other })).body).toMatchObject({ portals: [{ is_active: false }] });
    await db.update(members).set({ role: "publisher" }).where(eq(members.userId, owner.userId));
    expect((await open()).name).toBe("Northwind");
    await db
      .update(portals)
      .set({ expiresAt: 1 })
      .where(eq(portals.id, String(portal.id)));
    expect((await catchRefusal(invoke("portals.open", undefined))).code).toBe("not_found");
    expect((await call("portals.list", { as: other })).body).toEqual({ portals: [], next: null });
  });
});
