// Whether the colour of a chip stands for its channel or its label. The state has an icon.
import { useState } from "react";

const COLORINGS = { channel: "Colour by channel", label: "Colour by label" };
type Coloring = keyof typeof COLORINGS;
const KEY = "crier:calendar-coloring";

/** The choice is kept in this browser. */
export function useColoring(): [Coloring, (next: Coloring) => void] {
  const [coloring, setColoring] = useState<Coloring>(() =>
    localStorage.getItem(KEY) === "label" ? "label" : "channel",
  );
  return [
    coloring,
    (next) => {
      localStorage.setItem(KEY, next);
      setColoring(next);
    },
  ];
}

export const ColorChoice = ({ value, onChange }: { value: Coloring; onChange(next: Coloring): void }) => (
  <label className="field">
    <span>Colour</span>
    <select value={value} onChange={({ target }) => onChange(target.value === "label" ? "label" : "channel")}>
      {Object.entries(COLORINGS).map(([coloring, name]) => (
        <option key={coloring} value={coloring}>
          {name}
        </option>
      ))}
    </select>
  </label>
);
