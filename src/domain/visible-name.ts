// Names are what people trust, so a name shows all that it has: nothing invisible, nothing that reorders it, and in a stranger's
// name no letters that pass for others.

/** Control characters, marks of direction, private and lone characters, and characters without width or ink. */
const HIDDEN = String.raw`[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`;
const EVERY_HIDDEN = new RegExp(HIDDEN, "gu");
/** Emoji are kept whole: their sequences have joiners and selectors. So are joiners inside of Arabic and Indic words. */
const HIDDEN_IN_NAMES = new RegExp(
  String.raw`\p{RGI_Emoji}|(?<=[\p{scx=Arab}\p{scx=Deva}\p{scx=Beng}\p{scx=Taml}\p{scx=Mlym}\p{scx=Sinh}])[\u200c\u200d](?=[\p{scx=Arab}\p{scx=Deva}\p{scx=Beng}\p{scx=Taml}\p{scx=Mlym}\p{scx=Sinh}])|(${HIDDEN})`,
  "gv",
);

/** Scripts with letters that look like those of another one. A word in one of them is told from the same word in another by no eye. */
const LOOK_ALIKE_SCRIPTS = ["Latin", "Cyrillic", "Greek", "Armenian", "Cherokee", "Coptic", "Lisu"].map(
  (script) => new RegExp(String.raw`\p{Script=${script}}`, "u"),
);

/** A text without characters that nobody sees. */
export const removeHidden = (text: string): string => text.replaceAll(EVERY_HIDDEN, "");

/** A name as it is kept: one line without characters that nobody sees. It may be empty then. */
export function cleanName(name: string): string {
  const visible = name.replaceAll(/\s+/gu, " ").replaceAll(HIDDEN_IN_NAMES, (part, hidden) => (hidden ? "" : part));
  return visible.replaceAll(/ {2,}/g, " ").trim().normalize("NFC");
}

/**
 * A stranger's name as others may see it, with letters in their ordinary form (NFKC: no mathematical or fullwidth ones). Null
 * if nothing of it shows, or if it mixes scripts whose letters look alike.
 */
export function readStrangerName(name: string): string | null {
  const plain = cleanName(name.normalize("NFKC"));
  const scripts = LOOK_ALIKE_SCRIPTS.filter((script) => script.test(plain));
  return plain === "" || scripts.length > 1 ? null : plain;
}

/** Whether a name of one line shows whole: what a person is asked to trust must be what they see. */
export const isShowable = (name: string): boolean => name.trim() !== "" && name.search(EVERY_HIDDEN) < 0;
