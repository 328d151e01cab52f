import { sha256 } from '../base/crypto.ts'
import type { TestType } from '../ai/schema.ts'

/** The code and the kind of test of a suggestion. */
export interface Subject {
  filePath: string
  /** Null for the whole file. */
  symbol: string | null
  testType: TestType
}

/** Returns the same text for suggestions of the same kind of test for the same code, regardless of their wording. */
export function fingerprintOf({ filePath, symbol, testType }: Subject): string {
  return sha256(JSON.stringify([filePath, symbol, testType]))
}
