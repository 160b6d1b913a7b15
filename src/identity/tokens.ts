// The design tokens: the only source of colours, type, spacing, radii, shadows and motion for the dashboard, the pages that the
// Worker renders, `/docs`, and the simulators' pages.
//
// Crier is a town crier: ink on warm paper, and one vermilion signal colour. The signal marks the next action, the current
// page, links and the focus. It never marks a state: every state has a colour of its own, and a shape or word beside it.

/** A colour in the light and in the dark theme. */
export type Pair = readonly [light: string, dark: string];

export const COLORS = {
  /** The ground of a page, the surface of a card, of a raised part (menu, dialog), and of a sunken part (well, hover). */
  paper: ["#fbf8f3", "#151210"],
  surface: ["#fffdfa", "#1d1916"],
  raised: ["#ffffff", "#272220"],
  sunken: ["#f4efe6", "#2a2521"],
  /** A hairline between parts, and the border of a field or button. */
  line: ["#e8e1d5", "#36302b"],
  "line-strong": ["#8f8577", "#8d8377"],
  /** Text, and text of less weight. */
  ink: ["#1d1a16", "#f4eee5"],
  "ink-soft": ["#625a4e", "#b9afa2"],
  /** The signal as text, stronger on its own wash, and as the ground of a primary button with the text on it. */
  signal: ["#b4380f", "#ff9b73"],
  "signal-strong": ["#93290a", "#ffb596"],
  "signal-wash": ["#fcebe3", "#3b2016"],
  "signal-fill": ["#c2410c", "#ee6c3a"],
  "signal-fill-over": ["#a5360a", "#f78253"],
  "on-signal": ["#ffffff", "#210d05"],
  /** States, each with the ground of its pill. */
  scheduled: ["#1a5797", "#9fc8f6"],
  "scheduled-wash": ["#e5eff9", "#172b40"],
  live: ["#17643a", "#88d4a2"],
  "live-wash": ["#e2f2e6", "#15311f"],
  waiting: ["#735000", "#eccb70"],
  "waiting-wash": ["#fbf0cc", "#372c0e"],
  failed: ["#a01238", "#ffabbc"],
  "failed-wash": ["#fce7ec", "#431723"],
  draft: ["#5d564b", "#c5bcae"],
  "draft-wash": ["#eee8de", "#322c27"],
} as const satisfies Record<string, Pair>;

/** Text in rem: the body text is 15 px, because the dashboard is dense; a page for reading uses `text-l`. */
const TYPE = {
  "font-sans": '"Crier Sans", "Crier Sans Fallback", system-ui, sans-serif',
  "font-serif": '"Crier Serif", "Crier Serif Fallback", "Crier Serif Fallback 2", Georgia, serif',
  "font-mono": 'ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, monospace',
  "text-xs": "0.75rem",
  "text-s": "0.8125rem",
  text: "0.9375rem",
  "text-l": "1.0625rem",
  "title-s": "1.0625rem",
  title: "1.3125rem",
  "title-l": "clamp(1.625rem, 1.4rem + 0.8vw, 2rem)",
  "title-xl": "clamp(2.25rem, 1.4rem + 3.4vw, 3.75rem)",
};

const SIZES = {
  "space-1": "0.25rem",
  "space-2": "0.5rem",
  "space-3": "0.75rem",
  "space-4": "1rem",
  "space-5": "1.5rem",
  "space-6": "2rem",
  "space-7": "3rem",
  "space-8": "4.5rem",
  "radius-small": "6px",
  radius: "9px",
  "radius-large": "14px",
  "radius-full": "999px",
  /** The height of a button or field: for a mouse; a finger gets more (see below). */
  control: "36px",
  row: "56px",
  thumb: "40px",
  /** The widest content of any page. */
  page: "76rem",
};

const DEPTH = {
  shadow: "0 1px 2px light-dark(rgb(60 40 20 / 6%), rgb(0 0 0 / 35%))",
  "shadow-mid":
    "0 1px 2px light-dark(rgb(60 40 20 / 8%), rgb(0 0 0 / 40%)), 0 6px 20px light-dark(rgb(60 40 20 / 10%), rgb(0 0 0 / 45%))",
  "shadow-high":
    "0 2px 6px light-dark(rgb(60 40 20 / 8%), rgb(0 0 0 / 40%)), 0 18px 48px light-dark(rgb(60 40 20 / 18%), rgb(0 0 0 / 60%))",
  backdrop: "light-dark(rgb(40 30 20 / 42%), rgb(0 0 0 / 62%))",
};

const MOTION = { fast: "120ms", slow: "260ms", ease: "cubic-bezier(0.2, 0.7, 0.2, 1)" };

const declare = (tokens: Record<string, string>): string =>
  Object.entries(tokens)
    .map(([name, value]) => `--${name}: ${value};`)
    .join(" ");

const colors = Object.fromEntries(
  Object.entries(COLORS).map(([name, [light, dark]]) => [name, `light-dark(${light}, ${dark})`]),
);

/** The tokens as custom properties. Without a choice of the user (`data-theme`), the theme follows the system. */
export const TOKENS = `:root {
color-scheme: light dark;
${declare(colors)}
${declare(TYPE)}
${declare(SIZES)}
${declare(DEPTH)}
${declare(MOTION)}
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
@media (pointer: coarse) { :root { --control: 44px; } }
@media (prefers-reduced-motion: reduce) { :root { --fast: 0s; --slow: 0s; } }
`;
