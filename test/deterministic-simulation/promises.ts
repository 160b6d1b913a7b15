/** What every run must keep, by the names under which a broken one is reported. docs/delivery.md prints them. */
export const PROMISES = {
  published_once:
    "A network holds at most one visible post or draft of a delivery, of each part of its thread, and one first comment.",
  all_end: "Every acknowledged delivery ends as live, handed over, failed, cancelled or removed. None is forgotten.",
  live_is_there: "What is said to be live is on the network, at the address that is reported.",
  drafts_are_true:
    "A draft is said to be handed over only once its account's inbox has it, and neither live nor removed; what was published is never said to be a draft.",
  failed_is_not_there: "What is said to be failed or cancelled is not on the network.",
  unknown_is_explained: "An outcome is unknown only where an answer to this very delivery was lost.",
  announced_first: "A network has nothing that was not announced by a committed send intent.",
  sent_as_asked: "What goes out is what its owner asked for last: text, files, options, channels.",
  stop_holds: "Nothing is sent after a cancel, a disconnect or an erasure was acknowledged.",
  approval_holds: "Nothing that waits for approval is sent, and what goes out then is what was approved.",
  instants_are_whole: "Each instant that is stored is a whole number of milliseconds.",
  versions_rise: "The version of a row never goes down.",
  never_early: "Nothing goes out before its time.",
  on_time:
    "Each moment of lateness has a reason in what happened to this very delivery; what has none is at most fifteen seconds, and after a reason again.",
  within_a_day: "Nothing is sent more than a day after its time.",
  one_event_each:
    "Each move has exactly one event, in the feed and at every endpoint of its workspace that asks for it.",
  failure_names_action: "A failure says what to do.",
  feed_is_complete:
    "A reader of the event feed who goes on from a cursor misses no event and sees none twice, also after a restore or a move.",
  endpoint_stays_on:
    "An endpoint that takes messages is not switched off; one that takes none for five days is, and nothing of it waits then.",
  options_are_listed: "What the network of a connected channel offers is listed, wherever its workspace has moved.",
  same_bytes: "An event is sent in the same bytes each time.",
  key_makes_one_post: "An idempotency key makes one post, and a repeat is answered with it.",
  month_counts: "A month counts the posts that it holds.",
  month_allows:
    "A month takes what is asked for while it lasts, up to what its plan and its budget allow, and refuses nothing that it has room for.",
  published_counts: "Each published delivery is counted once.",
  moves_of_the_table:
    "A delivery changes its state only by a move of the table; a post's status is what its deliveries say.",
  network_waits:
    "A post is not asked after or sent before the wait is over that its network named, in `Retry-After` or as it does.",
  edits_are_judged_by_facts: "No edit is refused for a start that has not happened.",
  failures_are_explained: "A delivery fails only where something struck it that ends in just that code.",
  tries_are_used: "What passes by itself is a failure only after the whole table of retries, or a day.",
  sends_are_few: "A delivery makes at most seven irrevocable calls for each part, and again after a caller retries it.",
  channels_are_kept: "A channel is given up only on its owner's or its network's word.",
  slot_once: "Of posts that ask for the next free slot of a channel, no two are given the same one.",
  archive_is_safe:
    "A post leaves the database only once all of it has been over for as long as posts are kept, and the archive has it.",
  removal_is_noticed: "What was taken off its network is said to be removed within two days.",
  taken_down_is_gone: "What is said to be taken down is not on its network, and a takedown ends within three days.",
  thread_in_order:
    "A part of a thread is on its network only under the part before it, which was proven to be out; a thread is live when all of it is.",
  parts_are_true: "What is told of a part of a thread, its status and its address, is what its network has.",
  takedown_was_asked: "Nothing is taken down that nobody asked to take down, and asking twice is asking once.",
  comment_leaves_post: "What becomes of a first comment changes nothing of its post.",
  addition_once:
    "An addition (a thumbnail, a playlist) is made at most once, under an intent of its own, and under nothing that is not live or is being taken down.",
  additions_are_true:
    "An addition that is said to be done is on the network as it was asked for, and one that failed is not; each ends, and is unknown only where an answer was lost, or a process struck, once its intent was being written.",
  readback_is_true:
    "Nothing is called altered that its network showed as it was accepted, or verified that it showed otherwise.",
  errors_are_explained: "A request fails with 500 only where something struck its own process.",
  audit_finds_nothing: "No question of src/store/invariants.ts finds a row.",
  comes_to_rest: "With the faults over, a run comes to an end, and nothing is done in circles.",
} as const;
export type PromiseName = keyof typeof PROMISES;
export type Say = (promise: PromiseName, what: string) => void;
