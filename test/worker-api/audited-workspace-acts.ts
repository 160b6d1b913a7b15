// Causes each act of the audit log on channels, webhooks, slots and posts once, through the API.
import { expect } from "vitest";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { hostFeed } from "../support/feeds.ts";
import { type Account, call, connect, finished, type PostBody, post, unique } from "../support/world.ts";
import { act, byOwner, type Caused, inWorkspace, NO_TARGET, SECRET, TEXT } from "./audited-acts.ts";

/** Creates a post that waits for a decision. */
async function createWaitingPost(owner: Account): Promise<PostBody> {
  await call("PATCH", inWorkspace(owner), { token: owner.session, body: { approval: "all" } });
  const channel = await connect(owner.key, "telegram");
  const waitingPost = await post(owner.key, { text: TEXT, channels: [channel.id], publish_at: tomorrow() });
  expect(waitingPost.status).toBe("awaiting_approval");
  return waitingPost;
}
const decide = (verb: "approve" | "decline") =>
  byOwner(async (owner) => {
    const { id, rev } = await createWaitingPost(owner);
    const reason = verb === "decline" ? { reason: TEXT } : {};
    await act(owner, "POST", `/v1/posts/${id}/${verb}`, { rev, ...reason });
    return { target: { id, name: null } };
  });
const addWebhook = (owner: Account) =>
  act(owner, "POST", "/v1/webhooks", { url: `https://listener.example.com/hook?${SECRET}` });
const addFeed = async (owner: Account) =>
  act(owner, "POST", "/v1/feeds", { url: await hostFeed(["First"]), channels: [], name: "Blog" });
/** Creates a portal for the posts with a label. */
const addPortal = (owner: Account) => act(owner, "POST", "/v1/portals", { name: "Northwind", labels: ["northwind"] });
export const WORKSPACE_CAUSES = {
  "channel.link_created": byOwner(async (owner) => {
    await act(owner, "POST", "/v1/channels/connect", { platform: "pinterest" });
    return { target: NO_TARGET, details: { platform: "pinterest" } };
  }),
  "channel.connected": byOwner(async (owner) => {
    const handle = unique("acct");
    const { id } = await act(owner, "POST", "/v1/channels", { platform: "telegram", handle });
    return { target: { id, name: `telegram ${handle}` } };
  }),
  "channel.reconnected": byOwner(async (owner) => {
    const { id, handle } = await connect(owner.key, "telegram");
    await call("DELETE", `/v1/channels/${id}`, { token: owner.key });
    await act(owner, "POST", "/v1/channels", { platform: "telegram", handle });
    return { target: { id, name: `telegram ${handle}` } };
  }),
  "channel.disconnected": byOwner(async (owner) => {
    const { id, handle } = await connect(owner.key, "telegram");
    await act(owner, "DELETE", `/v1/channels/${id}`);
    return { target: { id, name: `telegram ${handle}` } };
  }),
  "webhook.created": byOwner(async (owner) => {
    const { id } = await addWebhook(owner);
    return { target: { id, name: "https://listener.example.com" } };
  }),
  "webhook.changed": byOwner(async (owner) => {
    const { id } = await addWebhook(owner);
    await act(owner, "PATCH", `/v1/webhooks/${id}`, { events: ["delivery.failed"] });
    return { target: { id, name: "https://listener.example.com" }, details: { events: "delivery.failed" } };
  }),
  "webhook.removed": byOwner(async (owner) => {
    const { id } = await addWebhook(owner);
    await act(owner, "DELETE", `/v1/webhooks/${id}`);
    return { target: { id, name: null } };
  }),
  "webhook.secret_replaced": byOwner(async (owner) => {
    const { id } = await addWebhook(owner);
    await act(owner, "POST", `/v1/webhooks/${id}/rotate-secret`);
    return { target: { id, name: "https://listener.example.com" } };
  }),
  "slots.changed": byOwner(async (owner) => {
    await act(owner, "PUT", "/v1/slots", { slots: [{ weekday: 1, time: "09:00", channels: null }] });
    return { target: NO_TARGET };
  }),
  "channel_group.created": byOwner(async (owner) => {
    const { id } = await act(owner, "POST", "/v1/channel-groups", { name: "All", channels: [] });
    return { target: { id, name: "All" } };
  }),
  "channel_group.changed": byOwner(async (owner) => {
    const { id } = await act(owner, "POST", "/v1/channel-groups", { name: "All", channels: [] });
    await act(owner, "PATCH", `/v1/channel-groups/${id}`, { name: "Every" });
    return { target: { id, name: "Every" } };
  }),
  "channel_group.deleted": byOwner(async (owner) => {
    const { id } = await act(owner, "POST", "/v1/channel-groups", { name: "All", channels: [] });
    await act(owner, "DELETE", `/v1/channel-groups/${id}`);
    return { target: { id, name: null } };
  }),
  "feed.created": byOwner(async (owner) => {
    const { id } = await addFeed(owner);
    return { target: { id, name: new URL(testEnv.FILE_HOST).host } };
  }),
  "feed.changed": byOwner(async (owner) => {
    const { id } = await addFeed(owner);
    await act(owner, "PATCH", `/v1/feeds/${id}`, { paused: true });
    return { target: { id, name: new URL(testEnv.FILE_HOST).host } };
  }),
  "feed.deleted": byOwner(async (owner) => {
    const { id } = await addFeed(owner);
    await act(owner, "DELETE", `/v1/feeds/${id}`);
    return { target: { id, name: null } };
  }),
  "snippet.created": byOwner(async (owner) => {
    const { id } = await act(owner, "POST", "/v1/snippets", { name: "Ending", text: TEXT });
    return { target: { id, name: "Ending" } };
  }),
  "snippet.changed": byOwner(async (owner) => {
    const { id } = await act(owner, "POST", "/v1/snippets", { name: "Ending", text: TEXT });
    await act(owner, "PATCH", `/v1/snippets/${id}`, { text: `${TEXT}!` });
    return { target: { id, name: null } };
  }),
  "snippet.deleted": byOwner(async (owner) => {
    const { id } = await act(owner, "POST", "/v1/snippets", { name: "Ending", text: TEXT });
    await act(owner, "DELETE", `/v1/snippets/${id}`);
    return { target: { id, name: null } };
  }),
  "post.approved": decide("approve"),
  "post.declined": decide("decline"),
  "review_link.created": byOwner(async (owner) => {
    const { id } = await createWaitingPost(owner);
    await act(owner, "POST", `/v1/posts/${id}/review-link`);
    return { target: { id, name: null } };
  }),
  "review_link.ended": byOwner(async (owner) => {
    const { id } = await createWaitingPost(owner);
    await act(owner, "POST", `/v1/posts/${id}/review-link`);
    await act(owner, "DELETE", `/v1/posts/${id}/review-link`);
    return { target: { id, name: null } };
  }),
  "portal.created": byOwner(async (owner) => {
    const { id } = await addPortal(owner);
    return { target: { id, name: "Northwind" } };
  }),
  "portal.changed": byOwner(async (owner) => {
    const { id } = await addPortal(owner);
    await act(owner, "PATCH", `/v1/portals/${id}`, { name: "Northwind Traders" });
    return { target: { id, name: "Northwind Traders" } };
  }),
  "portal.removed": byOwner(async (owner) => {
    const { id } = await addPortal(owner);
    await act(owner, "DELETE", `/v1/portals/${id}`);
    return { target: { id, name: null } };
  }),
  "report.created": byOwner(async (owner) => {
    const dates = { from: "2026-01-01", to: "2026-01-31" };
    await act(owner, "POST", "/v1/reports", dates);
    return { target: NO_TARGET, details: dates };
  }),
  "delivery.edit_requested": byOwner(async (owner) => {
    const channel = await connect(owner.key, "telegram");
    const { id } = await post(owner.key, { text: TEXT, channels: [channel.id] });
    const { deliveries } = await finished(owner.key, id);
    await act(owner, "PATCH", `/v1/posts/${id}/deliveries/${channel.id}`, { text: `${TEXT}, edited` });
    return { target: { id: deliveries[0]?.id, name: `telegram ${channel.handle}` }, details: { post: id } };
  }),
  "delivery.takedown_requested": byOwner(async (owner) => {
    const channel = await connect(owner.key, "bluesky");
    const { id } = await post(owner.key, { text: TEXT, channels: [channel.id] });
    const { deliveries } = await finished(owner.key, id);
    await act(owner, "DELETE", `/v1/posts/${id}/deliveries/${channel.id}`);
    return { target: { id: deliveries[0]?.id, name: `bluesky ${channel.handle}` }, details: { post: id } };
  }),
} satisfies Record<string, () => Promise<Caused>>;
