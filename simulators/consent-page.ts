// The consent page. It looks the same for all networks, but each network has its own form.
import { html, raw } from "hono/html";
import { ICON } from "./page-style.ts";

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; --line: light-dark(#767f8c, #8b95a3); --act: light-dark(#0b57d0, #8ab4f8); }
body { margin: 0; background: light-dark(#f4f5f7, #0c0e12); color: light-dark(#14181f, #e8ebf0); }
main { box-sizing: border-box; width: min(94vw, 30rem); margin: 10vh auto; padding: 1.5rem; border: 1px solid light-dark(#e1e4ea, #262b34); border-radius: 12px; background: light-dark(#fff, #15181e); overflow-wrap: anywhere; }
h1 { margin: 0; font-size: 1.4rem; }
main > p:first-of-type { margin-top: .25rem; color: light-dark(#59636f, #98a3b1); }
ul { padding-left: 1.25rem; }
:focus-visible { outline: 2px solid var(--act); outline-offset: 2px; }
input, button { box-sizing: border-box; font: inherit; min-height: 44px; padding: 0 1rem; color: inherit; background: none; border-radius: 8px; border: 1px solid var(--line); }
input { display: block; width: 100%; margin-top: .25rem; }
.choice { display: flex; gap: .6rem; align-items: center; min-height: 44px; }
.choice input { flex: none; width: 20px; min-height: 20px; margin: 0; }
button { cursor: pointer; }
button[value=allow] { background: #0b57d0; color: #fff; border-color: #0b57d0; }`;

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
