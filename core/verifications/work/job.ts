import type { DataSource } from 'typeorm'
import { type Context, inTransaction, type Services } from '../../base/context.ts'
import type { JobKind } from '../../jobs/jobs.ts'
import { patiently } from '../../base/retry.ts'
import { loadEnvironment } from '../../projects/settings.ts'
import type { FindExecutor } from '../../workspaces/find-executor.ts'
import { removeTree } from '../../workspaces/directories.ts'
import { RunFailure } from '../../workspaces/failure.ts'
import { maskOf } from '../../workspaces/mask.ts'
import { verificationDirectory } from './directories.ts'
import { VerificationEntity, type VerificationRow } from '../entity.ts'
import { verificationQueue } from '../queue.ts'
import { beginVerification, endVerification, type VerificationEnd } from '../state.ts'
import { undertake } from './undertake.ts'
import { watchVerification } from './watch.ts'

interface VerificationJob {
  verificationId: string
}

/** Takes verifications from the queue and does them. Whoever dies over one has it taken up again, from the start. */
export function verificationJob(
  services: Services,
  dataSource: DataSource,
  findExecutor: FindExecutor,
): JobKind<VerificationJob> {
  const contextOf = (id: string, signal: AbortSignal): Context => ({
    ...services,
    db: dataSource.manager,
    actor: { kind: 'system' },
    client: { ipAddress: null, userAgent: null },
    requestId: `verification-${id}`,
    forgetSession: () => {},
    signal,
  })
  return {
    queue: verificationQueue,
    retryLimit: 2,
    heartbeatSeconds: 10,
    expireInSeconds: 86_400,
    concurrency: services.config.verificationConcurrency,
    perGroup: services.config.runs.runsPerOwner,
    handle: ({ verificationId: id }, signal) => verify(contextOf(id, signal), id, findExecutor),
    giveUp: async ({ verificationId: id }) => {
      const ctx = contextOf(id, services.stopping)
      const verification = await ctx.db.getRepository(VerificationEntity).findOneBy({ id })
      if (!verification) return
      const message =
        'Whoever worked on it died or was stopped, three times. The log of the server says why; the tests may need more than the machine has.'
      await end(ctx, verification, { status: 'failed', error: { code: 'interrupted', message } })
    },
  }
}

async function verify(ctx: Context, id: string, findExecutor: FindExecutor): Promise<void> {
  const begun = await patiently(() => beginVerification(ctx, id), ctx.signal)
  if (!begun) return
  const { verification, project } = begun
  const { attempt } = verification
  const secrets = verification.withSecrets ? await patiently(() => loadEnvironment(ctx, project.id)) : {}
  const mask = maskOf(secrets)
  const directory = verificationDirectory(ctx.config, id, attempt)
  await removeTree(verificationDirectory(ctx.config, id, attempt - 1))
  try {
    await using watch = watchVerification(ctx, verification)
    const signal = AbortSignal.any([ctx.signal, watch.signal])
    const { report } = watch
    const scope = { verification, project, directory, secrets, mask, report, findExecutor }
    await end(ctx, verification, await undertake({ ...ctx, signal }, scope))
  } catch (error) {
    await endWithout(ctx, verification, error, mask)
  } finally {
    await removeTree(directory)
  }
}

/** Ends a verification that has no verdict, unless somebody else has ended it or it is to be taken up again. */
async function endWithout(
  ctx: Context,
  verification: VerificationRow,
  error: unknown,
  mask: (text: string) => string,
): Promise<void> {
  if (ctx.signal.aborted) throw error
  const { id, attempt } = verification
  const still = await patiently(() =>
    ctx.db.getRepository(VerificationEntity).existsBy({ id, attempt, status: 'running' }),
  )
  if (!still) return
  const { code, message } = describe(ctx, verification, error)
  await end(ctx, verification, { status: 'failed', error: { code, message: mask(message) } })
}

const end = (ctx: Context, verification: VerificationRow, how: VerificationEnd) =>
  patiently(() => inTransaction(ctx, (tx) => endVerification(tx, verification, how)))

function describe(ctx: Context, { id }: VerificationRow, error: unknown): { code: string; message: string } {
  if (error instanceof RunFailure) return error
  ctx.log.error({ err: error, verificationId: id }, 'a verification failed')
  if (/ENOSPC|No space left/i.test(String(error))) {
    return { code: 'disk_full', message: 'The disk of the server is full. Verify it again when there is room.' }
  }
  return { code: 'internal', message: 'Assay broke over this verification. The log of the server has the details.' }
}
