// A backup is a gzipped JSON Lines file: a header, and for each table of each database a line with its columns, a line for
// each row, and a line with their count and checksum. The last line has the checksum of all lines before it, so a file
// without it is truncated.
import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { createGunzip, createGzip, type Gzip } from "node:zlib";
import * as z from "zod";
import type { Table } from "./tables.ts";
import type { Value } from "./values.ts";

/** A backup that cannot be created or restored. */
export class BackupRefused extends Error {
  override name = "BackupRefused";
}

export const FORMAT_VERSION = 1;
const Header = z.object({
  crier: z.enum(["backup", "stops"]),
  version: z.number(),
  made_at: z.iso.datetime(),
  /** The migrations applied to each of the databases. */
  migrations: z.array(z.string()),
  /** How many databases there are. */
  databases: z.number(),
});
export type Header = z.infer<typeof Header>;
const TableStart = z.object({
  database: z.number(),
  table: z.string(),
  columns: z.array(z.string()),
  key: z.array(z.string()),
});
const TableEnd = z.object({ rows: z.number(), sha256: z.string() });
export type TableEnd = z.infer<typeof TableEnd>;
const End = z.object({ end: z.literal(true), tables: z.number(), rows: z.number(), sha256: z.string() });
export type End = z.infer<typeof End>;

const NEW_LINE = 10;

/** The checksum of a table, computed over its rows' lines. */
export class RowsDigest {
  rows = 0;
  readonly #hash: Hash = createHash("sha256");
  add(line: string): void {
    this.rows += 1;
    this.#hash.update(line).update("\n");
  }
  end(): TableEnd {
    return { rows: this.rows, sha256: this.#hash.digest("hex") };
  }
}

/** Writes to a partial file and renames it to `file` only once it is complete. */
export class BackupWriter {
  readonly #file: string;
  readonly #openFile: FileHandle;
  readonly #gzip: Gzip = createGzip();
  readonly #written: Promise<void>;
  readonly #hash = createHash("sha256");
  #tables = 0;
  #rows = 0;

  private constructor(file: string, openFile: FileHandle) {
    this.#file = file;
    this.#openFile = openFile;
    this.#written = this.#write();
    // This promise is awaited at the end; until then a failure makes the next line fail.
    this.#written.catch((error) => this.#gzip.destroy(error));
  }

  static async create(file: string, header: Header): Promise<BackupWriter> {
    // Only the owner may read the file: it contains addresses and password hashes.
    const openFile = await open(partialName(file), "w", 0o600);
    const writer = new BackupWriter(file, openFile);
    await writer.#line(JSON.stringify(header));
    return writer;
  }

  async table(database: number, { name, columns, key }: Table, pages: AsyncIterable<Value[][]>): Promise<TableEnd> {
    await this.#line(JSON.stringify({ database, table: name, columns, key }));
    const digest = new RowsDigest();
    for await (const page of pages) {
      const lines = page.map((row) => JSON.stringify(row));
      for (const line of lines) digest.add(line);
      await this.#line(lines.join("\n"));
    }
    const end = digest.end();
    await this.#line(JSON.stringify(end));
    this.#tables += 1;
    this.#rows += end.rows;
    return end;
  }

  async finish(): Promise<End> {
    const end: End = { end: true, tables: this.#tables, rows: this.#rows, sha256: this.#hash.copy().digest("hex") };
    await this.#line(JSON.stringify(end));
    this.#gzip.end();
    await this.#written;
    await this.#openFile.sync();
    await this.#openFile.close();
    await rename(partialName(this.#file), this.#file);
    return end;
  }

  async abandon(): Promise<void> {
    this.#gzip.destroy();
    await this.#written.catch(() => {});
    await this.#openFile.close().catch(() => {});
    await rm(partialName(this.#file), { force: true });
  }

  async #write(): Promise<void> {
    for await (const chunk of this.#gzip) await this.#openFile.write(chunk);
  }

  async #line(line: string): Promise<void> {
    this.#hash.update(line).update("\n");
    if (this.#gzip.write(`${line}\n`)) return;
    await new Promise<void>((resume, fail) => {
      this.#gzip.once("drain", () => {
        this.#gzip.off("error", fail);
        resume();
      });
      this.#gzip.once("error", fail);
    });
  }
}

/** The name of a backup until it is complete. */
const partialName = (file: string) => `${file}.partial`;

async function* readLines(file: string): AsyncGenerator<string, void, undefined> {
  const input = createReadStream(file);
  const gunzip = createGunzip();
  input.once("error", (error) => gunzip.destroy(error));
  let parts: Buffer[] = [];
  try {
    for await (const chunk of input.pipe(gunzip)) {
      let start = 0;
      for (let end = chunk.indexOf(NEW_LINE); end !== -1; end = chunk.indexOf(NEW_LINE, start)) {
        yield Buffer.concat([...parts, chunk.subarray(start, end)]).toString("utf8");
        parts = [];
        start = end + 1;
      }
      parts.push(chunk.subarray(start));
    }
  } finally {
    input.destroy();
  }
  if (parts.some((linePart) => linePart.length > 0)) throw new BackupRefused(`${file} is incomplete.`);
}

/** Receives the contents of a backup, in order. */
export interface BackupReader {
  header?(header: Header): void | Promise<void>;
  table(database: number, table: Table): void | Promise<void>;
  row(line: string): void | Promise<void>;
  tableEnd(end: TableEnd): void | Promise<void>;
}

/**
 * Reads a backup from beginning to end. Throws `BackupRefused` if the file is not a backup, was truncated or was changed.
 */
export async function readBackup(file: string, reader: BackupReader): Promise<End> {
  const hash = createHash("sha256");
  let header: Header | null = null;
  let isInTable = false;
  let end: End | null = null;
  try {
    for await (const line of readLines(file)) {
      if (end !== null) throw new BackupRefused(`${file} continues after its last line.`);
      if (header === null) {
        header = readHeader(file, line);
        await reader.header?.(header);
      } else if (line.startsWith("[")) await reader.row(line);
      else if (isInTable) {
        isInTable = false;
        await reader.tableEnd(TableEnd.parse(JSON.parse(line)));
      } else if (line.startsWith('{"end"')) {
        end = End.parse(JSON.parse(line));
        if (end.sha256 !== hash.copy().digest("hex"))
          throw new BackupRefused(`The checksum of ${file} does not match.`);
      } else {
        isInTable = true;
        const { database, table: name, columns, key } = TableStart.parse(JSON.parse(line));
        await reader.table(database, { name, columns, key });
      }
      hash.update(line).update("\n");
    }
  } catch (error) {
    throw readFailure(file, error);
  }
  if (end === null) throw new BackupRefused(`${file} is incomplete: its last line is missing. Make the backup again.`);
  return end;
}

function readHeader(file: string, line: string): Header {
  const header = Header.parse(JSON.parse(line));
  if (header.version !== FORMAT_VERSION) {
    throw new BackupRefused(`${file} has the format ${header.version}; this version of Crier reads ${FORMAT_VERSION}.`);
  }
  return header;
}

/** Describes the fault of a file, if the file is the cause of the error. */
function readFailure(file: string, error: unknown): unknown {
  if (error instanceof z.ZodError || error instanceof SyntaxError) {
    return new BackupRefused(`${file} is not a backup of Crier.`);
  }
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "Z_BUF_ERROR") return new BackupRefused(`${file} is incomplete. Make the backup again.`);
  if (typeof code === "string" && code.startsWith("Z_"))
    return new BackupRefused(`${file} is damaged, or is not a backup of Crier.`);
  if (code === "ENOENT") return new BackupRefused(`There is no file ${file}.`);
  if (code === "EISDIR" || code === "EACCES") return new BackupRefused(`${file} cannot be read: ${code}.`);
  return error;
}
