/** Why a run or a verification has no result, in words for the person who asked for it. */
export class RunFailure extends Error {
  override name = 'RunFailure'
  readonly code: string
  /** Whether the output of the command says more; the caller says where it can be read. */
  readonly seeOutput: boolean
  constructor(code: string, message: string, { seeOutput = false } = {}) {
    super(message)
    this.code = code
    this.seeOutput = seeOutput
  }
}
