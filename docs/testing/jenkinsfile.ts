import type { Step } from './steps.ts'

/** A word, a text in single quotes, or a sign. */
type Token = { word: string } | { text: string } | { sign: string }

/** Reads the part of declarative pipelines that the recipes use, and refuses everything else. */
function* tokensOf(source: string): Generator<Token> {
  const pattern = /\s+|'''([\s\S]*?)'''|'((?:[^'\\\n]|\\.)*)'|([A-Za-z_]\w*)|([{}()=;])/y
  while (pattern.lastIndex < source.length) {
    const at = pattern.lastIndex
    const found = pattern.exec(source)
    if (!found) throw new Error(`this is not known here: ${source.slice(at, at + 20)}`)
    const [, long, short, word, sign] = found
    const quoted = long ?? short
    if (quoted !== undefined) yield { text: quoted.replaceAll(/\\(.)/gs, '$1') }
    else if (word !== undefined) yield { word }
    else if (sign !== undefined && sign !== ';') yield { sign }
  }
}

/** Returns the shell steps of a pipeline, whose stages have their own environment. */
export function stepsOfPipeline(source: string, credentials: Record<string, string>): Step[] {
  const tokens = [...tokensOf(source)]
  let at = 0
  const isSign = (sign: string) => {
    const token = tokens[at]
    return token !== undefined && 'sign' in token && token.sign === sign
  }
  const take = (kind: 'word' | 'text' | 'sign', wanted?: string): string => {
    const token = tokens[at++] as Partial<Record<typeof kind, string>> | undefined
    const value = token?.[kind]
    if (value === undefined || (wanted !== undefined && value !== wanted)) {
      throw new Error(`expected ${wanted ?? kind}, found ${JSON.stringify(token)}`)
    }
    return value
  }
  const block = (inner: () => void) => {
    take('sign', '{')
    while (!isSign('}')) inner()
    take('sign', '}')
  }
  const steps: Step[] = []
  const readStep = (env: Record<string, string>, caught: boolean) => {
    const name = take('word')
    if (name === 'catchError') block(() => readStep(env, true))
    // Jenkins runs `sh -xe`.
    else if (name === 'sh') steps.push({ shell: ['sh', '-xe'], script: take('text'), env, caught })
    else throw new Error(`the step ${name} is not known here`)
  }
  const readVariable = (env: Record<string, string>) => {
    const name = take('word')
    take('sign', '=')
    take('word', 'credentials')
    take('sign', '(')
    const value = credentials[take('text')]
    take('sign', ')')
    if (value === undefined) throw new Error(`${name} has no credentials`)
    env[name] = value
  }
  const readStage = () => {
    take('word', 'stage')
    take('sign', '(')
    take('text')
    take('sign', ')')
    const env: Record<string, string> = {}
    block(() => {
      if (take('word') === 'environment') block(() => readVariable(env))
      else block(() => readStep(env, false))
    })
  }
  take('word', 'pipeline')
  block(() => {
    if (take('word') === 'agent') take('word', 'any')
    else block(readStage)
  })
  if (at < tokens.length) throw new Error('the pipeline does not end')
  return steps
}
