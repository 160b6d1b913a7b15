// The files that the build copies from packages into the folder of served files. Browsers keep them for a year, so the version
// of the package is part of the name.

export const SERIF = {
  address: "/assets/fraunces-5.3.0.woff2",
  package: "@fontsource-variable/fraunces",
  file: "files/fraunces-latin-wght-normal.woff2",
};
export const SANS = {
  address: "/assets/figtree-5.3.0.woff2",
  package: "@fontsource-variable/figtree",
  file: "files/figtree-latin-wght-normal.woff2",
};

/** The marks of the networks: one SVG with a symbol for each network, whose id is the platform. */
export const MARKS = { address: "/assets/networks-1.13.2.svg", package: "bootstrap-icons" };

/** A network's mark as a picture of its own, in its colour, for pages that the Worker renders. */
export const getMarkAddress = (platform: string): string => `/assets/network-${platform}-1.13.2.svg`;

/**
 * Until a typeface has arrived, the text is set in a common one, scaled so that its lines break at nearly the same places. The
 * figures are measured: the width of an English text, the ascent and the descent, relative to Arial, Georgia and Times.
 */
export const FONT_FACES = `
@font-face { font-family: "Crier Sans"; src: url(${SANS.address}) format("woff2"); font-weight: 300 900; font-display: swap; }
@font-face { font-family: "Crier Serif"; src: url(${SERIF.address}) format("woff2"); font-weight: 100 900; font-display: swap; }
@font-face { font-family: "Crier Sans Fallback"; src: local("Arial"), local("Liberation Sans"), local("Helvetica Neue"), local("Roboto"); size-adjust: 100.5%; ascent-override: 94.5%; descent-override: 24.9%; line-gap-override: 0%; }
@font-face { font-family: "Crier Serif Fallback"; src: local("Georgia"), local("Gelasio"); size-adjust: 97.4%; ascent-override: 100.6%; descent-override: 26.7%; line-gap-override: 0%; }
@font-face { font-family: "Crier Serif Fallback 2"; src: local("Times New Roman"), local("Liberation Serif"); size-adjust: 112.6%; ascent-override: 87%; descent-override: 23.1%; line-gap-override: 0%; }
`;

/** Tells a browser to fetch the typefaces together with the page (the header `Link`). */
export const PRELOAD = [SANS, SERIF]
  .map(({ address }) => `<${address}>; rel=preload; as=font; type="font/woff2"; crossorigin`)
  .join(", ");
