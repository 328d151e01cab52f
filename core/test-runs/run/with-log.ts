/** Returns the message of a failure. Refers to the log if the output of the command says more. */
export const withLog = ({ message, seeOutput }: { message: string; seeOutput: boolean }): string =>
  seeOutput ? `${message} The log shows the output.` : message
