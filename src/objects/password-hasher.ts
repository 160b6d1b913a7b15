// The one object that hashes passwords. A hash takes a thread about 150 ms and 16 MiB, so other requests must not share a
// thread with it. A single queue also shows when too many hashes are waiting, so that further callers are told to retry
// later.
import { DurableObject } from "cloudflare:workers";
import { createPasswords, HashingBusy } from "../adapters/password.ts";
import type { Env, PasswordHasherRpc } from "../env.ts";
import { readSettings } from "../settings.ts";

export class PasswordHasher extends DurableObject<Env> implements PasswordHasherRpc {
  readonly #passwords = this.#create();

  #create() {
    const { passwordPepper, fastPasswordHashes } = readSettings(this.env);
    return createPasswords(passwordPepper, { fast: fastPasswordHashes });
  }

  async hash(password: string): Promise<string | null> {
    return unlessBusy(this.#passwords.hash(password));
  }

  async verify(password: string, stored: string | null): Promise<boolean | null> {
    return unlessBusy(this.#passwords.verify(password, stored));
  }
}

/** null: too many hashes are waiting. An error would lose its class when it leaves the object. */
async function unlessBusy<Value>(hashing: Promise<Value>): Promise<Value | null> {
  try {
    return await hashing;
  } catch (error) {
    if (error instanceof HashingBusy) return null;
    throw error;
  }
}
