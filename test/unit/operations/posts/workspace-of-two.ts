// A workspace with two channels in two lanes, with calls of its operations, in Node's SQLite.
import { and, eq } from "drizzle-orm";
import { expect } from "vitest";
import type { Caller, Context } from "../../../../src/context.ts";
import { makeId } from "../../../../src/domain/ids.ts";
import { Refusal } from "../../../../src/domain/refusal.ts";
import type { Role, Scope } from "../../../../src/domain/roles.ts";
import { handlers } from "../../../../src/operations/index.ts";
import { getWorkspace } from "../../../../src/store/accounts/workspaces.ts";
import {
  channels,
  deliveries,
  followUps,
  members,
  namedKeys,
  oauthGrants,
  posts,
  sessions,
  users,
  workspaces,
} from "../../../../src/store/db/schema.ts";
import { inChannelOrder } from "../../../../src/store/posts/posts.ts";
import { nodeContext } from "../../../support/node-context.ts";
import { db, NOW, storedDelivery } from "../../store/deliveries/stored-delivery.ts";

/** An instant that the database, which uses the machine's clock, never reaches. */
const NEVER = 8e15;

interface Parts {
  workspace?: Partial<typeof workspaces.$inferInsert>;
  /** Columns of both channels. */
  channel?: Partial<typeof channels.$inferInsert>;
  outside?: Partial<Context>;
}
interface Call {
  /** The caller; by default a key without a creator. */
  as?: Caller;
  id?: string;
  channel?: string;
  body?: object;
  key?: string;
  ifMatch?: string;
  scopes?: readonly Scope[];
  reach?: readonly string[] | null;
  query?: object;
  /** The content of an earlier dry run. */
  content?: string | undefined;
}

/** Sets up a workspace. `armed` and `followed` list the calls of its publishers. */
export async function setUpWorkspace({ workspace, channel, outside }: Parts = {}) {
  await storedDelivery();
  const armed: unknown[] = [];
  const followed: unknown[] = [];
  const later: Promise<unknown>[] = [];
  const ctx = nodeContext(db, NOW, {
    publishers: {
      arm: async (_workspace, entries) => void armed.push(...entries),
      followUp: async (...task) => void followed.push(task),
      lookUp: async () => null,
      clear: async () => {},
    },
    later: (work) => void later.push(work),
    ...outside,
  });
  const workspaceId = makeId("ws", NOW, ctx.entropy);
  await db.insert(workspaces).values({ id: workspaceId, name: "Ada", plan: "unlimited", createdAt: 0, ...workspace });
  const [first, second] = [makeId("ch", NOW, ctx.entropy), makeId("ch", NOW, ctx.entropy)];
  for (const [lane, id] of [first, second].entries()) {
    const row = { workspaceId, id, lane, platform: "telegram", handle: `@${id}`, credential: "sealed", ...channel };
    await db.insert(channels).values({ ...row, credentialId: "one", createdAt: 0, updatedAt: 0 });
  }
  const keyCaller = (keyId: string, { scopes, reach }: Pick<Call, "scopes" | "reach"> = {}): Caller => ({
    kind: "key",
    keyId,
    name: "CI",
    workspaceId,
    scopes: scopes ?? ["read", "draft", "publish", "manage"],
    channels: reach ?? null,
    budget: null,
  });
  const call = async (
    name: keyof typeof handlers,
    { as: requestedCaller, id, channel: on, body, key, ifMatch, scopes, reach, query = {}, content }: Call = {},
  ) => {
    const caller = requestedCaller ?? keyCaller("key_1", { scopes, reach });
    const params = { id, ...(on === undefined ? {} : { channel: on }) };
    const raw = {
      params,
      query,
      body,
      idempotencyKey: key ?? null,
      ...(ifMatch === undefined ? {} : { ifMatch }),
      ...(content === undefined ? {} : { content }),
    };
    const { body: answered, ...reply } = await handlers[name].invoke(ctx, caller, raw);
    await Promise.all(later);
    // Tests check the fields of the answer separately.
    const fields: Record<string, unknown> = { ...Object(answered) };
    return { ...reply, body: fields };
  };
  const create = (body: object = {}, options: Call = {}) =>
    call("posts.create", { ...options, body: { text: "hello", channels: [first, second], ...body } });
  return {
    ctx,
    workspaceId,
    first,
    second,
    armed,
    followed,
    call,
    keyCaller,
    /** Adds a member who has signed in. */
    join: async (role: Role) => {
      const userId = makeId("usr", NOW, ctx.entropy);
      await db.insert(users).values({ id: userId, email: `${userId}@crier.test`, createdAt: 0 });
      await db.insert(members).values({ workspaceId, userId, role, createdAt: 0 });
      const session = { userId, tokenHash: userId, createdAt: 0, lastSeenAt: 0, expiresAt: NEVER };
      await db.insert(sessions).values(session);
      return { kind: "session", userId, tokenHash: userId, name: `The ${role}`, workspaceId, role } as const;
    },
    /** Connects an app that acts for a member. */
    connectApp: async ({ userId, role }: { userId: string; role: Role }) => {
      const id = makeId("grant", NOW, ctx.entropy);
      const client = {
        clientId: "claude",
        clientName: "Claude",
        redirectUri: "https://claude.test",
        codeChallenge: "",
      };
      const grant = { ...client, workspaceId, id, userId, scopes: [], resource: "", createdAt: 0, expiresAt: NEVER };
      await db.insert(oauthGrants).values(grant);
      return { kind: "grant", grantId: id, userId, name: "Claude", workspaceId, role } as const;
    },
    /** Creates a named key of a member. */
    nameKey: async ({ userId }: { userId: string }) => {
      const id = makeId("key", NOW, ctx.entropy);
      const row = { workspaceId, id, hash: id, start: "crier_", name: "CI", createdBy: userId, createdAt: 0 };
      await db.insert(namedKeys).values({ ...row, scopes: ["draft", "publish"] });
      return keyCaller(id);
    },
    create,
    /** Creates a post and returns its id. */
    createOne: async (body: object = {}) => String((await create(body)).body.id),
    readPosts: async () => await db.select().from(posts).where(eq(posts.workspaceId, workspaceId)),
    /** Reads the deliveries in the order of their posts' channels. */
    readDeliveries: async () => {
      const rows = await db.select().from(posts).where(eq(posts.workspaceId, workspaceId));
      const all = await db.select().from(deliveries).where(eq(deliveries.workspaceId, workspaceId));
      return rows.flatMap((post) =>
        inChannelOrder(
          post,
          all.filter(({ postId }) => postId === post.id),
        ),
      );
    },
    changeChannel: async (id: string, columns: Partial<typeof channels.$inferInsert>) => {
      const isRow = and(eq(channels.workspaceId, workspaceId), eq(channels.id, id));
      await db.update(channels).set(columns).where(isRow);
    },
    changeDelivery: async (channelId: string, columns: Partial<typeof deliveries.$inferInsert>) => {
      const isRow = and(eq(deliveries.workspaceId, workspaceId), eq(deliveries.channelId, channelId));
      await db.update(deliveries).set(columns).where(isRow);
    },
    /** Changes the takedown of the deliveries of a channel, if it was requested. */
    changeTakedown: async (channelId: string, columns: Partial<typeof followUps.$inferInsert>) => {
      const isRow = and(eq(followUps.workspaceId, workspaceId), eq(followUps.channelId, channelId));
      await db.update(followUps).set(columns).where(isRow);
    },
  };
}

/** Returns the refusal of a call, and fails if the call is not refused. */
export async function catchRefusal(work: Promise<unknown>): Promise<Refusal> {
  const error = await work.then(
    () => expect.fail("it was not refused"),
    (thrown: unknown) => thrown,
  );
  return error instanceof Refusal ? error : expect.fail(String(error));
}

/** Creates a workspace with these columns, and reads its row. */
export async function readWorkspaceRow(columns: Partial<typeof workspaces.$inferInsert>) {
  const { workspaceId } = await setUpWorkspace({ workspace: columns });
  return (await getWorkspace(db, workspaceId)) ?? expect.fail("the workspace is gone");
}
