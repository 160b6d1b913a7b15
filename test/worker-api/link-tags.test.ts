// The parameters that a workspace adds to links: checked, shown, approved, published and read back as one text.
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import {
  type Account,
  call,
  connect,
  finished,
  getPost,
  ledger,
  type PostBody,
  post,
  signUp,
} from "../support/world.ts";

const TAGS = { parameters: { utm_source: "{network}", utm_content: "{post}" }, domains: null };
const setTags = ({ session, workspace }: Account, link_tags: object | null) =>
  call("PATCH", `/v1/workspaces/${workspace}`, { token: session, body: { link_tags } });
type DryRun = { deliveries: { text: string; text_length: number }[] };
const check = (key: string, body: object) =>
  call<DryRun & { violations: { code: string }[] }>("POST", "/v1/posts", {
    token: key,
    body: { ...body, dry_run: true },
  });

describe("the parameters of a workspace", () => {
  it("are in the text that is checked, approved and published", async () => {
    const account = await signUp();
    const { key } = account;
    const { id: channel, handle } = await connect(key, "bluesky");
    expect((await setTags(account, TAGS)).status).toBe(200);
    const text = "Read https://example.com/a";
    const dry = await check(key, { text, channels: [channel] });
    const added = (id: string) => `?utm_source=bluesky&utm_content=${id}`;
    expect(dry.body.deliveries[0]?.text).toMatch(
      /^Read https:\/\/example\.com\/a\?utm_source=bluesky&utm_content=post_0+$/,
    );
    expect(
      (await check(key, { text: `${"x".repeat(260)} https://example.com`, channels: [channel] })).body.violations,
    ).toMatchObject([{ code: "text_too_long" }]);
    const created = await post(key, { text, channels: [channel] });
    expect(created).toMatchObject({ text, link_tags: TAGS });
    await finished(key, created.id);
    expect((await ledger(handle)).map((published) => published.text)).toEqual([`${text}${added(created.id)}`]);
    await eventually(async () => {
      const [delivery] = (await getPost(key, created.id)).deliveries;
      expect(delivery).toMatchObject({ status: "live" });
    });
  });

  it("stay with a post, which can have its own or none", async () => {
    const account = await signUp();
    const { key } = account;
    const { id: channel } = await connect(key, "telegram");
    await setTags(account, TAGS);
    const draft = (body: object) =>
      post(key, { text: "https://example.com", channels: [channel], draft: true, ...body });
    const kept: PostBody = await draft({});
    await setTags(account, null);
    expect(await getPost(key, kept.id)).toMatchObject({ link_tags: TAGS });
    const patched = await call<PostBody>("PATCH", `/v1/posts/${kept.id}`, { token: key, body: { link_tags: null } });
    expect(patched.body).toMatchObject({ link_tags: null });
    expect(patched.body.content_tag).not.toBe(kept.content_tag);
    expect(await draft({})).toMatchObject({ link_tags: null });
    const own = { parameters: { utm_campaign: "{label}" } };
    expect(await draft({ link_tags: own, labels: ["spring"] })).toMatchObject({
      link_tags: { parameters: { utm_campaign: "spring" }, domains: null },
    });
  });

  it("can be ten with the longest values, for fifty sites", async () => {
    const parameters = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`p${i}`, "x".repeat(200)]));
    const domains = Array.from({ length: 50 }, (_, i) => `${"x".repeat(60)}.shop${i}.example.com`);
    const { status, body } = await setTags(await signUp(), { parameters, domains });
    expect([status, body]).toMatchObject([200, { link_tags: { parameters, domains } }]);
  });

  it.each([
    [{ parameters: { "utm source": "x" } }],
    [{ parameters: { utm_source: "{nobody}" } }],
    [{ parameters: { utm_source: "x" }, domains: ["not a host"] }],
    [{ parameters: Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`p${i}`, "x"])) }],
  ])("are refused if they are not valid: %j", async (tags) => {
    expect((await setTags(await signUp(), tags)).status).toBe(422);
  });
});
