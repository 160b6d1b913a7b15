// The frame of every page: its one heading, what can be done, and the focus when somebody comes to it.
import { type ReactNode, useEffect, useRef } from "react";

/** The first page is where the browser puts it; after that the heading says where one is. */
let pages = 0;

export function Page({
  title,
  lead,
  actions,
  wide = false,
  children,
}: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  wide?: boolean;
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
    <div className={wide ? "page wide" : "page"}>
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
