// A person who signs in through a provider.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { expect } from "vitest";
import worker from "../../src/index.ts";
import { testEnv } from "../support/env.ts";
import { unique } from "../support/world.ts";

export interface Claims {
  email: string;
  email_verified: boolean | string;
  name?: string;
  n?: number;
}
export const CALLBACK = "http://crier.test/v1/oauth/google/callback";
export const START = "http://crier.test/v1/oauth/google/start";

/** Makes one request of a browser with its cookies. A test can override settings of Crier. */
export async function browse(
  url: string,
  cookies: Record<string, string>,
  settings: Record<string, string | undefined> = {},
): Promise<Response> {
  const headers = {
    cookie: Object.entries(cookies)
      .map(([name, value]) => `${name}=${value}`)
      .join("; "),
  };
  const request = new Request(url, { headers, redirect: "manual" });
  const execution = createExecutionContext();
  const response = url.startsWith("http://crier.test/")
    ? await worker.fetch(
        new Request<unknown, IncomingRequestCfProperties>(request),
        { ...testEnv, ...settings },
        execution,
      )
    : await fetch(request);
  await waitOnExecutionContext(execution);
  for (const cookie of response.headers.getSetCookie()) {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    if (value === "") delete cookies[name];
    else cookies[name] = value;
  }
  return response;
}

export const encodeHint = (claims: Claims) =>
  btoa(JSON.stringify(claims)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** Follows a sign-in from its start to the provider's redirect back to us. Returns that address without visiting it. */
export async function reachCallback(
  loginHint: string,
  cookies: Record<string, string>,
  start = START,
  settings: Record<string, string | undefined> = {},
): Promise<string> {
  const started = await browse(start, cookies, settings);
  expect(started.status).toBe(302);
  let address = new URL(started.headers.get("location") ?? "");
  address.searchParams.set("login_hint", loginHint);
  const provider: Record<string, string> = {};
  for (let hop = 0; hop < 10; hop++) {
    const response = await browse(address.href, provider);
    const location = response.headers.get("location");
    if (location === null)
      throw new Error(`no redirect from ${address.pathname}: ${response.status} ${await response.text()}`);
    address = new URL(location, address);
    if (address.href.startsWith(CALLBACK)) return address.href;
  }
  throw new Error("the provider never came back");
}

/** Expects a redirect to the sign-in page with a reason, and no session. */
export function expectRefused(response: Response, error: string, cookies: Record<string, string>): void {
  expect(response.status).toBe(302);
  expect(response.headers.get("location")).toBe(`http://crier.test/auth?error=${error}`);
  expect(response.headers.getSetCookie()).toEqual([]);
  expect(cookies).not.toHaveProperty("session");
}

export async function enter(claims: Claims, cookies: Record<string, string> = {}) {
  const response = await browse(await reachCallback(encodeHint(claims), cookies), cookies);
  return { response, cookies };
}
export const createPerson = (): Claims => ({
  email: `${unique("idp")}@example.com`,
  email_verified: true,
  name: "Grace",
});
