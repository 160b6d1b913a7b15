import { storePost, type WrittenPost } from "../../domain/posts/post-fields.ts";
import { storedWords } from "../../domain/posts/words.ts";

/** Builds the stored columns of the fields that a post's author wrote, and the words for search. */
export function postFields(post: WrittenPost) {
  const content = storePost(post);
  return { ...content, words: storedWords(content) };
}
