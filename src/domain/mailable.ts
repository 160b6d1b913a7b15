import { isShowable } from "./visible-name.ts";

const LENGTH_MAX = 100;

/**
 * Whether a user-chosen name may appear in a mail to a person whom that user names. Names that a mail program could turn into
 * a link, or that do not show as they are, appear only on a page.
 */
export const isMailable = (name: string) =>
  name.length <= LENGTH_MAX && isShowable(name) && !/:\/\/|www\.|@|[\p{L}\p{N}-]\.\p{L}{2}/iu.test(name);
