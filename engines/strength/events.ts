import { z } from 'zod'

const test = { file: z.string().max(4_096), test: z.string().max(2_000).nullable() }
const id = z.int().positive()

/** What a driver writes while it tries mutants. It runs beside the project's code, which can write there too. */
const DriverEvent = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('ready'),
    tests: z.int().nonnegative(),
    failed: z.int().nonnegative(),
    /** Tests that are known by an earlier measurement. */
    kept: z.int().nonnegative().optional(),
    /** Whether all others have run. */
    isComplete: z.boolean().optional(),
  }),
  z.object({ kind: z.literal('reach'), ...test, ms: z.number(), failed: z.boolean(), probes: z.array(z.int()) }),
  z.object({ kind: z.literal('load'), file: test.file, ms: z.number(), probes: z.array(z.int()) }),
  z.object({ kind: z.literal('tried'), id }),
  z.object({
    kind: z.literal('decided'),
    id,
    outcome: z.enum(['noticed', 'timed_out', 'survived', 'lost', 'invalid']),
    file: test.file.nullish(),
    test: test.test.optional(),
    error: z.string().max(200).optional(),
    message: z.string().max(2_000).optional(),
    tries: z.int().positive().optional(),
    /** No test had to try it: all that reach it are known to accept it. */
    kept: z.boolean().optional(),
  }),
  /** The process of a test file begins and ends, so that the host knows what ran when the driver died. */
  z.object({ kind: z.literal('begun'), file: test.file }),
  z.object({ kind: z.literal('done'), files: z.array(test.file) }),
  z.object({ kind: z.literal('error'), message: z.string().max(2_000) }),
  z.object({ kind: z.literal('end'), isComplete: z.boolean() }),
])
export type DriverEvent = z.infer<typeof DriverEvent>

/** Reads a line that a driver wrote. Returns null for lines that say nothing to the host, and for damaged ones. */
export function readEvent(line: string): DriverEvent | null {
  let written: unknown
  try {
    written = JSON.parse(line)
  } catch {
    return null
  }
  return DriverEvent.safeParse(written).data ?? null
}
