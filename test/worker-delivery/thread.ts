// Publishes threads, and checks them.
import { expect } from "vitest";
import { type Account, type ChannelBody, call, fault, ledger, type PostBody } from "../support/world.ts";

const CALLS = {
  x: "tweets/create",
  bluesky: "com.atproto.repo.putRecord",
  threads: "threads_publish",
} as const;
export const REFUSALS = {
  x: { status: 400, body: { title: "Invalid Request", detail: "no", type: "about:blank", status: 400 } },
  bluesky: { status: 400, body: { error: "InvalidRequest", message: "no" } },
  threads: { status: 400, body: { error: { message: "no", type: "OAuthException", code: 100 } } },
} as const;
export const PLATFORMS = ["x", "bluesky", "threads"] as const;
export type Platform = (typeof PLATFORMS)[number];

export const THREAD = [{ text: "two" }, { text: "three" }];
export const statuses = ({ deliveries }: PostBody) => deliveries[0]?.parts?.map(({ status }) => status);
export const retry = ({ key }: Account, id: string, channel: ChannelBody, body: object = {}) =>
  call("POST", `/v1/posts/${id}/deliveries/${channel.id}/retry`, { token: key, body });
export const takeDown = ({ key }: Account, id: string, channel: ChannelBody) =>
  call("DELETE", `/v1/posts/${id}/deliveries/${channel.id}`, { token: key });

/** Makes the network misbehave at the call that publishes the part at `position`. */
export const faultAt = (platform: Platform, { handle }: ChannelBody, position: number, answer: object) =>
  fault({ platform, account: handle, call: CALLS[platform], skip: position, ...answer });

/** Expects the network to have each part once, in order, as a reply to the previous one. */
export async function expectInOrder(channel: ChannelBody, texts: string[]) {
  const entries = await ledger(channel.handle);
  expect(entries.map(({ text }) => text)).toEqual(texts);
  expect(entries.slice(1).map(({ detail }) => detail.reply_to)).toEqual(entries.slice(0, -1).map(({ id }) => id));
  expect(entries[0]?.detail.reply_to).toBeUndefined();
  return entries;
}
