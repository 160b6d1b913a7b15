// The post that a post shares again: `reshareContext.parent`, posts API, version 202609. LinkedIn accepts the URNs of a share, a
// ugcPost and a groupPost there, and rejects the URN of an activity, which most copied addresses contain: its refusal as quoted in
// open-source code, read 2026-11-27. No call that ordinary apps have tells which share an activity is.
import * as z from "zod";

const URN = /^urn(?::|%3A)li(?::|%3A)(share|ugcPost)(?::|%3A)(\d{1,25})$/i;
const HOST = /^https:\/\/(?:www\.)?linkedin\.com\//i;
const EMBEDDED = /^(?:embed\/)?feed\/update\/([^/?#]{1,100})/i;
const PUBLIC = /^posts\/[^/?#]{1,300}-(share|ugcPost)-(\d{1,25})(?:-[\w-]{1,20})?(?:[/?#]|$)/i;

const buildUrn = (type = "", id = "") => `urn:li:${type.toLowerCase() === "share" ? "share" : "ugcPost"}:${id}`;

/** The URN of the post that a URN or an address names; null if it names none that can be shared again. */
export function readReshared(value: string): string | null {
  const path = HOST.test(value) ? value.replace(HOST, "") : null;
  const urn = URN.exec(path === null ? value : (EMBEDDED.exec(path)?.[1] ?? ""));
  if (urn !== null) return buildUrn(urn[1], urn[2]);
  const address = path === null ? null : PUBLIC.exec(path);
  return address === null ? null : buildUrn(address[1], address[2]);
}

export const reshare = z
  .string()
  .max(500)
  .refine((value) => readReshared(value) !== null, {
    error:
      'Not the address or URN of a share; an address with "activity" does not contain it, but "Embed this post" does',
  })
  .optional()
  .meta({
    description:
      "Address or URN (`urn:li:share:..`, `urn:li:ugcPost:..`) of the post to share again, below the text. For an address with " +
      '"activity", use the one in LinkedIn\'s "Embed this post".',
  });
