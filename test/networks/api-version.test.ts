// The API version that calls name, and the effect of an expired version on a post.
import { describe, expect, it } from "vitest";
import { facebook } from "../../src/networks/facebook/index.ts";
import { networks, readApi } from "../../src/networks/index.ts";
import { instagram } from "../../src/networks/instagram/index.ts";
import { linkedin } from "../../src/networks/linkedin/index.ts";
import { threads } from "../../src/networks/threads/index.ts";
import { connectAccount } from "./containers.ts";
import * as pages from "./facebook-page.ts";
import { post as postOf } from "./instagram-post.ts";
import { account } from "./linkedin-account.ts";
import { jpeg, makeIO, prepareOnce, publication } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const NONE = { LINKEDIN_VERSION: null, META_VERSION: null };

describe("the version in calls", () => {
  it("is the built-in version unless a setting names another", () => {
    const versions = Object.fromEntries(networks.map((network) => [network.rule.platform, readApi(network, NONE)]));
    expect(versions).toEqual({
      x: { version: "v2", supported_until: null },
      pinterest: { version: "v5", supported_until: null },
      instagram: { version: "v26.0", supported_until: null },
      tiktok: { version: "v2", supported_until: null },
      linkedin: { version: "202609", supported_until: "2027-09-15" },
      youtube: { version: "v3", supported_until: null },
      facebook: { version: "v26.0", supported_until: null },
      threads: { version: "v1.0", supported_until: null },
      bluesky: { version: null, supported_until: null },
      telegram: { version: null, supported_until: null },
    });
  });

  it("has an end that follows from the setting: a year after LinkedIn's month, or the date in Meta's table", () => {
    const set = { LINKEDIN_VERSION: "202612", META_VERSION: "v22.0" };
    expect(readApi(linkedin, set)).toEqual({ version: "202612", supported_until: "2027-12-15" });
    expect(readApi(facebook, set)).toEqual({ version: "v22.0", supported_until: "2027-05-20" });
    expect(readApi(instagram, { ...set, META_VERSION: "v27.0" })).toEqual({ version: "v27.0", supported_until: null });
    expect(readApi(threads, set)).toEqual({ version: "v1.0", supported_until: null });
  });

  it("appears in every call to Facebook, and in the URL of its consent", async () => {
    const io = { ...makeIO(simulators, "facebook"), apiVersion: "v25.0" };
    const answer = await facebook.connect({ access_token: "EAAuser-versioned" }, io);
    if (answer.is !== "connected") return expect.fail(JSON.stringify(answer));
    const context = { credential: answer.credential, io };
    const post = publication("of another version");
    expect(await facebook.publish(post, await pages.ready(post, context), context)).toMatchObject({ is: "live" });
    expect(io.calls.map(({ url }) => new URL(url).pathname.split("/")[2])).toEqual(io.calls.map(() => "v25.0"));
    const request = { redirectUri: "https://crier.dev/back", state: "s", challenge: "c" };
    const app = { clientId: "1", clientSecret: "2", scopes: null };
    const getAddress = (apiVersion?: string) => facebook.consent?.address(app, { ...request, apiVersion });
    expect(getAddress("v25.0")).toContain("/v25.0/dialog/oauth?");
    expect(getAddress()).toContain("/v26.0/dialog/oauth?");
  });

  it("appears in the calls to Instagram's API", async () => {
    const { context, calls } = await connectAccount(simulators, instagram);
    const before = calls.length;
    await instagram.foresee?.(publication("x"), { ...context, io: { ...context.io, apiVersion: "v25.0" } });
    expect(calls.slice(before).map(({ url }) => new URL(url).pathname.split("/")[2])).toEqual(["v25.0"]);
  });
});

describe("a version that the network does not support", () => {
  it("delays a post on LinkedIn, and must be corrected by the operator", async () => {
    const { context } = await account("page");
    const post = publication("x");
    const publishKey = await prepareOnce(linkedin, post, context);
    const ended = { ...context, io: { ...context.io, apiVersion: "202411" } };
    expect(await linkedin.publish(post, publishKey, ended)).toMatchObject({
      is: "retryable",
      error: "service_misconfigured",
      networkMessage: "Requested version 202411 is not active (NONEXISTENT_VERSION)",
      detail: expect.stringContaining("LINKEDIN_VERSION"),
      notBefore: expect.any(Number),
    });
    expect((await linkedin.publish(post, publishKey, context)).is).toBe("live");
  });

  it("delays a post on Facebook and on Instagram in the same way", async () => {
    const expectedOutcome = {
      is: "retryable",
      error: "service_misconfigured",
      detail: expect.stringContaining("META_VERSION"),
      networkMessage: expect.stringContaining("Unknown path components"),
    };
    const page = await pages.account();
    const post = publication("x");
    const publishKey = await pages.ready(post, page.context);
    const unsupportedContext = { ...page.context, io: { ...page.context.io, apiVersion: "v99.0" } };
    expect(await facebook.publish(post, publishKey, unsupportedContext)).toMatchObject(expectedOutcome);
    expect((await facebook.publish(post, publishKey, page.context)).is).toBe("live");
    const { context } = await connectAccount(simulators, instagram);
    const unknownContext = { ...context, io: { ...context.io, apiVersion: "v99.0" } };
    expect(await instagram.prepare(await postOf([jpeg(0)]), unknownContext, null, async () => {})).toMatchObject(
      expectedOutcome,
    );
  });

  it("delays a post if Meta says that the version has ended", async () => {
    const page = await pages.account();
    const post = publication("x");
    const publishKey = await pages.ready(post, page.context);
    const body = pages.graphError(2635);
    await pages.faultCall(simulators, page, "feed", { do: "status", status: 400, body });
    expect(await facebook.publish(post, publishKey, page.context)).toMatchObject({ error: "service_misconfigured" });
  });
});
