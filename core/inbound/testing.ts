import { createHmac, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { TestApp } from '../testing/app.ts'

export interface Delivered {
  status: number
  body: {
    received?: boolean
    processedAt?: string
    duplicate?: boolean
    ignored?: string
    message?: string
    code?: string
  }
}

/** Delivers like a code host: signed with `secret`, and with a new id unless one is given. */
export async function deliver(
  app: Pick<TestApp, 'fetch'>,
  path: string,
  { secret, event, payload, id = randomUUID(), headers = {} }: Delivery,
): Promise<Delivered> {
  const body = typeof payload === 'string' || payload instanceof Buffer ? payload : JSON.stringify(payload)
  const response = await app.fetch(path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': id,
      ...(secret === undefined ? {} : { 'x-hub-signature-256': signatureOf(secret, body) }),
      ...headers,
    },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  })
  return { status: response.status, body: (await response.json()) as Delivered['body'] }
}

export interface Delivery {
  /** Without it, the delivery is not signed. */
  secret?: string
  event: string
  payload: object | string
  id?: string
  headers?: Record<string, string>
}

/** Returns the example payloads of GitHub: every event, most of them with several examples. */
export async function exampleEvents(): Promise<{ event: string; payload: object }[]> {
  const file = fileURLToPath(import.meta.resolve('@octokit/webhooks-examples'))
  const events = JSON.parse(await readFile(file, 'utf8')) as { name: string; examples: object[] }[]
  return events.flatMap(({ name, examples }) => examples.map((payload) => ({ event: name, payload })))
}

export function signatureOf(secret: string, body: string | Buffer, algorithm = 'sha256'): string {
  return `${algorithm}=${createHmac(algorithm, secret).update(body).digest('hex')}`
}

/** Returns the payload of a push, with only the fields that Assay reads. */
export function pushPayload(fields: object = {}) {
  return {
    ref: 'refs/heads/main',
    after: 'a'.repeat(40),
    deleted: false,
    commits: [],
    repository: { clone_url: 'https://example.com/a/project.git', private: false },
    ...fields,
  }
}

export function pullRequestPayload(action: string, { number = 7, headId = 1, target = 'main' } = {}) {
  return {
    action,
    repository: { clone_url: 'https://example.com/a/project.git', private: false },
    pull_request: {
      number,
      head: { ref: 'feature', sha: 'b'.repeat(40), repo: { id: headId } },
      base: { ref: target, repo: { id: 1 } },
    },
  }
}
