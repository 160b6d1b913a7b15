// Values for the examples of the contract: one story, told with the same ids everywhere.

export const SAMPLE = {
  user: "usr_01kac3x9v47m2p8q5r6t0w1y3z",
  otherUser: "usr_01kac4b1d57m2p8q5r6t0w1y3z",
  workspace: "ws_01kac3x9v48n3q9r6s7v1x2z4a",
  channel: "ch_01kac41f6n9p4r0s7t8w2y3a5b",
  otherChannel: "ch_01kac42k8q0q5s1t8v9x3z4b6c",
  media: "med_01kac43m9r1r6t2v9w0y4a5c7d",
  post: "post_01kac44n0s2s7v3w0x1z5b6d8e",
  delivery: "dlv_01kac44n0s3t8w4x1y2a6c7e9f",
  event: "evt_01kbd6q2r8u6x1z7b4d0f5h9j3",
  request: "req_01kac45p1t5w0y6z3a4c8e9g1h",
  /** Stands for a network; the real names are what `GET /v1/platforms` lists. */
  platform: "examplenet",
  key: `crier_live_${"EXAMPLE".repeat(7)}`,
  session: `sess_${"example".repeat(6)}0`,
  cursor: "cG9zdF8wMWthYzQ0bjBzMnM3djN3MHgxejViNmQ4ZQ==",
  signedUp: "2026-11-20T16:02:11.204Z",
  created: "2026-11-21T08:30:00.000Z",
  due: "2026-12-01T09:00:00.000Z",
  published: "2026-12-01T09:00:01.382Z",
  sessionEnds: "2026-12-20T16:02:11.204Z",
} as const;
