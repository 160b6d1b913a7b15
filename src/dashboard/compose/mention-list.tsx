// The accounts to choose from, below the text.
import { Loading } from "../ui/states.tsx";
import type { Mentions } from "./use-mentions.ts";
import "./mention-list.css";

export const toOptionId = (list: string, position: number) => `${list}-${position}`;

export function MentionList({ id, network, mentions }: { id: string; network: string; mentions: Mentions }) {
  const { options, marked, isLoading, choose, mark } = mentions;
  return (
    <div className="mention-list">
      {options.length > 0 ? (
        <div id={id} role="listbox" aria-label={`Accounts on ${network}`}>
          {options.map(({ value, label, description }, position) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field keeps the focus, and its keys choose.
            <div
              key={value}
              id={toOptionId(id, position)}
              role="option"
              tabIndex={-1}
              aria-selected={position === marked}
              onPointerEnter={() => mark(position)}
              // The field keeps the focus.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => choose(position)}
            >
              <b dir="auto">{label}</b>
              {description !== null && <small dir="auto">{description}</small>}
            </div>
          ))}
        </div>
      ) : isLoading ? (
        <Loading what={`Accounts on ${network}`} />
      ) : (
        <p className="soft" role="status">
          No accounts found on {network}
        </p>
      )}
    </div>
  );
}
