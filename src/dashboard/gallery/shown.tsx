// The parts of the gallery that show something.
import { Bell, ringBell } from "../ui/bell.tsx";
import { Button } from "../ui/button.tsx";
import { Avatar, ChannelAvatar, ChannelAvatars, ChannelLine, Mark } from "../ui/channel.tsx";
import { Icon } from "../ui/icons.tsx";
import { Label, Pill, Stamp, State } from "../ui/marks.tsx";
import { Menu } from "../ui/menu.tsx";
import { Empty, Loading, SkeletonRows } from "../ui/states.tsx";
import { CHANNELS, LIVE_AT, ME, PICTURE, WORKSPACES } from "./samples.ts";

const STATES = ["scheduled", "publishing", "published", "awaiting_approval", "partially_published", "failed", "draft"];

export const States = () => (
  <section className="card" aria-label="States">
    <h2>States</h2>
    <div className="row">
      {STATES.map((state) => (
        <State key={state} of={state} />
      ))}
      <Pill tone="failed">2 failed</Pill>
      <Label name="Winter campaign" />
      <Stamp word="Verified" at={LIVE_AT} />
      <Stamp word="Live" at={LIVE_AT} />
    </div>
    <p className="alert" role="alert">
      The network won't let your bot post in this chat. Make it an admin, then reconnect.
    </p>
    <p className="note">This image is too tall for a post: 4:5 is the limit.</p>
    <p className="note good">Ready for 3 channels</p>
    <div className="row">
      <Bell />
      <Button onClick={ringBell}>Ring the bell</Button>
    </div>
    <Loading what="The sample" />
    <SkeletonRows what="The list" count={3} />
    <Empty title="Nothing is scheduled" icon="calendar">
      <p>Write a post and choose its time, and it appears here.</p>
      <Button variant="primary">Compose</Button>
    </Empty>
  </section>
);

export const Accounts = () => (
  <section className="card" aria-label="Accounts">
    <h2>Accounts</h2>
    <div className="row">
      {CHANNELS.map((channel) => (
        <ChannelLine key={channel.id} channel={channel} />
      ))}
    </div>
    <div className="row">
      {(["small", "medium", "large"] as const).map((size) => (
        <span key={size} className="row">
          <Avatar name={ME.user.name ?? ""} size={size} />
          <Avatar name="A picture" url={PICTURE} size={size} />
          <Avatar name="Northwind" shape="square" size={size} />
        </span>
      ))}
      <ChannelAvatars of={CHANNELS.map(({ id, platform }) => ({ channel: id, platform }))} />
    </div>
    <div className="row">
      {CHANNELS.map(({ platform }) => (
        <Mark key={platform} platform={platform} />
      ))}
    </div>
  </section>
);

const ROWS = [
  { text: "Our winter blend is back: cocoa, orange peel, and a long finish.", state: "scheduled" },
  { text: "Behind the counter with Ines, our roaster", state: "published" },
  {
    text: `${WORKSPACES[2]?.name} opens its doors at seven, with the longest sentence that a row can hold`,
    state: "failed",
  },
];

export const Lists = () => (
  <section className="card" aria-label="Lists">
    <h2>Lists</h2>
    <ul className="list">
      {ROWS.map(({ text, state }, i) => (
        <li key={text} className="list-row">
          {i === 0 ? (
            <img className="thumb-small" src={PICTURE} alt="" />
          ) : (
            <span className="thumb-small">
              <Icon name="image" />
            </span>
          )}
          <span className="list-text">
            <a href="#root">{text}</a>
            <small className="soft">Tue 1 Dec, 09:30</small>
          </span>
          {CHANNELS[i] !== undefined && <ChannelAvatar channel={CHANNELS[i]} size="small" />}
          <State of={state} />
          <Menu
            label={`Actions for ${text}`}
            entries={[{ name: "Delete", icon: "trash", isDanger: true, act: () => {} }]}
          />
        </li>
      ))}
    </ul>
    <table>
      <thead>
        <tr>
          <th scope="col">Network</th>
          <th scope="col">Posts</th>
          <th scope="col">Reach</th>
        </tr>
      </thead>
      <tbody className="numbers">
        {CHANNELS.slice(0, 3).map(({ platform, handle }, i) => (
          <tr key={platform}>
            <td>{handle}</td>
            <td>{12 + i}</td>
            <td>{(4_210 * (i + 1)).toLocaleString("en")}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);
