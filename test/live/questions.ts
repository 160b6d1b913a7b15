// Questions that no page of a network answers: a test with a real account, its meaning and its cost.
export interface OpenQuestion {
  /** The test that a person makes, and the observation to note. */
  instruction: string;
  /** The conclusion from the outcome. Until then, Crier relies on an assumption. */
  shows: string;
  costs: string;
}

export interface AnsweredQuestion extends OpenQuestion {
  /** The person's answer; null: not tried. */
  observation: string | null;
}

/** By platform, in the order in which to try them: those that may block a first post come first. */
export const OPEN_QUESTIONS: Record<string, readonly OpenQuestion[]> = {
  bluesky: [
    {
      instruction: "Post a video of more than 50 MB, and note whether the chunked upload went through.",
      shows: "Whether the video service accepts parts as its lexicons say.",
      costs: "One public post, which is taken down.",
    },
  ],
  telegram: [
    {
      instruction: "Post to a public channel with a name of 4 characters.",
      shows: "Which names a public chat may have.",
      costs: "One message, which is deleted.",
    },
  ],
  x: [
    {
      instruction:
        "Note which parameter the calls to /2/tweets and /2/users/{id}/tweets have: post.fields or tweet.fields.",
      shows: "Which of the two X expects, and whether it refuses or ignores the other one.",
      costs: "$0.015 for a post, $0.005 for each post that is read.",
    },
    {
      instruction: "Post a video of more than 4 MiB, and one of 1080 x 1920 pixels.",
      shows: "Whether segments of 1 MiB are accepted, and how many pixels a video may have.",
      costs: "$0.03 for two posts.",
    },
    {
      instruction: "Post a thread of two parts from an account without a subscription.",
      shows: "Whether a reply to one's own post counts among the replies that X restricts.",
      costs: "$0.03 for two posts.",
    },
  ],
  pinterest: [
    {
      instruction: "Create a pin with an app that has Trial access, and note the status and code.",
      shows: "Whether it is refused (403, code 29), or created and shown to its owner only.",
      costs: "One pin.",
    },
    {
      instruction: "Note the header x-ratelimit-reset of any answer.",
      shows: "Whether it counts seconds or names an instant.",
      costs: "Nothing.",
    },
  ],
  instagram: [
    {
      instruction: "Post an upright photo of 3:4, and one of 0.74 width by height.",
      shows: "The smallest ratio that a container accepts; Crier warns from 0.8 down to 0.73.",
      costs: "Two public posts, which only their owner can delete.",
    },
    {
      instruction: "Post a caption of 2,200 characters, 10 of them emoji.",
      shows: "In which unit a caption is counted.",
      costs: "One public post, which only its owner can delete.",
    },
  ],
  threads: [
    {
      instruction:
        "Connect an app without threads_manage_replies and post a first comment; note status, code and subcode.",
      shows: "The error code of a missing permission.",
      costs: "One public post.",
    },
  ],
  tiktok: [
    {
      instruction: "Post a video with an app without the audit, from a public and from a private account.",
      shows: "Whether a public account is refused even with SELF_ONLY.",
      costs: "One private post, which only its owner can delete.",
    },
    {
      instruction: "Register a redirect address that contains the network's name.",
      shows: "Whether the portal refuses it; Crier's ends in /tt.",
      costs: "Nothing.",
    },
  ],
  linkedin: [
    {
      instruction: "Connect, and note whether a call in the first 10 seconds is answered 401 with code 65601 or 65602.",
      shows: "How long Crier has to wait before it believes a 401.",
      costs: "Nothing.",
    },
    {
      instruction: "Post a picture of 8 MB, and a first comment of more than 1,250 characters.",
      shows: "The largest picture and the longest comment.",
      costs: "One public post, which is deleted.",
    },
  ],
  youtube: [
    {
      instruction: "Upload a video, and note how long it is missing from videos.list.",
      shows: "How long Crier has to wait before it calls a video removed.",
      costs: "One private video, and 1 of the project's 100 uploads of the day.",
    },
  ],
  facebook: [
    {
      instruction:
        "Open the post's address in a window that is signed out; if it is hidden, switch the app to Live mode and look again.",
      shows: "Whether everybody sees posts of Development mode once the app is live, as Meta's page says.",
      costs: "One public post, which is deleted.",
    },
    {
      instruction: "Ask for a post that was deleted, and note code and subcode.",
      shows: "Whether 100/33 is the answer for a missing object.",
      costs: "Nothing.",
    },
  ],
};

/** Asks a person the open questions of a network in their order. An empty answer skips a question. */
export async function walkQuestions(
  platform: string,
  ask: (question: string) => Promise<string>,
): Promise<AnsweredQuestion[]> {
  const questions = OPEN_QUESTIONS[platform] ?? [];
  const answered: AnsweredQuestion[] = [];
  for (const [index, question] of questions.entries()) {
    const heading = `\nQuestion ${index + 1} of ${questions.length}: ${question.instruction}`;
    const reply = await ask(
      `${heading}\n  It shows: ${question.shows}\n  It costs: ${question.costs}\n  What did you see? (Enter skips it) `,
    );
    answered.push({ ...question, observation: reply.trim() === "" ? null : reply.trim() });
  }
  return answered;
}
