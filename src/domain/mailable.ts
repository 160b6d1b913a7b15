import { isShowable } from "./visible-name.ts";

const LENGTH_MAX = 100;

/**
 * Whether a name that a user chose may stand in a mail to somebody whom they name: anything that a mail program could make a
 * link of, or that does not show as it is, is left to a page.
 */
export const isMailable = (name: string) =>
  name.length <= LENGTH_MAX && isShowable(name) && !/:\/\/|www\.|@|[\p{L}\p{N}-]\.\p{L}{2}/iu.test(name);
