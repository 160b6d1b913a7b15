// A passkey authenticator in software. It makes the messages of a browser, signed according to the standard (WebAuthn level 3,
// sections 6.1 and 6.5), with the wrong parts that a test asks for.
import { base64Url } from "../../src/domain/encoding.ts";

export interface Wrong {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  counter?: number;
  isAbsent?: boolean;
}

const encode = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(new TextEncoder().encode(text));
const sha256 = async (bytes: Uint8Array<ArrayBuffer>) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
const join = (...parts: Uint8Array[]): Uint8Array<ArrayBuffer> => new Uint8Array(parts.flatMap((bytes) => [...bytes]));

/** The head of a CBOR item (RFC 8949, section 3) whose value is below 65,536. */
function cborHead(major: number, value: number): Uint8Array {
  const first = major << 5;
  if (value < 24) return new Uint8Array([first | value]);
  return value < 256 ? new Uint8Array([first | 24, value]) : new Uint8Array([first | 25, value >> 8, value & 255]);
}
const cborInteger = (value: number) => (value < 0 ? cborHead(1, -1 - value) : cborHead(0, value));
const cborBytes = (bytes: Uint8Array) => join(cborHead(2, bytes.length), bytes);
const cborText = (text: string) => join(cborHead(3, text.length), encode(text));
const cborMap = (...entries: [Uint8Array, Uint8Array][]) => join(cborHead(5, entries.length), ...entries.flat());

/** Converts an ECDSA signature to ASN.1, which is a sequence of two integers. */
function toDer(signature: Uint8Array): Uint8Array {
  const integer = (bytes: Uint8Array) => {
    const start = bytes.findIndex((byte) => byte !== 0);
    const significant = bytes.slice(start);
    const padded = (significant[0] ?? 0) >= 128 ? join(new Uint8Array([0]), significant) : significant;
    return join(new Uint8Array([2, padded.length]), padded);
  };
  const sequence = join(integer(signature.slice(0, 32)), integer(signature.slice(32)));
  return join(new Uint8Array([48, sequence.length]), sequence);
}

export async function makeAuthenticator(origin = "http://crier.test") {
  const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  if (!("privateKey" in keys)) throw new Error("there is no pair of keys");
  const { privateKey, publicKey } = keys;
  const exported = await crypto.subtle.exportKey("raw", publicKey);
  if (!(exported instanceof ArrayBuffer)) throw new Error("the key is not a point");
  const point = new Uint8Array(exported);
  const rawId = crypto.getRandomValues(new Uint8Array(32));
  const id = base64Url(rawId);
  const cose = cborMap(
    [cborInteger(1), cborInteger(2)],
    [cborInteger(3), cborInteger(-7)],
    [cborInteger(-1), cborInteger(1)],
    [cborInteger(-2), cborBytes(point.slice(1, 33))],
    [cborInteger(-3), cborBytes(point.slice(33))],
  );
  let counter = 0;

  async function authenticate(rpId: string, wrong: Wrong, attested: Uint8Array | null) {
    counter += 1;
    const count = new DataView(new ArrayBuffer(4));
    count.setUint32(0, wrong.counter ?? counter);
    const flags = (wrong.isAbsent === true ? 0 : 1) | (attested === null ? 0 : 64);
    const hash = await sha256(encode(wrong.rpId ?? rpId));
    return join(hash, new Uint8Array([flags]), new Uint8Array(count.buffer), attested ?? new Uint8Array());
  }
  const describe = (type: string, challenge: string, wrong: Wrong) =>
    encode(
      JSON.stringify({
        type: wrong.type ?? type,
        challenge: wrong.challenge ?? challenge,
        origin: wrong.origin ?? origin,
        crossOrigin: false,
      }),
    );
  const common = { id, rawId: id, type: "public-key" } as const;

  return {
    id,
    /** The result of `navigator.credentials.create`. */
    async create({ rp, challenge }: { rp: { id: string }; challenge: string }, wrong: Wrong = {}) {
      const attested = join(new Uint8Array(16), new Uint8Array([0, rawId.length]), rawId, cose);
      const authData = await authenticate(rp.id, wrong, attested);
      const attestationObject = cborMap(
        [cborText("fmt"), cborText("none")],
        [cborText("attStmt"), cborMap()],
        [cborText("authData"), cborBytes(authData)],
      );
      const clientDataJSON = base64Url(describe("webauthn.create", challenge, wrong));
      return {
        ...common,
        response: { clientDataJSON, attestationObject: base64Url(attestationObject), transports: ["internal"] },
      };
    },
    /** The result of `navigator.credentials.get`. */
    async get({ rpId, challenge }: { rpId: string; challenge: string }, wrong: Wrong = {}) {
      const clientData = describe("webauthn.get", challenge, wrong);
      const authData = await authenticate(rpId, wrong, null);
      const signed = join(authData, await sha256(clientData));
      const algorithm = { name: "ECDSA", hash: "SHA-256" };
      const signature = toDer(new Uint8Array(await crypto.subtle.sign(algorithm, privateKey, signed)));
      return {
        ...common,
        response: {
          clientDataJSON: base64Url(clientData),
          authenticatorData: base64Url(authData),
          signature: base64Url(signature),
        },
      };
    },
  };
}
