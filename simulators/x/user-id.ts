import { createHash } from "node:crypto";

/** The numeric id of an account, always the same for its name. */
export function userId(account: string): string {
  const hash = createHash("sha256").update(account).digest("hex");
  return String(BigInt(`0x${hash.slice(0, 15)}`));
}
