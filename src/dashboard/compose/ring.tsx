// How much of a network's room a text fills: a ring around the network's mark.
import { Mark } from "../ui/channel.tsx";

/** The characters left are shown from here on. */
const NEAR = 0.8;

export interface Room {
  length: number;
  limit: number;
}

export function Ring({ platform, room }: { platform: string; room: Room | null }) {
  const share = room === null || room.limit === 0 ? 0 : room.length / room.limit;
  return (
    <span className="ring" data-room={share > 1 ? "over" : share >= NEAR ? "near" : "free"}>
      <svg viewBox="0 0 32 32" aria-hidden="true">
        <circle cx="16" cy="16" r="14.5" className="ring-ground" />
        <circle cx="16" cy="16" r="14.5" pathLength="100" strokeDasharray={`${Math.min(100, share * 100)} 100`} />
      </svg>
      <Mark platform={platform} />
    </span>
  );
}

/** The characters that are left, once they are few. */
export function Left({ room }: { room: Room | null }) {
  if (room === null || room.length < room.limit * NEAR) return null;
  return (
    <span className="left numbers" data-over={room.length > room.limit} aria-hidden="true">
      {(room.limit - room.length).toLocaleString("en")}
    </span>
  );
}

/** For screen readers. */
export const RoomWords = ({ room }: { room: Room | null }) =>
  room === null ? null : (
    <span className="visually-hidden">
      {" "}
      {room.length.toLocaleString("en")} of {room.limit.toLocaleString("en")} characters
    </span>
  );
