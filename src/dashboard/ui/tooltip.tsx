// A short explanation above an element, while the pointer is over it or it has the focus.
import { type ReactNode, useEffect, useId, useRef, useState } from "react";

/** `children` gets the id of the explanation, for `aria-describedby`. */
export function Tooltip({ text, children }: { text: string; children: (describedBy: string) => ReactNode }) {
  const id = useId();
  const anchor = `--${id.replaceAll(/\W/g, "")}`;
  const tip = useRef<HTMLSpanElement>(null);
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const element = tip.current;
    if (element === null || element.matches(":popover-open") === isShown) return;
    if (isShown) element.showPopover();
    else element.hidePopover();
  }, [isShown]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only follows its child.
    <span
      className="menu-place"
      style={{ anchorName: anchor }}
      onPointerEnter={() => setShown(true)}
      onPointerLeave={() => setShown(false)}
      onFocus={() => setShown(true)}
      onBlur={() => setShown(false)}
      onKeyDown={({ key }) => key === "Escape" && setShown(false)}
    >
      {children(id)}
      <span ref={tip} id={id} popover="manual" role="tooltip" className="tooltip" style={{ positionAnchor: anchor }}>
        {text}
      </span>
    </span>
  );
}
