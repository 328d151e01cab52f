/** The message of a failure, with where to read the output of the command if that says more. */
export const withLog = ({ message, seeOutput }: { message: string; seeOutput: boolean }): string =>
  seeOutput ? `${message} The log shows what it printed.` : message
