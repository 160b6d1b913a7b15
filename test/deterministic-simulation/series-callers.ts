// Callers whose posts repeat every day, some with a time of its own for one channel. They stop the series and cancel its posts
// at the worst moments.
import { FILES_OF, getRequiredOptions } from "./networks.ts";
import type { Chance } from "./prng.ts";
import { Series } from "./series.ts";
import type { Overrides } from "./wanted.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

export function beginSeries(world: World, workload: Workload, chance: Chance): void {
  const startsAt = world.now();
  const tenant = chance.pick(workload.tenants);
  const [first, ...others] = chance.shuffle(tenant.channels);
  if (first === undefined) return;
  const channels = [first, ...others.filter(() => chance.happens(0.3))];
  const publishAt = startsAt + chance.between(2, 40) * MINUTE;
  const overrides: Overrides = {};
  for (const { id, platform } of channels) {
    const { some, min } = FILES_OF[platform] ?? { some: [], min: 0 };
    const media = min === 0 ? {} : { media: some.slice(0, min).map((i) => tenant.files[i] ?? "") };
    const ownTime = publishAt + chance.between(-1, 6 * 60) * MINUTE;
    const publish_at = chance.happens(0.3) ? { publish_at: new Date(ownTime).toISOString() } : {};
    const own = { ...getRequiredOptions(platform), ...media, ...publish_at };
    if (Object.keys(own).length > 0) overrides[id] = own;
  }
  const times = chance.between(2, 3);
  const key = chance.happens(0.7) ? "series" : null;
  const fields = { media: [], channels: channels.map(({ id }) => id), overrides, thread: [], publishAt };
  const series = new Series(world, workload, tenant, { fields, times, key });
  // The next post is made within two minutes after the end of the one before it.
  const near = () => publishAt + chance.between(0, times - 1) * DAY + chance.between(0, 3 * MINUTE);
  if (chance.happens(0.3)) workload.at(near(), () => series.stop());
  if (chance.happens(0.2)) workload.at(near() - MINUTE, () => workload.cancel(chance.pick(series.posts)));
}
