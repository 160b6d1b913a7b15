// Versions of the networks' APIs: a deployment may name another than the one that Crier was written for.

/** The settings that name a version, and what one looks like. */
export const VERSION_SETTINGS = {
  LINKEDIN_VERSION: { shape: /^20\d{2}(0[1-9]|1[0-2])$/, words: "a year and a month, such as 202609" },
  META_VERSION: { shape: /^v[1-9]\d?\.\d$/, words: "a version of the Graph API, such as v25.0" },
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
