// Posts at once and ahead of time, many rows at once, and a webhook.
import { finished } from "../../src/client/index.ts";
import { type Channel, expectThat, type Smoke } from "./run.ts";

/** Rows of the largest import, each of which is several statements. */
const ROWS = 500;
/** A post at its time is late by seconds at most; more, and something was not woken. */
const LATE_MAX_MS = 5_000;
const SIMULATED: Channel = {
  platform: "telegram",
  handle: "@smoke",
  credentials: { bot_token: `123456789:${"A".repeat(35)}`, chat_id: "@smoke" },
};

/** Makes as many drafts with one call as an import takes: the largest batch of statements that a caller can cause. */
export async function checkImport({ member, check }: Smoke): Promise<void> {
  await check(`import of ${ROWS} rows`, async () => {
    const rows = Array.from({ length: ROWS }, (_, i) =>
      JSON.stringify({ text: `Row ${i} of a smoke test`, draft: true }),
    );
    const before = performance.now();
    const { body } = await member.call("posts.import", {
      body: { type: "application/x-ndjson", text: rows.join("\n") },
    });
    const [first] = body.rows.filter(({ valid }) => !valid);
    expectThat(body.created === ROWS, `${body.created} were created: ${JSON.stringify(first)}`);
    return `${Math.round(performance.now() - before)} ms`;
  });
}

/** Has an endpoint called, best one that is a Worker of the same account. */
export async function checkWebhook({ member, webhook, check, skip }: Smoke): Promise<void> {
  if (webhook === null) return skip("webhook", "needs an endpoint: --webhook URL");
  await check("webhook", async () => {
    const { body } = await member.call("webhooks.create", { body: { url: webhook } });
    const tested = await member.call("webhooks.test", { params: { id: body.id } });
    const { outcome, response_code, ms } = tested.body;
    expectThat(outcome === "delivered", `${outcome}, answered ${response_code}`);
    return `answered ${response_code} in ${ms} ms`;
  });
}

/** Publishes at once, and at a time ahead. */
export async function checkPosts({ member, channel, aheadMs, isLocal, check, skip }: Smoke): Promise<void> {
  const target = channel ?? (isLocal ? SIMULATED : null);
  const names = ["post at once", `post ${aheadMs / 1_000} s ahead`] as const;
  if (target === null) {
    for (const name of names) skip(name, "needs an account on a network: --channel FILE");
    return;
  }
  let id: string | null = null;
  await check("channel", async () => {
    const { body } = await member.call("channels.connect", { body: target });
    id = body.id;
    return `${body.platform} ${body.handle}`;
  });
  if (id === null) return;
  const channels = [id];
  for (const [i, name] of names.entries()) {
    await check(name, async () => {
      const publishAt = i === 0 ? undefined : new Date(member.now() + aheadMs).toISOString();
      const text = `A smoke test, ${new Date(member.now()).toISOString()}`;
      const { body } = await member.call("posts.create", { body: { text, channels, publish_at: publishAt } });
      if ("dry_run" in body) throw new Error("it was a dry run");
      const post = await finished(member, body.id);
      const [delivery] = post.deliveries;
      expectThat(delivery?.status === "live", `it is ${delivery?.status}: ${delivery?.error} ${delivery?.hint}`);
      const lateMs = Date.parse(delivery?.published_at ?? "") - Date.parse(publishAt ?? post.created_at);
      expectThat(isLocal || lateMs <= LATE_MAX_MS, `it was ${lateMs} ms late, more than ${LATE_MAX_MS}`);
      return `${lateMs} ms late`;
    });
  }
}
