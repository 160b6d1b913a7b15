// An address as a QR code. It is dark on white in every color scheme, because cameras read nothing else.
import { encode } from "uqr";

/** The quiet zone of a code in modules (ISO/IEC 18004, 6.3.8, as uqr's documentation repeats it, read 2026-11-24). */
const QUIET = 4;

export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: QUIET });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return (
    <svg className="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
