// Calls to addresses that callers or other servers supply. Our own hosts and private addresses are never reached.
import { BlockedAddress, IpAddressHost } from "../domain/blocked-address.ts";
import { HostBusy } from "../domain/host-busy.ts";
import {
  type AddressPolicy,
  type AddressRefusal,
  type AddressWarning,
  checkPublicUrl,
  hasIpHost,
  IP_HOST_WARNING,
  isPublicAddress,
} from "../domain/public-url.ts";
import { withTimeLimit } from "../domain/time-limit.ts";

/** A call to another host. */
export type Call = (url: string, init?: RequestInit) => Promise<Response>;

export interface Outbound {
  /** Checks the text of an address. `lengthMax` replaces the usual maximum, for addresses that no caller supplied. */
  check(url: string, lengthMax?: number): URL | AddressRefusal;
  /** The warnings about an address that `check` accepts. */
  warn(url: URL): AddressWarning[];
  /** Like `check`, and also resolves the host. Throws `BlockedAddress`. */
  admit(url: string): Promise<URL>;
  /** Calls a public address. Redirects are not followed. Throws `BlockedAddress`, and `IpAddressHost` for an IP address. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
}

/** `resolve` returns the IP addresses of a host. It is not called if private addresses are allowed. */
export function createOutbound(
  policy: AddressPolicy,
  resolve: (host: string) => Promise<string[]>,
  call: Call = fetch,
): Outbound {
  const check = (url: string, lengthMax?: number) => checkPublicUrl(url, policy, lengthMax);
  const admit = async (url: string) => {
    const checked = check(url);
    if (typeof checked === "string") throw new BlockedAddress(checked);
    if (!policy.allowPrivate && /[a-z]/i.test(checked.hostname) && !checked.hostname.startsWith("[")) {
      const addresses = await resolve(checked.hostname);
      if (addresses.length === 0 || !addresses.every(isPublicAddress)) throw new BlockedAddress("url_not_public");
    }
    return checked;
  };
  // Private addresses are allowed only where workerd runs on its own, and there it also calls IP addresses.
  const isCallable = (url: URL) => policy.allowPrivate || !hasIpHost(url);
  return {
    check,
    warn: (url) => (isCallable(url) ? [] : [IP_HOST_WARNING]),
    admit,
    fetch: async (url, init) => {
      const admitted = await admit(url);
      if (!isCallable(admitted)) throw new IpAddressHost();
      return call(admitted.href, { ...init, redirect: "manual" });
    },
  };
}

/** The same call, counted before it is made. Throws `HostBusy` if `take` returns a wait. */
export function counted(call: Call, take: (url: string) => Promise<number>): Call {
  return async (url, init) => {
    const waitS = await take(url);
    if (waitS > 0) throw new HostBusy(waitS);
    return call(url, init);
  };
}

/** The time limit of each of the two DNS queries, A and AAAA. */
const DNS_TIMEOUT_MS = 2_000;

/** Queries Cloudflare's DNS over HTTPS for the A and AAAA records of a host. */
export async function resolveHost(host: string, call: Call = fetch): Promise<string[]> {
  const ask = async (type: "A" | "AAAA", code: number): Promise<string[]> => {
    const url = `https://cloudflare-dns.com/dns-query?name=${encodeURIComponent(host)}&type=${type}`;
    const headers = { accept: "application/dns-json" };
    const answer = await withTimeLimit(DNS_TIMEOUT_MS, async (signal) => {
      const response = await call(url, { headers, signal });
      return response.json<{ Answer?: { type: number; data: string }[] }>();
    });
    return (answer.Answer ?? []).filter((record) => record.type === code).map((record) => record.data);
  };
  return (await Promise.all([ask("A", 1), ask("AAAA", 28)])).flat();
}
