import type * as z from "zod";
import type { Channel as ChannelShape } from "../src/contract/channels.ts";

export type Channel = z.input<typeof ChannelShape>;
