// The accounts that a post tags: X takes ids, people know names.
import * as z from "zod";
import type { Rejected, Retryable, Unauthorized } from "../../domain/delivery/outcome.ts";
import type { ConnectorContext } from "../network.ts";
import { readResult, unavailable } from "../shared/http-call.ts";
import { call } from "./api.ts";
import { readRejection } from "./errors.ts";
import type { Credential } from "./rule.ts";

/** `errors` names the accounts that do not exist; `data` is absent if none does. */
const Found = z.object({ data: z.array(z.object({ id: z.string(), username: z.string() })).default([]) });

/** The ids of accounts, in the order of their names: GET /2/users/by, docs.x.com/x-api/users, read 2026-11-27. */
export async function findUsers(
  names: readonly string[],
  { credential, io }: ConnectorContext<Credential>,
): Promise<string[] | Rejected | Retryable | Unauthorized> {
  const usernames = names.map((name) => name.replace(/^@/, ""));
  const path = `/2/users/by?${new URLSearchParams({ usernames: usernames.join(",") })}`;
  const answer = await call(io, credential.access_token, "GET", path);
  const users = readResult(answer, Found)?.data;
  if (users === undefined) {
    const rejection = readRejection(answer, io.now());
    return rejection === null || rejection.is === "unknown" ? unavailable(answer, io.now()) : rejection;
  }
  const ids = new Map(users.map(({ id, username }) => [username.toLowerCase(), id]));
  const missing = usernames.filter((name) => !ids.has(name.toLowerCase()));
  if (missing.length > 0) {
    const detail = `tagged_users: X has no account ${missing.map((name) => `@${name}`).join(", ")}`;
    return { is: "rejected", error: "content_refused", detail };
  }
  return usernames.flatMap((name) => ids.get(name.toLowerCase()) ?? []);
}
