// A pin as the API returns it.
import type { Pin } from "./pin-rules.ts";

const CREATIVE_TYPES = { image_url: "REGULAR", multiple_image_urls: "CAROUSEL", video_id: "VIDEO" };

export function shown(id: string, { pin, createdAt }: { pin: Pin; createdAt: string }) {
  const { board, section, title, description, link, alt } = pin;
  return {
    id,
    created_at: createdAt,
    board_id: board,
    board_section_id: section,
    title,
    description,
    link,
    alt_text: alt,
    creative_type: CREATIVE_TYPES[pin.source.type],
    ...(pin.source.type === "multiple_image_urls" && {
      media: { media_type: "multiple_images", items: pin.source.urls.map(() => ({ item_type: "image" })) },
    }),
    is_owner: true,
  };
}
