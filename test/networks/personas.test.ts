// Every persona of the simulators behaves as documented, and an ordinary app or account is answered differently.
import { describe, expect, it, vi } from "vitest";
import { PERSONAS } from "../../simulators/personas.ts";
import { bluesky } from "../../src/networks/bluesky/index.ts";
import { facebook } from "../../src/networks/facebook/index.ts";
import { networks } from "../../src/networks/index.ts";
import { getPermissions } from "../../src/networks/shared/permissions.ts";
import * as pages from "./facebook-page.ts";
import { APP_PASSWORD, ledger, makeIO, publication, unique } from "./network-io.ts";
import { allow, type Check, CONSENTING_ACCOUNTS, CONSENTING_APPS, REDIRECT, readCode } from "./persona-consents.ts";
import * as pinterest from "./pinterest-account.ts";
import { simulators, withSimulators } from "./simulators.ts";
import { connectChannel, post, publishOnce, video } from "./tiktok/support.ts";
import { account as accountOfX } from "./x-account.ts";

withSimulators();

/** Calls a simulator as an account, and reads its answer. */
async function call(path: string, token: string, body?: object) {
  const headers = { authorization: `Bearer ${token}`, "user-agent": "a test" };
  const asJson = { ...headers, "content-type": "application/json" };
  const init = body === undefined ? { headers } : { method: "POST", headers: asJson, body: JSON.stringify(body) };
  const answer = await fetch(`${simulators.url}/${path}`, init);
  return { status: answer.status, body: Object(await answer.json()) };
}
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status);

/** Scopes that Crier never requests. */
const UNUSED_SCOPES = {
  pinterest: ["boards:read_secret", "ads:read"],
  instagram: ["instagram_business_manage_messages"],
  threads: ["threads_delete"],
};

/** The scopes of a network that an app may request, each requested alone. */
async function findAllowedScopes(platform: string, clientId: string): Promise<string[]> {
  const { asked: askedScopes, sufficient, optional } = getPermissions(getRule(platform));
  const unusedScopes = new Map<string, string[]>(Object.entries(UNUSED_SCOPES)).get(platform) ?? [];
  const allowed: string[] = [];
  for (const scope of new Set([...askedScopes, ...sufficient.flat(), ...Object.keys(optional), ...unusedScopes])) {
    if (readCode(await allow(platform, { clientId }, [scope])) !== null) allowed.push(scope);
  }
  return allowed.toSorted();
}

const GOOGLE = "https://www.googleapis.com/auth";
const OF_PAGES = ["r_organization_social", "rw_organization_admin", "w_organization_social"];
/** The scopes that an app of each persona may request, among all scopes of these tests. */
const APPS: Record<string, string[]> = {
  "facebook smallest": ["pages_manage_posts", "pages_read_engagement", "pages_show_list"],
  "pinterest smallest": ["boards:read", "boards:write", "pins:read", "pins:write", "user_accounts:read"],
  "instagram smallest": getPermissions(getRule("instagram")).asked.toSorted(),
  "youtube smallest": [`${GOOGLE}/youtube.force-ssl`, `${GOOGLE}/youtube.readonly`, `${GOOGLE}/youtube.upload`],
  "threads smallest": ["threads_basic", "threads_content_publish", "threads_manage_insights", "threads_manage_replies"],
  "tiktok drafts": ["user.info.basic", "video.upload"],
  "tiktok no_video_list": ["user.info.basic", "video.publish"],
  "linkedin cm_only": [
    "r_basicprofile",
    "r_member_postAnalytics",
    "w_member_social",
    "w_member_social_feed",
    "w_organization_social_feed",
    ...OF_PAGES,
  ].toSorted(),
  "linkedin advertising": ["openid", "profile", "r_member_postAnalytics", "w_member_social", ...OF_PAGES].toSorted(),
};

function getRule(platform: string) {
  return networks.find(({ rule }) => rule.platform === platform)?.rule ?? expect.fail(platform);
}

/** Whether an account may upload videos, as the connector sees it. */
async function videoOnBluesky(name: string) {
  const io = makeIO(simulators, "bluesky");
  const identifier = `${name.replaceAll("_", "-")}.bsky.social`;
  const connected = await bluesky.connect({ identifier, app_password: APP_PASSWORD }, io);
  if (connected.is !== "connected") return expect.fail(JSON.stringify(connected));
  const moving = publication("moving", { media: [video(1_000)] });
  const answer = await bluesky.prepare(moving, { credential: connected.credential, io }, null, async () => {});
  return answer.is === "rejected" ? answer.error : "taken";
}

/** The statuses of `/me`, of the list of posts and of one post. */
async function readOnFacebook(name: string) {
  const owner = await pages.page(simulators, "", "page", name);
  const text = publication("here");
  const outcome = await facebook.publish(text, await pages.ready(text, owner.context), owner.context);
  if (outcome.is !== "live") return expect.fail(JSON.stringify(outcome));
  const read = (path: string) => call(`facebook/v26.0/${path}`, `EAApage-${name}`);
  const answers = [await read("me"), await read(`${owner.id}/published_posts`), await read(outcome.id)];
  const { code, error_subcode } = Object(answers[2]?.body.error);
  return [...statuses(answers), code, error_subcode];
}
async function readVisibility(name: string) {
  const owner = await pages.page(simulators, "", "page", name);
  const text = publication("for whom");
  const outcome = await facebook.publish(text, await pages.ready(text, owner.context), owner.context);
  const [entry] = await ledger(simulators, name);
  return [outcome.is, entry?.detail.seen_by];
}

/** The status and the code of two attempts to create the same pin. */
async function pinTwice(name: string) {
  const [file] = (await pinterest.pin()).media;
  const source = { source_type: "image_url", url: file?.url ?? "" };
  const pin = { board_id: "101", link: "https://example.com/a", description: "A pin", media_source: source };
  const token = `access-for-${name}`;
  const tries = [await call("pinterest/v5/pins", token, pin), await call("pinterest/v5/pins", token, pin)];
  return tries.map(({ status, body }) => [status, body.code]);
}

async function postOnX(name: string) {
  const { status, body } = await call("x/2/tweets", `access-for-${name}`, { text: unique("hello ") });
  return [status, /locked/.test(String(body.detail))];
}
/** The statuses of a short and of a long post. */
const postLengthsOnX = (name: string) =>
  Promise.all(
    [100, 300].map(
      async (length) => (await call("x/2/tweets", `access-for-${name}`, { text: "a".repeat(length) })).status,
    ),
  );
/**
 * Whether a post is shown with its date, by the name of the parameter that requests it. If the call fails, its status.
 */
async function readX(name: string) {
  const token = `access-for-${name}`;
  await accountOfX(name);
  const { id } = (await call("x/2/tweets", token, { text: unique("read ") })).body.data;
  const ask = async (parameter: string) => {
    const { status, body } = await call(`x/2/tweets?ids=${id}&${parameter}=created_at`, token);
    return status === 200 ? body.data[0].created_at !== undefined : status;
  };
  return { post: await ask("post.fields"), tweet: await ask("tweet.fields") };
}

/** The operations that the token of an account allows. */
async function listTikTokRights(name: string) {
  const ask = async (path: string) => (await call(`tiktok/v2/${path}/`, `act.${name}`, {})).body.error.code;
  const codes = {
    publish: await ask("post/publish/creator_info/query"),
    draft: await ask("post/publish/inbox/video/init"),
    list: await ask("video/list"),
  };
  return Object.entries(codes).flatMap(([right, code]) => (code === "scope_not_authorized" ? [] : [right]));
}
/** The privacy levels that the posts of an account may have. */
async function listTikTokLevels(name: string) {
  const { context } = await connectChannel(name.replace(/_\d+$/, ""));
  const acceptedLevels: string[] = [];
  for (const privacy_level of ["SELF_ONLY", "FOLLOWER_OF_CREATOR", "PUBLIC_TO_EVERYONE"]) {
    const { prepared, publishOutcome } = await publishOnce(post("hello", [video()], { privacy_level }), context);
    if (prepared.is === "prepared" && publishOutcome?.is === "processing") acceptedLevels.push(privacy_level);
  }
  return acceptedLevels;
}

async function readLinkedInProfile(name: string) {
  const token = `access-for-${name}`;
  return statuses([await call("linkedin/v2/userinfo", token), await call("linkedin/v2/me", token)]);
}
/** The answers to a token that was just issued, and to the same token five seconds later. */
async function useFreshLinkedInToken(name: string) {
  const query = { response_type: "code", client_id: "any", redirect_uri: REDIRECT, scope: "openid", decision: "allow" };
  const search = new URLSearchParams({ ...query, account: name });
  const address = `${simulators.url}/linkedin/oauth/v2/authorization?${search}`;
  const back = new URL((await fetch(address, { redirect: "manual" })).headers.get("location") ?? "");
  const grant = { grant_type: "authorization_code", code: back.searchParams.get("code") ?? "", redirect_uri: REDIRECT };
  const body = new URLSearchParams({ ...grant, client_id: "any", client_secret: "secret" });
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    const token = Object(
      await (await fetch(`${simulators.url}/linkedin/oauth/v2/accessToken`, { method: "POST", body })).json(),
    ).access_token;
    const early = await call("linkedin/v2/userinfo", token);
    vi.setSystemTime(Date.now() + 5_000);
    return [early.status, early.body.serviceErrorCode, (await call("linkedin/v2/userinfo", token)).status];
  } finally {
    vi.useRealTimers();
  }
}

/** The answers to the accounts of each persona, and to an ordinary account. */
const ACCOUNTS: Record<string, Check> = {
  ...CONSENTING_ACCOUNTS,
  "bluesky unconfirmed": { ask: videoOnBluesky, persona: "permission_missing", ordinary: "taken" },
  "facebook outage_100_33": {
    ask: readOnFacebook,
    persona: [200, 200, 400, 100, 33],
    ordinary: [200, 200, 200, undefined, undefined],
  },
  "facebook dev_mode": {
    ask: readVisibility,
    persona: ["live", "people of the app"],
    ordinary: ["live", undefined],
  },
  "pinterest trial": {
    ask: pinTwice,
    persona: [
      [403, 29],
      [403, 29],
    ],
    ordinary: [
      [201, undefined],
      [201, undefined],
    ],
  },
  ...Object.fromEntries(
    [
      [1, 400],
      [235, 400],
      [2787, 500],
    ].map(([code, status]) => [
      `pinterest passing_${code}`,
      {
        ask: pinTwice,
        persona: [
          [status, code],
          [201, undefined],
        ],
        ordinary: [
          [201, undefined],
          [201, undefined],
        ],
      },
    ]),
  ),
  "x locked": { ask: postOnX, persona: [403, true], ordinary: [201, false] },
  "x premium": { ask: postLengthsOnX, persona: [201, 201], ordinary: [201, 403] },
  "x guides_only": { ask: readX, persona: { post: 400, tweet: true }, ordinary: { post: true, tweet: true } },
  "x ignores_post_fields": { ask: readX, persona: { post: false, tweet: true }, ordinary: { post: true, tweet: true } },
  "tiktok drafts": { ask: listTikTokRights, persona: ["draft"], ordinary: ["publish", "draft", "list"] },
  "tiktok no_video_list": { ask: listTikTokRights, persona: ["publish"], ordinary: ["publish", "draft", "list"] },
  "tiktok unaudited": {
    ask: listTikTokLevels,
    persona: [],
    ordinary: ["SELF_ONLY", "PUBLIC_TO_EVERYONE"],
  },
  "tiktok unaudited_private": {
    ask: listTikTokLevels,
    persona: ["SELF_ONLY"],
    ordinary: ["SELF_ONLY", "FOLLOWER_OF_CREATOR"],
    unlike: "private",
  },
  "linkedin cm_only": { ask: readLinkedInProfile, persona: [403, 200], ordinary: [200, 403] },
  "linkedin fresh_token": { ask: useFreshLinkedInToken, persona: [401, 65_601, 200], ordinary: [200, undefined, 200] },
};

const listPersonas = (kind: "app" | "account") =>
  PERSONAS.filter(({ of: kinds }) => kinds.split(" or ").includes(kind)).map(
    ({ platform, name }) => [platform, name] as const,
  );

it("has a check for each persona, as an app and as an account", () => {
  const keys = (kind: "app" | "account") => listPersonas(kind).map((persona) => persona.join(" "));
  expect([...Object.keys(APPS), ...Object.keys(CONSENTING_APPS)].toSorted()).toEqual(keys("app").toSorted());
  expect(Object.keys(ACCOUNTS).toSorted()).toEqual(keys("account").toSorted());
});

const listChecked = (kind: "app" | "account", checks: object) =>
  listPersonas(kind).filter((persona) => Object.hasOwn(checks, persona.join(" ")));

describe.each(listChecked("app", APPS))("an app on %s whose name begins with %s", (platform, name) => {
  it("may request only the documented scopes, which differ from those of an ordinary app", async () => {
    const scopes = APPS[`${platform} ${name}`];
    expect(await findAllowedScopes(platform, name)).toEqual(scopes);
    expect(await findAllowedScopes(platform, `${name}_ada`)).toEqual(scopes);
    expect(await findAllowedScopes(platform, `${name}ada`)).not.toEqual(scopes);
  });
});

describe.each([
  ...listChecked("app", CONSENTING_APPS).map((persona) => ["an app", ...persona, CONSENTING_APPS] as const),
  ...listChecked("account", ACCOUNTS).map((persona) => ["an account", ...persona, ACCOUNTS] as const),
])("%s on %s whose name begins with %s", (_, platform, name, checks) => {
  it("is answered as documented, and an ordinary one is answered differently", async () => {
    const { ask, persona, ordinary, unlike = "ordinary" } = checks[`${platform} ${name}`] ?? expect.fail("no check");
    expect(await ask(unique(`${name}_`))).toEqual(persona);
    expect(await ask(unique(`${unlike}_`))).toEqual(ordinary);
  });
});
