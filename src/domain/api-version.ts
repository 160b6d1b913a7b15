// Versions of the networks' APIs. A deployment may name a different version than the built-in one.
import { DAY_MS } from "./limits.ts";

/** The settings that name a version, and the format of each. */
export const VERSION_SETTINGS = {
  LINKEDIN_VERSION: { shape: /^20\d{2}(0[1-9]|1[0-2])$/, description: "a year and a month, such as 202609" },
  META_VERSION: { shape: /^v[1-9]\d?\.\d$/, description: "a version of the Graph API, such as v26.0" },
} as const satisfies Record<string, { shape: RegExp; description: string }>;

export type VersionSetting = keyof typeof VERSION_SETTINGS;

/** The value of each setting; null if it is not set, so that the built-in version applies. */
export type ApiVersions = Record<VersionSetting, string | null>;

/** The version of a network's API that calls name, as `GET /v1/platforms` prints it. */
export interface ApiRule {
  /** null if calls name no version. */
  version: string | null;
  /** ISO date from which the network may refuse the version; null if the network has named none. */
  supported_until: string | null;
}

/** How the version of an API is set, and until when each version is supported. */
export interface VersionRule {
  setting: VersionSetting;
  supportedUntil(version: string): string | null;
}

/** How many days before a version ends workspaces are warned. */
const VERSION_WARNING_DAYS = [60, 14] as const;
type VersionWarningDays = (typeof VERSION_WARNING_DAYS)[number];

/** A version that ends, and its warning that is due. */
export interface EndingVersion {
  version: string;
  /** ISO date. */
  supportedUntil: string;
  days: VersionWarningDays;
}

/** Whether a network answers a version at an instant (epoch milliseconds), as far as the network has announced. */
export const isSupportedAt = ({ supported_until: end }: ApiRule, instant: number): boolean =>
  end === null || instant < Date.parse(end);

const WARNED_AHEAD_MS = Math.max(...VERSION_WARNING_DAYS) * DAY_MS;

/**
 * Returns the end of a version that has ended, or that ends soon enough for a warning at `now` (epoch milliseconds);
 * otherwise null.
 */
export function findVersionEnd(api: ApiRule, now: number): { end: string; hasEnded: boolean } | null {
  const { supported_until: end } = api;
  if (end === null || Date.parse(end) > now + WARNED_AHEAD_MS) return null;
  return { end, hasEnded: !isSupportedAt(api, now) };
}

/**
 * Returns the last warning that is due at `now` (epoch milliseconds), or null if no warning is due or the version has ended.
 */
export function findEndingVersion(api: ApiRule, now: number): EndingVersion | null {
  const { version, supported_until: supportedUntil } = api;
  if (version === null || supportedUntil === null || !isSupportedAt(api, now)) return null;
  const remainingMs = Date.parse(supportedUntil) - now;
  const days = VERSION_WARNING_DAYS.findLast((lead) => remainingMs <= lead * DAY_MS);
  return days === undefined ? null : { version, supportedUntil, days };
}
