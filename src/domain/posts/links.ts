// Finds the links of a text, exactly as the twitter-text library does, but in time linear in the text's length. The library
// itself tries to match a domain at every character, which takes at least quadratic time.
import twitterText from "twitter-text";

interface Link {
  url: string;
  /** UTF-16 positions; the end is exclusive. */
  indices: [number, number];
}

/** The longest link that the library recognizes, scheme included. */
const URL_LENGTH_MAX = 4_096;
/** A longer name resolves nowhere (RFC 1035, 2.3.4), and the library's search for domains in it takes quadratic time. */
const DOMAIN_LENGTH_MAX = 253;

const { invalidDomainChars, validUrlPrecedingChars, validGTLD, validCCTLD, validPunycode } = twitterText.regexen;
const { validUrlPath, validUrlQueryChars, validPortNumber } = twitterText.regexen;
/** Copied from the library's `validUrlQueryEndingChars`, which its type definitions list under a different name. */
const QUERY_ENDING = "[a-z0-9\\-_&=#\\/]";
const source = (pattern: RegExp | string) => (typeof pattern === "string" ? pattern : pattern.source);

/** Characters of domains, with the dots, hyphens and underscores between them. */
const DOMAIN_RUN = new RegExp(`(?:[^${source(invalidDomainChars)}]|[-_.])+`, "g");
const ENDING = new RegExp(`${source(validGTLD)}|${source(validCCTLD)}|${source(validPunycode)}`, "iy");
const PRECEDING = new RegExp(source(validUrlPrecedingChars).replace("|^", ""), "y");
const REST = new RegExp(
  `(?::${source(validPortNumber)})?(?:\\/${source(validUrlPath)}*)?(?:\\?${source(validUrlQueryChars)}*${QUERY_ENDING})?`,
  "iy",
);
const SCHEME = /https?:\/\/$/i;

/** The links of a text in order, including those without a scheme. */
export function findLinks(text: string): Link[] {
  const links: Link[] = [];
  let from = 0;
  for (const { 0: run, index: start } of text.matchAll(DOMAIN_RUN)) {
    const end = start + run.length;
    if (end <= from || !run.includes(".")) continue;
    const domains = domainsIn(text, start, end);
    const take = (before: number, domainStart: number): boolean => {
      const domainEnd = domains(domainStart);
      if (domainEnd === null) return false;
      const urlEnd = endAt(REST, text, domainEnd) ?? domainEnd;
      if (domainEnd - domainStart <= DOMAIN_LENGTH_MAX && urlEnd - before <= URL_LENGTH_MAX + 1) {
        // The position is known; the library decides whether it counts as a link.
        const matches = twitterText.extractUrlsWithIndices(text.slice(before, urlEnd));
        links.push(...matches.map(({ url, indices: [a, b] }): Link => ({ url, indices: [before + a, before + b] })));
      }
      from = urlEnd;
      return true;
    };

    const scheme = SCHEME.exec(text.slice(Math.max(from, start - 8), start))?.[0].length;
    if (scheme !== undefined) {
      const before = start - scheme - 1;
      if (before >= from && endAt(PRECEDING, text, before) !== null) take(before, start);
      else if (before === -1) take(0, start);
    }
    for (let index = Math.max(start, from); index < end; index++) {
      if (index === 0) {
        // The library prefers the match that skips the first character.
        if (end > 1 && endAt(PRECEDING, text, 0) !== null && take(0, 1)) index = from - 1;
        else if (take(0, 0)) index = from - 1;
      } else if (
        index - 1 >= from &&
        domains.mayStart(index) &&
        endAt(PRECEDING, text, index - 1) !== null &&
        take(index - 1, index)
      ) {
        index = from - 1;
      }
    }
  }
  return links;
}

/** Where a sticky expression's match at a position ends; null if it does not match there. */
function endAt(sticky: RegExp, text: string, index: number): number | null {
  sticky.lastIndex = index;
  return sticky.test(text) ? sticky.lastIndex : null;
}

interface Domains {
  /**
   * The end of the longest domain that starts at a position of the run; null if none starts there. Call in ascending order.
   */
  (index: number): number | null;
  /** A cheap check: false if no domain can start here. */
  mayStart(index: number): boolean;
}

/** Reads the labels of a run of domain characters once, so that each start is judged in one step. */
function domainsIn(text: string, start: number, end: number): Domains {
  const labels: { start: number; dot: number; underscore: number; ending: number | null; best: number | null }[] = [];
  for (let index = start, from = start, underscore = -1; index < end; index++) {
    const character = text[index];
    if (character === "_") underscore = index;
    if (character !== ".") continue;
    labels.push({ start: from, dot: index, underscore, ending: endAt(ENDING, text, index + 1), best: null });
    from = index + 1;
  }
  const isJoint = (index: number) => text[index] === "-" || text[index] === "_" || text[index] === ".";
  /**
   * The end of the domain that starts at `index`, in the n-th label: the longest run of joined labels that ends in a known
   * top-level domain.
   */
  const from = (index: number, n: number): number | null => {
    const label = labels[n];
    if (label === undefined || index >= label.dot || isJoint(index) || isJoint(label.dot - 1)) return null;
    return labels[n + 1]?.best ?? (label.underscore >= index ? null : label.ending);
  };
  for (let n = labels.length - 1; n >= 0; n--) {
    const label = labels[n];
    if (label !== undefined) label.best = from(label.start, n);
  }
  let n = 0;
  const findLabelIndex = (index: number) => {
    while (n > 0 && (labels[n - 1]?.dot ?? -1) >= index) n--;
    while (n < labels.length && (labels[n]?.dot ?? end) < index) n++;
    return n;
  };
  return Object.assign((index: number) => from(index, findLabelIndex(index)), {
    mayStart: (index: number) => from(index, findLabelIndex(index)) !== null,
  });
}
