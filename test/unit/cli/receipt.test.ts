// `crier verify` checks receipts by their signature, without a network.
import { describe, expect, it } from "vitest";
import { readReceiptFile, verifyReceipt } from "../../../cli/verify-receipt.ts";
import { createReceiptSigner } from "../../../src/adapters/receipt-signer.ts";

const NOW = Date.parse("2026-11-27T12:00:00Z");
const CLAIMS = {
  iss: "https://crier.example.com",
  sub: "post_1",
  iat: 1,
  version: 1,
  workspace: "ws_1",
  created_at: "2026-11-27T12:00:00.000Z",
  content_tag: null,
  deliveries: [],
};

async function makeFile(claims: object = CLAIMS, masterByte = 1) {
  const signer = createReceiptSigner(new Map([["a", new Uint8Array(32).fill(masterByte)]]), "a");
  return { receipt: await signer.sign(claims, NOW), keys: await signer.listKeys(NOW) };
}

describe("a receipt file", () => {
  it("is valid with the key that signed it", async () => {
    const file = await makeFile();
    expect(await verifyReceipt(readReceiptFile(JSON.stringify(file)))).toEqual({
      claims: CLAIMS,
      kid: file.keys[0]?.kid,
    });
  });

  it.each([
    [
      "its key is missing",
      async () => ({ ...(await makeFile()), keys: (await makeFile(CLAIMS, 2)).keys }),
      "does not have the key",
    ],
    [
      "another key has taken its key's id",
      async () => {
        const [file, other] = [await makeFile(), await makeFile(CLAIMS, 2)];
        return { ...file, keys: file.keys.map((key, i) => ({ ...key, x: other.keys[i]?.x ?? "" })) };
      },
      "the signature does not match",
    ],
    [
      "its payload was changed",
      async () => {
        const [file, other] = [await makeFile(), await makeFile({ ...CLAIMS, sub: "post_2" })];
        const [header, , signature] = file.receipt.split(".");
        return { ...file, receipt: [header, other.receipt.split(".")[1], signature].join(".") };
      },
      "the signature does not match",
    ],
    [
      "its key is cut off",
      async () => {
        const file = await makeFile();
        return { ...file, keys: file.keys.map((key) => ({ ...key, x: key.x.slice(0, 20) })) };
      },
      "the signature does not match",
    ],
    ["its claims are of another kind", async () => makeFile({ sub: 1 }), "cannot read its claims"],
  ])("is refused if %s", async (_reason, make, message) => {
    await expect(verifyReceipt(await make())).rejects.toThrow(message);
  });

  it.each(["", "{}", "eyJ.e.s", '{"receipt":"x","keys":[]}'])("is refused if it is %j", async (text) => {
    const verify = async () => verifyReceipt(readReceiptFile(text));
    await expect(verify()).rejects.toThrow("This is not a receipt.");
  });
});
