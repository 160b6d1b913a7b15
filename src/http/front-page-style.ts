// The look of the front page: the promise on the left, a picture of the product on the right.
import { BASE_STYLE } from "./page-style.ts";

export const FRONT_STYLE = `${BASE_STYLE}
body > header, main, body > footer { width: min(100%, 76rem); margin: 0 auto; padding-inline: clamp(1.25rem, 4vw, 2.5rem); }
body > header { display: flex; gap: .75rem; align-items: center; justify-content: space-between; padding-block: 1.25rem; }
main:focus { outline: none; }
.hero { display: grid; grid-template-columns: minmax(0, 1.05fr) minmax(0, 1fr); gap: clamp(2rem, 5vw, 4.5rem); align-items: center; padding-block: clamp(1.5rem, 6vh, 4.5rem) clamp(2.5rem, 8vh, 5rem); }
h1 { margin: 0; font-size: var(--title-xl); line-height: 1.02; font-weight: 560; letter-spacing: -.03em; }
.lead { margin: 1.25rem 0 1.75rem; max-width: 33rem; font-size: 1.1875rem; line-height: 1.5; color: var(--ink-soft); }
.doors { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; }
.doors form { display: contents; }
.doors .first { padding-inline: 1.5rem; }
.networks { display: flex; flex-wrap: wrap; gap: .5rem; margin: 2rem 0 0; padding: 0; list-style: none; }
.networks span.name { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.picture { position: relative; display: grid; gap: .875rem; padding: 1.25rem; border: 1px solid var(--line); border-radius: 18px; background: var(--surface); box-shadow: var(--shadow-high); }
.picture .who { display: flex; gap: .5rem; align-items: center; }
.picture .tab { padding: .25rem .625rem; border-radius: var(--radius-full); font-size: var(--text-s); font-weight: 560; color: var(--ink-soft); }
.picture .tab.on { background: var(--signal-wash); color: var(--signal-strong); }
.picture .words { margin: 0; padding: .875rem 1rem; min-height: 6.5rem; border: 1px solid var(--line); border-radius: var(--radius); background: var(--paper); font-size: 1.0625rem; line-height: 1.5; }
.picture .bar { display: flex; gap: .75rem; align-items: center; justify-content: space-between; font-size: var(--text-s); color: var(--ink-soft); }
.picture .go { padding: .5rem 1rem; border-radius: var(--radius); font-size: var(--text); font-weight: 580; background: var(--signal-fill); color: var(--on-signal); }
.picture ul { display: grid; margin: .25rem 0 0; padding: 0; list-style: none; }
.picture li { display: flex; gap: .75rem; align-items: center; min-height: 46px; border-top: 1px solid var(--line); font-weight: 540; }
.picture li small { font-size: var(--text-s); font-weight: 400; color: var(--ink-soft); }
.stamp { display: inline-flex; gap: .375rem; align-items: center; margin-inline-start: auto; padding: .0625rem .5rem; border: 1.5px solid currentcolor; border-radius: 5px; font: 620 var(--text-s)/1.5 var(--font-serif); color: var(--live); white-space: nowrap; }
.stamp.planned { border-color: transparent; font-family: var(--font-sans); font-weight: 560; color: var(--scheduled); background: var(--scheduled-wash); border-radius: var(--radius-full); }
.promises { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); gap: 2rem clamp(2rem, 4vw, 3.5rem); padding-block: 2.5rem clamp(2.5rem, 8vh, 5rem); border-top: 1px solid var(--line); }
.promises h2 { margin: 0 0 .375rem; font-size: var(--title); font-weight: 580; line-height: 1.25; }
.promises p { margin: 0; color: var(--ink-soft); }
body > footer { display: flex; flex-wrap: wrap; gap: 0 1.5rem; align-items: center; padding-block: 1.25rem 2rem; border-top: 1px solid var(--line); font-size: var(--text-s); color: var(--ink-soft); }
body > footer a { display: inline-flex; align-items: center; min-height: 44px; color: var(--ink-soft); }
body > footer span { margin-inline-start: auto; }
@media (width < 60rem) {
  .hero { grid-template-columns: minmax(0, 1fr); padding-top: 1rem; }
}
`;
