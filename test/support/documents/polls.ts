// The table of the networks with polls.
import { networks } from "../../../src/networks/index.ts";
import { table } from "./table.ts";

const DAY_MINUTES = 1_440;
const formatMinutes = (minutes: number): string =>
  minutes % DAY_MINUTES === 0 ? `${minutes / DAY_MINUTES} d` : `${minutes} min`;

/** Prints the limits of each network's polls. */
export function pollTable(): string {
  const rows = networks.flatMap(({ rule: { platform, poll } }) => {
    if (poll === undefined) return [];
    const { max_question, min_options, max_options, max_option, min_minutes, max_minutes, minutes, text_limit } = poll;
    const durations = minutes?.map(formatMinutes).join(", ") ?? `${min_minutes} to ${max_minutes} min`;
    const question = max_question === 0 ? "in the text" : `${max_question} characters`;
    return [
      [platform, question, `${min_options} to ${max_options} of ${max_option}`, durations, String(text_limit ?? "")],
    ];
  });
  return table(["network", "question", "options, characters", "open for", "text beside it"], rows);
}
