// What needs a person, and beside it everything that happens.

import { useProblems } from "../problems/use-problems.ts";
import { Tabs } from "../ui/choices.tsx";
import { useFilters } from "../ui/filters.tsx";
import { Page } from "../ui/page.tsx";
import { Feed } from "./feed.tsx";
import { ProblemList } from "./problem-list.tsx";
import "./inbox.css";

type Tab = "problems" | "activity";

export function Inbox() {
  const { filter, set, clear } = useFilters(["show", "event", "actor"]);
  const { problems } = useProblems();
  // A link to filtered events opens them.
  const isActivity = filter.show === "activity" || filter.event !== undefined || filter.actor !== undefined;
  const tab: Tab = isActivity ? "activity" : "problems";
  return (
    <Page title="Inbox" lead="Problems with your posts and accounts, each with a button that helps.">
      <Tabs<Tab>
        label="Inbox"
        tabs={[
          {
            id: "problems",
            name: <>Problems {problems.length > 0 && <span className="tab-count numbers">{problems.length}</span>}</>,
          },
          { id: "activity", name: "Activity" },
        ]}
        selected={tab}
        onSelect={(next) => (next === "activity" ? set("show", next) : clear())}
      >
        <div className="stack inbox">{tab === "problems" ? <ProblemList /> : <Feed />}</div>
      </Tabs>
    </Page>
  );
}
