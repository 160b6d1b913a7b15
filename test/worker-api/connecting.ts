// A browser that connects an account by a link, through the simulator's consent page.
import { exports } from "cloudflare:workers";
import { expect } from "vitest";
import { type Account, type ChannelBody, call } from "../support/world.ts";

/** A browser: it keeps the cookies of our host and follows no redirect. `session`: the token of a user who is signed in. */
export class Browser {
  #cookies: Map<string, string>;

  constructor(session?: string) {
    this.#cookies = new Map(session === undefined ? [] : [["session", session]]);
  }

  async visit(url: string, init: RequestInit = {}): Promise<{ status: number; location: string; text: string }> {
    const ours = new URL(url).host === "crier.test";
    const headers = new Headers(init.headers);
    if (ours && !headers.has("origin")) headers.set("origin", "http://crier.test");
    if (ours) headers.set("cookie", [...this.#cookies].map((pair) => pair.join("=")).join("; "));
    const request = new Request(url, { ...init, headers, redirect: "manual" });
    const response = await (ours ? exports.default.fetch(request) : fetch(request));
    for (const cookie of ours ? response.headers.getSetCookie() : []) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.#cookies.set(name, value);
    }
    const text = await response.text();
    return { status: response.status, location: response.headers.get("location") ?? "", text };
  }

  /** Opens a link, consents with the given answers, and returns our answer to the callback. */
  async consent(link: string, answers: Record<string, string>) {
    const opened = await this.visit(link, { method: "POST" });
    expect(opened.status).toBe(303);
    const back = await this.visit(`${opened.location}&${new URLSearchParams(answers)}`);
    expect(back.status).toBe(302);
    return { ...(await this.visit(back.location)), callback: back.location };
  }

  /** Chooses the first account on the page that lists the accounts of the consent. */
  choose(page: { text: string; callback: string }, headers: Record<string, string> = {}) {
    const [, first = ""] = /name="account" value="([^"]+)"/.exec(page.text) ?? [];
    return this.submit(page, [first], headers);
  }

  /** Submits the choice with the accounts of these ids. */
  submit(page: { text: string; callback: string }, accounts: string[], headers: Record<string, string> = {}) {
    const hidden = [...page.text.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const body = new URLSearchParams([
      ...accounts.map((id) => ["account", id]),
      ...hidden.map(([, name = "", value = ""]) => [name, value]),
    ]);
    return this.visit(page.callback, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      body: body.toString(),
    });
  }

  /** Consents, and connects the first account that is offered. */
  async connect(link: string, answers: Record<string, string>) {
    const choicePage = await this.consent(link, answers);
    expect(choicePage.status, choicePage.text).toBe(200);
    return { ...(await this.choose(choicePage)), choicePage, callback: choicePage.callback };
  }
}

export async function createLink({ key }: Account, body: object = {}): Promise<string> {
  const answer = await call<{ url: string; expires_at: string }>("POST", "/v1/channels/connect", {
    token: key,
    body: { platform: "pinterest", ...body },
  });
  expect(answer.status).toBe(201);
  expect(Date.parse(answer.body.expires_at) - Date.now()).toBeLessThanOrEqual(600_000);
  return answer.body.url;
}
export const listChannels = async ({ key }: Account) =>
  (await call<{ channels: ChannelBody[] }>("GET", "/v1/channels", { token: key })).body.channels;
