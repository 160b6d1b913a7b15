// Creates a real JPEG of any size without a library: plain gray, with one different block that distinguishes files.

const segment = (marker: number, bytes: number[]) => [
  0xff,
  marker,
  (bytes.length + 2) >> 8,
  (bytes.length + 2) & 0xff,
  ...bytes,
];
const word = (value: number) => [value >> 8, value & 0xff];

/** `shade` from 0 to 126 sets how much the first block differs. */
export function makeJpeg(width: number, height: number, shade = 0): Uint8Array<ArrayBuffer> {
  // A code of one bit for "no difference" and one of two bits for "a difference of 8 bits"; no details at all.
  const dcTable = [0x00, 1, 1, ...Array<number>(14).fill(0), 0, 8];
  const acTable = [0x10, 1, ...Array<number>(15).fill(0), 0];
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8);
  const difference = (128 + (shade % 127)).toString(2);
  const bits = `10${difference}0${"00".repeat(blocks - 1)}`;
  const data = (bits.match(/.{1,8}/g) ?? []).flatMap((byte) => {
    const value = Number.parseInt(byte.padEnd(8, "1"), 2);
    return value === 0xff ? [0xff, 0x00] : [value];
  });
  return Uint8Array.from([
    ...[0xff, 0xd8],
    ...segment(0xe0, [...Buffer.from("JFIF\0", "latin1"), 1, 1, 0, ...word(1), ...word(1), 0, 0]),
    ...segment(0xdb, [0, ...Array<number>(64).fill(1)]),
    ...segment(0xc0, [8, ...word(height), ...word(width), 1, 1, 0x11, 0]),
    ...segment(0xc4, dcTable),
    ...segment(0xc4, acTable),
    ...segment(0xda, [1, 1, 0x00, 0, 63, 0]),
    ...data,
    ...[0xff, 0xd9],
  ]);
}
