// Rate limits per account and per address. Sliding windows of [tries, milliseconds].
import ipaddr from "ipaddr.js";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "./limits.ts";

export interface RateLimit {
  windows: [number, number][];
  /** The wait after a window is full: the first value, doubling up to the second (milliseconds), until it is cleared. */
  backOff?: [number, number];
}

/** Guesses of a password. */
const GUESSES = { windows: [[5, 15 * MINUTE_MS]], backOff: [30_000, 15 * MINUTE_MS] } as const satisfies RateLimit;

export const RATE_LIMITS = {
  login_account_address: GUESSES,
  login_device: GUESSES,
  // A user with a session who enters the password again.
  password_user: GUESSES,
  // Six digits can be guessed; recovery codes and passkeys cannot, so wrong codes never lock the owner out of those.
  factor_code_user: GUESSES,
  factor_user: { windows: [[30, 15 * MINUTE_MS]] },
  // Counts tries from all addresses. The limit is so high that an attacker needs many addresses to reach it, and so low that
  // 2,400 guesses a day do not find a good password.
  login_account: { windows: [[100, HOUR_MS]] },
  login_address: {
    windows: [
      [20, 5 * MINUTE_MS],
      [100, HOUR_MS],
    ],
  },
  // Count tries by the IPv6 networks around the address: a site's network (/48) and a provider's network (/32). The limits are
  // high enough for all people who share a network and sign in on a new device.
  login_network_48: {
    windows: [
      [200, 5 * MINUTE_MS],
      [1_000, HOUR_MS],
    ],
  },
  login_network_32: {
    windows: [
      [1_000, 5 * MINUTE_MS],
      [5_000, HOUR_MS],
    ],
  },
  signup_account: { windows: [[3, HOUR_MS]] },
  signup_address: {
    windows: [
      [5, HOUR_MS],
      [20, DAY_MS],
    ],
  },
  forgot_account_address: { windows: [[3, HOUR_MS]] },
  forgot_device: { windows: [[3, HOUR_MS]] },
  // Each try sends the owner a mail with a valid link, so an attacker who reaches this limit does not lock the owner out.
  forgot_account: { windows: [[10, HOUR_MS]] },
  forgot_address: { windows: [[10, HOUR_MS]] },
  reset_token: { windows: [[5, HOUR_MS]] },
  reset_address: { windows: [[10, 15 * MINUTE_MS]] },
  verify_user: { windows: [[20, 15 * MINUTE_MS]] },
  verify_address: { windows: [[60, 15 * MINUTE_MS]] },
  verify_send_user: {
    windows: [
      [5, HOUR_MS],
      [20, DAY_MS],
    ],
  },
  verify_send_address: { windows: [[20, HOUR_MS]] },
  // Counted by the new address, so that no user can flood another person's mailbox.
  change_email_account: { windows: [[3, HOUR_MS]] },
  change_email_user: { windows: [[10, HOUR_MS]] },
  // Each invitation sends a mail: counted by inviter, and by invited address across all workspaces.
  invite_address: { windows: [[60, HOUR_MS]] },
  invite_user: {
    windows: [
      [30, HOUR_MS],
      [100, DAY_MS],
    ],
  },
  invite_recipient: { windows: [[20, DAY_MS]] },
  invitation_address: { windows: [[60, 10 * MINUTE_MS]] },
  review_address: { windows: [[60, 10 * MINUTE_MS]] },
  // A client may decide on many posts one by one.
  portal_address: { windows: [[300, 10 * MINUTE_MS]] },
  bad_key_address: { windows: [[300, MINUTE_MS]] },
  oauth_address: { windows: [[30, 10 * MINUTE_MS]] },
  // A hosted client uses few addresses for all of its users.
  register_address: {
    windows: [
      [60, 10 * MINUTE_MS],
      [1_000, DAY_MS],
    ],
  },
  authorize_address: { windows: [[60, 10 * MINUTE_MS]] },
  bad_token_address: { windows: [[300, MINUTE_MS]] },
  refresh_grant: { windows: [[60, HOUR_MS]] },
  key_workspace: { windows: [[60, HOUR_MS]] },
  rotate_workspace: { windows: [[10, HOUR_MS]] },
  report_workspace: { windows: [[60, HOUR_MS]] },
  connect_workspace: { windows: [[60, HOUR_MS]] },
  webhook_workspace: {
    windows: [
      [30, MINUTE_MS],
      [300, HOUR_MS],
    ],
  },
  // Files that are registered or whose upload is requested: each leaves a permanent row, however small it is.
  media_workspace: {
    windows: [
      [1_000, HOUR_MS],
      [5_000, DAY_MS],
    ],
  },
  // Thumbnails that are made, not those that are shown. Each costs a conversion.
  thumbnail_workspace: {
    windows: [
      [1_000, HOUR_MS],
      [5_000, DAY_MS],
    ],
  },
  // Comments, by the key or person that writes them: each leaves a row and may send mails.
  comment_caller: {
    windows: [
      [30, MINUTE_MS],
      [300, HOUR_MS],
    ],
  },
  // Import files and bulk calls, by the key or person that sends them. Each file may have 500 posts, and checking them takes time.
  import_caller: {
    windows: [
      [60, MINUTE_MS],
      [1_000, HOUR_MS],
    ],
  },
  // Dry runs of posts, by the key or person that sends them: ten a second, far more than any editor or import needs. Queued
  // posts are never counted.
  check_caller: { windows: [[600, MINUTE_MS]] },
  // Requests that make us call a third party: for a file at an address, an account at its network, an endpoint.
  outbound_workspace: {
    windows: [
      [60, MINUTE_MS],
      [600, HOUR_MS],
    ],
  },
  // Calls to hosts that callers named, in the order in which they are counted. They keep callers from using us against a
  // third party's host.
  host_workspace: { windows: [[120, MINUTE_MS]] },
  hosts_workspace: { windows: [[300, MINUTE_MS]] },
  host: { windows: [[1_200, MINUTE_MS]] },
  // Calls beyond the limit of the host, only for workspaces that are below their fair share of this host.
  host_reserve: { windows: [[1_200, MINUTE_MS]] },
  // Descriptions of OAuth clients, which any caller can make us read: they do not count against the calls of workspaces.
  client_document_host: { windows: [[300, MINUTE_MS]] },
  reveal_user: { windows: [[10, HOUR_MS]] },
  // A platform may read the keys of all its customers again after it has lost them.
  reveal_account_key: { windows: [[1_000, HOUR_MS]] },
} as const satisfies Record<string, RateLimit>;
export type RateLimitName = keyof typeof RATE_LIMITS;

/** The state of a counter. Instants are epoch milliseconds. */
export interface Tries {
  at: number[];
  blocks: number;
  blockedUntil: number;
}
export const NO_TRIES: Tries = { at: [], blocks: 0, blockedUntil: 0 };

/**
 * Counts one more try at `now`. Returns the new state and the milliseconds to wait (0: the try is allowed). `count`: how many
 * tries to count at once. Either all of them are counted, or none. If `count` exceeds a window, the window must be empty. A
 * limit with a `backOff` always counts one try.
 */
export function takeTry(limit: RateLimit, before: Tries, now: number, count = 1): { tries: Tries; waitMs: number } {
  if (before.blockedUntil > now) return { tries: before, waitMs: before.blockedUntil - now };
  const longest = Math.max(...limit.windows.map(([, ms]) => ms));
  const recentTries = before.at.filter((tried) => tried > now - longest);
  const { backOff } = limit;
  if (backOff === undefined) {
    const waits = limit.windows.map(([most, ms]) => {
      const inside = recentTries.filter((tried) => tried > now - ms);
      // The try that must expire before the others have room.
      const last = inside.at(-Math.max(most - count + 1, 1));
      return last === undefined ? 0 : last + ms - now;
    });
    const waitMs = Math.max(...waits);
    if (waitMs > 0) return { tries: { ...before, at: recentTries }, waitMs };
    const most = Math.max(...limit.windows.map(([tries]) => tries));
    return { tries: { ...before, at: [...recentTries, ...Array<number>(Math.min(count, most)).fill(now)] }, waitMs: 0 };
  }
  const tried = [...recentTries, now];
  // A caller who continues soon after a wait waits longer the next time.
  const goesOn = before.blocks > 0 && now < before.blockedUntil + longest;
  const full = goesOn || limit.windows.some(([count, ms]) => tried.filter((when) => when > now - ms).length >= count);
  const [first, most] = backOff;
  const tries = full
    ? { at: tried, blocks: before.blocks + 1, blockedUntil: now + Math.min(first * 2 ** before.blocks, most) }
    : { at: tried, blocks: 0, blockedUntil: 0 };
  return { tries, waitMs: 0 };
}

/** What a limit leaves, in its tightest window. */
export interface Room {
  /** Tries in a window. */
  limit: number;
  remaining: number;
  /** Seconds until the oldest try of the window no longer counts; 0 without one. */
  resetS: number;
}

/** The room that a limit leaves after `tries` at `now`. */
export function measureRoom({ windows }: RateLimit, { at, blockedUntil }: Tries, now: number): Room {
  const rooms = windows.map(([limit, ms]) => {
    const inside = at.filter((tried) => tried > now - ms);
    const until = Math.max(blockedUntil, inside[0] === undefined ? now : inside[0] + ms);
    const remaining = blockedUntil > now ? 0 : Math.max(0, limit - inside.length);
    return { limit, remaining, resetS: Math.ceil((until - now) / 1_000) };
  });
  return rooms.reduce((tightest, room) => (room.remaining < tightest.remaining ? room : tightest));
}

/** Whether answers report the room that the limit leaves: limits of a workspace, or of a key or person in it. */
export const isReported = (limit: RateLimitName): boolean => /_(?:workspace|caller)$/.test(limit);

const LEASE_MAX = 20;

/**
 * How many calls to a host a workspace counts at once: as many as it made to that host within the last minute, 20 at most. So
 * a workspace that calls rarely takes no more of the shared limit than it uses.
 */
export function leaseSize(recent: Tries, now: number): number {
  return Math.min(Math.max(1, recent.at.filter((triedAt) => triedAt > now - MINUTE_MS).length - 1), LEASE_MAX);
}

/** The unit by which an address is counted: IPv6 by its /64, because a subscriber has at least that many addresses. */
export function countedAddress(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const groups = ipaddr.IPv6.parse(address).parts.map((group) => group.toString(16));
  return `${groups.slice(0, 4).join(":")}::/64`;
}

/** The wider networks around an IPv6 address, for which sign-in tries are counted too. The smaller network comes first. */
export function networksAround(address: string): { limit: RateLimitName; network: string }[] {
  const groups = address.split(":");
  if (!address.endsWith("::/64")) return [];
  return [
    { limit: "login_network_48", network: `${groups.slice(0, 3).join(":")}::/48` },
    { limit: "login_network_32", network: `${groups.slice(0, 2).join(":")}::/32` },
  ];
}
