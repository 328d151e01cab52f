import { keyAt } from '../../engines/json/pick.ts'
import { scanJsonInSteps } from '../../engines/json/scan.ts'
import { jsonError, maxValues, textOf } from './body.ts'

/** The JSON texts of large members of inputs, which another process parses. */
export type JsonTexts = Buffer[]

declare module '../base/context.ts' {
  interface Context {
    texts?: JsonTexts
  }
}

/** The values of an analysis of about 100,000 files. */
const maxTextValues = 600_000

/**
 * Returns the text of a body in which each object or array that is the member `name` of an input is replaced by its place
 * among the texts: `{"text":0}`. Parsing some megabytes here would block other requests.
 *
 * @throws AppError 400 for invalid JSON, or too many values in the texts or the rest
 */
export async function setAside(body: Buffer, name: string, texts: JsonTexts): Promise<string> {
  const rest: Buffer[] = []
  let restFrom = 0
  let isNext = false
  let insideOf: number | undefined
  await scanJsonInSteps(
    body,
    { maxValues: maxTextValues },
    {
      // The inputs of a batch are one level deeper.
      maxDepth: 2,
      key(_, start, end) {
        isNext = insideOf === undefined && keyAt(body, start, end) === name
      },
      scalar() {
        isNext = false
      },
      open(depth, start) {
        if (!isNext) return
        isNext = false
        insideOf = depth
        rest.push(body.subarray(restFrom, start), Buffer.from(`{"text":${texts.length}}`))
        restFrom = start
      },
      close(depth, end) {
        if (depth !== insideOf) return
        insideOf = undefined
        texts.push(body.subarray(restFrom, end))
        restFrom = end
      },
    },
  ).catch((error: unknown) => {
    throw jsonError(error)
  })
  rest.push(body.subarray(restFrom))
  const text = Buffer.concat(rest)
  await scanJsonInSteps(text, { maxValues }).catch((error: unknown) => {
    throw jsonError(error)
  })
  return textOf(text)
}
