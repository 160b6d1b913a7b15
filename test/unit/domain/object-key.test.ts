import { describe, expect, it } from "vitest";
import { publicPath, readPublicPath } from "../../../src/domain/media/object-key.ts";
import { UPLOAD_TYPES } from "../../../src/domain/media/types.ts";

const PLACE = `m/ws_${"0".repeat(26)}/med_${"1".repeat(26)}`;
const ETAG = "0123456789abcdef0123456789abcdef";

describe("the public path of a file", () => {
  it.each(Object.keys(UPLOAD_TYPES))(
    "the public path of a file ends in a file name with the ending of %s, and has no query",
    (type) => {
      const path = publicPath(PLACE, type, ETAG);
      expect(path).toMatch(/^[\w/-]+\/file\.(?:jpg|png|webp|heic|gif|mp4|mov|webm)$/);
      expect(readPublicPath(path)).toEqual({ place: PLACE, etag: ETAG });
      expect(readPublicPath(publicPath(PLACE, type, null))).toEqual({ place: PLACE, etag: null });
    },
  );

  it("the public path contains the etag of a file that was uploaded in chunks, and of a delivery's copy", () => {
    const copy = PLACE.replace("/med_", `/dlv_${"2".repeat(26)}/med_`);
    for (const etag of [`${ETAG}-2`, `${ETAG}-10000`]) {
      expect(readPublicPath(publicPath(copy, "video/mp4", etag))).toEqual({ place: copy, etag });
    }
  });

  it("the public path of a file of an unknown type has no file name, and can be read", () => {
    expect(publicPath(PLACE, null, null)).toBe(PLACE);
    expect(readPublicPath(publicPath(PLACE, "text/html", ETAG))).toEqual({ place: PLACE, etag: ETAG });
    expect(readPublicPath(`${PLACE}/other/file.jpg`).place).toBe(`${PLACE}/other`);
  });
});
