import { parseLeniently } from '../../parsing/javascript/parse-javascript.ts'
import type { Mutant } from '../mutant.ts'
import type { Span } from '../mutant-list.ts'
import { markerOfFile, type NumberedMutant, type SwitchedSource } from '../switched-source.ts'
import { type Host, lastDirective, type Place, placesOf } from './places.ts'

/** The global object of the program that chooses the mutant, and its name in a source. */
const shared = 'globalThis.__assayMutants__'
const name = '__assayMutants'

/** The length of the copies of a function from which each is a function of its own. */
const longCopies = 100_000

/** The length of all copies of a function. Longer ones take longer to read than a test may take. */
const maxCopies = 1_000_000

interface Insertion {
  at: number
  text: string
  /** The length of what the text opens, or for a closing text the negative length of what it closes. */
  reach: number
}

/**
 * Returns the source with all mutants of its functions. `globalThis.__assayMutants__.active` chooses the one that runs.
 * Every function has its original body and a whole copy for each of its mutants, so that a mutant means what it would
 * mean in a source of its own.
 */
export function switchJavaScript(
  source: string,
  dialect: 'js' | 'jsx' | 'ts' | 'tsx',
  mutants: readonly NumberedMutant[],
  without: ReadonlySet<number> = new Set(),
): SwitchedSource {
  const { program } = parseLeniently(source, dialect)
  const places = placesOf(
    program,
    mutants.map(({ mutant }) => mutant),
  )
  const insertions: Insertion[] = []
  const probes = new Map<number, number>()
  const ofHost = new Map<Host, NumberedMutant[]>()
  const ofStatement = new Map<string, number>()
  for (const [index, one] of mutants.entries()) {
    const place = places[index]
    if (!place) continue
    probes.set(one.id, probeAt(place, one.id, ofStatement, insertions))
    ofHost.set(place.host, [...(ofHost.get(place.host) ?? []), one])
  }
  const left: number[] = []
  for (const [host, own] of ofHost) {
    const wanted = own.filter(({ id }) => !without.has(id))
    const count = host.kind === 'body' ? Math.max(1, Math.floor(maxCopies / (host.end - host.start + 1))) : Infinity
    left.push(...wanted.slice(count).map(({ id }) => id))
    insertions.push(...variants(source, host, { own, copied: wanted.slice(0, count) }, probes))
  }
  const start = program.hashbang?.end ?? 0
  const entry = lastDirective(program.body)?.end ?? start
  const loaded = `${name}=${shared}??={active:0,reach:null,check(){}};${probe(markerOfFile(mutants))}`
  insertions.push({ at: entry, text: `\nconst ${loaded};`, reach: Infinity })
  // Copies of functions can break rules of types that the original keeps.
  if (dialect === 'ts' || dialect === 'tsx') insertions.push({ at: start, text: '\n// @ts-nocheck\n', reach: Infinity })
  const hosts = [...ofHost].map(([host, own]) => ({ start: host.start, end: host.end, marker: markerOfHost(own) }))
  return { source: inserted(source, insertions), probes, hosts, left }
}

const markerOfHost = ([first]: readonly NumberedMutant[]) => -2 * (first?.id ?? 0) - 1

/** Reports that a statement or expression is about to run. */
const probe = (id: number) => `${name}.reach&&${name}.reach(${id})`

function probeAt({ host, statement }: Place, id: number, known: Map<string, number>, insertions: Insertion[]): number {
  const { start, end } = statement ?? host
  const key = `${statement ? 'statement' : 'host'} ${start} ${end}`
  const there = known.get(key)
  if (there !== undefined) return there
  known.set(key, id)
  if (statement) {
    const braces = !statement.isListed
    insertions.push({ at: start, text: `${braces ? '{' : ''}${probe(id)};`, reach: end - start })
    if (braces) insertions.push({ at: end, text: '}', reach: start - end })
  } else if (host.kind === 'body') {
    insertions.push({ at: host.entry, text: `${probe(id)};`, reach: end - start + 1 })
  }
  return id
}

function variants(
  source: string,
  host: Host,
  { own, copied }: Record<'own' | 'copied', readonly NumberedMutant[]>,
  probes: ReadonlyMap<number, number>,
): Insertion[] {
  const reach = host.end - host.start
  if (host.kind === 'body') {
    // Engines compile all of a function when they call it, but a function in it only when they call that one.
    const isLong = host.isPlain === true && reach * copied.length > longCopies
    const [opening, closing] = isLong ? [`const ${name}Copy=()=>{`, `};return ${name}Copy()}`] : ['', '}return']
    const cases = copied.map(
      ({ id, mutant }) => `case ${id}:${name}.check();{${opening}${mutated(source, host, mutant)}\n${closing};`,
    )
    // A directive may end without a semicolon.
    const entered = `${probe(markerOfHost(own))};`
    return [{ at: host.entry, text: `;${entered}switch(${name}.active){${cases.join('')}}`, reach: reach + 2 }]
  }
  const cases = copied.map(
    ({ id, mutant }) => `${name}.active===${id}?(${name}.check(),(${mutated(source, host, mutant)}\n)):`,
  )
  const first = probes.get(own[0]?.id ?? 0) ?? 0
  // After a line without a semicolon, a parenthesis would continue the line.
  const opening = host.kind === 'statement' ? 'void(' : '('
  return [
    { at: host.start, text: `${opening}${cases.join('')}(${probe(first)},(`, reach },
    { at: host.end, text: ')))', reach: -reach },
  ]
}

/** The host's code with a mutant, and with a check of the time in its loops. */
function mutated(source: string, host: Host, mutant: Mutant): string {
  const insertions = host.loops.flatMap(({ body, isBlock }): Insertion[] => {
    if (overlaps(body, mutant)) return []
    const reach = body.end - body.start
    if (isBlock) return [{ at: body.start + 1, text: `${name}.check();`, reach }]
    return [
      { at: body.start, text: `{${name}.check();`, reach },
      { at: body.end, text: '}', reach: -reach },
    ]
  })
  const cut = (from: number, to: number) =>
    inserted(
      source.slice(from, to),
      insertions
        .filter(({ at, reach }) => (reach < 0 ? at > from : at >= from) && (reach < 0 ? at <= to : at < to))
        .map((one) => ({ ...one, at: one.at - from })),
    )
  // A statement that is left out has the range of its expression if it ends without a semicolon.
  const isLeftOut = host.kind === 'statement' && mutant.replacement === ';' && mutant.start === host.start
  return cut(host.start, mutant.start) + (isLeftOut ? 'void 0' : mutant.replacement) + cut(mutant.end, host.end)
}

/** Whether the mutant replaces the body or a part of its edge. */
const overlaps = (body: Span, { start, end }: Span) =>
  start < body.end && end > body.start && (start <= body.start || end >= body.end)

function inserted(source: string, insertions: readonly Insertion[]): string {
  const sorted = insertions.toSorted((a, b) => a.at - b.at || order(a) - order(b))
  let from = 0
  let text = ''
  for (const { at, text: added } of sorted) {
    text += source.slice(from, at) + added
    from = at
  }
  return text + source.slice(from)
}

/** First what ends here, the innermost first, then what begins here, the outermost first. */
const order = ({ reach }: Insertion) => (reach < 0 ? -reach - 2 ** 40 : -reach)
