// The frame of every page: its heading and actions, and the focus when the page opens.
import { type ReactNode, useEffect, useRef } from "react";

/**
 * How many pages have opened. On the first page, the browser sets the focus. On later pages, the heading gets the focus, so that
 * screen readers announce the new page.
 */
let pages = 0;

export function Page({
  title,
  lead,
  actions,
  children,
}: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (pages++ > 0) heading.current?.focus();
  }, []);
  useEffect(() => {
    document.title = `${title} · Crier`;
  }, [title]);
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead !== undefined && <p className="lead">{lead}</p>}
        </div>
        {actions !== undefined && <div className="row">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
