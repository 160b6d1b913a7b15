// Accounts and calls for invalid input to the library and to channels.
import { beforeAll } from "vitest";
import { type Account, call, signUp, uploadImage } from "../support/world.ts";

export let account: Account;
export let stranger: Account;
export let image: string;
export let foreign: string;
/** Creates an account and a stranger, each with an image, before the tests of the file that calls this. */
export function withAccounts(): void {
  beforeAll(async () => {
    [account, stranger] = [await signUp(), await signUp()];
    image = (await uploadImage(account)).id;
    foreign = (await uploadImage(stranger)).id;
  });
}

export interface RefusalBody {
  error: string;
  field?: string;
  message: string;
  next: string | null;
  media: { id: string }[];
}
export const refusal = (error: string, field: string) => ({ status: 422, body: { error, field } });
export const send = (method: string, path: string, body?: unknown) =>
  call<RefusalBody>(method, path, { token: account.key, body });
