// The id of a file in the library, as the value of an option.
import * as z from "zod";

export const MEDIA_ID = z.string().regex(/^med_[0-9a-z]{26}$/);
