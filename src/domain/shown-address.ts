/** Somebody by their address, where it counts who they are: one that nobody has proven may be somebody else's. */
export const shownAddress = ({ email, verified }: { email: string; verified: boolean }): string =>
  verified ? email : `${email} (address not proven)`;
