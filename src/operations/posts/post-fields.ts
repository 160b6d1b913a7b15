import { storePost, type WrittenPost } from "../../domain/posts/post-fields.ts";
import { storedWords } from "../../domain/posts/words.ts";

/** What a post stores of the fields that its author wrote, with the words that it is found by. */
export function postFields(written: WrittenPost) {
  const content = storePost(written);
  return { ...content, words: storedWords(content) };
}
