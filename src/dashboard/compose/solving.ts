// The buttons beside a problem act on the whole composer, so every part of it can reach their action.
import { createContext, use } from "react";
import type { Fix } from "../words/violation-words.ts";

type Solve = (fix: Fix) => void;

export const Solving = createContext<Solve>(() => {});
export const useSolve = (): Solve => use(Solving);
