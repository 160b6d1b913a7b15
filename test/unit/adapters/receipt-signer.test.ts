// Receipts are verified by code that does not share ours: jose, and the openssl program.
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { calculateJwkThumbprint, compactVerify, createLocalJWKSet, decodeProtectedHeader } from "jose";
import { describe, expect, it } from "vitest";
import { createReceiptSigner } from "../../../src/adapters/receipt-signer.ts";

const NOW = Date.parse("2026-11-27T12:00:00Z");
const YEAR_LATER = Date.parse("2027-11-27T12:00:00Z");
const FIRST = new Uint8Array(32).fill(1);
const SECOND = new Uint8Array(32).fill(2);
const CLAIMS = { sub: "post_1", text: "Grüße 🎉" };

const makeSigner = () => createReceiptSigner(new Map([["a", FIRST]]), "a");
const read = (payload: Uint8Array) => JSON.parse(new TextDecoder().decode(payload));

describe("a signed receipt", () => {
  it("is verified by jose with the listed key, which has its thumbprint as id", async () => {
    const signer = makeSigner();
    const receipt = await signer.sign(CLAIMS, NOW);
    const keys = await signer.listKeys(NOW);
    const { payload, protectedHeader } = await compactVerify(receipt, createLocalJWKSet({ keys }));
    expect(read(payload)).toEqual(CLAIMS);
    expect(protectedHeader).toEqual({ alg: "EdDSA", kid: keys[0]?.kid, typ: "crier-receipt+jwt" });
    for (const key of keys) expect(await calculateJwkThumbprint({ ...key })).toBe(key.kid);
  });

  it("is verified by openssl", async () => {
    const signer = makeSigner();
    const [header, payload, signature = ""] = (await signer.sign(CLAIMS, NOW)).split(".");
    const [key] = await signer.listKeys(NOW);
    const folder = await mkdtemp(join(tmpdir(), "crier-receipt-"));
    const files = { key: join(folder, "key.der"), input: join(folder, "input"), signature: join(folder, "signature") };
    // The header of a public key of Ed25519: RFC 8410, section 4.
    const document = Buffer.concat([
      Buffer.from("302a300506032b6570032100", "hex"),
      Buffer.from(key?.x ?? "", "base64url"),
    ]);
    await writeFile(files.key, document);
    await writeFile(files.signature, Buffer.from(signature, "base64url"));
    const verify = async (input: string) => {
      await writeFile(files.input, input);
      const words = ["pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", files.key, "-rawin"];
      return String(execFileSync("openssl", [...words, "-in", files.input, "-sigfile", files.signature]));
    };
    try {
      expect(await verify(`${header}.${payload}`)).toContain("Signature Verified Successfully");
      await expect(verify(`${header}.${payload}x`)).rejects.toThrow("Command failed");
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("is refused by jose once a character of its payload has changed", async () => {
    const signer = makeSigner();
    const [header, payload = "", signature] = (await signer.sign(CLAIMS, NOW)).split(".");
    const changed = `${header}.${payload.startsWith("e") ? "f" : "e"}${payload.slice(1)}.${signature}`;
    const keys = createLocalJWKSet({ keys: await signer.listKeys(NOW) });
    await expect(compactVerify(changed, keys)).rejects.toThrow("signature verification failed");
  });
});

describe("the keys of receipts", () => {
  const readKeyId = (receipt: string) => decodeProtectedHeader(receipt).kid;

  it("change with the year, and each stays listed in the year after", async () => {
    const signer = makeSigner();
    const [old, recent] = [await signer.sign(CLAIMS, NOW), await signer.sign(CLAIMS, YEAR_LATER)];
    expect(readKeyId(old)).not.toBe(readKeyId(recent));
    const listed = (await signer.listKeys(YEAR_LATER)).map(({ kid }) => kid);
    expect(listed).toEqual([readKeyId(recent), readKeyId(old)]);
  });

  it("change with the master key, and those of an earlier master key stay listed while it is configured", async () => {
    const old = await makeSigner().sign(CLAIMS, NOW);
    const rotated = createReceiptSigner(
      new Map([
        ["a", FIRST],
        ["b", SECOND],
      ]),
      "b",
    );
    const recent = await rotated.sign(CLAIMS, NOW);
    const listed = (await rotated.listKeys(NOW)).map(({ kid }) => kid);
    expect(listed[0]).toBe(readKeyId(recent));
    expect(listed).toContain(readKeyId(old));
    expect(new Set(listed).size).toBe(4);
  });

  it("are the same in every process, so that a restored database loses none", async () => {
    expect(await makeSigner().listKeys(NOW)).toEqual(await makeSigner().listKeys(NOW));
  });
});
