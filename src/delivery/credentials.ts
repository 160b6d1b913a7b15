// The credentials of a publisher's channels. They are unsealed here, renewed ahead of need by a single session, and given up
// when the network ends them. A renewed credential is durable before its first use, because some refresh tokens can be
// exchanged only once.
import { errorText, log } from "../adapters/log.ts";
import { sealName } from "../adapters/seal.ts";
import type { Context } from "../context.ts";
import { channelState } from "../domain/channel.ts";
import type { FailureCode } from "../domain/delivery/failure.ts";
import type { Rejected, Retryable } from "../domain/delivery/outcome.ts";
import { channelEvent } from "../domain/event-body.ts";
import type { Json } from "../domain/json.ts";
import { MINUTE_MS } from "../domain/limits.ts";
import type { Network, NetworkIO } from "../networks/network.ts";
import { computeRenewAt } from "../networks/renewal.ts";
import { type ChannelRow, readChannel } from "../store/channels/channels.ts";
import { loseCredential, type RenewedCredential, storeCredential } from "../store/channels/credentials.ts";
import { untilKnown } from "../store/db/until-known.ts";
import type { Unwritten } from "./unwritten.ts";

export interface UsableCredential {
  is: "usable";
  credential: Json;
  id: string;
}

/** How long a renewal that another object began may still be answered. */
const RENEWAL_MAX_MS = MINUTE_MS;
/** When to retry a delivery whose channel was reconnected while its credential was being renewed. */
const REPLACED_AGAIN_MS = 5_000;
/**
 * How long to wait after a failed renewal before the next one: longer with each failure, and always shorter than the wait of a
 * delivery that has failed as often.
 */
const FAILED_AGAIN_MS = 20_000;
const FAILED_AGAIN_MAX_MS = 10 * MINUTE_MS;
/** An access token that expires within this time is renewed before use. */
const STILL_GOOD_MS = 2 * MINUTE_MS;

const retryable = (detail: string, retryAt?: number): Retryable => ({
  is: "retryable",
  error: "internal_error",
  detail,
  retryAt,
});

export class Credentials {
  readonly #ctx: Context;
  readonly #unwritten: Unwritten;
  /** By channel: the renewal under way. */
  readonly #renewals = new Map<string, Promise<UsableCredential | Rejected | Retryable>>();
  /** By channel: maps the id of each renewed credential to the newest credential that resulted from it. */
  readonly #renewed = new Map<string, Map<string, UsableCredential>>();
  /** By channel: the last failed renewal, how often in a row it has failed, and when it may be tried again. */
  readonly #failed = new Map<string, { id: string; times: number; until: number; answer: Retryable }>();
  /** By channel: the credential that was unsealed last. Unsealing costs more processor time than publishing a text. */
  readonly #unsealed = new Map<string, UsableCredential>();

  constructor(ctx: Context, unwritten: Unwritten) {
    this.#ctx = ctx;
    this.#unwritten = unwritten;
  }

  /**
   * Returns a channel's credential, renewed if that is due. If the renewal fails for now, a credential that is still valid is
   * used.
   */
  async ready(network: Network, channel: ChannelRow, io: NetworkIO): Promise<UsableCredential | Rejected | Retryable> {
    const current = await this.unseal(channel);
    if (current.is !== "usable") return current;
    const now = this.#ctx.now();
    const refreshAt = network.refreshAt?.(current.credential) ?? null;
    if (refreshAt === null || refreshAt > now) return current;
    const failure = this.#recentFailure(channel, current);
    const renewed = failure?.answer ?? (await this.renew(network, channel, io, current));
    const isGood = (network.endsAt?.(current.credential) ?? 0) > now + STILL_GOOD_MS;
    if (isGood && isAway(renewed)) return current;
    return failure === null ? renewed : { ...failure.answer, untriedUntil: failure.until };
  }

  /** Returns a channel's credential without renewing it. */
  async unseal(channel: ChannelRow): Promise<UsableCredential | Retryable> {
    const { credential: stored, credentialId } = channel;
    const renewed = stored === null ? undefined : this.#renewed.get(channel.id)?.get(credentialId);
    if (renewed !== undefined) return renewed;
    const cachedCredential = this.#unsealed.get(channel.id);
    if (stored !== null && cachedCredential?.id === credentialId) return cachedCredential;
    const unwrittenRenewal = stored === null ? null : this.#unwritten.renewedCredential(channel.id, credentialId);
    const sealed = unwrittenRenewal?.sealed ?? stored;
    const opened = sealed === null ? null : await this.#ctx.seal?.unseal(sealed, getSealContext(channel));
    if (opened !== null && opened !== undefined) {
      const id = unwrittenRenewal?.credentialId ?? credentialId;
      const usable: UsableCredential = { is: "usable", credential: JSON.parse(opened), id };
      // A credential that is kept only in the object's storage is found under the id of the credential that it replaced.
      if (unwrittenRenewal === null) this.#unsealed.set(channel.id, usable);
      return usable;
    }
    return { is: "retryable", error: "service_misconfigured", detail: "the stored credential cannot be unsealed" };
  }

  /** Renews a credential once for all concurrent callers. */
  async renew(
    network: Network,
    channel: ChannelRow,
    io: NetworkIO,
    current: UsableCredential,
  ): Promise<UsableCredential | Rejected | Retryable> {
    const renewedCredential = this.#renewed.get(channel.id)?.get(current.id);
    if (renewedCredential !== undefined) return renewedCredential;
    const underWay = this.#renewals.get(channel.id);
    if (underWay !== undefined) return underWay;
    const failure = this.#recentFailure(channel, current);
    if (failure !== null) return failure.answer;
    const renewal = this.#exchange(network, channel, io, current).finally(() => this.#renewals.delete(channel.id));
    this.#renewals.set(channel.id, renewal);
    return renewal;
  }

  async #exchange(
    network: Network,
    channel: ChannelRow,
    io: NetworkIO,
    current: UsableCredential,
  ): Promise<UsableCredential | Rejected | Retryable> {
    const ctx = this.#ctx;
    const revoked: Rejected = { is: "rejected", error: "token_revoked", detail: "the network refuses the credential" };
    if (ctx.seal === null || network.refresh === undefined) return this.#lose(channel, current, revoked);
    const pendingRenewal = this.#unwritten.begunRenewal(channel.id);
    if (
      pendingRenewal !== null &&
      pendingRenewal.credentialId === current.id &&
      pendingRenewal.since > ctx.now() - RENEWAL_MAX_MS
    ) {
      return retryable("the credential is being renewed", pendingRenewal.since + RENEWAL_MAX_MS);
    }
    await this.#unwritten.beginRenewal(channel.id, { credentialId: current.id, since: ctx.now() });
    const renewed = await network.refresh({ credential: current.credential, io }).catch((error: unknown) => {
      log("error", "renewal_failed", { ...getLogFields(channel), error: errorText(error) });
      return retryable("renewing the credential failed on our side");
    });
    if (renewed.is === "retryable") {
      this.#unwritten.endRenewal(channel.id);
      this.#noteFailure(channel, current, renewed);
      return renewed;
    }
    if (renewed.is === "rejected") {
      // The credential stays valid; its owner has to fix a permission at the network.
      const isKept = renewed.error === "permission_missing";
      if (isKept) this.#unwritten.endRenewal(channel.id);
      return isKept ? renewed : this.#lose(channel, current, renewed);
    }
    const sealed = await ctx.seal.seal(JSON.stringify(renewed.credential), getSealContext(channel));
    const renewAt = computeRenewAt(network, renewed.credential, ctx.now());
    const { workspaceId, id: channelId } = channel;
    const credentialId = sealName(sealed);
    return this.#store(
      { workspaceId, channelId, replacesId: current.id, credentialId, sealed, renewAt },
      { is: "usable", credential: renewed.credential, id: credentialId },
    );
  }

  /** The last failed renewal, while it is too early for the next one; otherwise null. */
  #recentFailure(channel: ChannelRow, { id }: UsableCredential): { until: number; answer: Retryable } | null {
    const failure = this.#failed.get(channel.id);
    return failure?.id === id && failure.until > this.#ctx.now() ? failure : null;
  }

  #noteFailure({ id: channelId }: ChannelRow, { id }: UsableCredential, answer: Retryable): void {
    const last = this.#failed.get(channelId);
    const times = last?.id === id ? last.times + 1 : 1;
    const waitMs = Math.min(FAILED_AGAIN_MS * 2 ** (times - 1), FAILED_AGAIN_MAX_MS);
    this.#failed.set(channelId, { id, times, until: this.#ctx.now() + waitMs, answer });
  }

  /** From here on the new credential is durable in the object's own storage, even if the database does not answer. */
  async #store(renewed: RenewedCredential, current: UsableCredential): Promise<UsableCredential | Retryable> {
    const { workspaceId, channelId, replacesId } = renewed;
    this.#unwritten.keepCredential(renewed);
    const successors = this.#renewed.get(channelId) ?? new Map<string, UsableCredential>();
    for (const before of [...successors.keys(), replacesId]) successors.set(before, current);
    this.#renewed.set(channelId, successors);
    try {
      const db = this.#ctx.databaseOf(workspaceId);
      const isStored = await untilKnown(this.#ctx, () => storeCredential(db, renewed));
      this.#unwritten.forgetCredential(channelId);
      if (isStored) return current;
      this.#renewed.delete(channelId);
      return retryable("the channel was connected again meanwhile", this.#ctx.now() + REPLACED_AGAIN_MS);
    } catch (error) {
      log("error", "credential_not_stored", { workspace: workspaceId, channel: channelId, error: errorText(error) });
      return current;
    }
  }

  /** Gives up a credential that the network has ended, unless a user has replaced it meanwhile. */
  async #lose(channel: ChannelRow, current: UsableCredential, rejected: Rejected): Promise<Rejected | Retryable> {
    const ctx = this.#ctx;
    const { workspaceId, id } = channel;
    const event = channelEvent(
      { now: ctx.now(), entropy: ctx.entropy },
      channel,
      "channel.disconnected",
      rejected.error,
    );
    const db = ctx.databaseOf(workspaceId);
    const endpoints = await untilKnown(ctx, () =>
      loseCredential(db, workspaceId, id, current.id, rejected.error, event),
    );
    this.#unwritten.endRenewal(id);
    if (endpoints.length > 0) await ctx.webhooks.wake(workspaceId, endpoints);
    ctx.later(ctx.mcp.announceChannels(workspaceId));
    const now = await untilKnown(ctx, () => readChannel(db, workspaceId, id));
    if ((now?.credential ?? null) === null) return rejected;
    return retryable("the channel was connected again meanwhile", ctx.now() + REPLACED_AGAIN_MS);
  }
}

/** Whether a renewal got no usable answer, and the network asked for no wait. */
const isAway = (renewed: UsableCredential | Rejected | Retryable): boolean =>
  renewed.is === "retryable" &&
  renewed.error === "network_unavailable" &&
  renewed.notBefore === undefined &&
  renewed.retryAt === undefined;

/** Returns why nothing can be published through a channel at `at` (epoch milliseconds), or null if it is usable. */
export function whyNotPublishable(channel: ChannelRow, instant: number): FailureCode | null {
  if (channel.removedAt !== null) return "channel_disconnected";
  const { credential, tokenExpiresAt, lostReason } = channel;
  switch (channelState({ hasCredential: credential !== null, tokenExpiresAt, lostReason }, instant)) {
    case "connected":
      return null;
    case "needs_reconnect":
      return "token_expired";
    default:
      return lostReason ?? "channel_disconnected";
  }
}

const getSealContext = (channel: ChannelRow) =>
  ({ purpose: "channel-credential", workspace: channel.workspaceId, row: channel.id }) as const;

const getLogFields = ({ workspaceId, id, platform }: ChannelRow) => ({ workspace: workspaceId, channel: id, platform });
