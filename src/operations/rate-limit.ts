import { sha256Hex } from "../adapters/digest.ts";
import type { Caller, Context } from "../context.ts";
import { networksAround, type RateLimitName } from "../domain/rate-limit.ts";
import { refuse } from "../domain/refusal.ts";

/**
 * Counts an attempt against the limits of an account and of the caller's address. Any text may identify the account; only
 * its hash is stored.
 */
export async function limitTries(
  ctx: Context,
  limits: { account?: [RateLimitName, string]; address?: RateLimitName },
): Promise<void> {
  // The address is counted first: a caller over its limit must not use up another person's account limit.
  if (limits.address !== undefined && ctx.address !== null) {
    await take(ctx, limits.address, ctx.address);
    const networks = limits.address === "login_address" ? networksAround(ctx.address) : [];
    for (const { limit, network } of networks) await take(ctx, limit, network);
  }
  if (limits.account !== undefined) await take(ctx, limits.account[0], await counted(limits.account[1]));
}

/** Clears an account's count after a success. */
export async function forgiveTries(ctx: Context, limit: RateLimitName, account: string): Promise<void> {
  await ctx.limits.clear(limit, await counted(account));
}

/**
 * Counts a request of a workspace that makes us call another server. Returns the seconds to wait, 0 if it may proceed.
 */
export const takeOutbound = async (ctx: Context, workspaceId: string): Promise<number> =>
  ctx.limits.take("outbound_workspace", await counted(workspaceId));

/** Like `takeOutbound`. Throws `rate_limited`. */
export const limitOutbound = async (ctx: Context, workspaceId: string) =>
  refuseWait(await takeOutbound(ctx, workspaceId));

/** Counts files that a workspace registers or is about to upload. Throws `rate_limited`. */
export const limitMedia = async (ctx: Context, workspaceId: string, files = 1) =>
  take(ctx, "media_workspace", await counted(workspaceId), files);

/** Counts a connect link that a workspace creates. Throws `rate_limited`. */
export const limitConnectLinks = async (ctx: Context, workspaceId: string) =>
  take(ctx, "connect_workspace", await counted(workspaceId));

/** Counts a report that a workspace creates. Throws `rate_limited`. */
export const limitReports = async (ctx: Context, workspaceId: string) =>
  take(ctx, "report_workspace", await counted(workspaceId));

type WorkspaceCaller = Extract<Caller, { workspaceId: string }>;

/** Counts an import or a bulk call by a key or a person. Throws `rate_limited`. */
export const limitImports = async (ctx: Context, caller: WorkspaceCaller) =>
  take(ctx, "import_caller", await countedCaller(caller));

/** Counts dry runs by a key or a person. Throws `rate_limited`. */
export const limitChecks = async (ctx: Context, caller: WorkspaceCaller, checks = 1) =>
  take(ctx, "check_caller", await countedCaller(caller), checks);

/** Counts a comment by a key or a person. Throws `rate_limited`. */
export const limitComments = async (ctx: Context, caller: WorkspaceCaller) =>
  take(ctx, "comment_caller", await countedCaller(caller));

const countedCaller = (caller: WorkspaceCaller) =>
  counted("keyId" in caller ? caller.keyId : `${caller.workspaceId} ${caller.userId}`);

const counted = (account: string) => sha256Hex(account.trim().toLowerCase());

async function take(ctx: Context, limit: RateLimitName, subject: string, tries = 1): Promise<void> {
  refuseWait(await ctx.limits.take(limit, subject, tries));
}

/** Throws `rate_limited` if there are seconds to wait. */
export function refuseWait(seconds: number): void {
  if (seconds === 0) return;
  const wait = Math.min(Math.max(seconds, 1), 3_600);
  throw refuse("rate_limited", { extra: { retry_after: wait }, headers: { "Retry-After": String(wait) } });
}
