import { hex } from "../../src/domain/encoding.ts";

/** Computes SHA-256 in hex. */
export const sha256 = async (bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): Promise<string> =>
  hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
