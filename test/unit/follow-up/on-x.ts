// A published post on X whose follow-up is due, and the answers of X.
import { and, eq } from "drizzle-orm";
import { expect } from "vitest";
import type { NetworkPost } from "../../../src/domain/delivery/stored-facts.ts";
import type { Json } from "../../../src/domain/json.ts";
import { workAfterPublish } from "../../../src/follow-up/after-publish.ts";
import { deliveries } from "../../../src/store/db/schema.ts";
import { db, NOW } from "../store/deliveries/stored-delivery.ts";
import { followedDelivery, SHOWN } from "./followed-delivery.ts";

/** The post on X, after it was compared. */
export const COMPARED: NetworkPost = { ...SHOWN, readback: { state: "unverifiable", altered: [] } };
export const CREDENTIAL = { access_token: "t", refresh_token: null, expires_at: null, user_id: "1", username: "ada" };

const makeMissing = (id: string) => ({
  errors: [{ type: "https://api.twitter.com/2/problems/resource-not-found", resource_id: id, detail: "no such post" }],
});
export const answerTooMany = () =>
  Response.json(
    { title: "Too Many Requests", status: 429, detail: "Too Many Requests", type: "about:blank" },
    {
      status: 429,
      headers: { "x-rate-limit-remaining": "0", "x-rate-limit-reset": String(NOW / 1000 + 3_600) },
    },
  );

type Parts = NonNullable<Parameters<typeof followedDelivery>[0]>;

/** Makes an X with these posts. `calls` lists each call with its path and the ids of its posts. */
export function makeX(texts: Record<string, string>, answer: (call: string) => Response | undefined = () => undefined) {
  const calls: string[] = [];
  const fetch = async (address: string, init?: RequestInit) => {
    const { pathname, searchParams } = new URL(address);
    const ids = searchParams.get("ids");
    const hasMetrics = searchParams.toString().includes("public_metrics");
    const call = `${init?.method ?? "GET"} ${pathname}${ids === null ? "" : ` ${ids}`}${hasMetrics ? " metrics" : ""}`;
    calls.push(call);
    const fixedAnswer = answer(call);
    if (fixedAnswer !== undefined) return fixedAnswer;
    const id = ids ?? pathname.split("/").at(-1) ?? "";
    const text = texts[id];
    if (init?.method === "DELETE") return Response.json({ data: { deleted: text !== undefined } });
    if (init?.method === "POST") return Response.json({ data: { id: "99", text: "a comment" } }, { status: 201 });
    const post = { id, text, public_metrics: { like_count: 7 } };
    return Response.json(text === undefined ? makeMissing(id) : { data: [post] });
  };
  return { calls, fetch };
}

/** Rechecks posts of a channel on X; `before` changes rows beforehand. */
export async function recheckOnX(
  { calls, fetch }: ReturnType<typeof makeX>,
  { columns, ...parts }: Parts = {},
  {
    posts = ["post_1"],
    before = async () => {},
  }: { posts?: string[]; before?: (followed: Followed) => Promise<unknown> } = {},
) {
  const followed = await followedDelivery({
    platform: "x",
    credential: CREDENTIAL satisfies Json,
    fetch,
    ...parts,
    columns: { networkPost: COMPARED, ...columns },
  });
  await before(followed);
  await workAfterPublish(followed.tools, followed.lane, { kind: "after_publish", channel: "ch_1", posts });
  return { ...followed, calls, row: await followed.readRow() };
}
type Followed = Awaited<ReturnType<typeof followedDelivery>>;

/** Finds the line that was logged at `level`. */
export const findLine = (logs: Followed["logs"], level: string) =>
  logs.find((line) => line.level === level) ?? expect.fail(`nothing was logged at ${level}`);

/** Reads the delivery of the channel's other post. */
export const readPostTwo = async (workspaceId: string) => {
  const isRow = and(
    eq(deliveries.workspaceId, workspaceId),
    eq(deliveries.postId, "post_2"),
    eq(deliveries.channelId, "ch_1"),
  );
  return (await db.select().from(deliveries).where(isRow))[0];
};
