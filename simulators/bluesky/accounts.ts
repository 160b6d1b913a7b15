// The accounts with their records and files, and residents: names that cannot sign in.
import type { ReceivedFile } from "../ledger.ts";
import type { State } from "../state.ts";
import { makeDid } from "./ids.ts";
import type { JsonObject } from "./xrpc.ts";

/** Accounts that can be mentioned although they have never signed in. */
const RESIDENTS = ["alice.bsky.social", "bob.bsky.social"];

export const residentDid = (handle: string): string | undefined =>
  RESIDENTS.includes(handle) ? makeDid(handle) : undefined;
export const findResident = (did: string): string | undefined =>
  RESIDENTS.find((resident) => makeDid(resident) === did);

/** "Alice" for alice.bsky.social; other accounts have set no name. */
const nameResident = (handle: string): string => {
  const [first = ""] = handle.split(".");
  return RESIDENTS.includes(handle) ? first.charAt(0).toUpperCase() + first.slice(1) : "";
};

export interface StoredRecord {
  value: JsonObject;
  cid: string;
}
export interface Account {
  did: string;
  handle: string;
  password: string;
  blobs: Map<string, ReceivedFile>;
  /** The records, by collection and key. */
  records: Map<string, StoredRecord>;
}

export class Accounts {
  /** The accounts, by DID. */
  readonly #accounts: Map<string, Account>;

  constructor(state: State) {
    this.#accounts = state.map("bluesky.accounts");
  }

  get(did: string): Account | undefined {
    return this.#accounts.get(did);
  }

  /** Finds an account by its DID or its handle. */
  find(name: string): Account | undefined {
    return this.get(name) ?? [...this.#accounts.values()].find(({ handle }) => handle === name.toLowerCase());
  }

  /** The accounts and residents whose handle or name begins with these letters. */
  search(letters: string): { did: string; handle: string; name: string }[] {
    const handles = [...RESIDENTS, ...[...this.#accounts.values()].map(({ handle }) => handle)];
    return handles
      .filter((handle) => handle.startsWith(letters.toLowerCase()))
      .map((handle) => ({ did: makeDid(handle), handle, name: nameResident(handle) }));
  }

  /** The first sign-in with a handle and a well-formed app password creates the account. */
  firstSignIn(handle: string, password: string): Account | undefined {
    if (!/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/.test(handle)) return undefined;
    if (!/^([a-z0-9]{4}-){3}[a-z0-9]{4}$/.test(password)) return undefined;
    return this.#open(handle, password);
  }

  /** Opens the account of a resident for a sign-in in the browser. */
  openResident(name: string): Account | undefined {
    const handle = RESIDENTS.includes(name.toLowerCase()) ? name.toLowerCase() : findResident(name);
    return handle === undefined ? undefined : this.#open(handle, "");
  }

  #open(handle: string, password: string): Account {
    const account: Account = { did: makeDid(handle), handle, password, blobs: new Map(), records: new Map() };
    this.#accounts.set(account.did, account);
    return account;
  }

  /** Forgets one account, or all accounts if no DID is given. */
  forget(did: string | undefined): void {
    if (did === undefined) this.#accounts.clear();
    else this.#accounts.delete(did);
  }
}
