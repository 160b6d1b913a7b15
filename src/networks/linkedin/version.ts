// Versions of the API: learn.microsoft.com/en-us/linkedin/marketing/versioning, read 2026-11-25. A version is a month, and
// supported for at least a year; after that every call that names it is refused (426).
import type { ApiRule, VersionRule } from "../../domain/api-version.ts";

const BUILT_IN = "202609";

/**
 * The 15th of the same month a year later: the table of marketing/integrations/migrations, read 2026-11-25, ends versions between
 * the 15th (202510: 2026-10-15, 202601: 2027-01-15) and the 22nd, and the exact day is announced only later.
 */
const supportedUntil = (version: string): string => `${Number(version.slice(0, 4)) + 1}-${version.slice(4)}-15`;

export const API: ApiRule = { version: BUILT_IN, supported_until: supportedUntil(BUILT_IN) };
export const versions: VersionRule = { setting: "LINKEDIN_VERSION", supportedUntil };

/** The version that calls name. */
export const versionFor = (io: { apiVersion?: string | undefined }): string => io.apiVersion ?? BUILT_IN;
