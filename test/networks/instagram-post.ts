// Instagram posts with their files at public URLs.
import type { Json } from "../../src/domain/json.ts";
import { instagram } from "../../src/networks/instagram/index.ts";
import type { MediaFile } from "../../src/networks/media-file.ts";
import type { Publication } from "../../src/networks/network.ts";
import { connectAccount } from "./containers.ts";
import { hostFile, publication } from "./network-io.ts";
import { simulators } from "./simulators.ts";

export const account = () => connectAccount(simulators, instagram);
const host = (files: MediaFile[]) => Promise.all(files.map((file) => hostFile(simulators, file)));
export const post = async (files: MediaFile[], fields: Partial<Publication<Json>> = {}, text = "") =>
  publication(text, { ...fields, media: await host(files) });
