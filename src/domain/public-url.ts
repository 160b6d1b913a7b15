// Decides which addresses from callers we are willing to call: https, a public name or a public IP, nothing of our own.
import ipaddr from "ipaddr.js";
import { URL_LENGTH_MAX } from "./limits.ts";

const { IPv4, IPv6 } = ipaddr;

export type AddressRefusal = "url_not_public" | "url_not_https";
export interface AddressPolicy {
  /** For local runs and tests: allows http, loopback and private addresses. */
  allowPrivate: boolean;
  /** Host names of this deployment, which callers must not make us call. */
  ownHosts: string[];
}

/** Parses and checks an address by its text alone; a later call also checks the addresses that its name resolves to. */
export function checkPublicUrl(text: string, policy: AddressPolicy, lengthMax = URL_LENGTH_MAX): URL | AddressRefusal {
  if (text.length > lengthMax || /[\s\\]/.test(text) || !URL.canParse(text)) return "url_not_public";
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return "url_not_public";
  if (policy.allowPrivate && url.protocol === "http:") return url;
  if (url.protocol !== "https:") return "url_not_https";
  if (policy.allowPrivate) return url;
  if (url.port !== "") return "url_not_public";
  return isPublicHost(url.hostname, policy.ownHosts) ? url : "url_not_public";
}

/**
 * Whether the host of an address is an IP address, for which a Worker's `fetch` fails with error 1003
 * (github.com/cloudflare/workers-docs/issues/981, 2020-08-08, and xiaoyang-sde/reflare/issues/408, read 2026-11-24).
 */
export const hasIpHost = ({ hostname }: URL): boolean => hostname.startsWith("[") || /^[\d.]+$/.test(hostname);

/** The warning about an address that is accepted although it cannot be called as it is. */
export interface AddressWarning {
  code: "ip_address_host";
  message: string;
}
export const IP_HOST_WARNING: AddressWarning = {
  code: "ip_address_host",
  message: "The host is an IP address, which Cloudflare Workers cannot call. Use a host name.",
};

const PRIVATE_SUFFIXES = [".localhost", ".local", ".internal", ".home.arpa", ".test", ".invalid", ".example", ".onion"];

/** Labels of the domain name system, at least two: a host that only some resolvers can read is not called. */
const HOST_NAME = /^([a-z0-9_-]{1,63}\.)+[a-z0-9-]{1,63}$/;

function isPublicHost(hostname: string, ownHosts: string[]): boolean {
  const host = hostname.replace(/\.$/, "");
  if (host.startsWith("[")) return isPublicAddress(host.slice(1, -1));
  if (/^[\d.]+$/.test(host)) return isPublicAddress(host);
  if (host.length > 253 || !HOST_NAME.test(host) || ownHosts.includes(host)) return false;
  return !PRIVATE_SUFFIXES.some((suffix) => host.endsWith(suffix));
}

/** The only part of IPv6 from which public addresses are assigned (IANA IPv6 address space registry). */
const GLOBAL_UNICAST = IPv6.parseCIDR("2000::/3");

/** Whether an IP address in its canonical text form (IPv4 dotted, IPv6 without brackets) is public. */
export function isPublicAddress(text: string): boolean {
  if (IPv4.isValidFourPartDecimal(text)) return IPv4.parse(text).range() === "unicast";
  // The library also reads zones and a dotted end, which no canonical text has.
  if (/[%.]/.test(text) || !IPv6.isValid(text)) return false;
  const address = IPv6.parse(text);
  return address.range() === "unicast" && address.match(GLOBAL_UNICAST);
}
