// The demo of a first run: a workspace with a channel per network, a post to all of them, and its result.
import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

interface Delivery {
  platform: string;
  status: string;
  scheduled_for: string;
  published_at: string | null;
  url: string | null;
  error: string | null;
}

interface Rule {
  platform: string;
  min_media: number;
  image: object | null;
  video: object | null;
}
interface DemoChannel {
  id: string;
  rule: Rule;
  options: object | undefined;
}

/** The part of a post that names its channels. */
const to = (channels: DemoChannel[]) => ({
  channels: channels.map(({ id }) => id),
  overrides: Object.fromEntries(channels.flatMap(({ id, options }) => (options === undefined ? [] : [[id, options]]))),
});

/** Milliseconds from now to the demo's scheduled post. */
const AHEAD_MS = 3_000;
const WAIT_MAX_MS = 60_000;

/** The demo's account in the state: `null` until it has signed up. */
interface Account {
  email: string;
  password: string;
  workspace: string | null;
  key: string | null;
}

const fileIn = (stateFolder: string) => join(stateFolder, "demo.json");
const keep = (stateFolder: string, account: Account) =>
  writeFile(fileIn(stateFolder), JSON.stringify(account, null, 1), { mode: 0o600 });

/** Returns the demo's account in a state, and creates one if necessary. */
export async function demoAccount(stateFolder: string): Promise<Account> {
  const storedAccount: Account | null = await readFile(fileIn(stateFolder), "utf8").then(JSON.parse, () => null);
  if (storedAccount !== null) return storedAccount;
  const account = {
    email: "demo@crier.example",
    password: randomBytes(12).toString("base64url"),
    workspace: null,
    key: null,
  };
  await keep(stateFolder, account);
  return account;
}

/** Prints the demo's account. Creates the account, its channels and its posts if they do not exist. */
export async function runDemo(baseUrl: string, simulatorsUrl: string, stateFolder: string): Promise<void> {
  const call = async <Answer>(
    method: string,
    path: string,
    token: string | null,
    body?: unknown,
  ): Promise<{ status: number; body: Answer }> => {
    const headers: Record<string, string> = {
      "content-type": "application/json",
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    };
    const response = await fetch(baseUrl + path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (response.status >= 500) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  };
  const callOrThrow = async <Answer>(
    method: string,
    path: string,
    token: string | null,
    body?: unknown,
  ): Promise<Answer> => {
    const answer = await call<Answer>(method, path, token, body);
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };

  async function signUp({ email, password }: Account): Promise<string> {
    const body = { email, password, name: "Demo", workspace: "Demo" };
    const signedUp = await callOrThrow<{ token: string; workspaces: { id: string }[] }>(
      "POST",
      "/v1/auth/signup",
      null,
      body,
    );
    const [workspace] = signedUp.workspaces;
    if (workspace === undefined) throw new Error("the demo has no workspace");
    const { key } = await callOrThrow<{ key: string }>("GET", `/v1/workspaces/${workspace.id}/key`, signedUp.token);
    await keep(stateFolder, { email, password, workspace: workspace.id, key });
    return key;
  }
  const account = await demoAccount(stateFolder);
  const key = account.key ?? (await signUp(account));
  console.log(`\nDemo        ${account.email}  password ${account.password}`);
  console.log(`Key         ${key}`);
  console.log(`            both are stored in ${fileIn(stateFolder)}`);
  const newest = await call<{ posts: object[] }>("GET", "/v1/posts?limit=1", key);
  if (newest.status === 401) {
    console.log("            the key has been replaced; sign in to see the new one");
    return;
  }
  if (newest.body.posts.length > 0) return;

  const { accounts } = (await (await fetch(`${simulatorsUrl}/_sim/demo`)).json()) as {
    accounts: { platform: string; handle: string; credentials: object; options?: object }[];
  };
  const { platforms } = await callOrThrow<{ platforms: Rule[] }>("GET", "/v1/platforms", null);
  const channels: DemoChannel[] = [];
  for (const { platform, handle, credentials, options } of accounts) {
    const rule = platforms.find((rule) => rule.platform === platform);
    if (rule === undefined) throw new Error(`no rule of ${platform}`);
    const { id } = await callOrThrow<{ id: string }>("POST", "/v1/channels", key, { platform, handle, credentials });
    channels.push({ id, rule, options });
  }
  const upload = async (name: string, content_type: string, alt?: string): Promise<string> => {
    const file = new Uint8Array(await readFile(`${import.meta.dirname}/${name}`));
    const { upload_url, media } = await callOrThrow<{
      upload_url: string;
      media: { id: string };
    }>("POST", "/v1/media/upload-url", key, { content_type, bytes: file.byteLength, ...(alt ? { alt } : {}) });
    const uploadResponse = await fetch(upload_url, {
      method: "PUT",
      headers: { "content-type": content_type },
      body: file,
    });
    if (!uploadResponse.ok)
      throw new Error(`the upload was refused: ${uploadResponse.status} ${await uploadResponse.text()}`);
    return media.id;
  };
  const picture = await upload("demo.jpg", "image/jpeg", "The words Hello, networks on a gradient from blue to yellow");
  const video = await upload("demo.mp4", "video/mp4");

  const dueAt = new Date(Date.now() + AHEAD_MS).toISOString();
  const hello = `Hello from Crier! One post, every network, on time: ${simulatorsUrl}/ #crier`;
  const posts = [
    { text: hello, ...to(channels.filter(({ rule }) => rule.min_media === 0)) },
    {
      text: "This post was scheduled and has an image.",
      media: [picture],
      publish_at: dueAt,
      ...to(channels.filter(({ rule }) => rule.image !== null)),
    },
    { text: "And this one has a video.", media: [video], ...to(channels.filter(({ rule }) => rule.video !== null)) },
  ];
  const ids: string[] = [];
  for (const post of posts) ids.push((await callOrThrow<{ id: string }>("POST", "/v1/posts", key, post)).id);

  console.log(`Published   a text and a video now, an image at ${dueAt}`);
  for (const id of ids) {
    const post = await finished(() =>
      callOrThrow<{ status: string; deliveries: Delivery[] }>("GET", `/v1/posts/${id}`, key),
    );
    for (const { platform, status, scheduled_for, published_at, url, error } of post.deliveries) {
      const late =
        published_at === null ? "" : `${Date.parse(published_at) - Date.parse(scheduled_for)} ms after its time`;
      console.log(`  ${platform.padEnd(10)} ${status.padEnd(8)} ${late.padEnd(24)} ${url ?? error ?? ""}`);
    }
  }
}

async function finished<Post extends { status: string }>(read: () => Promise<Post>): Promise<Post> {
  const deadline = Date.now() + WAIT_MAX_MS;
  for (;;) {
    const post = await read();
    if (["published", "partially_published", "failed", "cancelled"].includes(post.status) || Date.now() > deadline)
      return post;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
