// Finds the links of a text, exactly as the twitter-text library does, in time linear in the text's length. The library
// itself tries a domain from every character on, which takes at least quadratic time.
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
/** As `validUrlQueryEndingChars` of the library, which has another name in its types. */
const QUERY_ENDING = "[a-z0-9\\-_&=#\\/]";
const source = (part: RegExp | string) => (typeof part === "string" ? part : part.source);

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
        const found = twitterText.extractUrlsWithIndices(text.slice(before, urlEnd));
        links.push(...found.map(({ url, indices: [a, b] }): Link => ({ url, indices: [before + a, before + b] })));
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
    for (let at = Math.max(start, from); at < end; at++) {
      if (at === 0) {
        // The library prefers the match that leaves the first character out.
        if (end > 1 && endAt(PRECEDING, text, 0) !== null && take(0, 1)) at = from - 1;
        else if (take(0, 0)) at = from - 1;
      } else if (
        at - 1 >= from &&
        domains.mayStart(at) &&
        endAt(PRECEDING, text, at - 1) !== null &&
        take(at - 1, at)
      ) {
        at = from - 1;
      }
    }
  }
  return links;
}

/** Where a sticky expression's match at a position ends; null if it does not match there. */
function endAt(sticky: RegExp, text: string, at: number): number | null {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : null;
}

interface Domains {
  /**
   * The end of the longest domain that starts at a position of the run; null if none starts there. Call in ascending order.
   */
  (at: number): number | null;
  /** A cheap check: false if no domain can start here. */
  mayStart(at: number): boolean;
}

/** Reads the labels of a run of domain characters once, so that each start is judged in one step. */
function domainsIn(text: string, start: number, end: number): Domains {
  const labels: { start: number; dot: number; underscore: number; ending: number | null; best: number | null }[] = [];
  for (let at = start, from = start, underscore = -1; at < end; at++) {
    const character = text[at];
    if (character === "_") underscore = at;
    if (character !== ".") continue;
    labels.push({ start: from, dot: at, underscore, ending: endAt(ENDING, text, at + 1), best: null });
    from = at + 1;
  }
  const isJoint = (at: number) => text[at] === "-" || text[at] === "_" || text[at] === ".";
  /**
   * The end of the domain that starts at `at`, in the n-th label: as many labels as belong together and lead to an ending.
   */
  const from = (at: number, n: number): number | null => {
    const label = labels[n];
    if (label === undefined || at >= label.dot || isJoint(at) || isJoint(label.dot - 1)) return null;
    return labels[n + 1]?.best ?? (label.underscore >= at ? null : label.ending);
  };
  for (let n = labels.length - 1; n >= 0; n--) {
    const label = labels[n];
    if (label !== undefined) label.best = from(label.start, n);
  }
  let n = 0;
  const labelOf = (at: number) => {
    while (n > 0 && (labels[n - 1]?.dot ?? -1) >= at) n--;
    while (n < labels.length && (labels[n]?.dot ?? end) < at) n++;
    return n;
  };
  return Object.assign((at: number) => from(at, labelOf(at)), {
    mayStart: (at: number) => from(at, labelOf(at)) !== null,
  });
}
