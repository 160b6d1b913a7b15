/** A user's address where identity matters, marked if it is not verified: it may belong to another person. */
export const shownAddress = ({ email, verified }: { email: string; verified: boolean }): string =>
  verified ? email : `${email} (address not verified)`;
