import type { UnparsedReason } from './types.ts'

/** Why a file that has a parser yields no facts. */
export class ParseFailure extends Error {
  override name = 'ParseFailure'
  readonly reason: UnparsedReason
  constructor(reason: UnparsedReason, message: string) {
    super(message)
    this.reason = reason
  }
}
