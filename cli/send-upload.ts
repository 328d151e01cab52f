import { sendBody } from '../client/send-body.ts'
import type { Credentials } from '../client/credentials.ts'
import { UploadedRun } from '../core/test-runs/uploads/schema.ts'

export interface SentUpload {
  projectId: string
  form: FormData
  credentials: Pick<Credentials, 'baseUrl' | 'token'>
  signal: AbortSignal
}

/** Sends a form, and retries temporary failures. Core ignores a repeated upload. */
export async function sendUpload(upload: SentUpload): Promise<UploadedRun & { isNew: boolean }> {
  const { projectId, form, credentials, signal } = upload
  const path = `/api/ci/upload/${encodeURIComponent(projectId)}`
  const { status, answer } = await sendBody({ credentials, path, body: () => form, answer: UploadedRun, signal })
  return { ...answer, isNew: status === 201 }
}
