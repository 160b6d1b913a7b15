// Decides which addresses from callers we are willing to call: https, a public name or a public IP, nothing of our own.
import { URL_LENGTH_MAX } from "./limits.ts";

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

/** [first address, prefix length] of every IPv4 block that is not public (IANA special-purpose registry). */
const IPV4_BLOCKS: [string, number][] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];
/** IPv6 is public only inside 2000::/3 and outside these. */
const IPV6_BLOCKS: [bigint, number][] = [
  [0x2001n << 112n, 23],
  [0x20010db8n << 96n, 32],
  [0x2002n << 112n, 16],
  [0x3fffn << 112n, 20],
];

/** Whether an IP address in its canonical text form (IPv4 dotted, IPv6 without brackets) is public. */
export function isPublicAddress(text: string): boolean {
  if (!text.includes(":")) {
    const address = ipv4(text);
    return address !== null && !IPV4_BLOCKS.some(([first, length]) => sharesPrefix(address, ipv4(first) ?? 0, length));
  }
  const address = ipv6(text);
  if (address === null) return false;
  if (address >> 125n !== 1n) return false;
  return !IPV6_BLOCKS.some(([first, length]) => address >> BigInt(128 - length) === first >> BigInt(128 - length));
}

function sharesPrefix(a: number, b: number, length: number): boolean {
  const size = 2 ** (32 - length);
  return Math.floor(a / size) === Math.floor(b / size);
}

function ipv4(text: string): number | null {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((octet) => /^\d{1,3}$/.test(octet) && Number(octet) < 256)) return null;
  return parts.reduce((sum, octet) => sum * 256 + Number(octet), 0);
}

function ipv6(text: string): bigint | null {
  const [head = "", tail] = text.split("::");
  const groups = (side: string) => (side === "" ? [] : side.split(":"));
  const leadingGroups = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const missing = 8 - leadingGroups.length - right.length;
  if (tail === undefined ? missing !== 0 : missing < 0) return null;
  const addressGroups = [...leadingGroups, ...Array<string>(missing).fill("0"), ...right];
  if (!addressGroups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return null;
  return addressGroups.reduce((sum, group) => (sum << 16n) + BigInt(`0x${group}`), 0n);
}
