// A multipart/form-data body (RFC 7578) of known length, streamed part by part.
import { hex } from "../../domain/encoding.ts";

export type Part =
  | { name: string; value: string }
  | { name: string; fileName: string; contentType: string; bytes: number; open(): Promise<ReadableStream<Uint8Array>> };

/** Bytes, or a file. */
type Piece = Uint8Array | ReadableStream<Uint8Array>;

export interface Multipart {
  contentType: string;
  /** Length of the whole body. */
  bytes: number;
  /** The body, for `NetworkIO.sized`; each file is opened when its turn comes. */
  pieces(): AsyncGenerator<Piece>;
}

const encoder = new TextEncoder();

/** A boundary that no file contains, made of 16 random bytes. */
export function makeBoundary(random: Uint8Array): string {
  return `crier${hex(random)}`;
}

/** Field and file names are ours, never a caller's, so they need no escaping. */
export function multipart(parts: Part[], boundary: string): Multipart {
  const heads = parts.map((formPart) =>
    encoder.encode(
      "value" in formPart
        ? `--${boundary}\r\nContent-Disposition: form-data; name="${formPart.name}"\r\n\r\n${formPart.value}`
        : `--${boundary}\r\nContent-Disposition: form-data; name="${formPart.name}"; filename="${formPart.fileName}"\r\nContent-Type: ${formPart.contentType}\r\n\r\n`,
    ),
  );
  const lineEnd = encoder.encode("\r\n");
  const end = encoder.encode(`--${boundary}--\r\n`);
  const bytes = parts.reduce(
    (sum, formPart, i) =>
      sum + (heads[i]?.byteLength ?? 0) + ("value" in formPart ? 0 : formPart.bytes) + lineEnd.byteLength,
    end.byteLength,
  );
  async function* pieces(): AsyncGenerator<Piece> {
    for (const [i, formPart] of parts.entries()) {
      yield heads[i] ?? lineEnd;
      if ("open" in formPart) yield await formPart.open();
      yield lineEnd;
    }
    yield end;
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes,
    pieces,
  };
}
