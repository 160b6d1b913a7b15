// Facts about each network that its rule does not contain: the parts of a text that it marks, and the card that it builds.

/** Parts of a text that readers can press. `named_mention`: written with a name and an id, shown as the name. */
export type Mark = "link" | "mention" | "named_mention" | "tag";

interface Known {
  marks: readonly Mark[];
  /**
   * The option that requests a card below a post without files. `url`: the option is an object that contains the address.
   */
  card?: { option: string; url?: string /** Without it, the first link of the text gets a card. */; auto?: true };
}

const ALL: readonly Mark[] = ["link", "mention", "tag"];
const NETWORKS: Record<string, Known> = {
  bluesky: { marks: ALL, card: { option: "link_card", url: "url", auto: true } },
  facebook: { marks: ALL, card: { option: "link" } },
  instagram: { marks: ["mention", "tag"] },
  linkedin: { marks: ["link", "named_mention", "tag"], card: { option: "article", url: "source" } },
  pinterest: { marks: [] },
  telegram: { marks: ALL },
  threads: { marks: ALL, card: { option: "link_attachment" } },
  tiktok: { marks: ["mention", "tag"] },
  x: { marks: ALL },
  youtube: { marks: ALL },
};

export const getMarks = (platform: string): readonly Mark[] => NETWORKS[platform]?.marks ?? [];

export const findCardRule = (platform: string): Known["card"] => NETWORKS[platform]?.card;
