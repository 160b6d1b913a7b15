// How far the post is ready, beside the buttons that finish it.
import { describeError } from "../api.ts";
import { useIsOnline } from "../ui/offline.tsx";
import { count } from "../words/counts.ts";
import "./readiness.css";

interface ReadinessProps {
  /** Whether the post has enough content to be checked. */
  isJudged: boolean;
  /** Whether the check is of the present draft. */
  isCurrent: boolean;
  error: unknown;
  /** The number of chosen channels. */
  chosen: number;
  /** The number of problems. */
  problems: number;
  onShow(): void;
}

export function Readiness({ isJudged, isCurrent, error, chosen, problems, onShow }: ReadinessProps) {
  const isOnline = useIsOnline();
  const state = () => {
    if (!isJudged) return chosen === 0 ? "Choose a channel to start." : "Write something, or add a photo or video.";
    if (error !== null) return describeError(error);
    if (!isCurrent) return isOnline ? "Checking" : "Not checked: you're offline.";
    return problems > 0 ? `${count(problems, "thing")} to fix` : `Ready for ${count(chosen, "channel")}`;
  };
  const isReady = isJudged && isCurrent && error === null;
  return (
    <p className="readiness" data-state={!isReady ? "open" : problems > 0 ? "broken" : "ready"}>
      <span role="status">{state()}</span>
      {isReady && problems > 0 && (
        <button type="button" className="link show-problems" onClick={onShow}>
          Show
        </button>
      )}
    </p>
  );
}
