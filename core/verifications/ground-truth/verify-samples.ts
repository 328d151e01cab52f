import type { TRPCClient } from '@trpc/client'
import type { AppRouter } from '../../router.ts'
import type { Verification, VerifyTests } from '../schema.ts'
import type { Sample } from './projects.ts'

export interface Verified {
  sample: Sample
  verification: Verification
}

type How = Omit<Partial<VerifyTests>, 'projectId' | 'tests'>

/** Verifies all of them in one call and waits until each has its verdict. */
export async function verifySamples(
  { tests }: Pick<TRPCClient<AppRouter>, 'tests'>,
  projectId: string,
  samples: readonly Sample[],
  how: How = {},
): Promise<Verified[]> {
  if (samples.length === 0) return []
  const sent = samples.map(({ filePath, code }) => ({ filePath, code }))
  const { verifications } = await tests.verifyMany.mutate({ projectId, tests: sent, ...how })
  const verified: Verified[] = []
  for (const [index, sample] of samples.entries()) {
    const verificationId = verifications[index]?.id ?? ''
    let verification = await tests.getVerification.query({ verificationId, waitSeconds: 45 })
    while (verification.completedAt === null) {
      verification = await tests.getVerification.query({ verificationId, waitSeconds: 45 })
    }
    verified.push({ sample, verification })
  }
  return verified
}

/** `paginate: accepted (kills_mutants)`, or why there is no verdict. */
export function told({ sample, verification }: Verified): string {
  const { verdict, evidence, error } = verification
  const why = evidence ? `${verdict} (${evidence.reason})` : `no verdict (${error?.code}: ${error?.message})`
  return `${sample.name}: ${why}`
}
