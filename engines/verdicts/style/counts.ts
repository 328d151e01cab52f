import type { TestStyle } from '../schema.ts'

/** Counts of one test file; the share of mocks follows from them. */
export type Counts = Omit<TestStyle, 'mockShare'>
