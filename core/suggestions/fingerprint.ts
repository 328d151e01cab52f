import { sha256 } from '../base/crypto.ts'
import type { TestType } from '../ai/schema.ts'

/** What a suggestion is about. */
export interface Subject {
  filePath: string
  /** Null for the whole file. */
  symbol: string | null
  testType: TestType
}

/** The same for two suggestions of the same kind of test for the same code, however they are worded. */
export function fingerprintOf({ filePath, symbol, testType }: Subject): string {
  return sha256(JSON.stringify([filePath, symbol, testType]))
}
