// People and API keys, besides the owner of a workspace, that may approve, and that lose this right.
import { createHash } from "node:crypto";
import type { Caller } from "../../src/context.ts";
import { makeSessionToken, makeWorkspaceKey } from "../../src/domain/ids.ts";
import type { Credentials } from "../../src/operations/identify.ts";
import type { Input, Operation } from "./requests.ts";
import type { Tenant } from "./tenants.ts";
import type { World } from "./world.ts";

const DAY = 24 * 3_600_000;

/** An approver until an owner revokes the right. The credentials are checked at each request. */
export interface Approver {
  caller: Credentials;
  /** The owner's request that revokes it. */
  ends: { name: Operation; input: Input };
  /** When the revocation was acknowledged; null: never. */
  endedAt: number | null;
}

const hash = (token: string) => createHash("sha256").update(token).digest("hex");
const getEntropy = (world: World) => (length: number) => world.chance.bytes(length);

/** A member with the publisher role, and a key with its scope. */
export function seatApprovers(world: World, { id: workspace, index }: Tenant): Approver[] {
  const { database } = world;
  const at = world.now() - DAY;
  const user = `usr_01jd${String(900 + index).padStart(22, "0")}`;
  const session = makeSessionToken(getEntropy(world));
  const email = `publisher${index}@example.com`;
  database.change("INSERT INTO users (id, email, created_at) VALUES (?, ?, ?)", user, email, at);
  database.change("INSERT INTO members VALUES (?, ?, 'publisher', ?)", workspace, user, at);
  database.change(
    "INSERT INTO sessions (token_hash, user_id, created_at, last_seen_at, expires_at) VALUES (?, ?, ?, ?, ?)",
    hash(session),
    user,
    at,
    world.now(),
    world.now() + 100 * DAY,
  );
  const key = makeWorkspaceKey(getEntropy(world));
  const keyId = `key_01jd${String(800 + index).padStart(22, "0")}`;
  database.change(
    `INSERT INTO named_keys (workspace_id, id, hash, start, name, scopes, created_by, created_at)
     VALUES (?, ?, ?, 'crier_live_', 'desk', '["read","publish"]', ?, ?)`,
    workspace,
    keyId,
    hash(key),
    `usr_01jd${String(index).padStart(22, "0")}`,
    at,
  );
  const role = world.chance.pick(["author", "viewer"]);
  return [
    {
      caller: { token: session, workspaces: [workspace] },
      ends: { name: "members.change-role", input: { params: { id: workspace, user }, body: { role } } },
      endedAt: null,
    },
    {
      caller: { token: key, workspaces: [] },
      ends: { name: "keys.revoke", input: { params: { id: workspace, key: keyId } } },
      endedAt: null,
    },
  ];
}

/** The owner of a workspace, as a caller in it. */
export function getOwner({ id: workspaceId, person }: Tenant): Caller {
  if (person.kind !== "session") throw new Error("the owner is a person");
  return {
    kind: "session",
    userId: person.userId,
    name: "Ada",
    tokenHash: person.tokenHash,
    workspaceId,
    role: "owner",
  };
}
