// What Instagram and Threads promise alike: one container is published once, whatever is lost on the way; tokens renew
// themselves; a person's consent leads to an account.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { instagram } from "../../src/networks/instagram/index.ts";
import type { App, MediaFile, Network, Publication } from "../../src/networks/network.ts";
import { threads } from "../../src/networks/threads/index.ts";
import { connected, graphError, ioWithClock, onCall, prepare, readyToken, type Signed, tokenOf } from "./containers.ts";
import { hosted, jpeg, ledger, png, publication, unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

interface Names {
  /** Names of the calls. */
  make: string;
  publish: string;
  container: string;
  post: string;
  list: string;
  quota: string;
  /** The member of a container that holds its state. */
  status: string;
  scopes: [basic: string, publish: string];
  image(position: number): MediaFile;
  /** What publishing a container that is not visible yet is answered. */
  notVisible: ReturnType<typeof graphError>;
}
const CASES: [string, Network, Names][] = [
  [
    "Threads",
    threads,
    {
      make: "threads",
      publish: "threads_publish",
      container: "threads-container",
      post: "threads-media",
      list: "threads-list",
      quota: "threads_publishing_limit",
      status: "status",
      scopes: ["threads_basic", "threads_content_publish"],
      image: png,
      notVisible: graphError(24, 4279009),
    },
  ],
  [
    "Instagram",
    instagram,
    {
      make: "media",
      publish: "media_publish",
      container: "ig-container",
      post: "ig-media",
      list: "media-list",
      quota: "content_publishing_limit",
      status: "status_code",
      scopes: ["instagram_business_basic", "instagram_business_content_publish"],
      image: jpeg,
      notVisible: graphError(9007, 2207027),
    },
  ],
];

describe.each(CASES)("%s", (_, network, names) => {
  const { platform } = network.rule;
  const account = (input: object = {}) => connected(simulators, network, input);
  const fault = (signed: Signed, call: string, what: object) => onCall(simulators, network, signed, call, what);
  const images = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, i) => hosted(simulators, names.image(i))));
  const post = async (text: string, count = 1): Promise<Publication<Json>> =>
    publication(text, { media: await images(count) });
  const ready = async (text: string) => {
    const signed = await account();
    const publication = await post(text);
    return {
      signed,
      context: signed.context,
      post: publication,
      handle: await readyToken(network, publication, signed),
    };
  };
  /** The containers that were asked for. */
  const made = ({ calls }: Signed) =>
    calls.filter(({ url, body }) => body !== null && new URL(url).pathname.endsWith(`/${names.make}`));
  const state = (status: string) => ({ do: "status", status: 200, body: { id: "1", [names.status]: status } });

  describe("a send", () => {
    it("goes out once, under the address that the network names", async () => {
      const { signed, context, post, handle: publishHandle } = await ready("once");
      const outcome = await network.publish(post, publishHandle, context);
      const [entry, ...others] = await ledger(simulators, signed.handle);
      expect(others).toEqual([]);
      expect(outcome).toEqual({ is: "live", id: entry?.id, url: entry?.url, urlState: "none" });
    });

    it("whose address cannot be read is live all the same", async () => {
      const { signed, context, post, handle: publishHandle } = await ready("no address");
      await fault(signed, names.post, { do: "status", status: 500, body: "" });
      const outcome = await network.publish(post, publishHandle, context);
      expect(outcome).toMatchObject({ is: "live", url: null, urlState: "pending" });
      const id = outcome.is === "live" ? outcome.id : "";
      const [entry] = await ledger(simulators, signed.handle);
      expect(await network.verify({ id, handle: publishHandle }, context)).toEqual({ is: "there", url: entry?.url });
    });

    it("whose answer is lost is found by its text, and nothing is sent again", async () => {
      const { signed, context, post, handle: publishHandle } = await ready("lost & found");
      await fault(signed, names.publish, { do: "reset_after_accept" });
      expect(await network.publish(post, publishHandle, context)).toMatchObject({ is: "unknown" });
      const [entry] = await ledger(simulators, signed.handle);
      expect(await network.reconcile?.(publishHandle, context)).toEqual({
        is: "live",
        id: entry?.id,
        url: entry?.url,
        urlState: "none",
      });
      expect(await ledger(simulators, signed.handle)).toHaveLength(1);
    });

    it("that never arrived is not published, and the same container may go again", async () => {
      const { signed, context, post, handle: publishHandle } = await ready("never");
      await fault(signed, names.publish, { do: "reset_before" });
      expect(await network.publish(post, publishHandle, context)).toMatchObject({ is: "unknown" });
      expect(await network.reconcile?.(publishHandle, context)).toEqual({ is: "not_published" });
      expect(await network.publish(post, publishHandle, context)).toMatchObject({ is: "live" });
      expect(await ledger(simulators, signed.handle)).toHaveLength(1);
    });

    it("of a container that is out already is live, whatever the network answers to it", async () => {
      const { signed, context, post, handle: publishHandle } = await ready("twice");
      const first = await network.publish(post, publishHandle, context);
      expect(await network.publish(post, publishHandle, context)).toEqual(first);
      await fault(signed, names.publish, graphError(10));
      expect(await network.publish(post, publishHandle, context)).toEqual(first);
      expect(await ledger(simulators, signed.handle)).toHaveLength(1);
    });

    it("of a container that is not visible yet goes out a little later, as the same one", async () => {
      const { signed, context, post, handle: publishHandle } = await ready("soon");
      await fault(signed, names.publish, { ...names.notVisible, count: 2 });
      let at = publishHandle;
      let outcome = await network.publish(post, at, context);
      for (let i = 0; i < 2; i++) {
        expect(outcome).toMatchObject({ is: "retryable", retryAt: expect.any(Number) });
        const again = await prepare(network, post, signed, at);
        if (again.is !== "prepared") throw new Error(JSON.stringify(again));
        at = again.handle;
        outcome = await network.publish(post, at, context);
      }
      expect(outcome).toMatchObject({ is: "live" });
      expect(made(signed)).toHaveLength(1);
      expect(await ledger(simulators, signed.handle)).toHaveLength(1);
    });

    it("of a container that never becomes visible gets a new one, but only once the old one is not out", async () => {
      const { signed, context, post, handle: publishHandle } = await ready("never visible");
      await fault(signed, names.publish, { ...names.notVisible, count: 50 });
      let at = publishHandle;
      for (let i = 0; i < 8 && made(signed).length === 1; i++) {
        expect(await network.publish(post, at, context)).toMatchObject({
          is: "retryable",
          error: "network_unavailable",
        });
        const again = await prepare(network, post, signed, at);
        if (again.is !== "prepared") throw new Error(JSON.stringify(again));
        at = again.handle;
      }
      expect(made(signed)).toHaveLength(2);
      await fault(signed, names.publish, { ...names.notVisible });
      // The other way: the container is out though the network said that it cannot be found.
      const misreported = await ready("told wrongly");
      await fault(misreported.signed, names.publish, { ...names.notVisible, do: "status_after_accept" });
      expect(await network.publish(misreported.post, misreported.handle, misreported.context)).toMatchObject({
        is: "live",
        urlState: "none",
      });
    });
  });

  describe("reconciling a container that is out, without its post's id", () => {
    const lost = async (signed: Signed, text: string) => {
      const publication = await post(text);
      const publishHandle = await readyToken(network, publication, signed);
      await fault(signed, names.publish, { do: "reset_after_accept" });
      expect(await network.publish(publication, publishHandle, signed.context)).toMatchObject({ is: "unknown" });
      return publishHandle;
    };

    it("is not that of a post that was there before, with the same text", async () => {
      const signed = await account();
      const before = await lost(signed, "same");
      const old = await network.reconcile?.(before, signed.context);
      const publishHandle = await lost(signed, "same");
      const [first, second] = await ledger(simulators, signed.handle);
      expect(old).toMatchObject({ id: first?.id });
      expect(await network.reconcile?.(publishHandle, signed.context)).toMatchObject({ is: "live", id: second?.id });
    });

    it("is never that of the newest post: another text, no text, or two of the same are not ours", async () => {
      const signed = await account();
      const publishHandle = await lost(signed, "ours");
      const [entry] = await ledger(simulators, signed.handle);
      await fetch(`${simulators.url}/_sim/posts/${platform}/${entry?.id}`, { method: "DELETE" });
      const other = await lost(signed, "another");
      const answer = await network.reconcile?.(publishHandle, signed.context);
      expect(answer).toMatchObject({
        is: "live",
        id: expect.stringMatching(/^container:\d+$/),
        url: null,
        urlState: "pending",
      });
      const id = answer?.is === "live" ? answer.id : "";
      expect(await network.verify({ id, handle: publishHandle }, signed.context)).toMatchObject({ is: "unknown" });
      expect(await network.readMetrics?.({ id, handle: publishHandle }, signed.context)).toMatchObject({
        is: "unknown",
      });
      expect(await network.reconcile?.(other, signed.context)).toMatchObject({ urlState: "none" });

      const silent = await lost(signed, "");
      expect(await network.reconcile?.(silent, signed.context)).toMatchObject({ is: "live", urlState: "not_reported" });
    });

    it("is found later, when the list shows it later", async () => {
      const signed = await account();
      const publishHandle = await lost(signed, "late");
      await fault(signed, names.list, { do: "status", status: 200, body: { data: [] } });
      const answer = await network.reconcile?.(publishHandle, signed.context);
      expect(answer).toMatchObject({ is: "live", urlState: "pending" });
      const id = answer?.is === "live" ? answer.id : "";
      const [entry] = await ledger(simulators, signed.handle);
      expect(await network.verify({ id, handle: publishHandle }, signed.context)).toEqual({
        is: "there",
        url: entry?.url,
      });
    });
  });

  describe("reconciled, a container", () => {
    it.each([
      [state("ERROR"), { is: "void" }],
      [state("EXPIRED"), { is: "void" }],
      [state("IN_PROGRESS"), { is: "unknown" }],
      [state("NEVER_SEEN_BEFORE"), { is: "unknown" }],
      [graphError(100, 33), { is: "unknown" }],
      [graphError(4), { is: "unknown" }],
      [graphError(190, 463, {}, 401), { is: "unauthorized" }],
      [{ do: "reset_before" }, { is: "unknown" }],
      [{ do: "status", status: 500, body: "" }, { is: "unknown" }],
      [{ do: "status", status: 200, body: "<h1>Welcome</h1>" }, { is: "unknown" }],
    ])("that answers %j is %j", async (what, reconciliation) => {
      const { signed, context, handle: publishHandle } = await ready("fate");
      await fault(signed, names.container, what);
      expect(await network.reconcile?.(publishHandle, context)).toMatchObject(reconciliation);
    });
  });

  describe("after a crash", () => {
    it("at any checkpoint of a carousel it goes on with the containers that it has", async () => {
      const signed = await account();
      const publication = await post("carousel", 3);
      const saved: Json[] = [];
      const first = await prepare(network, publication, signed, null, (publishHandle) => saved.push(publishHandle));
      expect(first).toMatchObject({ is: "prepared" });
      expect(saved.length).toBeGreaterThanOrEqual(7);
      expect(made(signed)).toHaveLength(4);
      for (const publishHandle of saved) {
        const before = made(signed).length;
        expect(await prepare(network, publication, signed, publishHandle)).toMatchObject({ is: "prepared" });
        const { ids } = publishHandle as { ids?: string[] };
        // What is missing is made: the other files, and the carousel itself.
        expect(made(signed).length - before).toBe(ids === undefined ? 0 : 4 - ids.length);
      }
      expect(await ledger(simulators, signed.handle)).toEqual([]);
    });

    it("a ready container is asked for, and kept as it is", async () => {
      const { signed, context, post, handle: publishHandle } = await ready("kept");
      signed.calls.length = 0;
      const again = await network.prepare(post, context, publishHandle, async () => {});
      expect(again).toMatchObject({ is: "prepared", handle: { id: (publishHandle as { id: string }).id } });
      expect(signed.calls).toHaveLength(1);
    });

    it.each(["EXPIRED", "ERROR"])("a ready container that is %s is replaced", async (status) => {
      const { signed, post, handle: publishHandle } = await ready("old");
      await fault(signed, names.container, state(status));
      const again = await prepare(network, post, signed, publishHandle);
      expect(again).toMatchObject({ is: "prepared", handle: { id: expect.not.stringContaining(idOf(publishHandle)) } });
    });

    it("one whose state cannot be read stays, and is asked for later", async () => {
      const { signed, context, post, handle: publishHandle } = await ready("unread");
      await fault(signed, names.container, { do: "reset_before" });
      expect(await network.prepare(post, context, publishHandle, async () => {})).toMatchObject({ is: "retryable" });
      await fault(signed, names.container, graphError(190, 463, {}, 401));
      expect(await network.prepare(post, context, publishHandle, async () => {})).toMatchObject({ is: "unauthorized" });
    });
  });
  const idOf = (publishHandle: Json) => (publishHandle as { id: string }).id;

  it("a container that stays in progress is given up for a new one, and in the end for good", async () => {
    const signed = await account();
    const publication = await post("stuck");
    await fault(signed, names.container, { ...state("IN_PROGRESS"), count: 1_000 });
    const answer = await prepare(network, publication, signed);
    expect(answer).toMatchObject({
      is: "retryable",
      error: "network_unavailable",
      detail: expect.stringContaining("file 1"),
    });
    expect(made(signed)).toHaveLength(3);
  });

  it("looks at a container often at first, then once a minute", async () => {
    const signed = await account();
    const publication = await post("slow");
    await fault(signed, names.container, { ...state("IN_PROGRESS"), count: 1_000 });
    let publishHandle: Json = null;
    const waits: number[] = [];
    while (waits.length < 30) {
      const answer = await network.prepare(publication, signed.context, publishHandle, async (saved) => {
        publishHandle = saved;
      });
      if (answer.is !== "retryable" || answer.retryAt === undefined) throw new Error(JSON.stringify(answer));
      waits.push(answer.retryAt - signed.context.io.now());
      signed.pass(answer.retryAt - signed.context.io.now());
    }
    expect(waits[0]).toBeLessThanOrEqual(1_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(MINUTE_MS);
    expect(waits.at(-1)).toBeGreaterThan(MINUTE_MS - 1_000);
  });

  it("a used-up day is waited for before anything is made; one that cannot be read stops nothing", async () => {
    const signed = await account();
    const data = [{ quota_usage: 250, config: { quota_total: 250, quota_duration: 86_400 } }];
    await fault(signed, names.quota, { do: "status", status: 200, body: { data } });
    const publication = await post("full");
    const before = signed.context.io.now();
    const answer = await network.prepare(publication, signed.context, null, async () => {});
    expect(answer).toMatchObject({
      is: "retryable",
      error: "network_quota",
      detail: expect.stringContaining("250 of 250"),
    });
    expect(answer.is === "retryable" ? answer.notBefore : 0).toBeGreaterThanOrEqual(before + 60 * MINUTE_MS);
    expect(made(signed)).toEqual([]);
    await fault(signed, names.quota, { do: "status", status: 500, body: "" });
    expect(await prepare(network, publication, signed)).toMatchObject({ is: "prepared" });
  });

  it("the network's own instant of regained access counts", async () => {
    const signed = await account();
    const usage = { "1784": [{ type: "x", call_count: 100, estimated_time_to_regain_access: 42 }] };
    const headers = { "x-business-use-case-usage": JSON.stringify(usage) };
    await fault(signed, names.make, { ...graphError(4), headers });
    const before = signed.context.io.now();
    const answer = await network.prepare(await post("limited"), signed.context, null, async () => {});
    expect(answer).toMatchObject({ is: "retryable", error: "network_quota" });
    expect((answer.is === "retryable" ? (answer.notBefore ?? 0) : 0) - before).toBeGreaterThanOrEqual(42 * MINUTE_MS);
  });

  it("an error is known by its code, whatever else is in it", async () => {
    const signed = await account();
    const odd = { message: null, error_subcode: null, is_transient: "no", error_user_msg: 7 };
    await fault(signed, names.make, graphError(10, undefined, odd));
    const answer = await network.prepare(await post("odd"), signed.context, null, async () => {});
    expect(answer).toEqual({ is: "rejected", error: "permission_missing", detail: "(10)" });
  });

  it("verifying tells what is there, what is gone, and when nobody knows", async () => {
    const { signed, context, post, handle: publishHandle } = await ready("looked at");
    const outcome = await network.publish(post, publishHandle, context);
    if (outcome.is !== "live") throw new Error(outcome.is);
    const { id, url } = outcome;
    expect(await network.verify({ id, handle: publishHandle }, context)).toEqual({ is: "there", url });
    for (const what of [
      graphError(4),
      graphError(190),
      { do: "status", status: 500, body: "" },
      { do: "reset_before" },
    ]) {
      await fault(signed, names.post, what);
      expect(await network.verify({ id, handle: publishHandle }, context)).toMatchObject({ is: "unknown" });
    }
    await fetch(`${simulators.url}/_sim/posts/${platform}/${id}`, { method: "DELETE" });
    expect(await network.verify({ id, handle: null }, context)).toEqual({ is: "gone" });
  });

  describe("a token that is handed over", () => {
    const [basic, publish] = names.scopes;
    const connect = (input: object) => network.connect(input as Json, ioWithClock(simulators, platform).io);

    it("tells whose account it is", async () => {
      const handle = unique("own_");
      const access_token = tokenOf(handle);
      const answer = await connect({ access_token, scopes: [basic, publish] });
      expect(answer).toMatchObject({
        is: "connected",
        accountId: expect.stringMatching(/^17841\d{12}$/),
        handle,
        name: handle.toUpperCase(),
        avatarUrl: expect.stringMatching(/^https:/),
        profileUrl: expect.stringContaining(handle),
        tokenExpiresAt: null,
      });
      const accountId = answer.is === "connected" ? answer.accountId : "";
      expect(await connect({ access_token, account_id: accountId })).toMatchObject({ is: "connected" });
      expect(await connect({ access_token, account_id: "17841000000000000" })).toMatchObject({
        is: "credentials_refused",
        field: "/account_id",
        message: expect.stringContaining(accountId),
      });
    });

    it("that is no token, or lacks a permission, is refused with what is missing", async () => {
      const refused = (field: string, hint: string) => ({
        is: "credentials_refused",
        field,
        hint: expect.stringContaining(hint),
      });
      expect(await connect({ access_token: "nonsense" })).toMatchObject(refused("/access_token", "60 days"));
      const handle = unique("weak_");
      expect(await connect({ access_token: tokenOf(handle, [basic]) })).toMatchObject(
        refused("/access_token", publish),
      );
      expect(await connect({ access_token: tokenOf(handle, [publish]) })).toMatchObject(
        refused("/access_token", basic),
      );
      expect(await connect({ access_token: tokenOf(handle), scopes: [basic] })).toMatchObject(
        refused("/scopes", publish),
      );
    });

    it("is not judged when the network cannot be asked", async () => {
      const signed = await account();
      const access_token = tokenOf(signed.handle);
      for (const call of ["me", names.quota]) {
        await fault(signed, call, { do: "status", status: 500, body: "" });
        expect(await connect({ access_token })).toMatchObject({ is: "retryable", error: "network_unavailable" });
      }
    });

    it("that ends within two days is renewed at once; one that cannot be needs a person then", async () => {
      const soon = new Date(Date.now() + DAY_MS).toISOString();
      const access_token = tokenOf(unique("soon_"));
      const answer = await connect({ access_token, expires_at: soon });
      expect(answer).toMatchObject({ is: "connected", tokenExpiresAt: null });
      expect(answer).not.toMatchObject({ credential: { access_token } });
      const signed = await account();
      await fault(signed, "refresh_access_token", graphError(100));
      const still = await connect({ access_token: tokenOf(signed.handle), expires_at: soon });
      expect(still).toMatchObject({ is: "connected", tokenExpiresAt: Date.parse(soon) });
    });
  });

  describe("renewing", () => {
    it("is due after a week, and gives 60 more days under another token", async () => {
      const expires_at = new Date(Date.now() + 50 * DAY_MS).toISOString();
      const signed = await account({ expires_at });
      const { credential } = signed.context;
      const due = (network.refreshAt?.(credential) ?? 0) - Date.now();
      expect(due).toBeGreaterThan(6.9 * DAY_MS);
      expect(due).toBeLessThanOrEqual(7 * DAY_MS);
      signed.pass(8 * DAY_MS);
      const fresh = await network.refresh?.(signed.context);
      if (fresh?.is !== "fresh") throw new Error(JSON.stringify(fresh));
      expect(fresh.credential).not.toMatchObject({
        access_token: (credential as { access_token: string }).access_token,
      });
      expect(fresh.credential).toMatchObject({ expires_at: expect.any(Number) });
      expect(network.refreshAt?.(fresh.credential)).toBeGreaterThan(signed.context.io.now() + 6.9 * DAY_MS);
      const context = { ...signed.context, credential: fresh.credential };
      const publication = await post("renewed");
      const publishHandle = await readyToken(network, publication, { ...signed, context });
      expect(await network.publish(publication, publishHandle, context)).toMatchObject({ is: "live" });
    });

    it("is due after a day when nobody said how long the token lives", async () => {
      const signed = await account();
      const due = (network.refreshAt?.(signed.context.credential) ?? 0) - Date.now();
      expect(due).toBeGreaterThan(0.9 * DAY_MS);
      expect(due).toBeLessThanOrEqual(DAY_MS);
    });

    it.each([
      { do: "reset_after_accept" },
      { do: "reset_before" },
      { do: "status", status: 500, body: "" },
      { do: "status", status: 200, body: {} },
      { do: "status", status: 200, body: { access_token: "x" } },
      { do: "status", status: 200, body: { access_token: "", expires_in: 5_183_944 } },
      { do: "status", status: 200, body: "<h1>Welcome</h1>" },
      graphError(1),
      graphError(4),
      graphError(100),
    ])("answered %j changes nothing, and is tried later", async (what) => {
      const signed = await account();
      signed.pass(2 * DAY_MS);
      await fault(signed, "refresh_access_token", what);
      expect(await network.refresh?.(signed.context)).toMatchObject({ is: "retryable", error: "network_unavailable" });
      expect(await network.refresh?.(signed.context)).toMatchObject({ is: "fresh" });
    });

    it("of a dead token is refused, for what it died of", async () => {
      const expires_at = new Date(Date.now() + 10 * DAY_MS).toISOString();
      const signed = await account({ expires_at });
      await fault(signed, "refresh_access_token", { ...graphError(190, 460, {}, 401), count: 2 });
      signed.pass(8 * DAY_MS);
      expect(await network.refresh?.(signed.context)).toMatchObject({ is: "rejected", error: "token_revoked" });
      signed.pass(8 * DAY_MS);
      expect(await network.refresh?.(signed.context)).toMatchObject({ is: "rejected", error: "token_expired" });
    });

    it("of a token that is too young only asks for it", async () => {
      const signed = await account();
      expect(await network.refresh?.(signed.context)).toEqual({ is: "fresh", credential: signed.context.credential });
      expect(signed.calls.filter(({ url }) => url.includes("refresh"))).toEqual([]);
      await fault(signed, "me", { do: "status", status: 500, body: "" });
      expect(await network.refresh?.(signed.context)).toMatchObject({ is: "retryable" });
      const answer = await fetch(`${simulators.url}/_sim/faults`, {
        method: "POST",
        body: JSON.stringify({ platform, account: signed.handle, expire_token: true }),
      });
      expect(answer.status).toBe(201);
      const publication = await post("expired");
      expect(await network.prepare(publication, signed.context, null, async () => {})).toMatchObject({
        is: "unauthorized",
      });
      expect(await network.refresh?.(signed.context)).toMatchObject({ is: "rejected", error: "token_revoked" });
    });
  });

  describe("a person's consent", () => {
    const redirectUri = "https://crier.example/v1/oauth/callback?x=1";

    /** What the person's browser is sent back with. */
    async function decide(app: App, choice: Record<string, string>) {
      const asked = network.consent?.address(app, { redirectUri, state: "st&te", challenge: "unused" }) ?? "";
      const { pathname, searchParams } = new URL(asked);
      const page = `${simulators.url}/${platform}${pathname}?${searchParams}`;
      expect(await (await fetch(page)).text()).toContain("<form");
      const answer = await fetch(`${page}&${new URLSearchParams(choice)}`, { redirect: "manual" });
      return new URL(answer.headers.get("location") ?? "nowhere:");
    }
    const app = { clientId: `sandbox-${platform}`, clientSecret: "sandbox", scopes: null };
    const exchange = (code: string, of = app) =>
      network.consent?.exchange({ code, redirectUri, verifier: "unused" }, of, ioWithClock(simulators, platform).io);

    it("leads to the account, with a token of 60 days", async () => {
      const handle = unique("person_");
      const back = await decide(app, { decision: "allow", account: handle });
      expect(back.searchParams.get("state")).toBe("st&te");
      expect(back.searchParams.get("x")).toBe("1");
      const granted = await exchange(back.searchParams.get("code") ?? "");
      if (granted?.is !== "granted") throw new Error(JSON.stringify(granted));
      const [only, ...others] = granted.accounts;
      expect(others).toEqual([]);
      expect(only).toMatchObject({ handle, accountId: expect.stringMatching(/^17841\d{12}$/), tokenExpiresAt: null });
      const credential = only?.credential ?? null;
      expect(credential).toMatchObject({ user_id: only?.accountId });
      const { expires_at } = credential as { expires_at: number };
      expect(expires_at - Date.now()).toBeGreaterThan(59 * DAY_MS);
      const { io, pass } = ioWithClock(simulators, platform);
      const signed = { handle, context: { credential, io }, calls: io.calls, pass };
      const publication = await post("by consent");
      const publishHandle = await readyToken(network, publication, signed);
      expect(await network.publish(publication, publishHandle, signed.context)).toMatchObject({ is: "live" });
    });

    it("takes a code once, with the mark behind it or without", async () => {
      const back = await decide(app, { decision: "allow", account: unique("once_") });
      const code = back.searchParams.get("code") ?? "";
      expect(await exchange(`${code}#_`)).toMatchObject({ is: "granted" });
      expect(await exchange(code)).toMatchObject({ is: "grant_refused", hint: expect.stringContaining("once") });
    });

    it("with fewer permissions than publishing needs is refused, naming them", async () => {
      const [basic, publish] = names.scopes;
      const back = await decide(app, { decision: "allow", account: unique("less_"), scope_granted: basic });
      expect(await exchange(back.searchParams.get("code") ?? "")).toMatchObject({
        is: "grant_refused",
        hint: expect.stringContaining(publish),
      });
    });

    it("that is denied comes back as denied", async () => {
      const back = await decide(app, { decision: "deny" });
      expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: "access_denied", state: "st&te" });
    });

    it("with a wrong secret is refused, and when the network is away it waits", async () => {
      const back = await decide(app, { decision: "allow", account: unique("secret_") });
      const code = back.searchParams.get("code") ?? "";
      expect(await exchange(code, { ...app, clientSecret: "wrong" })).toMatchObject({ is: "grant_refused" });
      const away = { platform, call: "oauth/access_token", do: "status", status: 503, body: "" };
      await fetch(`${simulators.url}/_sim/faults`, { method: "POST", body: JSON.stringify(away) });
      expect(await exchange(code)).toMatchObject({ is: "retryable" });
    });
  });
});
