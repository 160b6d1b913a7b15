// Versions of the networks' APIs: a deployment may name another than the one that Crier was written for.
import { DAY_MS } from "./limits.ts";

/** The settings that name a version, and what one looks like. */
export const VERSION_SETTINGS = {
  LINKEDIN_VERSION: { shape: /^20\d{2}(0[1-9]|1[0-2])$/, words: "a year and a month, such as 202609" },
  META_VERSION: { shape: /^v[1-9]\d?\.\d$/, words: "a version of the Graph API, such as v26.0" },
} as const satisfies Record<string, { shape: RegExp; words: string }>;

export type VersionSetting = keyof typeof VERSION_SETTINGS;

/** What each setting names; null: nothing, so the built-in version counts. */
export type ApiVersions = Record<VersionSetting, string | null>;

/** The version of a network's API that calls name, as `GET /v1/platforms` prints it. */
export interface ApiRule {
  /** null: calls name none. */
  version: string | null;
  /** ISO date from which the network may refuse it; null: the network has named none. */
  supported_until: string | null;
}

/** How the version of an API is set, and until when a version is supported. */
export interface VersionRule {
  setting: VersionSetting;
  supportedUntil(version: string): string | null;
}

/** How many days before the end of a version workspaces are told of it. */
const VERSION_WARNING_DAYS = [60, 14] as const;
type VersionWarningDays = (typeof VERSION_WARNING_DAYS)[number];

/** A version that ends, and which of the warnings of it is due. */
export interface EndingVersion {
  version: string;
  /** ISO date. */
  supportedUntil: string;
  days: VersionWarningDays;
}

/** Whether a network answers a version at an instant (epoch milliseconds), as far as it has said. */
export const isSupportedAt = ({ supported_until: end }: ApiRule, at: number): boolean =>
  end === null || at < Date.parse(end);

const WARNED_AHEAD_MS = Math.max(...VERSION_WARNING_DAYS) * DAY_MS;

/** When a version ends that has ended, or ends soon enough to be warned of at `now` (epoch milliseconds); null: it does not. */
export function findVersionEnd(api: ApiRule, now: number): { end: string; hasEnded: boolean } | null {
  const { supported_until: end } = api;
  if (end === null || Date.parse(end) > now + WARNED_AHEAD_MS) return null;
  return { end, hasEnded: !isSupportedAt(api, now) };
}

/** The last warning that is due at `now` (epoch milliseconds); null: none is, or the version has ended. */
export function findEndingVersion(api: ApiRule, now: number): EndingVersion | null {
  const { version, supported_until: supportedUntil } = api;
  if (version === null || supportedUntil === null || !isSupportedAt(api, now)) return null;
  const left = Date.parse(supportedUntil) - now;
  const days = VERSION_WARNING_DAYS.findLast((lead) => left <= lead * DAY_MS);
  return days === undefined ? null : { version, supportedUntil, days };
}
