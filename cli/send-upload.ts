import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { CoreFailure } from '../client/core-client.ts'
import type { Credentials } from '../client/credentials.ts'
import { UploadedRun } from '../core/test-runs/uploads/schema.ts'
import { destinationInUse } from './context.ts'
import type { Invocation } from './invocation.ts'
import { explainFailure } from './failure.ts'

export interface SentUpload {
  projectId: string
  form: FormData
  credentials: Pick<Credentials, 'baseUrl' | 'token'>
  signal: AbortSignal
  env: Invocation['env']
}

const Refusal = z.object({ code: z.string(), message: z.string() })

type Answer = (UploadedRun & { isNew: boolean }) | CoreFailure

const timeoutMs = 600_000
const maxAttempts = 3
const retryDelayMs = 2_000

/** Sends a form, and retries temporary failures. Core ignores a repeated upload. */
export async function sendUpload(upload: SentUpload): Promise<UploadedRun & { isNew: boolean }> {
  for (let left = maxAttempts - 1; ; left--) {
    const answer = await send(upload)
    if (!('kind' in answer)) return answer
    if (left === 0 || !isTemporary(answer)) throw explainFailure(answer, await destinationInUse(upload.env))
    await sleep(retryDelayMs, undefined, { signal: upload.signal })
  }
}

async function send({ projectId, form, credentials, signal }: SentUpload): Promise<Answer> {
  const { baseUrl, token } = credentials
  const deadline = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(`${baseUrl}/api/ci/upload/${encodeURIComponent(projectId)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: form,
      redirect: 'manual',
      signal: AbortSignal.any([signal, deadline]),
    })
    if (response.status >= 300 && response.status < 400) return { kind: 'redirects' }
    return read(response.status, await response.text())
  } catch {
    signal.throwIfAborted()
    return { kind: deadline.aborted ? 'timeout' : 'unreachable' }
  }
}

function read(status: number, text: string): Answer {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return { kind: 'not_core' }
  }
  const run = UploadedRun.safeParse(body)
  if (run.success) return { ...run.data, isNew: status === 201 }
  const refusal = Refusal.safeParse(body)
  if (!refusal.success) return { kind: 'not_core' }
  const { code, message } = refusal.data
  return { kind: 'refused', code: code === 'VALIDATION_ERROR' ? 'BAD_REQUEST' : code, status, message }
}

function isTemporary(failure: CoreFailure): boolean {
  if (failure.kind !== 'refused') return failure.kind === 'unreachable' || failure.kind === 'not_core'
  return failure.status === 429 || failure.status === 502 || failure.status === 503 || failure.status === 504
}
