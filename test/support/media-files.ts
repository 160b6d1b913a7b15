// Makes the smallest real files of each type, with the usual headers and hardly any image data.

type Bytes = Uint8Array<ArrayBuffer>;

const text = (value: string): Bytes => new Uint8Array([...value].map((character) => character.charCodeAt(0)));

export function join(...parts: (Uint8Array | number[])[]): Bytes {
  const whole = new Uint8Array(parts.reduce((bytes, part) => bytes + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/** Encodes `value` in `bytes` bytes, the highest byte first. */
function big(value: number | bigint, bytes: number): Bytes {
  const out = new Uint8Array(bytes);
  let remainder = BigInt(value);
  for (let i = bytes - 1; i >= 0; i--) {
    out[i] = Number(remainder & 0xffn);
    remainder >>= 8n;
  }
  return out;
}
const little = (value: number, bytes: number): Bytes => big(value, bytes).reverse();

// --- Images ---

/** Makes the beginning of a JPEG up to the frame's size, with an EXIF orientation (1 is upright). */
export function jpeg(width: number, height: number, orientation = 1): Bytes {
  const directory = join(
    text("II*\0"),
    little(8, 4),
    little(1, 2),
    [0x12, 1, 3, 0],
    little(1, 4),
    little(orientation, 4),
  );
  const exif = join(text("Exif\0\0"), directory, little(0, 4));
  const frame = join([8], big(height, 2), big(width, 2), [3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]);
  const marker = (code: number, body: Bytes) => join([0xff, code], big(body.length + 2, 2), body);
  return join([0xff, 0xd8], marker(0xe1, exif), marker(0xc0, frame), [0xff, 0xd9]);
}

export function gif(width: number, height: number): Bytes {
  return join(text("GIF89a"), little(width, 2), little(height, 2), [0, 0, 0, 0x3b]);
}

export function webp(width: number, height: number): Bytes {
  const canvas = join([0, 0, 0, 0], little(width - 1, 3), little(height - 1, 3));
  return join(text("RIFF"), little(canvas.length + 12, 4), text("WEBPVP8X"), little(canvas.length, 4), canvas);
}

// --- MP4 and MOV: ISO/IEC 14496-12 ---

export function box(type: string, ...content: (Uint8Array | number[])[]): Bytes {
  const body = join(...content);
  return join(big(body.length + 8, 4), text(type), body);
}

export type Rotation = 0 | 90 | 180 | 270;

export interface Movie {
  width: number;
  height: number;
  seconds: number;
  /** Degrees, clockwise. */
  rotation?: Rotation;
  /** Whether the rotation is that of the movie instead of the track. */
  turnsMovie?: boolean;
  /** Whether the video is also mirrored. */
  mirrored?: boolean;
  /** The width and height of a pixel. */
  aspect?: [number, number];
  /** Whether times have 64 bits. */
  long?: boolean;
  /** Whether the file consists of fragments, with its length in a box of its own. */
  fragmented?: boolean;
  /** Bytes of padding in the movie box. */
  padding?: number;
  /** The content of the track's tables of frames. */
  tables?: Bytes;
}

const TIMESCALE = 1000;
const fixed = (value: number) => big(BigInt.asUintN(32, BigInt(Math.round(value * 65_536))), 4);
const COSINE: Record<Rotation, number> = { 0: 1, 90: 0, 180: -1, 270: 0 };
const SINE: Record<Rotation, number> = { 0: 0, 90: 1, 180: 0, 270: -1 };
const matrix = (rotation: Rotation, mirrored = false) => {
  const [cosine, sine, direction] = [COSINE[rotation], SINE[rotation], mirrored ? -1 : 1];
  const rows = [fixed(direction * cosine), fixed(direction * sine), fixed(0), fixed(-sine), fixed(cosine), fixed(0)];
  return join(...rows, fixed(0), fixed(0), [0x40, 0, 0, 0]);
};

/** Makes a movie box with one video track. */
export function movieBox(movie: Movie): Bytes {
  const {
    width,
    height,
    seconds,
    rotation = 0,
    turnsMovie = false,
    mirrored = false,
    aspect,
    long = false,
    fragmented = false,
    padding = 0,
    tables = box("free"),
  } = movie;
  const version = long ? 1 : 0;
  const time = (value: number) => big(value, long ? 8 : 4);
  const duration = fragmented ? 0 : Math.round(seconds * TIMESCALE);
  const full = [version, 0, 0, 3];
  const zeros = (bytes: number) => new Uint8Array(bytes);
  const sample = join(zeros(6), big(1, 2), zeros(16), big(width, 2), big(height, 2), zeros(50));
  const shape = aspect === undefined ? [] : box("pasp", big(aspect[0], 4), big(aspect[1], 4));
  return box(
    "moov",
    box(
      "mvhd",
      full,
      time(0),
      time(0),
      big(TIMESCALE, 4),
      time(duration),
      fixed(1),
      zeros(12),
      matrix(turnsMovie ? rotation : 0),
      zeros(24),
      big(2, 4),
    ),
    box(
      "trak",
      box(
        "tkhd",
        full,
        time(0),
        time(0),
        big(1, 4),
        zeros(4),
        time(duration),
        zeros(16),
        matrix(turnsMovie ? 0 : rotation, mirrored),
        fixed(width),
        fixed(height),
      ),
      box(
        "mdia",
        box("mdhd", full, time(0), time(0), big(TIMESCALE, 4), time(duration), [0x55, 0xc4, 0, 0]),
        box("hdlr", zeros(8), text("vide"), zeros(13)),
        box("minf", box("stbl", box("stsd", zeros(4), big(1, 4), box("avc1", sample, shape)), tables)),
      ),
    ),
    ...(fragmented ? [box("mvex", box("mehd", full, time(Math.round(seconds * TIMESCALE))))] : []),
    box("free", zeros(padding)),
  );
}

export const fileType = (brand = "isom") => box("ftyp", text(brand), big(512, 4), text(brand));
/** Makes the header of a media box with `bytes` bytes of content. */
export const pictures = (bytes: number) => join(big(1, 4), text("mdat"), big(bytes + 16, 8));

/** Makes a whole file, with the movie box before or after `bytes` bytes of media. */
export function mp4(movie: Movie, { first = true, brand = "isom", bytes = 100 } = {}): Bytes {
  const data = join(pictures(bytes), new Uint8Array(bytes));
  return first ? join(fileType(brand), movieBox(movie), data) : join(fileType(brand), data, movieBox(movie));
}

// --- WebM: RFC 8794 and RFC 9559 ---

const element = (id: number[], ...content: (Uint8Array | number[])[]): Bytes => {
  const body = join(...content);
  return join(id, big((1n << 56n) | BigInt(body.length), 8), body);
};

export interface WebMovie {
  width: number;
  height: number;
  /** The duration. Recordings of browsers have none. */
  seconds?: number;
  /** The nanoseconds of one unit of time. Without it the file has no such field. */
  scale?: number;
  /** The width and height at which the video is shown. */
  display?: [number, number];
  /** Degrees, counter-clockwise. */
  roll?: number;
  docType?: string;
  enabled?: boolean;
}

const real = (value: number) => {
  const float = new Uint8Array(8);
  new DataView(float.buffer).setFloat64(0, value);
  return float;
};

export function webm({ width, height, seconds, scale, display, roll, docType = "webm", enabled }: WebMovie): Bytes {
  const units = (seconds ?? 0) * (1e9 / (scale ?? 1_000_000));
  return join(
    element([0x1a, 0x45, 0xdf, 0xa3], element([0x42, 0x82], text(docType))),
    element(
      [0x18, 0x53, 0x80, 0x67],
      element(
        [0x15, 0x49, 0xa9, 0x66],
        ...(scale === undefined ? [] : [element([0x2a, 0xd7, 0xb1], big(scale, 4))]),
        ...(seconds === undefined ? [] : [element([0x44, 0x89], real(units))]),
      ),
      element(
        [0x16, 0x54, 0xae, 0x6b],
        element([0xae], element([0xd7], [2]), element([0x83], [2]), element([0x86], text("A_OPUS"))),
        element(
          [0xae],
          element([0xd7], [1]),
          element([0x73, 0xc5], [1]),
          element([0x83], [1]),
          ...(enabled === undefined ? [] : [element([0xb9], [enabled ? 1 : 0])]),
          element([0x86], text("V_VP9")),
          element(
            [0xe0],
            element([0xb0], big(width, 2)),
            element([0xba], big(height, 2)),
            ...(display === undefined
              ? []
              : [element([0x54, 0xb0], big(display[0], 2)), element([0x54, 0xba], big(display[1], 2))]),
            ...(roll === undefined ? [] : [element([0x76, 0x70], element([0x76, 0x75], real(roll)))]),
          ),
        ),
      ),
      element([0x1f, 0x43, 0xb6, 0x75], element([0xe7], [0])),
    ),
  );
}
