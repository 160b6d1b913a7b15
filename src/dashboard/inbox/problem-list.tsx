// The problems, the most urgent first, each with the one button that solves it.
import { useState } from "react";
import { Link } from "wouter";
import { EndingVersions } from "../problems/ending-versions.tsx";
import type { Problem } from "../problems/find-problems.ts";
import { ProblemRow } from "../problems/problem-row.tsx";
import { useProblems } from "../problems/use-problems.ts";
import { Segments } from "../ui/choices.tsx";
import { useFirstFiles } from "../ui/post-thumb.tsx";
import { Empty, SkeletonRows, Trouble } from "../ui/states.tsx";

const GROUPS = {
  all: { name: "All", kinds: ["reconnect", "at_risk", "failed", "removed", "altered"] },
  channels: { name: "Channels", kinds: ["reconnect"] },
  failed: { name: "Failed", kinds: ["failed"] },
  at_risk: { name: "Will fail", kinds: ["at_risk"] },
  changed: { name: "Changed or removed", kinds: ["removed", "altered"] },
} as const satisfies Record<string, { name: string; kinds: readonly Problem["kind"][] }>;
type Group = keyof typeof GROUPS;
const GROUP_NAMES: readonly Group[] = ["all", "channels", "failed", "at_risk", "changed"];

const isIn = (group: Group, { kind }: Problem) => GROUPS[group].kinds.some((name) => name === kind);

export function ProblemList() {
  const { problems, hasMore, query, putAside } = useProblems();
  const [chosen, choose] = useState<Group>("all");
  const counts = new Map(
    GROUP_NAMES.map((group) => [group, problems.filter((problem) => isIn(group, problem)).length]),
  );
  const filled = GROUP_NAMES.filter((group) => (counts.get(group) ?? 0) > 0);
  const group = filled.includes(chosen) ? chosen : "all";
  const shown = problems.filter((problem) => isIn(group, problem));
  const files = useFirstFiles(shown.flatMap((problem) => (problem.kind === "reconnect" ? [] : [problem.post])));
  if (query.isPending) {
    return (
      <section className="card" aria-label="Problems">
        <SkeletonRows what="Problems" count={6} />
      </section>
    );
  }
  return (
    <>
      {query.isError && <Trouble error={query.error} again={() => void query.refetch()} />}
      {filled.length > 2 && (
        <div>
          <Segments<Group>
            label="Kind of problem"
            value={group}
            options={filled.map((value) => ({ value, name: `${GROUPS[value].name} ${counts.get(value)}` }))}
            onChange={choose}
          />
        </div>
      )}
      <section className="card inbox-problems" aria-label="Problems">
        <ul className="list">
          {shown.map((problem) => (
            <ProblemRow key={problem.key} problem={problem} files={files} onPutAside={() => putAside(problem.key)} />
          ))}
          {group === "all" && <EndingVersions />}
        </ul>
        {shown.length === 0 && !query.isError && (
          <Empty title="No problems" icon="check">
            <p>Posts that fail, and accounts that have to be reconnected, appear here with a button that helps.</p>
          </Empty>
        )}
      </section>
      <p className="soft">
        {hasMore ? "These are the newest problems. " : "Problems of the last 14 days. "}
        <Link href="/posts?status=attention">All posts that need attention</Link>
      </p>
    </>
  );
}
