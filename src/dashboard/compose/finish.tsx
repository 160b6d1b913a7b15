// The bar that finishes the post, with the state of the check and the problems that belong to no field.
import { describeError } from "../api.ts";
import type { Channel } from "../types.ts";
import { Actions } from "./actions.tsx";
import { Alerts } from "./alerts.tsx";
import { OwnTimes } from "./own-time.tsx";
import { Readiness } from "./readiness.tsx";
import { RepeatField } from "./repeat-field.tsx";
import type { useChecks } from "./use-checks.ts";
import type { useEditing } from "./use-editing.ts";

interface FinishProps {
  channels: Channel[];
  /** The number of chosen channels. */
  chosen: number;
  editing: ReturnType<typeof useEditing>;
  checks: ReturnType<typeof useChecks>;
  isUploading: boolean;
  onShowProblems(): void;
}

export function Finish({ channels, chosen, editing, checks, isUploading, onShowProblems }: FinishProps) {
  const { draft, change, refusal, sending, send } = editing;
  const { isJudged, isCurrent, error, judgement, violations, findViolations } = checks;
  return (
    <Actions
      at={draft.at}
      publishAt={isCurrent && isJudged ? (judgement?.publishAt ?? null) : null}
      isTimeInvalid={findViolations("when").length > 0}
      channels={draft.channels}
      sending={sending}
      whyWait={isUploading ? "Files are still uploading." : null}
      repeat={
        <RepeatField
          repeat={draft.repeat}
          at={draft.at}
          violations={findViolations("repeat")}
          onChange={(repeat) => change({ repeat })}
        />
      }
      onTime={(at) => change({ at })}
      onSend={(ending) => void send(ending)}
    >
      <Readiness {...{ isJudged, isCurrent, error, chosen }} problems={violations.length} onShow={onShowProblems} />
      <OwnTimes draft={draft} channels={channels} />
      <Alerts
        violations={[
          ...findViolations("when"),
          ...findViolations("repeat"),
          ...findViolations("elsewhere"),
          ...findViolations("own").filter(({ channel }) => channel === undefined),
        ]}
        channels={channels}
      />
      {refusal !== null && !checks.isRefusalExplained && (
        <p className="alert small-alert" role="alert">
          {describeError(refusal)}
        </p>
      )}
    </Actions>
  );
}
