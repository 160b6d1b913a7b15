import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { channelState, whyUnusable } from "../../../src/domain/channel.ts";
import {
  type Entropy,
  isId,
  isSessionToken,
  isWorkspaceKey,
  makeId,
  makeSessionToken,
  makeWorkspaceKey,
} from "../../../src/domain/ids.ts";
import {
  checkPublishAt,
  isoInstant,
  knownTimezone,
  localReading,
  monthEnd,
  nextMidnight,
  readInstant,
} from "../../../src/domain/instant.ts";
import { canonicalJson } from "../../../src/domain/json.ts";
import { adviseUpload, detectContentType, looksLike } from "../../../src/domain/media/types.ts";
import { checkPublicUrl, isPublicAddress } from "../../../src/domain/public-url.ts";
import { Refusal, refuse } from "../../../src/domain/refusal.ts";
import { REFUSALS } from "../../../src/domain/refusal-codes.ts";
import { HOSTILE_ADDRESSES, OWN_HOST, PUBLIC_ADDRESSES } from "../../support/addresses.ts";

const entropy: Entropy = (length) => crypto.getRandomValues(new Uint8Array(length));

describe("ids and keys", () => {
  it("ids have their prefix, are recognised, and sort by time", () => {
    const [early, late] = [makeId("post", 1_000, entropy), makeId("post", 2_000, entropy)];
    expect(isId("post", early)).toBe(true);
    expect(isId("ch", early)).toBe(false);
    expect(early < late).toBe(true);
    for (const bad of ["", "post_", "post_x", `${early}x`, early.toUpperCase(), "post_' OR 1=1 --aaaaaaaaaaaaa"])
      expect(isId("post", bad), bad).toBe(false);
  });

  it("a key with any changed character is invalid", () => {
    const key = makeWorkspaceKey(entropy);
    expect(key).toMatch(/^crier_live_[0-9A-Za-z]{49}$/);
    expect(isWorkspaceKey(key)).toBe(true);
    for (let i = "crier_live_".length; i < key.length; i++) {
      const changed = key[i] === "a" ? "b" : "a";
      expect(isWorkspaceKey(key.slice(0, i) + changed + key.slice(i + 1))).toBe(false);
    }
    expect(isSessionToken(makeSessionToken(entropy))).toBe(true);
  });
});

describe("times", () => {
  const read = (value: string, zone = "UTC") => {
    const instant = readInstant(value, zone, "/publish_at");
    return typeof instant === "number" ? isoInstant(instant) : instant.code;
  };
  it.each([
    ["2026-12-01T09:00:00Z", "UTC", "2026-12-01T09:00:00.000Z"],
    ["2026-12-01T09:00:00+02:00", "Asia/Tokyo", "2026-12-01T07:00:00.000Z"],
    ["2026-12-01T09:00", "Europe/Berlin", "2026-12-01T08:00:00.000Z"],
    ["2026-07-01T09:00:30.5", "Europe/Berlin", "2026-07-01T07:00:30.500Z"],
    // The clocks show 02:30 twice; the first instant counts.
    ["2026-10-25T02:30", "Europe/Berlin", "2026-10-25T00:30:00.000Z"],
    ["2027-03-28T02:30", "Europe/Berlin", "publish_at_in_dst_gap"],
    ["2027-02-30T10:00", "UTC", "publish_at_invalid"],
    ["2027-02-30T10:00:00Z", "UTC", "publish_at_invalid"],
    ["2027-01-01T24:00:00Z", "UTC", "publish_at_invalid"],
    ["2027-01-01T10:00:60Z", "UTC", "publish_at_invalid"],
    ["2027-01-01T10:00:00+25:00", "UTC", "publish_at_invalid"],
    ["2027-01-01", "UTC", "publish_at_invalid"],
    ["", "UTC", "publish_at_invalid"],
    ["tomorrow", "UTC", "publish_at_invalid"],
  ])("the time %s in the zone %s is read as %s", (value, zone, expected) => expect(read(value, zone)).toBe(expected));

  it("a time that the clocks skip is refused with the two nearest times", () => {
    expect(readInstant("2027-03-28T02:30", "Europe/Berlin", "/publish_at")).toMatchObject({
      hint: "The nearest times are 2027-03-28T01:30:00+01:00 and 2027-03-28T03:30:00+02:00.",
    });
  });

  it("a time one minute in the past counts as now, and a time more than a year ahead is rejected", () => {
    const now = Date.UTC(2026, 10, 21);
    expect(checkPublishAt(now - 60_000, now, "/f")).toBeNull();
    expect(checkPublishAt(now - 60_001, now, "/f")?.code).toBe("publish_at_in_past");
    expect(checkPublishAt(now + 366 * 86_400_000, now, "/f")).toBeNull();
    expect(checkPublishAt(now + 366 * 86_400_000 + 1, now, "/f")?.code).toBe("publish_at_too_far");
  });

  it("time zones are known only by their IANA names", () => {
    expect(knownTimezone("europe/berlin")).toBe("Europe/Berlin");
    expect(knownTimezone("EST5EDT")).toBe("EST5EDT");
    for (const bad of ["", "Mars/X", "+02:00", "UTC+2", "a b", "../etc"]) expect(knownTimezone(bad), bad).toBeNull();
    expect(localReading(Date.UTC(2026, 6, 1, 12), "America/New_York")).toBe("2026-07-01T08:00:00-04:00");
    expect(isoInstant(monthEnd("2026-12"))).toBe("2027-01-01T00:00:00.000Z");
    // The day on which the clocks are set back has 25 hours.
    expect(isoInstant(nextMidnight(Date.UTC(2026, 10, 1, 7), "America/Los_Angeles"))).toBe("2026-11-02T08:00:00.000Z");
    expect(isoInstant(nextMidnight(Date.UTC(2026, 6, 1, 6, 59), "America/Los_Angeles"))).toBe(
      "2026-07-01T07:00:00.000Z",
    );
  });
});

it.each([
  ["1e300", "+275760-09-13T00:00:00.000Z"],
  ["-1e300", "-271821-04-20T00:00:00.000Z"],
  ['"soon"', "+275760-09-13T00:00:00.000Z"],
])("the instant %s of a broken row is shown as a date", (stored, displayed) => {
  expect(isoInstant(JSON.parse(stored))).toBe(displayed);
});

describe("addresses", () => {
  const policy = { allowPrivate: false, ownHosts: [OWN_HOST] };
  it.each(HOSTILE_ADDRESSES)("the address %s is refused", (url) =>
    expect(checkPublicUrl(url, policy)).toMatch(/^url_not_(public|https)$/),
  );

  it.each(PUBLIC_ADDRESSES)("the address %s is accepted", (url) =>
    expect(checkPublicUrl(url, policy)).toBeInstanceOf(URL),
  );

  it("no private address is public in any notation", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 0xff_ffff }),
        (lowBytes) => !isPublicAddress(`10.${lowBytes >> 16}.${(lowBytes >> 8) & 255}.${lowBytes & 255}`),
      ),
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 0xffff_ffff }),
        (address) =>
          typeof checkPublicUrl(`https://${(0x7f00_0000 | (address & 0xff_ffff)) >>> 0}/`, policy) === "string",
      ),
    );
  });
});

it.each([
  "2606:4700::1%1",
  "2606:4700::8.8.8.8",
  "0x8.8.8.8",
  "8.8.8.010",
  "8.8.2056",
  "134744072",
  "8.8.8.8%1",
  " 8.8.8.8",
  "",
])("%j is no canonical IP address and is therefore not public", (text) => expect(isPublicAddress(text)).toBe(false));

describe("small functions of the domain", () => {
  it("canonical JSON does not depend on the order of members", () => {
    const shuffled = (value: Record<string, unknown>) => Object.fromEntries(Object.entries(value).reverse());
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        (value) => canonicalJson(value) === canonicalJson(shuffled(value)),
      ),
    );
    expect(canonicalJson({ b: [1, { d: 1, c: undefined }], a: null })).toBe('{"a":null,"b":[1,{"d":1}]}');
  });

  it("a file is known by its first bytes, not by its name", () => {
    const bytes = (text: string) => new TextEncoder().encode(text);
    expect(looksLike("image/gif", bytes("GIF89a..."))).toBe(true);
    expect(looksLike("image/png", bytes("GIF89a..."))).toBe(false);
    expect(looksLike("video/mp4", bytes("\0\0\0 ftypisom"))).toBe(true);
    expect(looksLike("text/html", bytes("<html>"))).toBe(false);
  });

  it.each(["image/heic", "image/heif", "image/heic-sequence"])(
    "the advice for %s is to export it as JPEG if there is no converter",
    (type) => {
      expect(adviseUpload(type, false)).toMatch(/^Export the photo as JPEG: .*Upload one of (?!.*heic)/);
      expect(adviseUpload("image/avif", false)).toMatch(/^Upload one of image\/jpeg/);
      expect(adviseUpload("image/heif", true)).toMatch(/^A single phone photo is image\/heic.*image\/heic/);
    },
  );

  it.each([
    ["\xff\xd8\xff\xe0..JFIF", "image/jpeg"],
    ["\x89PNG\r\n\x1a\n", "image/png"],
    ["RIFF....WEBPVP8 ", "image/webp"],
    ["RIFF....WAVEfmt ", null],
    ["GIF89a", "image/gif"],
    ["\0\0\0 ftypisom", "video/mp4"],
    ["\0\0\0 ftypqt  ", "video/quicktime"],
    ["\0\0\0\x18ftypheic\0\0\0\0mif1heic", "image/heic"],
    ["\0\0\0\x18ftypheix\0\0\0\0mif1heix", "image/heic"],
    ["\0\0\0\x18ftypmif1\0\0\0\0mif1heic", "image/heic"],
    ["\0\0\0\x14ftypmif1\0\0\0\0mif1heic", null],
    ["\0\0\0\x18ftypmif1\0\0\0\0avifmiaf", null],
    ["\0\0\0\x18ftyphevc\0\0\0\0hevcmsf1", null],
    ["\0\0\0 ftypavif", null],
    ["\0\0\0 ftypM4A ", null],
    ["\x1aE\xdf\xa3....\x42\x82\x84webm", "video/webm"],
    ["\x1aE\xdf\xa3....\x42\x82\x88matroska", null],
    ["%PDF-1.7", null],
    ["", null],
  ])("a file that begins with %j is %s", (head, type) => {
    expect(detectContentType(Buffer.from(head, "latin1"))).toBe(type);
  });

  it("an unusable channel has a state and a reason", () => {
    const channel = { hasCredential: true, tokenExpiresAt: null, lostReason: null };
    expect(channelState(channel, 5)).toBe("connected");
    expect(whyUnusable(channel, 5)).toBeNull();
    expect(channelState({ ...channel, tokenExpiresAt: 5 }, 5)).toBe("needs_reconnect");
    expect(whyUnusable({ ...channel, hasCredential: false }, 5)).toBe("channel_not_connected");
    expect(channelState({ ...channel, hasCredential: false, lostReason: "token_revoked" }, 5)).toBe("needs_reconnect");
  });

  it("a refusal's body has its code, message and request id, and no undefined member", () => {
    const body = refuse("not_found").body("req_1");
    expect(body).toEqual({ error: "not_found", message: REFUSALS.not_found.message, request_id: "req_1" });
    expect(new Refusal("rate_limited", { extra: { retry_after: 3 } })).toMatchObject({
      status: 429,
      code: "rate_limited",
    });
  });
});
