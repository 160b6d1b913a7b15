// A named section of a page.
import type { ReactNode } from "react";

/** `danger`: what it does cannot be undone, so it is set apart. */
export function Card({ title, danger = false, children }: { title: string; danger?: boolean; children: ReactNode }) {
  return (
    <section className={danger ? "card danger-zone" : "card"} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
