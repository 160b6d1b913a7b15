// What a first run shows: a workspace with a channel per network, a post to all of them, and how it went.
import { randomBytes } from "node:crypto";
import { makePng } from "./png.ts";

interface Rule {
  platform: string;
  min_media: number;
  media: { images: number };
  options: { required?: string[] };
}
interface Delivery {
  platform: string;
  status: string;
  scheduled_for: string;
  published_at: string | null;
  url: string | null;
  error: string | null;
}

/** Seconds ahead of the demo's scheduled post. */
const AHEAD_MS = 3_000;
const WAIT_MAX_MS = 60_000;

/** Does nothing when the database has the demo's account already. */
export async function runDemo(
  baseUrl: string,
  simulatorsUrl: string,
  password = randomBytes(12).toString("base64url"),
): Promise<void> {
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
  const done = async <Answer>(method: string, path: string, token: string | null, body?: unknown): Promise<Answer> => {
    const answer = await call<Answer>(method, path, token, body);
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };

  const email = "demo@crier.example";
  const account = { email, password, name: "Demo", workspace: "Demo" };
  const signUp = await call<{ token: string; workspaces: { id: string }[] }>("POST", "/v1/auth/signup", null, account);
  if (signUp.status === 409) return;
  const [workspace] = signUp.body.workspaces;
  if (workspace === undefined) throw new Error(JSON.stringify(signUp.body));
  const { key } = await done<{ key: string }>("GET", `/v1/workspaces/${workspace.id}/key`, signUp.body.token);

  const { accounts } = (await (await fetch(`${simulatorsUrl}/_sim/demo`)).json()) as {
    accounts: { platform: string; handle: string; credentials: object }[];
  };
  const { platforms } = await done<{ platforms: Rule[] }>("GET", "/v1/platforms", null);
  const channels: { id: string; rule: Rule | undefined }[] = [];
  for (const { platform, handle, credentials } of accounts) {
    const { id } = await done<{ id: string }>("POST", "/v1/channels", key, { platform, handle, credentials });
    channels.push({ id, rule: platforms.find((rule) => rule.platform === platform) });
  }
  /** The channels that take so many pictures, and nothing else that only a person can say. */
  const taking = (images: number) =>
    channels
      .filter(({ rule }) => rule && rule.min_media <= images && images <= rule.media.images && !rule.options.required)
      .map(({ id }) => id);
  const picture = makePng(1200, 675, 120);
  const upload = await done<{ upload_url: string; headers: Record<string, string>; media: { id: string } }>(
    "POST",
    "/v1/media/upload-url",
    key,
    {
      content_type: "image/png",
      bytes: picture.byteLength,
      alt: "A soft gradient from blue to green",
    },
  );
  const put = await fetch(upload.upload_url, {
    method: "PUT",
    headers: { "content-type": "image/png" },
    body: new Uint8Array(picture),
  });
  if (!put.ok) throw new Error(`the upload was refused: ${put.status} ${await put.text()}`);

  const dueAt = new Date(Date.now() + AHEAD_MS).toISOString();
  const posts = [
    { text: `Hello from Crier! One post, every network, on time: ${simulatorsUrl}/ #crier`, channels: taking(0) },
    {
      text: "This one was scheduled, and brought a picture.",
      media: [upload.media.id],
      publish_at: dueAt,
      channels: taking(1),
    },
  ];
  const ids: string[] = [];
  for (const post of posts) ids.push((await done<{ id: string }>("POST", "/v1/posts", key, post)).id);

  console.log(`\nDemo        ${email}  password ${password}`);
  console.log(`Key         ${key}`);
  console.log(`Published   the first at once, the second at ${dueAt}`);
  for (const id of ids) {
    const post = await finished(() => done<{ status: string; deliveries: Delivery[] }>("GET", `/v1/posts/${id}`, key));
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
    await new Promise((settle) => setTimeout(settle, 200));
  }
}
