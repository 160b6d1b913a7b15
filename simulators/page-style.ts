// The look of the page with the published posts, in light and in dark.
import { TOKENS } from "../src/identity/tokens.ts";

/** The icon of every page of the simulators. */
export const ICON =
  "data:image/svg+xml,%3Csvg xmlns=%27http://www.w3.org/2000/svg%27 viewBox=%270 0 16 16%27%3E%3Crect width=%2716%27 height=%2716%27 rx=%274%27 fill=%27%2311794a%27/%3E%3C/svg%3E";

export const STYLE = `
${TOKENS}
:root { --ground: var(--paper); --card: var(--surface); --soft: var(--ink-soft); --link: var(--signal); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; -webkit-font-smoothing: antialiased; }
header { padding: 30px 32px 14px; }
h1 { margin: 0; font: 600 26px/1.2 Georgia, serif; letter-spacing: -.02em; }
header p, .sum { margin: 2px 0 0; color: var(--soft); }
.home { display: inline-flex; align-items: center; min-height: 44px; margin-top: 6px; color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
main { padding: 0 32px 48px; }
.sum { margin-bottom: 18px; font-size: 13px; }
.columns { columns: 340px; column-gap: 28px; }
section { display: grid; gap: 14px; min-width: 0; padding-bottom: 28px; break-inside: avoid; }
section h2 { display: flex; gap: 12px; align-items: center; margin: 0; font-size: 15px; font-weight: 400; }
section h2 small { margin-left: auto; white-space: nowrap; color: var(--soft); }
.avatar { display: grid; flex: none; place-items: center; width: 42px; height: 42px; border-radius: 50%; color: #fff; font-weight: 600; font-size: 18px; background: linear-gradient(135deg, hsl(var(--hue) 60% 52%), hsl(calc(var(--hue) + 40) 60% 40%)); }
.who { min-width: 0; line-height: 1.3; }
.who b { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.network { display: inline-block; padding: 0 7px; border-radius: 9px; font-size: 12px; color: light-dark(hsl(var(--hue) 60% 24%), hsl(var(--hue) 60% 80%)); background: light-dark(hsl(var(--hue) 60% 92%), hsl(var(--hue) 35% 20%)); }
article { padding: 14px 16px 12px; overflow: hidden; border: 1px solid var(--line); border-radius: 14px; background: var(--card); }
.top { display: flex; justify-content: space-between; font-size: 12px; font-variant-numeric: tabular-nums; color: var(--soft); }
.top time b { font-weight: 600; color: var(--ink); }
.gone { padding: 0 8px; border-radius: 9px; color: var(--failed); background: var(--failed-wash); }
.deleted .text, .deleted .media, .deleted .card { opacity: .45; }
.deleted .text { text-decoration: line-through; }
h3 { margin: 8px 0 0; font-size: 15px; }
.text { margin: 8px 0 0; white-space: pre-wrap; overflow-wrap: anywhere; }
mark { background: none; color: var(--link); }
.media { display: grid; gap: 8px; margin-top: 10px; }
.media.n2, .media.n3 { grid-template-columns: 1fr 1fr; }
figure { margin: 0; min-width: 0; }
figure img, video { display: block; width: 100%; border-radius: 10px; background: var(--line); }
.n1 img, video { max-height: 420px; object-fit: contain; }
.n2 img, .n3 img, .n2 video, .n3 video { aspect-ratio: 4 / 3; object-fit: cover; }
.n3 figure:nth-child(odd):last-child { grid-column: 1 / -1; }
.n3 figure:nth-child(odd):last-child :is(img, video) { aspect-ratio: 2; }
figcaption { display: flex; gap: 8px; justify-content: space-between; margin-top: 3px; font-size: 12px; line-height: 1.4; color: var(--soft); overflow-wrap: anywhere; }
figcaption small { flex: none; }
.poll { display: grid; gap: 6px; margin-top: 10px; font-size: 14px; line-height: 1.4; overflow-wrap: anywhere; }
.poll ul { display: grid; gap: 4px; margin: 0; padding: 0; list-style: none; }
.poll li { padding: 6px 10px; border: 1px solid var(--line); border-radius: 8px; }
.facts { margin: 8px 0 0; font-size: 13px; color: var(--soft); overflow-wrap: anywhere; }
.poll small { color: var(--soft); }
.card { display: block; margin-top: 10px; overflow: hidden; border: 1px solid var(--line); border-radius: 10px; color: inherit; text-decoration: none; }
a.card:hover { border-color: var(--link); }
.card img { display: block; width: 100%; max-height: 190px; object-fit: cover; }
.card > span { display: grid; gap: 2px; padding: 10px 12px; font-size: 14px; line-height: 1.4; overflow-wrap: anywhere; }
.card span span, .card small { color: var(--soft); }
.facts { display: grid; grid-template-columns: auto 1fr; gap: 4px 12px; margin: 10px 0 0; font-size: 13px; line-height: 1.4; }
.facts dt { color: var(--soft); }
.facts dd { min-width: 0; margin: 0; overflow-wrap: anywhere; }
.facts img { width: 72px; border-radius: 6px; }
footer { display: grid; gap: 1px; margin-top: 12px; padding-top: 8px; border-top: 1px solid var(--line); font-size: 11.5px; color: var(--soft); }
footer > * { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.empty { max-width: 460px; margin: 14vh auto 0; text-align: center; }
.empty h2 { margin: 22px 0 6px; font-size: 20px; }
.empty p { margin: 0; color: var(--soft); }
.stack { display: grid; justify-content: center; }
.stack i { grid-area: 1 / 1; width: 180px; height: 104px; border: 1px solid var(--line); border-radius: 14px; background: var(--card); }
.stack i:nth-child(1) { transform: rotate(-7deg) translateX(-18px); }
.stack i:nth-child(2) { transform: rotate(6deg) translateX(18px); }
.stack i:nth-child(3) { z-index: 1; background: linear-gradient(var(--line), var(--line)) 18px 22px / 60% 9px no-repeat, linear-gradient(var(--line), var(--line)) 18px 42px / 78% 9px no-repeat, linear-gradient(var(--link), var(--link)) 18px 62px / 36% 9px no-repeat, var(--card); }
`;
