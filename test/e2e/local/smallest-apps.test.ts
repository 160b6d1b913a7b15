// A self-hoster's first day: each network's app has the fewest permissions that publish, and all ten accounts are connected and posted to.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { LedgerEntry } from "../../../simulators/ledger.ts";
import { eventually } from "../../support/eventually.ts";
import { inDatabases, passTime } from "../chaos/outage.ts";
import { connectByLink } from "./person-browser.ts";
import { end, json, type Run, signUp, start, stopAll } from "./running.ts";

const ROOT = join(import.meta.dirname, "../../..");
/** A little longer than the ten minutes before the first recheck. */
const LATER_MS = 11 * 60_000;
const GOOGLE = "https://www.googleapis.com/auth/youtube";
interface SmallApp {
  /** The simulators' app; absent: the default app, which has exactly these permissions. */
  persona?: string;
  /** The operator's setting `<PLATFORM>_SCOPES`; absent: Crier's default list is already minimal. */
  scopes?: string;
  missing: string[];
}
const APPS: Record<string, SmallApp> = {
  facebook: { persona: "smallest", missing: ["read_insights", "pages_manage_engagement", "business_management"] },
  instagram: {
    persona: "smallest",
    scopes: "instagram_business_basic instagram_business_content_publish",
    missing: ["instagram_business_manage_insights", "instagram_business_manage_comments"],
  },
  linkedin: { missing: ["r_member_postAnalytics", "w_member_social_feed"] },
  pinterest: { persona: "smallest", missing: [] },
  threads: {
    persona: "smallest",
    scopes: "threads_basic threads_content_publish",
    missing: [
      "threads_manage_replies",
      "threads_manage_insights",
      "threads_read_replies",
      "threads_delete",
      "threads_location_tagging",
    ],
  },
  tiktok: { persona: "no_video_list", missing: ["video.upload", "video.list"] },
  x: { scopes: "tweet.read tweet.write users.read media.write", missing: ["offline.access"] },
  youtube: {
    persona: "smallest",
    scopes: `${GOOGLE}.upload ${GOOGLE}.readonly`,
    missing: [`${GOOGLE}.force-ssl`],
  },
};

const settings = Object.fromEntries(
  Object.entries(APPS).flatMap(([platform, { persona, scopes }]) => {
    const prefix = platform.toUpperCase();
    return [
      ...(persona === undefined
        ? []
        : [
            [`${prefix}_CLIENT_ID`, persona],
            [`${prefix}_CLIENT_SECRET`, "sandbox"],
          ]),
      ...(scopes === undefined ? [] : [[`${prefix}_SCOPES`, scopes]]),
    ];
  }),
);

interface ChannelView {
  id: string;
  platform: string;
  handle: string;
  missing_permissions: { permission: string; lost: string }[];
}
interface DeliveryView {
  channel: string;
  platform: string;
  status: string;
  hint: string | null;
  url: string | null;
  first_comment: string | null;
  readback: { state: string } | null;
}
interface PostView {
  id: string;
  deliveries: DeliveryView[];
}
interface RuleView {
  platform: string;
  min_media: number;
  image: object | null;
  video: object | null;
  first_comment: boolean;
  permissions: { optional: Record<string, string> } | null;
}

/** The posts and their networks. */
const POSTS: { text: string; file?: [name: string, type: string]; isTaken(rule: RuleView): boolean }[] = [
  { text: "Words alone", isTaken: ({ min_media }) => min_media === 0 },
  { text: "A photo", file: ["demo.jpg", "image/jpeg"], isTaken: ({ image }) => image !== null },
  { text: "A video", file: ["demo.mp4", "video/mp4"], isTaken: ({ video }) => video !== null },
];
const OPTIONS: Record<string, object> = {
  pinterest: { board: "101", link: "https://example.com/", title: "Hello" },
  tiktok: { privacy_level: "PUBLIC_TO_EVERYONE" },
  youtube: { title: "Hello", made_for_kids: false },
};

let crier: Run;
let key: string;
let rules: RuleView[];
let channels: ChannelView[];
let posts: PostView[];
const call = <Body>(path: string, body?: object) => json<Body>(crier.url + path, key, body);
const getChannel = (platform: string) =>
  channels.find((channel) => channel.platform === platform) ?? expect.fail(platform);
const readPosts = () => Promise.all(posts.map(({ id }) => call<PostView>(`/v1/posts/${id}`)));
const listPlatforms = (isTaken: (rule: RuleView) => boolean) => rules.filter(isTaken).map(({ platform }) => platform);

/** Bluesky and Telegram have no apps: their demo accounts. */
async function connectWithoutApp(): Promise<void> {
  const { accounts } = await json<{ accounts: { platform: string; handle: string; credentials: object }[] }>(
    `${crier.simulators}/_sim/demo`,
  );
  for (const { platform, handle, credentials } of accounts)
    if (!(platform in APPS)) await call("/v1/channels", { platform, handle, credentials });
}

async function connectAll(): Promise<void> {
  for (const platform of Object.keys(APPS)) {
    const { url } = await call<{ url: string }>("/v1/channels/connect", { platform });
    const last = await connectByLink(url, `ada_${platform}`);
    expect(last, last.text).toMatchObject({ status: 200, text: expect.stringContaining("You can close this page.") });
  }
  await connectWithoutApp();
}

async function upload(name: string, type: string): Promise<string> {
  const file = await readFile(join(ROOT, "scripts/local", name));
  const uploadRequest = { content_type: type, bytes: file.byteLength };
  const { upload_url, media } = await call<{ upload_url: string; media: { id: string } }>(
    "/v1/media/upload-url",
    uploadRequest,
  );
  const stored = await fetch(upload_url, { method: "PUT", headers: { "content-type": type }, body: file });
  expect(stored.status).toBe(200);
  return media.id;
}

async function postToAll({ text, file, isTaken }: (typeof POSTS)[number]): Promise<PostView> {
  const targets = listPlatforms(isTaken).map(getChannel);
  const comments = listPlatforms((rule) => rule.first_comment);
  const overrides = targets.map(({ id, platform }) => [
    id,
    { ...OPTIONS[platform], ...(comments.includes(platform) && { first_comment: `${text}, commented` }) },
  ]);
  return call<PostView>("/v1/posts", {
    text,
    media: file === undefined ? [] : [await upload(...file)],
    channels: targets.map(({ id }) => id),
    overrides: Object.fromEntries(overrides),
  });
}

/** LinkedIn does not let such an app read photos or posts, and TikTok shows it no posts. */
const UNSEEN = ["linkedin", "tiktok"];
const isDone = ({ platform, status, first_comment, readback }: DeliveryView) =>
  status === "live" && first_comment !== "pending" && (readback !== null || UNSEEN.includes(platform));

beforeAll(async () => {
  crier = await start({ DEMO: "0", ...settings });
  key = await signUp(crier.url);
  ({ platforms: rules } = await json<{ platforms: RuleView[] }>(`${crier.url}/v1/platforms`));
  await connectAll();
  ({ channels } = await call<{ channels: ChannelView[] }>("/v1/channels"));
  posts = await Promise.all(POSTS.map(postToAll));
  await eventually(async () => {
    for (const { platform, status } of (await readPosts()).flatMap(({ deliveries }) => deliveries))
      if (platform !== "linkedin") expect(status, platform).toBe("live");
  });
  // Ten minutes later come the first recheck and LinkedIn's photo, which waits for 20 seconds.
  const { port } = new URL(crier.url);
  const { port: simulatorPort } = new URL(crier.simulators);
  await end(crier);
  await passTime(crier.state, LATER_MS);
  await inDatabases(crier.state, (db) => db.prepare("UPDATE deliveries SET check_at = check_at - ?").run(LATER_MS));
  const again = { DEMO: "0", PORT: port, SIM_PORT: simulatorPort, CRIER_STATE: crier.state };
  crier = await start({ ...again, ...settings });
  await eventually(async () => {
    for (const delivery of (await readPosts()).flatMap(({ deliveries }) => deliveries))
      expect(isDone(delivery), JSON.stringify(delivery)).toBe(true);
  });
});
afterAll(stopAll);

it("sees on the channel, in the rule and in the doctor which feature each missing permission disables", async () => {
  const args = [join(ROOT, "cli/main.ts"), "doctor", "--json"];
  const env = { ...process.env, CRIER_URL: crier.url, CRIER_API_KEY: key, HOME: crier.state };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  for (const [platform, { missing }] of Object.entries(APPS)) {
    const optional = rules.find((rule) => rule.platform === platform)?.permissions?.optional ?? {};
    const lacks = missing.map((permission) => ({ permission, lost: optional[permission] }));
    expect(getChannel(platform).missing_permissions, platform).toEqual(expect.arrayContaining(lacks));
    expect(getChannel(platform).missing_permissions, platform).toHaveLength(lacks.length);
    for (const { permission, lost } of lacks) expect(stdout).toContain(`was not granted ${permission}: ${lost}`);
  }
});

it("publishes a text, a photo and a video on every network that accepts them", async () => {
  const { ledger } = await json<{ ledger: LedgerEntry[] }>(`${crier.simulators}/_sim/ledger`);
  const read = await readPosts();
  for (const [index, { text, file, isTaken }] of POSTS.entries()) {
    const entries = ledger.filter((entry) => entry.text === text);
    expect(entries.map(({ platform }) => platform).sort(), text).toEqual(listPlatforms(isTaken).sort());
    for (const { platform, url, media } of entries) {
      expect(media, platform).toHaveLength(file === undefined ? 0 : 1);
      expect(read[index]?.deliveries.find((delivery) => delivery.platform === platform)?.url, platform).toBe(url);
    }
  }
});

it("rechecks live posts and finds them unchanged on the networks that show posts to such an app", async () => {
  for (const { platform, readback } of (await readPosts()).flatMap(({ deliveries }) => deliveries))
    expect(readback?.state, platform).toBe(UNSEEN.includes(platform) ? undefined : "verified");
});

it("names the missing permissions for a first comment", async () => {
  for (const { platform, first_comment, hint } of (await readPosts()).flatMap(({ deliveries }) => deliveries)) {
    if (first_comment === null || platform === "x") continue;
    expect([first_comment, hint], platform).toEqual(["failed", expect.stringContaining("`missing_permissions`")]);
  }
});

it.each(["youtube", "threads"])("names the missing permissions for a takedown on %s", async (platform) => {
  const path = `/v1/posts/${posts[2]?.id}/deliveries/${getChannel(platform).id}`;
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(crier.url + path, { method: "DELETE", headers });
  expect([answer.status, await answer.json()]).toEqual([
    409,
    expect.objectContaining({ error: "takedown_refused", message: expect.stringContaining("`missing_permissions`") }),
  ]);
});
