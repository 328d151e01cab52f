import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Redact } from '../secrets.ts'
import type { Completion, ModelClient, Question } from './clients/client.ts'
import { ProviderFailure } from './failure.ts'

const Recording = z.object({
  digest: z.string(),
  request: z.record(z.string(), z.unknown()),
  answer: z.object({
    text: z.string(),
    ending: z.enum(['complete', 'cut', 'refused']),
    usage: z.object({ inputTokens: z.number(), cachedInputTokens: z.number(), outputTokens: z.number() }),
    durationMs: z.number(),
  }),
})
type Recording = z.infer<typeof Recording>

interface Recorded {
  folder: string
  provider: string
  model: string
  redact: Redact
}

/** Asks the model, and keeps each answer as a file that can be read, committed and replayed. */
export function recordTo(recorded: Recorded, client: ModelClient): ModelClient {
  return {
    async complete(question) {
      const startedAt = performance.now()
      const completion = await client.complete(question)
      const durationMs = Math.round(performance.now() - startedAt)
      const answer = { ...completion, text: recorded.redact(completion.text), durationMs }
      await save(recorded, { ...identify(recorded, question), answer })
      return { ...completion, durationMs }
    },
  }
}

/** Answers from the files alone: the same question gets the same bytes, without key or network. */
export function replayFrom(recorded: Recorded): ModelClient {
  return {
    async complete(question): Promise<Completion> {
      question.signal.throwIfAborted()
      const { digest, request } = identify(recorded, question)
      const path = join(recorded.folder, fileName(question.label, digest))
      const text = await readFile(path, 'utf8').catch((error: unknown) => {
        if (!isMissing(error)) throw new ProviderFailure(`AI_REPLAY cannot be read: ${messageOf(error)}`)
        throw new ProviderFailure(
          `There is no recording ${fileName(question.label, digest)} of this request in AI_REPLAY. Record it with ` +
            `AI_RECORD, ${recorded.provider} and the model ${String(request['model'])}.`,
        )
      })
      const parsed = Recording.safeParse(parseJson(text))
      if (!parsed.success)
        throw new ProviderFailure(`The recording ${path} is damaged. Record it again with AI_RECORD.`)
      return parsed.data.answer
    },
  }
}

/** The boundary differs from call to call, and says nothing about what was asked. */
function identify({ provider, model, redact }: Recorded, question: Question): Omit<Recording, 'answer'> {
  const { label, system, turns, schema, boundary } = question
  const text = JSON.stringify({ provider, model, prompt: label, system, turns, schema })
  const request = redact(text.replaceAll(boundary, 'BOUNDARY'))
  return {
    digest: createHash('sha256').update(request).digest('hex'),
    request: z.record(z.string(), z.unknown()).parse(JSON.parse(request)),
  }
}

const fileName = (label: string, digest: string) => `${label}-${digest.slice(0, 16)}.json`

async function save({ folder }: Recorded, recording: Recording) {
  const name = fileName(String(recording.request['prompt']), recording.digest)
  try {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, name), `${JSON.stringify(recording, null, 2)}\n`)
  } catch (error) {
    // Not the provider's failure: to ask again would be paid for, and end in the same way.
    throw new ProviderFailure(`AI_RECORD cannot be written: ${messageOf(error)}`)
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT'
