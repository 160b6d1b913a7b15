// The state of the simulators: in memory only, or in a folder that a local run keeps between starts.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DefaultDeserializer, DefaultSerializer } from "node:v8";

/** The delay from a change to its write. Later changes within the delay are included. */
const WRITE_AFTER_MS = 200;

/**
 * The accounts, tokens and posts of all simulators, by name. They are written as one graph: an object in two collections is
 * still one object after a restart. All contents must be plain data.
 */
export class State {
  readonly #folder: string | null;
  readonly #collections: Map<string, unknown>;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** `folder`: where the state is stored; null: nowhere. */
  constructor(folder: string | null) {
    this.#folder = folder;
    this.#collections = folder === null ? new Map() : read(join(folder, FILE));
    if (folder !== null) mkdirSync(join(folder, FILES), { recursive: true });
  }

  map<K, V>(name: string): Map<K, V> {
    return this.#collection(name, () => new Map<K, V>());
  }
  set<T>(name: string): Set<T> {
    return this.#collection(name, () => new Set<T>());
  }
  list<T>(name: string): T[] {
    return this.#collection<T[]>(name, () => []);
  }

  /** The next number of a sequence that never repeats. */
  next(name: string, first: bigint): bigint {
    const numbers = this.map<string, bigint>("numbers");
    const number = (numbers.get(name) ?? first) + 1n;
    numbers.set(name, number);
    return number;
  }

  /** Marks the state as possibly changed. */
  touch(): void {
    if (this.#folder === null || this.#closed) return;
    this.#timer ??= setTimeout(() => this.#write(), WRITE_AFTER_MS).unref();
  }

  /** Writes the state one last time. */
  close(): void {
    this.#closed = true;
    this.#write();
  }

  /** Atomic: a reader finds the old file or the new one. */
  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#folder === null) return;
    const writing = new Writing();
    writing.writeHeader();
    writing.writeValue(this.#collections);
    replace(join(this.#folder, FILE), writing.releaseBuffer());
  }

  keepFile(sha256: string, bytes: Uint8Array): void {
    if (this.#folder !== null) replace(join(this.#folder, FILES, sha256), bytes);
  }
  dropFile(sha256: string): void {
    if (this.#folder !== null) rmSync(join(this.#folder, FILES, sha256), { force: true });
  }
  /** The stored files, by SHA-256. */
  *files(): Generator<[string, Uint8Array<ArrayBuffer>]> {
    if (this.#folder === null) return;
    for (const sha256 of readdirSync(join(this.#folder, FILES))) {
      if (/^[0-9a-f]{64}$/.test(sha256))
        yield [sha256, new Uint8Array(readFileSync(join(this.#folder, FILES, sha256)))];
    }
  }

  // This program wrote the file, so a collection has the type with which its name is requested.
  #collection<C>(name: string, make: () => C): C {
    const collection: ReturnType<Reading["readValue"]> = this.#collections.get(name) ?? make();
    this.#collections.set(name, collection);
    return collection;
  }
}

const FILE = "state.bin";
const FILES = "files";

// Bytes of an unfinished upload are not stored: an upload interrupted by a restart is refused when it continues.
class Writing extends DefaultSerializer {
  _writeHostObject(): void {}
}
class Reading extends DefaultDeserializer {
  _readHostObject(): Uint8Array {
    return new Uint8Array();
  }
}

function read(file: string): Map<string, unknown> {
  if (!existsSync(file)) return new Map();
  try {
    const reading = new Reading(readFileSync(file));
    reading.readHeader();
    return reading.readValue();
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    console.error(`The simulators forget what they had: ${file} cannot be read (${reason}).`);
    return new Map();
  }
}

function replace(file: string, bytes: Uint8Array): void {
  writeFileSync(`${file}.new`, bytes);
  renameSync(`${file}.new`, file);
}
