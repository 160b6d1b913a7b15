// A named section of a page.
import type { ReactNode } from "react";

interface CardProps {
  title: string;
  /** One or two sentences below the title. */
  lead?: ReactNode;
  /** What it does cannot be undone, so it is set apart. */
  danger?: boolean;
  children: ReactNode;
}

export function Card({ title, lead, danger = false, children }: CardProps) {
  return (
    <section className={danger ? "card danger-zone" : "card"} aria-label={title}>
      <div className="card-head">
        <h2>{title}</h2>
        {lead !== undefined && <p className="soft">{lead}</p>}
      </div>
      <div className="card-body">{children}</div>
    </section>
  );
}
