// The workspaces of a world at its start: people, accounts on networks, files and endpoints.
import type { Caller } from "../../src/context.ts";
import { DEFAULT_WEBHOOK_EVENTS, EVENT_NAMES } from "../../src/domain/event.ts";
import { publicPath } from "../../src/domain/media/object-key.ts";
import { SCOPES } from "../../src/domain/roles.ts";
import { HOOK } from "./endpoint-addresses.ts";
import { FILES, type SampleFile } from "./networks.ts";
import type { Approver } from "./people.ts";
import { MEDIA_URL } from "./ports.ts";
import { performNow } from "./requests.ts";
import type { Channel, Wanted } from "./wanted.ts";
import type { World } from "./world.ts";

const HOUR = 3_600_000;
const number = (prefix: string, n: number): string => `${prefix}_01jd${String(n).padStart(22, "0")}`;

export interface Tenant {
  index: number;
  id: string;
  key: Caller;
  person: Caller;
  /** A member who may write and not publish. */
  author: Caller;
  approvers: Approver[];
  channels: Channel[];
  /** Ids of its files, in the order of `FILES`. */
  files: string[];
  /** The events that its endpoint subscribes to. Empty if it has no endpoint. */
  subscribed: readonly string[];
}

export const getAltText = (id: string): string => `What ${id} shows`;

/** Creates a workspace with its channels (`platforms` has one network for each account). */
export async function resolve(
  world: World,
  index: number,
  platforms: readonly string[],
  webhook: boolean,
): Promise<Tenant> {
  const { database } = world;
  const [id, user] = [number("ws", index), number("usr", index)];
  const at = world.now() - 24 * HOUR;
  database.change("INSERT INTO users (id, email, created_at) VALUES (?, ?, ?)", user, `${index}@example.com`, at);
  database.change("INSERT INTO workspaces (id, name, plan, created_at) VALUES (?, 'one', 'unlimited', ?)", id, at);
  database.change("INSERT INTO members VALUES (?, ?, 'owner', ?)", id, user, at);
  // A request that has waited for a network checks its key again.
  database.change(
    "INSERT INTO workspace_keys (workspace_id, id, hash, created_at) VALUES (?, ?, ?, ?)",
    id,
    number("key", index),
    `key ${index}`,
    at,
  );
  const tenant: Tenant = {
    index,
    id,
    key: {
      kind: "key",
      keyId: number("key", index),
      name: "Key",
      workspaceId: id,
      scopes: SCOPES,
      channels: null,
      budget: null,
    },
    author: {
      kind: "key",
      keyId: number("key", 900 + index),
      name: "Key",
      workspaceId: id,
      scopes: ["read", "draft"],
      channels: null,
      budget: null,
    },
    approvers: [],
    person: { kind: "session", userId: user, tokenHash: "hash", workspaceId: null },
    channels: [],
    files: [],
    // The first workspace subscribes to every event by name, the others to the default.
    subscribed: !webhook ? [] : index === 0 ? EVENT_NAMES : DEFAULT_WEBHOOK_EVENTS,
  };
  for (const [i, platform] of platforms.entries()) {
    const account = `brand${index}x${i}`;
    const { handle } = world.networks.credentials(platform, account);
    const channel = { id: "", workspace: id, platform, handle, account };
    channel.id = await connect(world, tenant, channel);
    tenant.channels.push(channel);
  }
  for (const [i, file] of FILES.entries()) tenant.files.push(store(world, id, number("med", index * 10 + i), file));
  if (webhook) {
    const body = { url: `${HOOK}/${index}`, ...(index === 0 ? { events: tenant.subscribed } : {}) };
    const answer = await performNow(world, "webhooks.create", { body }, tenant.key);
    if (answer.is === "lost" || answer.status >= 300) throw new Error(`no webhook: ${JSON.stringify(answer)}`);
  }
  return tenant;
}

export const connectBody = (world: World, { platform, account }: Channel): object => ({
  platform,
  ...world.networks.credentials(platform, account),
});

async function connect(world: World, tenant: Tenant, channel: Channel): Promise<string> {
  const answer = await performNow(world, "channels.connect", { body: connectBody(world, channel) }, tenant.key);
  if (answer.is === "lost" || answer.status >= 300) throw new Error(`not connected: ${JSON.stringify(answer)}`);
  return String(new Map(Object.entries(Object(answer.body))).get("id"));
}

/** An uploaded and checked file. */
function store(world: World, workspace: string, id: string, file: SampleFile): string {
  const key = `m/${workspace}/${id}`;
  const { bytes, contentType, kind, width, height, durationMs } = file;
  put(world, key, file, `${id}-1`);
  world.database.change(
    `INSERT INTO media (workspace_id, id, kind, state, object_key, content_type, bytes, etag, width, height, duration_ms, alt, created_at)
     VALUES (?, ?, ?, 'ready', ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    workspace,
    id,
    kind,
    key,
    contentType,
    bytes.byteLength,
    `${id}-1`,
    width,
    height,
    durationMs,
    kind === "image" ? getAltText(id) : null,
    world.now() - HOUR,
  );
  world.database.change(
    "UPDATE workspaces SET staged_bytes = staged_bytes + ? WHERE id = ?",
    bytes.byteLength,
    workspace,
  );
  return id;
}

/** Puts bytes into the bucket, and at the address from which networks fetch. */
export function put(
  world: World,
  key: string,
  { bytes, contentType }: Pick<SampleFile, "bytes" | "contentType">,
  etag: string,
): void {
  const before = world.objects.get(key);
  const { files } = world.networks;
  const url = `${MEDIA_URL}/${publicPath(key, contentType, null)}`;
  world.objects.set(key, { bytes, contentType, etag });
  files.put(url, contentType, bytes);
  // A post's own copy keeps what its address shows.
  const isCopied = [...world.objects].some(
    ([other, { etag: kept }]) => other !== key && other.endsWith(`/${key.split("/").at(-1)}`) && kept === before?.etag,
  );
  if (before !== undefined && !isCopied) files.remove(`${MEDIA_URL}/${publicPath(key, contentType, before.etag)}`);
  files.put(`${MEDIA_URL}/${publicPath(key, contentType, etag)}`, contentType, bytes);
}

/** Whether a post has been created under the key. */
export const isKnownKey = ({ database }: World, { workspace, key }: Wanted): boolean =>
  database.rows("SELECT 1 FROM idempotency_keys WHERE workspace_id = ? AND key = ?", workspace, key).length > 0;
