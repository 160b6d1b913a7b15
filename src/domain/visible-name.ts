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

/**
 * Letters of another script that pass for Latin ones: the letters of the Unicode list of confusables (Unicode Technical Standard 39,
 * confusables.txt of 2021-05-29, compared 2026-11-24) that map to one basic Latin letter. Accents are left out before.
 */
const PASS_FOR_LATIN = {
  Cyrillic: "агсԁеһіјӏорԛѕѵԝхуүҽѡꙇАВСЕԌНІӀЈКМОРЅТѴԜХУҮЬ",
  Greek: "αγινορσυϲϳᴦΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿϜϺ",
  Armenian: "ագզհոռսցօքՍՏՕ",
};

/** The script of a name all of whose letters pass for Latin ones and are none; null: there is no such script. */
function findLookAlikeScript(name: string): string | null {
  const letters = name.normalize("NFD").match(/\p{L}/gu) ?? [];
  if (letters.length === 0) return null;
  const scripts = Object.entries(PASS_FOR_LATIN);
  return scripts.find(([, lookAlikes]) => letters.every((letter) => lookAlikes.includes(letter)))?.[0] ?? null;
}

/** A text without characters that nobody sees. */
export const removeHidden = (text: string): string => text.replaceAll(EVERY_HIDDEN, "");

/** A name as it is kept: one line without characters that nobody sees. It may be empty then. */
export function cleanName(name: string): string {
  const visible = name.replaceAll(/\s+/gu, " ").replaceAll(HIDDEN_IN_NAMES, (part, hidden) => (hidden ? "" : part));
  return visible.replaceAll(/ {2,}/g, " ").trim().normalize("NFC");
}

/**
 * A stranger's name as others may see it, with letters in their ordinary form (NFKC: no mathematical or fullwidth ones). Null
 * if nothing of it shows, or if it mixes scripts whose letters look alike. A name of one script that passes for a Latin name says
 * which script it is: people have such names, so it is not refused.
 */
export function readStrangerName(name: string): string | null {
  const plain = cleanName(name.normalize("NFKC"));
  const scripts = LOOK_ALIKE_SCRIPTS.filter((script) => script.test(plain));
  if (plain === "" || scripts.length > 1) return null;
  const lookAlike = findLookAlikeScript(plain);
  return lookAlike === null ? plain : `${plain} (${lookAlike})`;
}

/** Whether a name of one line shows whole: what a person is asked to trust must be what they see. */
export const isShowable = (name: string): boolean => name.trim() !== "" && name.search(EVERY_HIDDEN) < 0;
