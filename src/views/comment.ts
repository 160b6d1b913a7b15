import type * as z from "zod";
import type { Comment } from "../contract/comments.ts";
import { isoInstant } from "../domain/instant.ts";
import type { CommentRow } from "../store/posts/comments.ts";

export const commentView = ({ id, text, author, createdAt }: CommentRow): z.input<typeof Comment> => ({
  id,
  text,
  by: author.name,
  at: isoInstant(createdAt),
});
