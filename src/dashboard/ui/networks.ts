// What people know of each network that its rule does not say: what it marks in a text, the card that it makes.

/** What a text's readers can press. */
export type Mark = "link" | "mention" | "tag";

interface Known {
  marks: readonly Mark[];
  /** The option that asks for a card under a post without files. `url`: the option is an object, with its address there. */
  card?: { option: string; url?: string /** Otherwise the first link of the text has one. */; auto?: true };
}

const ALL: readonly Mark[] = ["link", "mention", "tag"];
const NETWORKS: Record<string, Known> = {
  bluesky: { marks: ALL, card: { option: "link_card", url: "url", auto: true } },
  facebook: { marks: ALL, card: { option: "link" } },
  instagram: { marks: ["mention", "tag"] },
  linkedin: { marks: ["link", "tag"], card: { option: "article", url: "source" } },
  pinterest: { marks: [] },
  telegram: { marks: ALL },
  threads: { marks: ALL, card: { option: "link_attachment" } },
  tiktok: { marks: ["mention", "tag"] },
  x: { marks: ALL },
  youtube: { marks: ALL },
};

export const marksOf = (platform: string): readonly Mark[] => NETWORKS[platform]?.marks ?? [];

export const cardRuleOf = (platform: string): Known["card"] => NETWORKS[platform]?.card;
