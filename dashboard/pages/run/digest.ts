import { skipToken, useQuery } from '@tanstack/react-query'
import { trpc } from '../../api.ts'
import { isActive } from '../runs/words.ts'
import type { RunDetail } from './run.ts'

/** The failures of an ended run, compared with the run before it. */
export function useDigest(run: RunDetail) {
  return useQuery(
    trpc.testRuns.failures.queryOptions(isActive(run) ? skipToken : { runId: run.id, maxCharacters: 50_000 }, {
      staleTime: 60_000,
    }),
  )
}
