// Every component in every state, in both themes.
import { useState } from "react";
import { COLORS } from "../../identity/tokens.ts";
import { getTheme, setTheme, THEMES } from "../theme.ts";
import { Segments } from "../ui/choices.tsx";
import { Page } from "../ui/page.tsx";
import { Actions, Fields, Layers } from "./controls.tsx";
import { Accounts, Lists, States } from "./shown.tsx";

declare module "react" {
  interface CSSProperties {
    "--swatch"?: string;
  }
}

export function Gallery() {
  const [theme, choose] = useState(getTheme);
  return (
    <main>
      <Page
        title="Gallery"
        lead="Every component of the dashboard, in every state."
        actions={
          <Segments
            label="Theme"
            value={theme}
            options={THEMES.map((value) => ({ value, name: value.charAt(0).toUpperCase() + value.slice(1) }))}
            onChange={(value) => {
              setTheme(value);
              choose(value);
            }}
          />
        }
      >
        <div className="gallery">
          <Colors />
          <Type />
          <Actions />
          <Fields />
          <Layers />
          <States />
          <Accounts />
          <Lists />
        </div>
      </Page>
    </main>
  );
}

const Colors = () => (
  <section className="card" aria-label="Colours">
    <h2>Colours</h2>
    <div className="swatches">
      {Object.keys(COLORS).map((name) => (
        <span key={name} className="swatch">
          <span style={{ "--swatch": `var(--${name})` }} />
          <code>{name}</code>
        </span>
      ))}
    </div>
  </section>
);

const Type = () => (
  <section className="card" aria-label="Type">
    <h2>Type</h2>
    <p className="numbers-big">Hear ye: 1,204 readers</p>
    <h3>A heading of the third level</h3>
    <p>Write a post once. Crier publishes it on time, exactly as written, and never twice.</p>
    <p className="soft">
      Text of less weight, with a <a href="#root">link to the top of this page</a> and <code>code</code>.
    </p>
    <small>A note of 13 pixels. Naïve façade, Łódź, São Paulo, 東京, مرحبا.</small>
  </section>
);
