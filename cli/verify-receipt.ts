// Verifies the signature of a receipt with the keys in its file.
import { compactVerify, decodeProtectedHeader, importJWK } from "jose";
import * as z from "zod";
import { Receipt, ReceiptKey } from "../src/contract/receipts.ts";
import { EXIT, Failure } from "./failure.ts";

const ReceiptFile = z.object({ receipt: z.string().max(1 << 20), keys: z.array(ReceiptKey).max(100) });
export type ReceiptFile = z.output<typeof ReceiptFile>;

export interface VerifiedReceipt {
  claims: z.output<typeof Receipt>;
  /** The id of the key that signed. */
  kid: string;
}

const invalid = (message: string, hint: string | null = null) => new Failure(EXIT.unexpected, message, hint);

/** Parses what `crier receipt` printed. Throws a failure if it is something else. */
export function readReceiptFile(text: string): ReceiptFile {
  try {
    return ReceiptFile.parse(JSON.parse(text));
  } catch {
    throw invalid("This is not a receipt.", "crier receipt POST > receipt.json");
  }
}

/** The keys of a key set; none if it is something else. */
export const readKeySet = (document: unknown): ReceiptFile["keys"] =>
  ReceiptFile.pick({ keys: true }).safeParse(document).data?.keys ?? [];

/** Returns the claims of a receipt whose signature is valid. Throws a failure if it is not. */
export async function verifyReceipt({ receipt, keys }: ReceiptFile): Promise<VerifiedReceipt> {
  const usedId = readKeyId(receipt);
  const key = keys.find(({ kid }) => kid === usedId);
  if (key === undefined) throw invalid("Not valid: the file does not have the key that signed the receipt.");
  const payload = await readPayload(receipt, key);
  try {
    return { claims: Receipt.parse(JSON.parse(new TextDecoder().decode(payload))), kid: key.kid };
  } catch {
    throw invalid("The receipt is signed, but this version cannot read its claims.", "Update crier.");
  }
}

async function readPayload(receipt: string, key: ReceiptFile["keys"][number]): Promise<Uint8Array> {
  try {
    return (await compactVerify(receipt, await importJWK(key, "EdDSA"), { algorithms: ["EdDSA"] })).payload;
  } catch {
    // A key of a wrong length cannot be imported.
    throw invalid("Not valid: the signature does not match the receipt.");
  }
}

function readKeyId(receipt: string): string | undefined {
  try {
    return decodeProtectedHeader(receipt).kid;
  } catch {
    throw invalid("This is not a receipt.", "crier receipt POST > receipt.json");
  }
}
