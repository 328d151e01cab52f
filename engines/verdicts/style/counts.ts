import type { TestStyle } from '../schema.ts'

/** The counts of one test file. */
export type Counts = Omit<TestStyle, 'mockShare'>
