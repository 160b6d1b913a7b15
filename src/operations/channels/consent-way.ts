// The ways of a network to connect an account by a consent.
import { networkName } from "../../domain/network-name.ts";
import { findNetwork } from "../../networks/index.ts";

/** Names the settings of an app: `<PLATFORM>_CLIENT_ID`, or `<PLATFORM>_<WAY>_CLIENT_ID`. */
export const nameApp = (platform: string, via: string | null): string =>
  via === null ? platform : `${platform}_${via}`;

/** The site on which the owner of an account consents, as people call it. */
export const nameSite = (platform: string, via: string | null): string =>
  findNetwork(platform)?.rule.connect_ways?.find((way) => way.via === via)?.site ?? networkName(platform);
