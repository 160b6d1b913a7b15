// Time, chance and cryptography of the simulated world. They replace the machine's own, so that a run depends on nothing but
// its seed. Only for a process that does nothing else.
import crypto, { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { Chance } from "./prng.ts";

/** Called by the patched globals. A world puts itself here while it runs. */
export interface Ground {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls `then` after `ms`. */
  after(ms: number, then: () => void): void;
  chance: Chance;
  /** Called with each line that the code logs. */
  logged(line: string): void;
}

let ground: Ground = { now: () => 0, after: () => {}, chance: new Chance(0), logged: () => {} };

export function standOn(next: Ground): void {
  ground = next;
}

const MachineDate = Date;

class VirtualDate extends MachineDate {
  constructor(...parts: [] | [number | string | Date] | number[]) {
    if (parts.length === 0) super(ground.now());
    // At run time, the three overloads of Date are one call.
    else super(...(parts as [number]));
  }
  static override now(): number {
    return ground.now();
  }
}

/** The machine's own clock, for measurements of the run itself. */
export const machineNow = (): number => MachineDate.now();

const report = console.log.bind(console);
/** Prints a line for the person who runs the simulation. */
export const say = (line: string): void => report(line);

/** Replaces the time, chance, cryptography, network and console of this process. */
export function layGround(): void {
  Object.assign(globalThis, { Date: VirtualDate, fetch: () => Promise.reject(new TypeError("no real network here")) });
  const pending = new Set<object>();
  Object.assign(globalThis, {
    setTimeout: (then: () => void, ms: number) => {
      const timer = {};
      pending.add(timer);
      ground.after(ms, () => {
        if (pending.delete(timer)) then();
      });
      return timer;
    },
    clearTimeout: (timer: object) => pending.delete(timer),
  });
  for (const level of ["log", "info", "warn", "error"] as const) {
    console[level] = (...parts: unknown[]) => ground.logged(parts.map(String).join(" "));
  }
  // The runtime logs an unhandled rejection and continues.
  process.on("unhandledRejection", (error) => ground.logged(`nobody waits for ${String(error)}`));
  const web = crypto.webcrypto;
  web.getRandomValues = (array) => {
    if (array === null) return array;
    const view = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    view.set(ground.chance.bytes(view.byteLength));
    return array;
  };
  Object.defineProperty(web, "subtle", { value: subtle, configurable: true });
  Object.assign(crypto, {
    randomBytes: (length: number) => Buffer.from(ground.chance.bytes(length)),
    randomUUID: () => Buffer.from(ground.chance.bytes(16)).toString("hex"),
    randomInt: (max: number) => Math.floor(ground.chance.next() * max),
  });
  syncBuiltinESMExports();
}

type Bytes = ArrayBuffer | Uint8Array;
const view = (bytes: Bytes): Uint8Array => (bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes));
const toBuffer = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;
const nodeHash = (name: string | { name: string }) =>
  (typeof name === "string" ? name : name.name).replace("-", "").toLowerCase();
const TAG_BYTES = 16;

interface Key {
  raw: Uint8Array;
}
interface AesGcm {
  iv: Uint8Array;
  additionalData: Uint8Array;
}

/**
 * The same algorithms with immediate answers. WebCrypto's own threads would answer in an order that changes from run to run.
 */
const subtle = {
  async digest(name: string | { name: string }, data: Bytes): Promise<ArrayBuffer> {
    return toBuffer(createHash(nodeHash(name)).update(view(data)).digest());
  },
  async importKey(_format: string, raw: Bytes): Promise<Key> {
    return { raw: view(raw) };
  },
  async deriveKey({ salt, info, hash }: { salt: Bytes; info: Bytes; hash: string }, key: Key): Promise<Key> {
    return { raw: derived(nodeHash(hash), key, view(salt), view(info)) };
  },
  async sign({ hash = "SHA-256" }: { hash?: string }, key: Key, data: Bytes): Promise<ArrayBuffer> {
    return toBuffer(createHmac(nodeHash(hash), key.raw).update(view(data)).digest());
  },
  async encrypt({ iv, additionalData }: AesGcm, key: Key, data: Bytes): Promise<ArrayBuffer> {
    const cipher = createCipheriv("aes-256-gcm", key.raw, iv).setAAD(additionalData);
    return toBuffer(Buffer.concat([cipher.update(view(data)), cipher.final(), cipher.getAuthTag()]));
  },
  async decrypt({ iv, additionalData }: AesGcm, key: Key, data: Bytes): Promise<ArrayBuffer> {
    const whole = view(data);
    const decipher = createDecipheriv("aes-256-gcm", key.raw, iv).setAAD(additionalData);
    decipher.setAuthTag(whole.subarray(whole.byteLength - TAG_BYTES));
    return toBuffer(
      Buffer.concat([decipher.update(whole.subarray(0, whole.byteLength - TAG_BYTES)), decipher.final()]),
    );
  },
};

const keys = new Map<string, Uint8Array>();

function derived(hash: string, { raw }: Key, salt: Uint8Array, info: Uint8Array): Uint8Array {
  const name = [hash, raw, salt, info].map((part) => Buffer.from(part).toString("base64")).join(".");
  const known = keys.get(name) ?? new Uint8Array(hkdfSync(hash, raw, salt, info, 32));
  keys.set(name, known);
  return known;
}
