// The mark: the hand bell of a town crier, tilted as if it rings. The clapper is a shape of its own, so that it can swing.

/** The parts of the bell, in a square of 32 units. */
export const BELL = {
  tilt: "rotate(18 16 16)",
  handle: "M14.4 3.2h3.2a1.5 1.5 0 0 1 1.5 1.7l-.8 5.3h-4.6l-.8-5.3a1.5 1.5 0 0 1 1.5-1.7z",
  body: "M16 9.6c3.7 0 5.6 2.3 6.1 5.6l.8 4.9c.2 1.3.8 2.2 1.7 3 .9.8.5 2-.7 2H8.1c-1.2 0-1.6-1.2-.7-2 .9-.8 1.5-1.7 1.7-3l.8-4.9c.5-3.3 2.4-5.6 6.1-5.6z",
  clapper: "M16 24.6a2.4 2.4 0 1 1 0 4.8 2.4 2.4 0 0 1 0-4.8z",
} as const;

const INK = "#fffdfa";
const GROUND = "#c2410c";

/** The icon of the browser's tab: the bell on a vermilion tile. */
export const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${GROUND}"/><g transform="translate(1.6 1.6) scale(.9) ${BELL.tilt}" fill="${INK}"><path d="${BELL.clapper}"/><path d="${BELL.handle}"/><path d="${BELL.body}"/></g></svg>`;
