import type { FileRecord } from '../types.ts'

/** Why a file that has a parser yields no facts. */
export class ParseFailure extends Error {
  override name = 'ParseFailure'
  readonly reason: NonNullable<FileRecord['unparsed']>
  constructor(reason: NonNullable<FileRecord['unparsed']>, message: string) {
    super(message)
    this.reason = reason
  }
}
