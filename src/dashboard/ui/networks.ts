// What people know of each network that its rule does not say: its name, what it marks in a text, the card that it makes.

/** What a text's readers can press. */
export type Mark = "link" | "mention" | "tag";

interface Known {
  name: string;
  marks: readonly Mark[];
  /** The option that asks for a card under a post without files. `url`: the option is an object, with its address there. */
  card?: { option: string; url?: string /** Otherwise the first link of the text has one. */; auto?: true };
}

const ALL: readonly Mark[] = ["link", "mention", "tag"];
const NETWORKS: Record<string, Known> = {
  bluesky: { name: "Bluesky", marks: ALL, card: { option: "link_card", url: "url", auto: true } },
  facebook: { name: "Facebook", marks: ALL, card: { option: "link" } },
  instagram: { name: "Instagram", marks: ["mention", "tag"] },
  linkedin: { name: "LinkedIn", marks: ["link", "tag"], card: { option: "article", url: "source" } },
  pinterest: { name: "Pinterest", marks: [] },
  telegram: { name: "Telegram", marks: ALL },
  threads: { name: "Threads", marks: ALL, card: { option: "link_attachment" } },
  tiktok: { name: "TikTok", marks: ["mention", "tag"] },
  x: { name: "X", marks: ALL },
  youtube: { name: "YouTube", marks: ALL },
};

/** A network's own name; of one that is not known here, its id as a name is written. */
export const nameOf = (platform: string): string =>
  NETWORKS[platform]?.name ?? platform.charAt(0).toUpperCase() + platform.slice(1);

export const marksOf = (platform: string): readonly Mark[] => NETWORKS[platform]?.marks ?? [];

export const cardRuleOf = (platform: string): Known["card"] => NETWORKS[platform]?.card;
