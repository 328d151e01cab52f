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
