// The consent page. It looks the same for all networks, but each network has its own form.
import { html, raw } from "hono/html";
import { TOKENS } from "../src/identity/tokens.ts";
import { ICON } from "./page-style.ts";

const STYLE = `${TOKENS}
:root { font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; background: var(--paper); color: var(--ink); }
main { box-sizing: border-box; width: min(94vw, 30rem); margin: 10vh auto; padding: 1.5rem; border: 1px solid var(--line); border-radius: var(--radius-large); background: var(--surface); box-shadow: var(--shadow-mid); overflow-wrap: anywhere; }
h1 { margin: 0; font: 600 1.4rem/1.25 Georgia, serif; }
main > p:first-of-type { margin-top: .25rem; color: var(--ink-soft); }
ul { padding-left: 1.25rem; }
:focus-visible { outline: 2px solid var(--signal); outline-offset: 2px; }
input, button { box-sizing: border-box; font: inherit; min-height: 44px; padding: 0 1rem; color: inherit; background: none; border-radius: 8px; border: 1px solid var(--line-strong); }
input { display: block; width: 100%; margin-top: .25rem; }
.choice { display: flex; gap: .6rem; align-items: center; min-height: 44px; }
.choice input { flex: none; width: 20px; min-height: 20px; margin: 0; }
button { cursor: pointer; }
button[value=allow] { background: var(--signal-fill); color: var(--on-signal); border-color: var(--signal-fill); }`;

/** `content`: the requested permissions, and the form whose buttons allow and deny. */
export function consentPage(title: string, content: ReturnType<typeof html>) {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="icon" href="${ICON}">
<style>${raw(STYLE)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>A simulated network on this machine. Nothing is sent to the real network.</p>
${content}
</main>
</body>
</html>`;
}
