import { compose } from "../../src/compose.ts";
import { nextFollowUpStep } from "../../src/domain/delivery/follow-up.ts";
import { workAfterPublish } from "../../src/follow-up/after-publish.ts";
import { giveUpFollowUp } from "../../src/follow-up/give-up.ts";
import { readOrHold } from "../../src/follow-up/read.ts";
import { openDatabase } from "../../src/store/db/db.ts";
import { testEnv } from "./env.ts";
import { makeFollowUpTools } from "./one-session.ts";
import { type Account, getPost, type PostBody } from "./world.ts";

/**
 * Makes the next rechecks of a post due and carries them out, as if `ms` more milliseconds had passed since it was published. The
 * rechecks use the connection `db`.
 */
export async function check(key: string, postId: string, ms = 0, db = testEnv.DB): Promise<PostBody> {
  const { DB } = testEnv;
  await DB.batch([
    DB.prepare("UPDATE deliveries SET check_at = 0 WHERE post_id = ? AND check_at IS NOT NULL").bind(postId),
    DB.prepare(
      `UPDATE deliveries SET published_at = published_at - ?1,
        network_post = json_replace(network_post, '$.missingSince', (network_post ->> '$.missingSince') - CAST(?1 AS INTEGER)),
        sends = json_replace(sends, '$[#-1].sent_at', (sends ->> '$[#-1].sent_at') - CAST(?1 AS INTEGER)) WHERE post_id = ?2`,
    ).bind(ms, postId),
  ]);
  const { results } = await DB.prepare(
    "SELECT workspace_id, channel_id FROM deliveries WHERE post_id = ? AND check_at IS NOT NULL",
  )
    .bind(postId)
    .all<{ workspace_id: string; channel_id: string }>();
  const tools = makeFollowUpTools(
    compose({ ...testEnv, DB: db }, () => {}),
    openDatabase(db),
  );
  for (const { workspace_id: workspaceId, channel_id: channel } of results) {
    await workAfterPublish(tools, { workspaceId, lane: 0 }, { kind: "after_publish", channel, posts: [postId] });
  }
  return getPost(key, postId);
}

/** Makes posts of a channel due, and lets one publisher recheck them in the given tasks, one after another. */
export async function checkTogether(workspaceId: string, channel: string, tasks: string[][]): Promise<void> {
  const tools = makeFollowUpTools(
    compose(testEnv, () => {}),
    openDatabase(testEnv.DB),
  );
  for (const posts of tasks) {
    await testEnv.DB.prepare(
      "UPDATE deliveries SET check_at = 0 WHERE post_id IN (SELECT value FROM json_each(?)) AND check_at IS NOT NULL",
    )
      .bind(JSON.stringify(posts))
      .run();
    await workAfterPublish(tools, { workspaceId, lane: 0 }, { kind: "after_publish", channel, posts });
  }
}

/** Whether a post has further rechecks. */
export async function isWatched(postId: string): Promise<boolean> {
  return (
    (await testEnv.DB.prepare("SELECT 1 FROM deliveries WHERE post_id = ? AND check_at IS NOT NULL")
      .bind(postId)
      .first()) !== null
  );
}

/** Gives up the next step of a due follow-up, as if its publisher had ended repeatedly during this step. */
export async function giveUpOn({ key, workspace: workspaceId }: Account, postId: string, channelId: string) {
  const db = openDatabase(testEnv.DB);
  const tools = makeFollowUpTools(
    compose(testEnv, () => {}),
    db,
  );
  await testEnv.DB.prepare("UPDATE deliveries SET check_at = 0 WHERE post_id = ?").bind(postId).run();
  const read = await readOrHold(tools.ctx, { workspaceId, postId, channelId });
  if (read === null) throw new Error("no follow-up is due");
  await giveUpFollowUp(tools, read, nextFollowUpStep(read.delivery, read.followUps));
  return getPost(key, postId);
}
