// The mark: the hand bell of a town crier, tilted as if it rings. The clapper is a shape of its own, so that it can swing.

/** The parts of the bell, in a square of 32 units. */
export const BELL = {
  tilt: "rotate(16 16 16)",
  handle: "M14 1.8h4a1.6 1.6 0 0 1 1.6 1.9l-1 5.2h-5.2l-1-5.2A1.6 1.6 0 0 1 14 1.8z",
  body: "M16 10.4c4.6 0 6.6 3 7 7l.4 3.5c.2 1.5 1 2.6 2.1 3.4 1 .7.6 2.2-.7 2.2H7.2c-1.3 0-1.7-1.5-.7-2.2 1.1-.8 1.9-1.9 2.1-3.4l.4-3.5c.4-4 2.4-7 7-7z",
  clapper: "M16 25.4a2.7 2.7 0 1 1 0 5.4 2.7 2.7 0 0 1 0-5.4z",
} as const;

const INK = "#fffdfa";
const GROUND = "#c2410c";

/** The icon of the browser's tab: the bell on a vermilion tile. */
export const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${GROUND}"/><g transform="translate(1.6 1.6) scale(.9) ${BELL.tilt}" fill="${INK}"><path d="${BELL.clapper}"/><path d="${BELL.handle}"/><path d="${BELL.body}"/></g></svg>`;
