import type { AiAvoided, TestType } from '../ai/schema.ts'
import type { Context } from '../base/context.ts'
import { fingerprintOf, type Subject } from './fingerprint.ts'

/** The code that needs no further suggestion. */
export interface Taken {
  has(subject: Subject): boolean
  /** Whether an entry is for this code, with any test type. */
  hasCode(filePath: string, symbol: string | null): boolean
  /** The latest entries, which the AI service must avoid. */
  latest: AiAvoided[]
}

const maxRead = 10_000
const maxListed = 1_000

interface Found {
  filePath: string
  symbol: string | null
  testType: TestType
  description: string
}

/**
 * Loads the accepted and dismissed suggestions, and the code with a generated test, unless the verdict on that test was
 * negative.
 */
export async function loadTaken({ db }: Pick<Context, 'db'>, projectId: string): Promise<Taken> {
  const found = await db.query<Found[]>(
    `SELECT "filePath", symbol, "testType", description FROM (
       SELECT file_path AS "filePath", target ->> 'symbol' AS symbol, test_type AS "testType",
              left(description, 500) AS description, updated_at AS at
         FROM suggestions WHERE project_id = $1 AND status IN ('accepted', 'dismissed')
        UNION ALL
       SELECT target ->> 'path', target ->> 'symbol', test_type, left(description, 500), created_at
         FROM generated_tests
        WHERE project_id = $1 AND dismissed_at IS NULL AND target IS NOT NULL
          AND (verdict IS NULL OR verdict IN ('accepted', 'suspected_bug'))
          -- An accepted test that left cases does not keep its suggestion from being open again.
          AND NOT (verdict IS NOT DISTINCT FROM 'accepted' AND EXISTS (
                SELECT FROM suggestions AS s WHERE s.id = generated_tests.suggestion_id AND s.status = 'open'))
     ) AS known ORDER BY at DESC LIMIT ${maxRead}`,
    [projectId],
  )
  const fingerprints = new Set(found.map(fingerprintOf))
  const codes = new Set(found.map(({ filePath, symbol }) => codeOf(filePath, symbol)))
  return {
    has: (subject) => fingerprints.has(fingerprintOf(subject)),
    hasCode: (filePath, symbol) => codes.has(codeOf(filePath, symbol)),
    latest: found.slice(0, maxListed).map(({ filePath, symbol, testType, description }) => ({
      file_path: filePath,
      ...(symbol === null ? {} : { symbol }),
      test_type: testType,
      description,
    })),
  }
}

const codeOf = (filePath: string, symbol: string | null) => JSON.stringify([filePath, symbol])
