import { TOKENS } from "../../identity/tokens.ts";

/** The styles of the documentation page: a contents column, text, and code next to the text where there is room. */
export const STYLE = `${TOKENS}
:root {
  --ground: var(--paper); --soft: var(--ink-soft); --accent: var(--signal); --code: var(--sunken); --name: var(--scheduled); --number: var(--waiting); --mono: var(--font-mono);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4.5rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.6 system-ui, -apple-system, "Segoe UI", sans-serif; display: grid; grid-template: auto 1fr / 17.5rem minmax(0, 1fr); }
a { color: var(--accent); text-decoration: none; }
a:hover, main a { text-decoration: underline; text-decoration-thickness: 1px; text-underline-offset: .15em; }
main h2 a, main h3 a { text-decoration: none; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
code, pre { font-family: var(--mono); font-size: .875em; }
:not(pre) > code { padding: .1em .35em; border-radius: 5px; background: var(--raised); border: 1px solid var(--line); overflow-wrap: anywhere; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; z-index: 3; background: var(--ground); padding: .5rem 1rem; }
.top { grid-column: 1 / -1; position: sticky; top: 0; z-index: 2; display: flex; align-items: center; gap: .75rem; height: 3.5rem; padding: 0 1.5rem; background: var(--ground); border-bottom: 1px solid var(--line); }
.brand { display: inline-flex; gap: .5rem; align-items: center; font: 600 1.25rem/1 Georgia, serif; color: var(--ink); letter-spacing: -.02em; }
.brand svg { width: 1.75rem; height: 1.75rem; padding: .2rem; border-radius: 7px; background: var(--signal-fill); fill: var(--on-signal); }
h1, h2 { font-family: Georgia, serif; font-weight: 600; }
.version { color: var(--soft); font-size: .8rem; border: 1px solid var(--line); border-radius: 99px; padding: 0 .6rem; }
.top nav { margin-left: auto; display: flex; gap: 1.25rem; font-size: .9rem; }
.top label { display: none; cursor: pointer; }
#menu { position: absolute; opacity: 0; pointer-events: none; }
.side { position: sticky; top: 3.5rem; height: calc(100vh - 3.5rem); overflow-y: auto; padding: 1.25rem 1rem 3rem 1.5rem; border-right: 1px solid var(--line); font-size: .875rem; line-height: 1.4; }
.side h2 { margin: 1.4rem 0 .35rem; font-size: .75rem; letter-spacing: .05em; text-transform: uppercase; }
.side h2, .side h2 a { color: var(--soft); }
.side h2:first-child { margin-top: 0; }
.side ul { list-style: none; margin: 0; padding: 0; }
.side li a { display: flex; gap: .5rem; align-items: baseline; padding: .28rem .4rem; margin: 0 -.4rem; border-radius: 6px; color: var(--ink); }
.side li a:hover { background: var(--raised); text-decoration: none; }
main { padding: 2.5rem clamp(1.25rem, 3vw, 3rem) 6rem; min-width: 0; max-width: 92rem; }
h1 { font-size: 2.25rem; line-height: 1.15; letter-spacing: -.025em; margin: 0 0 .5rem; }
h2 { font-size: 1.5rem; letter-spacing: -.015em; margin: 2.5rem 0 .5rem; line-height: 1.25; }
h3 { font-size: 1.2rem; letter-spacing: -.01em; margin: 0 0 .5rem; line-height: 1.3; }
h3 a { color: inherit; }
h4 { font-size: .8rem; letter-spacing: .05em; text-transform: uppercase; color: var(--soft); margin: 1.75rem 0 .5rem; }
p, ul { margin: 0 0 1rem; }
.intro { max-width: 46rem; }
.intro h2 { font-size: 1.2rem; margin-top: 2rem; }
.lead { font-size: 1.1rem; color: var(--soft); max-width: 46rem; }
.base { display: flex; gap: .75rem; align-items: baseline; flex-wrap: wrap; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: 10px; background: var(--raised); }
.base span { color: var(--soft); font-size: .85rem; }
.base code { border: 0; background: none; }
.group { border-top: 1px solid var(--line); margin-top: 4rem; padding-top: 2.5rem; }
.group h2 { font-size: 1.75rem; margin-top: 0; }
.operation { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.25rem 2.5rem; padding: 2.25rem 0; border-top: 1px solid var(--line); }
.operation:not(.laid) { content-visibility: auto; contain-intrinsic-size: auto 60rem; overflow-clip-margin: 6px; }
.reference { border-top: 1px solid var(--line); margin-top: 4rem; padding-top: 2.5rem; }
.reference > h2 { font-size: 1.75rem; margin-top: 0; }
.words, .samples { min-width: 0; }
@media (min-width: 60rem) { .reference .codes code { white-space: nowrap; } .reference .codes td:last-child code { white-space: normal; } }
@media (min-width: 80rem) { .operation { grid-template-columns: minmax(0, 1fr) minmax(22rem, 34rem); } .samples { position: sticky; top: 4.5rem; align-self: start; max-height: calc(100vh - 5.5rem); overflow-y: auto; } }
.address { display: flex; gap: .6rem; align-items: center; margin-bottom: .6rem; }
.address code { border: 0; background: none; padding: 0; font-size: .95rem; }
.address var { font-style: normal; color: var(--accent); }
.auth { color: var(--soft); font-size: .9rem; }
.who { display: inline-block; margin-right: .35rem; padding: 0 .55rem; border: 1px solid var(--line); border-radius: 99px; color: var(--ink); font-size: .8rem; }
.method { flex: none; font: 700 .68rem/1.5 var(--mono); letter-spacing: .02em; min-width: 3.2em; text-align: center; padding: .12em .45em; border-radius: 5px; color: var(--hue); background: color-mix(in srgb, var(--hue) 12%, transparent); }
.side .method { font-size: .58rem; min-width: 4.4em; }
.get { --hue: var(--scheduled); } .post { --hue: var(--live); } .patch { --hue: var(--waiting); } .delete { --hue: var(--failed); }
.status { font: 600 .8rem/1.5 var(--mono); padding: .1em .5em; border-radius: 5px; color: var(--hue); background: color-mix(in srgb, var(--hue) 12%, transparent); }
.s2, .s3 { --hue: var(--live); } .s4 { --hue: var(--waiting); } .s5 { --hue: var(--failed); }
.answer { display: flex; gap: .6rem; align-items: baseline; flex-wrap: wrap; margin-bottom: .75rem; }
.answer > span:last-child, .hint { color: var(--soft); }
.scroll { overflow-x: auto; margin: 0 0 1rem; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; line-height: 1.5; }
th { text-align: left; font-weight: 500; font-size: .8rem; color: var(--soft); padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); }
td { vertical-align: top; padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); }
td:last-child, th:last-child { padding-right: 0; }
.fields td:first-child { width: 30%; } .fields td:last-child { min-width: 11rem; }
.fields td:first-child code { border: 0; background: none; padding: 0; font-weight: 600; overflow-wrap: normal; } small { font-size: 1em; font-weight: 400; color: var(--soft); }
.codes td:nth-child(2) { width: 30%; } .codes td:nth-child(2) code { overflow-wrap: normal; }
.required, .optional { display: block; font-size: .75rem; color: var(--soft); } .required { color: var(--failed); }
.limit { color: var(--soft); font-size: .85rem; } .values code { display: inline-block; margin: 0 0 .2rem; font-size: .8em; }
details { margin: 1rem 0; border: 1px solid var(--line); border-radius: 10px; }
summary { cursor: pointer; padding: .55rem .9rem; font-size: .9rem; color: var(--soft); }
summary:hover { color: var(--ink); }
details > .scroll { margin: 0 .9rem .9rem; }
.samples details > .code { border: 0; margin: 0; border-top: 1px solid var(--line); border-radius: 0 0 10px 10px; }
.code { margin: 0 0 1rem; border: 1px solid var(--line); border-radius: 10px; background: var(--code); overflow: hidden; }
figcaption { padding: .5rem .9rem; font-size: .82rem; color: var(--soft); border-bottom: 1px solid var(--line); }
pre { margin: 0; padding: .9rem; overflow-x: auto; line-height: 1.55; font-size: .82rem; tab-size: 2; }
pre code { font-size: 1em; }
pre b { font-weight: 400; color: var(--name); } pre q { quotes: none; color: var(--live); } pre i { font-style: normal; color: var(--number); }
.side input { width: 100%; } .found { margin: .35rem 0 0; min-height: 1.4em; color: var(--soft); font-size: .8rem; }
input, textarea, select { font: .875rem/1.5 var(--mono); color: var(--ink); background: var(--ground); border: 1px solid var(--line); border-radius: 8px; padding: .4rem .6rem; }
.try, .call button { font: 600 .85rem/1.5 system-ui, sans-serif; cursor: pointer; padding: .35rem .9rem; border-radius: 8px; border: 1px solid var(--accent); color: var(--accent); background: none; margin-bottom: 1rem; }
.call { display: grid; gap: .6rem; margin-bottom: 1rem; padding: .9rem; border: 1px solid var(--line); border-radius: 10px; } .call label { display: grid; gap: .2rem; font-size: .82rem; color: var(--soft); }
.call button { justify-self: start; margin: 0; } .call .code { margin: 0; min-width: 0; } .call .code pre { max-height: 24rem; } .call [hidden] { display: none; }
tr:target td { background: color-mix(in srgb, var(--accent) 12%, transparent); } .operation:target h3 a { color: var(--accent); }
@media (max-width: 60rem) {
  body { grid-template-columns: minmax(0, 1fr); }
  .top { padding: 0 1.25rem; } .top label { display: block; font-size: .9rem; padding: .25rem .75rem; border: 1px solid var(--line); border-radius: 8px; }
  .side { display: none; position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); padding: 1rem 1.25rem 1.5rem; }
  body:has(#menu:checked) .side { display: block; }
  #menu:focus-visible + label { outline: 2px solid var(--accent); }
  .side li a { padding: .5rem .4rem; } main { padding-top: 1.75rem; } h1 { font-size: 1.9rem; } .version { display: none; }
}
@media (max-width: 40rem) {
  .fields thead { display: none; } .fields tr { display: block; padding: .6rem 0; border-bottom: 1px solid var(--line); }
  .fields td { display: block; border: 0; padding: 0; width: auto !important; } .required, .optional { display: inline; margin-left: .4rem; }
  .fields td:nth-child(n + 2) { font-size: .85rem; color: var(--soft); } .fields td:nth-child(2):not(:last-child), .fields td:nth-child(3):not(:last-child) { display: inline; margin-right: .5rem; font-family: var(--mono); font-size: .78rem; } .top { gap: .5rem; padding: 0 .75rem; } .top nav a { padding: .25rem 0; font-size: .82rem; } .top nav { gap: .5rem; }
  .codes thead { display: none; } .codes tr { display: block; padding: .6rem 0; border-bottom: 1px solid var(--line); } .codes td { display: inline; border: 0; padding: 0; }
  .codes td:nth-child(2) { margin-left: .4rem; } .codes td:last-child { display: block; margin-top: .3rem; }
}
@media (max-width: 22rem) { html { scroll-padding-top: 1rem; } .top { position: static; flex-wrap: wrap; height: auto; padding-block: .5rem; } }
@media print { .side, .top, .skip { display: none; } body { display: block; } .operation:not(.laid) { content-visibility: visible; } }`;
