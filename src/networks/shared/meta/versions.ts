// Versions of the Graph API, which Facebook and Instagram share. Threads has its own.
import type { ApiRule, VersionRule } from "../../../domain/api-version.ts";

/**
 * The day on which each version ends: developers.facebook.com/documentation/development/graph-api/changelog, updated
 * 2026-10-29, read 2026-11-25. The page gives no end for v26.0 (2026-07-29) and v27.0 (2026-11-04). A version ends two years
 * after the next version appeared.
 */
const ENDS: Readonly<Record<string, string>> = {
  "v20.0": "2026-09-24",
  "v21.0": "2027-01-21",
  "v22.0": "2027-05-20",
  "v23.0": "2027-10-08",
  "v24.0": "2028-02-18",
  "v25.0": "2028-07-29",
};

/**
 * v26.0 is safe for Crier's calls (docs/graph-api/changelog/version26.0 and the blog of 2026-07-29, read 2026-11-26). It
 * changes orders of shops, fields of Rights Manager, and ads, which Crier does not call. On 2026-10-27, every version also
 * lost five "legacy protocol features", which Crier does not use: `pretty`, `debug`, `date_format`, `GET /?ids=` and
 * `If-None-Match` (the list is from a public note of 2026-09-26 by a reader of the changelog). No page about the changes of
 * v27.0 could be read, so v27.0 is not the default yet.
 */
const BUILT_IN = "v26.0";

const supportedUntil = (version: string): string | null => ENDS[version] ?? null;

export const API: ApiRule = { version: BUILT_IN, supported_until: supportedUntil(BUILT_IN) };
export const versions: VersionRule = { setting: "META_VERSION", supportedUntil };

/** The version to use in calls. */
export const versionFor = (io: { apiVersion?: string | undefined }): string => io.apiVersion ?? BUILT_IN;
