import type { Shown } from "../ledger.ts";
import type { Container } from "./accounts.ts";

/** The card that a post without files requests. */
export const buildCard = ({ link_attachment: uri }: Container["detail"]): Shown["card"] =>
  typeof uri === "string" && uri !== "" ? { uri, title: uri, description: "", thumbSha256: null } : null;
