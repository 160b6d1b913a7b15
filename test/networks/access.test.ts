// The requirements for an app and an account: each permission is explained, and a rejection says how to fix the
// problem.
import { describe, expect, it } from "vitest";
import { FAILURES } from "../../src/domain/delivery/failure.ts";
import type { AccessRule } from "../../src/domain/posts/platform-rule.ts";
import { facebook } from "../../src/networks/facebook/index.ts";
import { networks } from "../../src/networks/index.ts";
import { CATALOGUE } from "../../src/networks/x/errors.ts";
import { page } from "./facebook-page.ts";
import { ledger, prepareOnce, publication, unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";
import { connectChannel, post, publish, publishOnce, video } from "./tiktok/support.ts";

withSimulators();

const rules = networks.map(({ rule }) => [rule.platform, rule] as const);
const accessRules: Record<string, AccessRule> = Object.fromEntries(
  networks.map(({ rule }) => [rule.platform, rule.access]),
);
const getFix = (platform: string, problem: string) =>
  accessRules[platform]?.problems[problem]?.fix ?? expect.fail(`${platform} has no problem ${problem}`);

describe.each(rules)("the access rule of %s", (_, { auth, access, permissions }) => {
  it("describes an app exactly when accounts are connected by consent", () => {
    expect(access.app !== null).toBe(auth === "oauth");
  });

  it("explains the purpose of each permission, or the consequence of its absence", () => {
    const purposes = access.app?.permissions ?? {};
    const neededScopes = new Set(permissions?.sufficient.flat());
    for (const scope of [...neededScopes, ...(permissions?.asked ?? [])])
      expect(purposes[scope] ?? permissions?.optional[scope], scope).toBeDefined();
    expect(Object.keys(purposes).filter((scope) => !neededScopes.has(scope))).toEqual([]);
  });

  it("consists of whole sentences, and refers only to existing failures", () => {
    const problems = Object.values(access.problems);
    expect(problems.length).toBeGreaterThan(0);
    const { kind, redirect } = access.app ?? { kind: "None.", redirect: "None." };
    const sentences = [kind, redirect, access.account, access.review, access.limits];
    for (const text of [...sentences, ...problems.flatMap(({ sign, fix }) => [sign, fix])])
      expect(text).toMatch(/^[A-Z0-9].*[.)”"]$/);
    const failures = problems.flatMap(
      ({ sign }) => /(?:fails|held back|ends|loses access)[^.]* with `(\w+)`/.exec(sign)?.[1] ?? [],
    );
    for (const name of failures) expect([...Object.keys(FAILURES), "scope_refused"], name).toContain(name);
  });
});

it("uses a redirect address for tiktok without its name, which the portal rejects, and a different one for each network", () => {
  const callbacks = rules.flatMap(([, { access }]) => access.app?.callback ?? []);
  expect(accessRules.tiktok?.app?.callback).not.toMatch(/tik|tok/i);
  expect(new Set(callbacks).size).toBe(callbacks.length);
});

describe("an app of tiktok that has not passed the audit", () => {
  it("has every post to a public account rejected, with the fix in the detail", async () => {
    const { context } = await connectChannel("unaudited");
    const { prepared: answer } = await publishOnce(post("hello", [video()], { privacy_level: "SELF_ONLY" }), context);
    expect(answer).toMatchObject({
      is: "rejected",
      error: "permission_missing",
      detail: getFix("tiktok", "audit"),
      networkMessage: expect.stringContaining("content-sharing-guidelines"),
    });
  });

  it("may post to a private account for that account only", async () => {
    const ada = await connectChannel("unaudited_private");
    const { prepared: answer } = await publishOnce(
      post("all", [video()], { privacy_level: "FOLLOWER_OF_CREATOR" }),
      ada.context,
    );
    expect(answer).toMatchObject({ is: "rejected", error: "permission_missing" });
    expect(await ledger(simulators, ada.username)).toEqual([]);
    const { live } = await publish(post("mine", [video()], { privacy_level: "SELF_ONLY" }), ada);
    expect(live).toMatchObject({ is: "live" });
  });
});

it("reports posts of a facebook app in development mode as live, although only people of the app see them", async () => {
  const owner = await page(simulators, "", "page", unique("dev_mode_"));
  const text = publication("for insiders");
  const publishKey = await prepareOnce(facebook, text, owner.context);
  const outcome = await facebook.publish(text, publishKey, owner.context);
  if (outcome.is !== "live") return expect.fail(JSON.stringify(outcome));
  expect(await facebook.recheck({ id: outcome.id, publishKey }, owner.context)).toMatchObject({ is: "there" });
  expect(await ledger(simulators, owner.name)).toMatchObject([{ detail: { seen_by: "people of the app" } }]);
  expect(accessRules.facebook?.problems.live_mode?.fix).toContain("Switch the app to Live mode");
});

it("explains where to buy credits if x rejects a post for lack of credits", () => {
  const entry = CATALOGUE.find(({ status }) => status === 402);
  expect(entry?.means).toMatchObject({ fix: getFix("x", "credits") });
});
