import { call, connect, type PostBody, signUp } from "../support/world.ts";

interface Row {
  line: number;
  external_id: string | null;
  valid: boolean;
  violations: { code: string; field?: string; column?: string; message: string; hint?: string }[];
  post: PostBody | null;
}
export interface Imported {
  rows: Row[];
  valid: number;
  invalid: number;
  created: number;
}
export const importFile = (key: string, text: string, { query = "", type = "text/csv", idempotencyKey = "" } = {}) =>
  call<Imported & { error?: string; field?: string; message?: string }>("POST", `/v1/posts/import${query}`, {
    token: key,
    body: text,
    headers: { "content-type": type, ...(idempotencyKey === "" ? {} : { "idempotency-key": idempotencyKey }) },
  });
export const listPosts = async (key: string) =>
  (await call<{ posts: PostBody[] }>("GET", "/v1/posts?limit=200", { token: key })).body.posts;
export const localTimeInDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 16);

export async function openWorkspace() {
  const account = await signUp();
  const channel = await connect(account.key, "telegram");
  return { ...account, channel };
}
