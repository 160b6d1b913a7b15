// Short status messages, shown and announced to screen readers.
import { createContext, type ReactNode, use, useCallback, useRef, useState } from "react";

interface Toast {
  id: number;
  text: string;
  undo?: () => void;
}
type Say = (text: string, undo?: () => void) => void;

const Saying = createContext<Say>(() => {});
export const useSay = (): Say => use(Saying);

const SHOWN_MS = 6_000;
/** Long enough to reconsider. */
const SHOWN_WITH_UNDO_MS = 15_000;

export function Toasts({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Toast[]>([]);
  const last = useRef(0);
  const drop = useCallback((id: number) => setToasts((current) => current.filter((toast) => toast.id !== id)), []);
  const say = useCallback<Say>(
    (text, undo) => {
      const id = ++last.current;
      setToasts((current) => [...current.slice(-2), { id, text, undo }]);
      setTimeout(() => drop(id), undo === undefined ? SHOWN_MS : SHOWN_WITH_UNDO_MS);
    },
    [drop],
  );
  return (
    <Saying value={say}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {toasts.map(({ id, text, undo }) => (
          <div key={id} className="toast">
            <span>{text}</span>
            {undo !== undefined && (
              <button
                type="button"
                onClick={() => {
                  drop(id);
                  undo();
                }}
              >
                Undo
              </button>
            )}
          </div>
        ))}
      </div>
    </Saying>
  );
}
