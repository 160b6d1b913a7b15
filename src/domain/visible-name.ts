// People trust names, so a name shows everything that it contains: nothing invisible, nothing that reorders it, and in a
// stranger's name no letters that pass for others.

/** Control characters, marks of direction, private and lone characters, and characters without width or ink. */
const HIDDEN = String.raw`[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`;
const EVERY_HIDDEN = new RegExp(HIDDEN, "gu");
/** Emoji are kept whole: their sequences have joiners and selectors. So are joiners inside of Arabic and Indic words. */
const HIDDEN_IN_NAMES = new RegExp(
  String.raw`\p{RGI_Emoji}|(?<=[\p{scx=Arab}\p{scx=Deva}\p{scx=Beng}\p{scx=Taml}\p{scx=Mlym}\p{scx=Sinh}])[\u200c\u200d](?=[\p{scx=Arab}\p{scx=Deva}\p{scx=Beng}\p{scx=Taml}\p{scx=Mlym}\p{scx=Sinh}])|(${HIDDEN})`,
  "gv",
);

/**
 * Scripts with letters that look like those of another one. A word in one of them cannot be told by eye from the same word in
 * another.
 */
const LOOK_ALIKE_SCRIPTS = ["Latin", "Cyrillic", "Greek", "Armenian", "Cherokee", "Coptic", "Lisu"].map(
  (script) => new RegExp(String.raw`\p{Script=${script}}`, "u"),
);

/**
 * Letters of another script that pass for Latin ones: the letters of the Unicode list of confusables (Unicode Technical
 * Standard 39, confusables.txt of 2021-05-29, compared 2026-11-24) that map to one basic Latin letter. Accents are removed
 * before.
 */
const PASS_FOR_LATIN = {
  Cyrillic: "агсԁеһіјӏорԛѕѵԝхуүҽѡꙇАВСЕԌНІӀЈКМОРЅТѴԜХУҮЬ",
  Greek: "αγινορσυϲϳᴦΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿϜϺ",
  Armenian: "ագզհոռսցօքՍՏՕ",
};

/** The script of a name whose letters all pass for Latin ones but are not; otherwise null. */
function findLookAlikeScript(name: string): string | null {
  const letters = name.normalize("NFD").match(/\p{L}/gu) ?? [];
  if (letters.length === 0) return null;
  const scripts = Object.entries(PASS_FOR_LATIN);
  return scripts.find(([, lookAlikes]) => letters.every((letter) => lookAlikes.includes(letter)))?.[0] ?? null;
}

/** Removes invisible characters from a text. */
export const removeHidden = (text: string): string => text.replaceAll(EVERY_HIDDEN, "");

/** A name as it is stored: one line without invisible characters. It may be empty. */
export function cleanName(name: string): string {
  const visible = name
    .replaceAll(/\s+/gu, " ")
    .replaceAll(HIDDEN_IN_NAMES, (character, hidden) => (hidden ? "" : character));
  return visible.replaceAll(/ {2,}/g, " ").trim().normalize("NFC");
}

/**
 * A stranger's name as others may see it, with letters in their ordinary form (NFKC: no mathematical or fullwidth ones). Null
 * if nothing of it is visible, or if it mixes scripts whose letters look alike. A name in one script that passes for a Latin
 * name says which script it is; it is not refused, because people have such names.
 */
export function readStrangerName(name: string): string | null {
  const plain = cleanName(name.normalize("NFKC"));
  const scripts = LOOK_ALIKE_SCRIPTS.filter((script) => script.test(plain));
  if (plain === "" || scripts.length > 1) return null;
  const lookAlike = findLookAlikeScript(plain);
  return lookAlike === null ? plain : `${plain} (${lookAlike})`;
}

/** Whether a one-line name is shown completely: people must see all of a name that they are asked to trust. */
export const isShowable = (name: string): boolean => name.trim() !== "" && name.search(EVERY_HIDDEN) < 0;
