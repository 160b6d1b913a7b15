// Detects the type of a file from its first bytes, regardless of the type that the sender declared.

/** How many bytes `sniff` reads. */
export const SNIFF_BYTES = 16;

export function sniff(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, SNIFF_BYTES)).toString("latin1");
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (head.startsWith("\x89PNG")) return "image/png";
  if (head.startsWith("GIF8")) return "image/gif";
  if (head.startsWith("RIFF") && head.slice(8, 12) === "WEBP") return "image/webp";
  if (head.slice(4, 12) === "ftypqt  ") return "video/quicktime";
  if (head.slice(4, 8) === "ftyp") return "video/mp4";
  if (head.startsWith("%PDF-")) return "application/pdf";
  if (head.startsWith("\x1a\x45\xdf\xa3")) return "video/webm";
  return undefined;
}
