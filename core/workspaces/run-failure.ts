/** Why a run or a verification has no result. The message is shown to users. */
export class RunFailure extends Error {
  override name = 'RunFailure'
  readonly code: string
  /** Whether the output of the command says more. The caller adds where to read the output. */
  readonly seeOutput: boolean
  constructor(code: string, message: string, { seeOutput = false } = {}) {
    super(message)
    this.code = code
    this.seeOutput = seeOutput
  }
}

/** Adds the output to the message of a failure whose work has no log. */
export function withOutput(error: unknown, printed: string): unknown {
  if (!(error instanceof RunFailure)) return error
  return printed === '' ? error : new RunFailure(error.code, `${error.message} The output was:\n${printed}`)
}
