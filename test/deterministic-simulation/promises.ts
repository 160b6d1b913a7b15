/** What every run must keep, by the names under which a broken one is reported. docs/delivery.md prints them. */
export const PROMISES = {
  published_once:
    "A network has at most one visible post or draft per delivery and thread part, and one first comment.",
  all_end:
    "Every acknowledged delivery ends as live, handed over, failed, cancelled or removed. No delivery is forgotten.",
  live_is_there: "A delivery reported as live is on the network, at the reported address.",
  drafts_are_true:
    "A draft is reported as handed over only once it is in the account's inbox, and never as live or removed. A published post is never reported as a draft.",
  failed_is_not_there: "A delivery reported as failed or cancelled is not on the network.",
  unknown_is_explained: "An outcome is unknown only if an answer for this very delivery was lost.",
  announced_first: "A network has no post without a committed send intent.",
  sent_as_asked: "A post is published as its owner last asked for it: text, files, options, channels.",
  stop_holds: "Nothing is sent after a cancellation, a disconnect or an erasure was acknowledged.",
  approval_holds: "No post is sent while it awaits approval, and it is then published as it was approved.",
  instants_are_whole: "Each stored instant is a whole number of milliseconds.",
  versions_rise: "The version of a row never decreases.",
  never_early: "No post is published before its time.",
  on_time:
    "A post is out within fifteen seconds of its time, or of the end of the waits and network faults that delay it. After a fault of the platform, it is out within about two minutes.",
  within_a_day: "No post is sent more than a day after its time.",
  one_event_each:
    "Each move has exactly one event, in the feed and at every endpoint of its workspace that subscribes to it.",
  failure_names_action: "Every failure names an action.",
  feed_is_complete:
    "A reader that continues the event feed from a cursor misses no event and sees no event twice, even after a restore or a move.",
  endpoint_stays_on:
    "An endpoint that accepts messages is not switched off. An endpoint that accepts none for five days is, and its pending messages end.",
  options_are_listed:
    "The options that a connected channel's network offers are listed, wherever its workspace has moved.",
  same_bytes: "An event is sent with the same bytes each time.",
  key_makes_one_post: "An idempotency key creates one post, and a repeated call returns that post.",
  month_counts: "A month's count equals its number of posts.",
  month_allows: "A month accepts posts up to its plan and its budget, and never rejects a post that it has room for.",
  published_counts: "Each published delivery is counted exactly once.",
  moves_of_the_table:
    "A delivery changes its state only by a move of the table, and a post's status follows from its deliveries.",
  network_waits:
    "Crier neither sends nor asks for a post before the wait that the network named (in `Retry-After` or its own way) is over.",
  edits_are_judged_by_facts: "No edit is rejected because of a start that has not happened.",
  failures_are_explained: "A delivery fails only after a fault that leads to exactly its error code.",
  tries_are_used: "A temporary problem becomes a failure only after all retries of the table, or a day.",
  sends_are_few:
    "A delivery makes at most seven irrevocable calls per part, and as many again after a caller retries it.",
  channels_are_kept: "A channel is disconnected only if its owner or its network says so.",
  slot_once: "No two posts that ask for a channel's next free slot get the same slot.",
  archive_is_safe:
    "A post is deleted from the database only after all of it has been finished for the retention time and the archive has it.",
  removal_is_noticed:
    "A post that was removed from its network is reported as removed within two days of its next recheck.",
  taken_down_is_gone: "A post reported as taken down is not on its network, and a takedown ends within three days.",
  thread_in_order:
    "A part of a thread is published only under the previous part, which was proven to be live. A thread is live when all its parts are.",
  parts_are_true: "The reported status and address of each part of a thread match its network.",
  takedown_was_asked: "A post is taken down only on request, and a repeated request has no further effect.",
  comment_leaves_post: "The outcome of a first comment does not affect its post.",
  addition_once:
    "An addition (a thumbnail, a playlist) is made at most once, under its own intent, and only for a post that is live and not being taken down.",
  additions_are_true:
    "An addition reported as done is on the network as requested, and a failed addition is not. Every addition ends, and its outcome is unknown only if an answer was lost or a process was interrupted after the write of its intent began.",
  readback_is_true:
    "A post that its network showed as accepted is not reported as altered, and a post that it showed differently is not reported as verified.",
  errors_are_explained: "A request fails with 500 only after a fault in its own process.",
  audit_finds_nothing: "No query of src/store/invariants.ts finds a row.",
  comes_to_rest: "Once the faults are over, a run ends, and no work repeats endlessly.",
} as const;
export type PromiseName = keyof typeof PROMISES;
export type Say = (promise: PromiseName, what: string) => void;
