// Publishes a post on one channel, and returns the network's entry for it.
import { expect } from "vitest";
import type { LedgerEntry } from "../../../simulators/ledger.ts";
import { type Account, connect, finished, ledger, post, type UploadedFile } from "../../support/world.ts";

export const sums = (files: UploadedFile[]) => files.map(({ bytes, sha256 }) => ({ bytes, sha256 }));

/** Publishes at once on a new channel of the network, and returns the only post that the network has. */
export async function publish(
  account: Account,
  platform: string,
  body: object,
  override?: object,
  delivery: object = {},
): Promise<LedgerEntry> {
  const channel = await connect(account.key, platform);
  const overrides = override === undefined ? {} : { overrides: { [channel.id]: override } };
  const { id } = await post(account.key, { channels: [channel.id], ...body, ...overrides });
  const finishedPost = await finished(account.key, id);
  expect(finishedPost.deliveries[0]).toMatchObject({ status: "live", attempts: 1, error: null, ...delivery });
  const published = await ledger(channel.handle);
  expect(published).toHaveLength(1);
  expect(published[0]?.url).toBe(finishedPost.deliveries[0]?.url);
  return published[0] ?? expect.fail("nothing was published");
}
