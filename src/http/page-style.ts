// The look of the pages that the Worker renders: one column of a card on paper.
import { FONT_FACES } from "../identity/files.ts";
import { TOKENS } from "../identity/tokens.ts";

/** Type, links, buttons and the mark, for every page. */
export const BASE_STYLE = `${FONT_FACES}${TOKENS}
*, *::before, *::after { box-sizing: border-box; }
body { margin: 0; font: var(--text)/1.55 var(--font-sans); color: var(--ink); background: var(--paper); -webkit-font-smoothing: antialiased; }
h1, h2 { font-family: var(--font-serif); letter-spacing: -.015em; text-wrap: balance; }
a { color: var(--signal); text-decoration-thickness: 1px; text-underline-offset: .18em; }
:focus-visible { outline: 2px solid var(--signal); outline-offset: 2px; border-radius: var(--radius-small); }
p { overflow-wrap: anywhere; }
[hidden] { display: none !important; }
.skip { position: absolute; z-index: 1; top: -4rem; left: 1rem; min-height: 44px; padding: .6rem 1rem; border-radius: var(--radius); background: var(--raised); }
.skip:focus { top: 1rem; }
.brand { display: inline-flex; gap: .5rem; align-items: center; min-height: 44px; font: 600 1.375rem/1 var(--font-serif); letter-spacing: -.025em; color: var(--ink); text-decoration: none; }
.brand svg { width: 2rem; height: 2rem; padding: .25rem; border-radius: 8px; background: var(--signal-fill); fill: var(--on-signal); }
button, a.button { display: inline-flex; align-items: center; justify-content: center; gap: .5rem; min-height: 44px; padding: .5rem 1.125rem; border-radius: var(--radius); border: 1px solid var(--line-strong); font: inherit; font-weight: 580; line-height: 1.25; color: var(--ink); background: var(--surface); cursor: pointer; text-align: center; text-decoration: none; }
a.button:hover, button.quiet:hover { background: var(--sunken); }
button, a.button.first { background: var(--signal-fill); border-color: var(--signal-fill); color: var(--on-signal); }
button:hover, a.button.first:hover { background: var(--signal-fill-over); border-color: var(--signal-fill-over); }
button.quiet { background: var(--surface); border-color: var(--line-strong); color: inherit; }
button.link { min-height: 24px; padding: 0; border: 0; background: none; color: var(--signal); font-weight: inherit; text-decoration: underline; text-decoration-thickness: 1px; text-underline-offset: .18em; justify-self: start; }
.mark { flex: none; display: inline-grid; place-items: center; width: 1.75rem; height: 1.75rem; border-radius: 7px; background: #fff; box-shadow: inset 0 0 0 1px rgb(0 0 0 / 10%); }
.mark img { width: 62%; height: 62%; }
.note { margin: 0; font-size: var(--text-s); color: var(--ink-soft); }
.alert { padding: .625rem .875rem; border-radius: var(--radius); color: var(--failed); background: var(--failed-wash); }
`;

/** A page with one task: a card in the middle. */
export const PAGE_STYLE = `${BASE_STYLE}
body { display: grid; grid-template-rows: auto 1fr auto; place-items: start center; min-height: 100dvh; }
body > header { padding: clamp(1.25rem, 7vh, 4rem) 1.25rem 1.25rem; }
body > footer { padding: 1.5rem; font-size: var(--text-s); }
footer a, .ways a { display: inline-flex; align-items: center; min-height: 44px; }
footer a { color: var(--ink-soft); }
main { width: min(94vw, 27rem); padding: clamp(1.25rem, 6vw, 2rem); border-radius: var(--radius-large); background: var(--surface); border: 1px solid var(--line); box-shadow: var(--shadow-mid); }
main:focus { outline: none; }
main.wide { width: min(94vw, 36rem); }
h1 { margin: 0 0 1.125rem; font-size: 1.5rem; line-height: 1.2; font-weight: 580; }
h2 { margin: 0 0 .75rem; font-size: var(--title-s); line-height: 1.3; overflow-wrap: anywhere; }
form { display: grid; gap: 1rem; }
form + form, .note + form, form + .note { margin-top: 1.2rem; }
.note + .note { margin-top: .5rem; }
label { display: grid; gap: .3rem; font-size: var(--text-s); font-weight: 560; }
label.choice { grid-template-columns: auto 1fr; gap: .75rem; align-items: center; min-height: 44px; padding: .5rem .875rem; border: 1px solid var(--line); border-radius: var(--radius); font-size: var(--text); font-weight: 480; }
label.choice:has(:checked) { border-color: var(--signal); background: var(--signal-wash); }
label.choice small { display: block; font-size: var(--text-s); color: var(--ink-soft); }
input, textarea { width: 100%; min-height: 44px; padding: .5rem .75rem; font: inherit; font-size: 1rem; font-weight: 400; color: inherit; background: var(--paper); border: 1px solid var(--line-strong); border-radius: var(--radius); }
textarea { resize: vertical; }
input[type=radio], input[type=checkbox] { width: 1.25rem; min-height: 1.25rem; margin: 0; accent-color: var(--signal-fill); }
a.button { display: flex; }
.ways { display: flex; flex-wrap: wrap; gap: 0 1.5rem; margin: 1rem 0 0; }
fieldset { display: grid; gap: .5rem; margin: 0; padding: 0; border: 0; min-width: 0; }
legend { padding: 0 0 .4rem; font-weight: 600; }
dl { display: grid; gap: .75rem; margin: 0 0 1.25rem; padding: .875rem 1rem; border-radius: var(--radius); background: var(--sunken); }
dt { font-size: var(--text-s); color: var(--ink-soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.side { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; }
section { margin: 0 0 1.25rem; padding-top: 1.125rem; border-top: 1px solid var(--line); }
.account { display: flex; flex-wrap: wrap; gap: .125rem .625rem; align-items: center; }
.account > span:not(.mark) { flex: none; }
.account small { font: 400 var(--text-s)/1.3 var(--font-sans); letter-spacing: 0; color: var(--ink-soft); }
.text { white-space: pre-wrap; }
.lead { display: flex; gap: .75rem; align-items: center; margin: 0 0 1rem; font-size: 1.0625rem; }
.steps { margin: 0 0 1.25rem; padding: 0 0 0 1.25rem; }
.steps li { margin: .25rem 0; }
ul.accounts { display: grid; gap: .5rem; margin: 0 0 1.25rem; padding: 0; list-style: none; }
.accounts li { display: flex; gap: .75rem; align-items: center; padding: .625rem .875rem; border: 1px solid var(--line); border-radius: var(--radius); overflow-wrap: anywhere; }
.accounts bdi { flex: 1; font-weight: 560; }
.done { padding: .125rem .5rem; border: 1px solid var(--live); border-radius: var(--radius-small); color: var(--live); font: 600 var(--text-s)/1.4 var(--font-serif); }
figure { margin: 0 0 1rem; }
figure img, figure video { display: block; max-width: 100%; border-radius: var(--radius); }
figcaption { margin-top: .375rem; }
`;
