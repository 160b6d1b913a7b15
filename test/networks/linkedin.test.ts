// What is peculiar to LinkedIn: its connector against its simulator, over HTTP. What every network must do is in
// every-network.test.ts.
import { createHash } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { CATALOGUE } from "../../src/networks/linkedin/api.ts";
import { linkedin } from "../../src/networks/linkedin/index.ts";
import { toLittleText } from "../../src/networks/linkedin/little-text.ts";
import type { Work } from "../../src/networks/network.ts";
import { visibleText } from "../simulators/linkedin/little-text.ts";
import { type Simulators, startSimulators } from "../simulators/server.ts";
import { fault, ledger, makeWire, mp4, publication, staged, unique } from "./wire.ts";

let simulators: Simulators;
beforeAll(async () => {
  simulators = await startSimulators({ port: 0 });
});
afterAll(() => simulators.close());

const MIB = 1024 * 1024;
const DAY_MS = 86_400_000;
const PAGE_SCOPES = [
  "openid",
  "profile",
  "w_member_social",
  "w_organization_social",
  "r_organization_social",
  "rw_organization_admin",
];

async function connect(name: string, more: object = {}) {
  const wire = makeWire(simulators, "linkedin");
  const answer = await linkedin.connect({ access_token: `access-for-${name}`, ...more }, wire);
  return { answer, wire };
}
async function account(as: "member" | "page") {
  const name = unique("lin");
  const first = await connect(name);
  if (first.answer.is !== "connected") return expect.fail(JSON.stringify(first.answer));
  let { answer } = first;
  if (as === "page") {
    const refused = (await connect(name, { account_id: "nobody" })).answer;
    const urn = "hint" in refused ? (/urn:li:organization:\d+/.exec(refused.hint)?.[0] ?? "") : "";
    const page = await connect(name, { account_id: urn });
    if (page.answer.is !== "connected") return expect.fail(JSON.stringify(page.answer));
    answer = page.answer;
  }
  const work: Work<Json> = { credential: answer.credential, wire: first.wire };
  return { name: as === "page" ? `${name}-page` : name, connected: answer, work, wire: first.wire };
}
const onCall = (name: string, call: string, what: object) =>
  fault(simulators, { platform: "linkedin", account: name, call, ...what });

describe("little text", () => {
  it("shows any text as it was written", () => {
    const piece = fc.oneof(fc.constantFrom(..."\\|{}@[]()<>#*_~"), fc.string({ unit: "grapheme", maxLength: 3 }));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join("");
        expect(visibleText(toLittleText(text))).toBe(text);
      }),
    );
  });

  it("leaves a hashtag a hashtag", () => {
    expect(toLittleText("#crier and # and #😀 (x)")).toBe("#crier and \\# and \\#😀 \\(x\\)");
  });
});

describe("connecting", () => {
  it("posts as the member, or as a page that they administer", async () => {
    expect((await account("member")).connected).toMatchObject({ accountId: expect.stringContaining("person") });
    expect((await account("page")).connected).toMatchObject({
      accountId: expect.stringContaining("organization"),
      handle: expect.stringMatching(/-page$/),
    });
  });

  it("needs a person again when the token ends and cannot be renewed", async () => {
    const expires_at = "2027-01-01T00:00:00.000Z";
    const { answer } = await connect(unique("lin"), { expires_at });
    expect(answer).toMatchObject({ tokenExpiresAt: Date.parse(expires_at) });
    if (answer.is !== "connected") return;
    const refreshed = await linkedin.refresh?.({
      credential: answer.credential,
      wire: makeWire(simulators, "linkedin"),
    });
    expect(refreshed).toMatchObject({ is: "refused", error: "token_expired" });
  });

  it("says which field is wrong", async () => {
    expect((await connect("", { access_token: "nonsense" })).answer).toMatchObject({ field: "/access_token" });
    expect((await connect(unique("lin"), { scopes: ["openid"] })).answer).toMatchObject({ field: "/scopes" });
  });

  it.each([
    ["the member alone, with the scopes of every app", null, 1],
    ["the member and their page, with those of a reviewed one", PAGE_SCOPES, 2],
  ])("consent covers %s", async (_, scopes, count) => {
    const wire = makeWire(simulators, "linkedin");
    const app = { ...(wire.app ?? expect.fail("no app")), scopes };
    const flow = linkedin.consent ?? expect.fail("no consent");
    const redirectUri = "http://crier.test/callback";
    const { pathname, search } = new URL(flow.address(app, { redirectUri, state: "s", challenge: "c" }));
    const address = `${simulators.url}/linkedin${pathname}${search}&decision=allow&account=${unique("ada")}`;
    const back = await fetch(address, { redirect: "manual" });
    const code = new URL(back.headers.get("location") ?? "").searchParams.get("code") ?? "";
    const granted = await flow.exchange({ code, redirectUri, verifier: "v" }, app, wire);
    expect(granted).toMatchObject({ is: "granted" });
    expect(granted.is === "granted" && granted.accounts).toHaveLength(count);
  });
});

describe("publishing", () => {
  it("a video in the parts that the network names, each a checkpoint; a restart opens no second upload", async () => {
    const { name, work, wire } = await account("page");
    const video = mp4(9 * MIB + 7);
    const post = publication("moving", { media: [video], options: { media_title: "A title" } });
    const saved: Json[] = [];
    const stage = () => linkedin.stage(post, work, saved.at(-1) ?? null, async (token) => void saved.push(token));
    await onCall(name, "upload", { do: "reset_before", skip: 1 });
    expect((await stage()).is).toBe("busy");
    expect(saved, "the upload and one part").toHaveLength(2);
    expect(await stage()).toMatchObject({ is: "busy", retryAt: expect.any(Number) });
    const ready = await stage();
    if (ready.is !== "staged") return expect.fail(JSON.stringify(ready));
    expect(wire.calls.filter(({ url }) => url.includes("/rest/videos?action=initializeUpload"))).toHaveLength(1);
    expect((await linkedin.send(post, ready.token, work)).is).toBe("live");
    const sha256 = createHash("sha256")
      .update(new Uint8Array(await new Response(await video.open()).arrayBuffer()))
      .digest("hex");
    expect(await ledger(simulators, name)).toMatchObject([
      { media: [{ bytes: video.bytes, sha256 }], detail: { title: "A title" } },
    ]);
  });

  it("begins an upload anew whose addresses have expired", async () => {
    const { name, work, wire } = await account("page");
    const post = publication("moving", { media: [mp4(5 * MIB)] });
    const saved: Json[] = [];
    const stage = () => linkedin.stage(post, work, saved.at(-1) ?? null, async (token) => void saved.push(token));
    await onCall(name, "upload", { do: "status", status: 403, body: "expired" });
    expect((await stage()).is).toBe("busy");
    expect((await stage()).is).toBe("busy");
    expect((await stage()).is).toBe("staged");
    expect(wire.calls.filter(({ url }) => url.includes("action=initializeUpload"))).toHaveLength(2);
  });

  it("an article's card with its thumbnail, to connections only", async () => {
    const { name, work } = await account("member");
    const article = { source: "https://example.com/a", title: "An article", description: "About it" };
    const options = { article, visibility: "CONNECTIONS", disable_reshare: true };
    const post = publication("Read this", { postType: "article", options });
    expect((await linkedin.send(post, await staged(linkedin, post, work), work)).is).toBe("live");
    expect(await ledger(simulators, name)).toMatchObject([
      { detail: { article, visibility: "CONNECTIONS", reshare: true } },
    ]);
  });

  it("refuses to post as a page to connections, before anything is sent", async () => {
    const { work } = await account("page");
    const post = publication("x", { options: { visibility: "CONNECTIONS" } });
    expect(await linkedin.stage(post, work, null, async () => {})).toMatchObject({
      is: "refused",
      error: "content_refused",
    });
  });

  it("what is created is live, also when the answer does not say what", async () => {
    const { name, work } = await account("page");
    const post = publication("x");
    const token = await staged(linkedin, post, work);
    await onCall(name, "posts/create", { do: "status", status: 201, body: "" });
    const sent = await linkedin.send(post, token, work);
    expect(sent).toMatchObject({ is: "live", url: null, urlState: "not_reported" });
    expect((await linkedin.look({ id: "", token }, work)).is).toBe("unknown");
  });
});

describe("a lost answer", () => {
  it("of a member stays unknown, though it is out: nobody may read it", async () => {
    const { name, work } = await account("member");
    const post = publication("once");
    const token = await staged(linkedin, post, work);
    await onCall(name, "posts/create", { do: "reset_after_accept" });
    expect((await linkedin.send(post, token, work)).is).toBe("unsure");
    expect((await linkedin.resolve?.(token, work))?.is).toBe("unsure");
    expect(await ledger(simulators, name)).toHaveLength(1);
  });

  it("of a page is found by its text, whatever is escaped in it", async () => {
    const { name, work } = await account("page");
    const post = publication("(once) #crier *really*");
    const token = await staged(linkedin, post, work);
    await onCall(name, "posts/create", { do: "reset_after_accept" });
    expect((await linkedin.send(post, token, work)).is).toBe("unsure");
    const [entry] = await ledger(simulators, name);
    expect(await linkedin.resolve?.(token, work)).toMatchObject({ is: "live", id: entry?.id });
  });
});

describe("the catalogue", () => {
  it.each(CATALOGUE.map((entry) => [entry.status, entry.code ?? "", entry] as const))(
    "%i %s",
    async (status, code, { means }) => {
      const { name, work } = await account("page");
      const post = publication("x");
      const token = await staged(linkedin, post, work);
      const input = code === "DUPLICATE_POST";
      const body = {
        message: "the network's words",
        ...(input ? { errorDetails: { inputErrors: [{ code }] } } : code === "" ? {} : { code }),
      };
      await onCall(name, "posts/create", { do: "status", status, body });
      const outcome = await linkedin.send(post, token, work);
      expect(outcome).toMatchObject({ detail: expect.stringContaining("the network's words") });
      if (means === "until_midnight") {
        const { notBefore = 0 } = outcome.is === "busy" ? outcome : {};
        expect(notBefore % DAY_MS).toBe(0);
        expect(notBefore).toBeGreaterThan(Date.now());
      } else expect(outcome).toMatchObject({ is: means.is, ...("error" in means ? { error: means.error } : {}) });
    },
  );

  it("a 500 may have created the post", async () => {
    const { name, work } = await account("page");
    const post = publication("x");
    const token = await staged(linkedin, post, work);
    await onCall(name, "posts/create", { do: "status", status: 500, body: {} });
    expect((await linkedin.send(post, token, work)).is).toBe("unsure");
  });

  it("the exact repeat is refused as a duplicate", async () => {
    const { work } = await account("member");
    const post = publication("twice");
    await linkedin.send(post, await staged(linkedin, post, work), work);
    const again = await linkedin.send(post, await staged(linkedin, post, work), work);
    expect(again).toMatchObject({ is: "refused", error: "duplicate_content" });
  });
});

it("a look at a member's post says nothing, and so do its figures", async () => {
  const { work } = await account("member");
  const post = publication("look");
  const token = await staged(linkedin, post, work);
  const sent = await linkedin.send(post, token, work);
  if (sent.is !== "live") return expect.fail(sent.is);
  expect((await linkedin.look({ id: sent.id, token }, work)).is).toBe("unknown");
  expect((await linkedin.measure?.({ id: sent.id, token }, work))?.is).toBe("unknown");
});
