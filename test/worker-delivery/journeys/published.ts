// A post that goes out on one channel, and what the network then has of it.
import { expect } from "vitest";
import type { LedgerEntry } from "../../../simulators/ledger.ts";
import { type Account, connect, finished, ledger, post, type UploadedFile } from "../../support/world.ts";

export const sums = (files: UploadedFile[]) => files.map(({ bytes, sha256 }) => ({ bytes, sha256 }));

/** Publishes on a new channel of the network, at once, and returns the one post that the network has. */
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
  const done = await finished(account.key, id);
  expect(done.deliveries[0]).toMatchObject({ status: "live", attempts: 1, error: null, ...delivery });
  const published = await ledger(channel.handle);
  expect(published).toHaveLength(1);
  expect(published[0]?.url).toBe(done.deliveries[0]?.url);
  return published[0] ?? expect.fail("nothing was published");
}
