import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { z } from 'zod'
import { type Redact, redactTexts } from '../secrets.ts'
import type { Completion, ModelClient, Question } from './clients/client.ts'
import { ProviderFailure } from './failure.ts'
import { findJson } from './read-answer.ts'

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

/**
 * Asks the model and records each answer in a file that can be read, committed and replayed. Returns the recorded form,
 * so that the following requests are the same during a replay.
 */
export function recordTo(recorded: Recorded & { logger: Logger }, client: ModelClient): ModelClient {
  return {
    async complete(question) {
      const startedAt = performance.now()
      const completion = await client.complete(question)
      const durationMs = Math.round(performance.now() - startedAt)
      const answer = { ...completion, text: redactAnswer(completion.text, recorded.redact), durationMs }
      await save(recorded, { ...identify(recorded, question), answer }).catch((error: unknown) => {
        // Losing the answer, which is already paid for, would be worse than a missing recording.
        recorded.logger.warn({ prompt: question.label, message: messageOf(error) }, 'cannot write to AI_RECORD')
      })
      return answer
    },
  }
}

/** Answers only from the files: the same request gets the same bytes, without a key or network. */
export function replayFrom(recorded: Recorded): ModelClient {
  return {
    async complete(question): Promise<Completion> {
      question.signal.throwIfAborted()
      const { digest, request } = identify(recorded, question)
      // Omits the folder, because the message goes to callers.
      const name = fileName(question.label, digest)
      const text = await readFile(join(recorded.folder, name), 'utf8').catch((error: unknown) => {
        if (codeOf(error) !== 'ENOENT') throw new ProviderFailure(`Cannot read AI_REPLAY (${codeOf(error)}).`)
        throw new ProviderFailure(
          `AI_REPLAY has no recording ${name} of this request. Record it with ` +
            `AI_RECORD, ${recorded.provider} and the model ${String(request['model'])}.`,
        )
      })
      const parsed = Recording.safeParse(parseJson(text))
      if (!parsed.success)
        throw new ProviderFailure(`The recording ${name} is damaged. Record it again with AI_RECORD.`)
      return parsed.data.answer
    },
  }
}

function identify({ provider, model, redact }: Recorded, question: Question): Omit<Recording, 'answer'> {
  const { label, system, turns, schema, boundary } = question
  // The boundary is random, so the digest excludes it.
  const clean = (text: string) => redact(text.replaceAll(boundary, 'BOUNDARY'))
  const asked = { provider, model, prompt: label, system, turns, schema }
  const request = z.record(z.string(), z.unknown()).parse(redactTexts(asked, clean))
  return { digest: createHash('sha256').update(JSON.stringify(request)).digest('hex'), request }
}

function redactAnswer(text: string, redact: Redact): string {
  const found = findJson(text)
  if (!found) return redact(text)
  return redact(found.before) + JSON.stringify(redactTexts(found.value, redact)) + redact(found.after)
}

const fileName = (label: string, digest: string) => `${label}-${digest.slice(0, 16)}.json`

async function save({ folder }: Recorded, recording: Recording) {
  const name = fileName(String(recording.request['prompt']), recording.digest)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, name), `${JSON.stringify(recording, null, 2)}\n`)
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : 'unknown')
