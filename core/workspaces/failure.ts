/** Why a run has no verdict, in words for whoever asked for it. */
export class RunFailure extends Error {
  override name = 'RunFailure'
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
