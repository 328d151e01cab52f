import { parseLeniently } from '../../parsing/javascript/parse-javascript.ts'
import { markerOfFile, type NumberedMutant, type SwitchedSource } from '../switched-source.ts'
import { copiesOfBody, copiesOfExpression, type Copy, name } from './copies.ts'
import { type Insertion, inserted } from './insertions.ts'
import { type Host, lastDirective, type Place, placesOf } from './places.ts'

/** The global object of the program that chooses the mutant. */
const shared = 'globalThis.__assayMutants__'

/** The length of the copies of a function from which only parts of it are copied. */
const longCopies = 100_000

/** The length of all copies in a function. Longer ones take longer to read than a test may take. */
const maxCopies = 1_000_000

/**
 * Returns the source with all mutants of its functions. `globalThis.__assayMutants__.active` chooses the one that runs.
 * Every function has its original body and a whole copy for each of its mutants, so that a mutant means what it would
 * mean in a source of its own. Of a function whose copies would be longer than `maxWhole`, only the statement or
 * expression around the mutant is copied.
 */
export function switchJavaScript(
  source: string,
  dialect: 'js' | 'jsx' | 'ts' | 'tsx',
  mutants: readonly NumberedMutant[],
  without: ReadonlySet<number> = new Set(),
  maxWhole = longCopies,
): SwitchedSource {
  const { program } = parseLeniently(source, dialect)
  const places = placesOf(
    program,
    mutants.map(({ mutant }) => mutant),
  )
  const insertions: Insertion[] = []
  const probes = new Map<number, number>()
  const ofHost = new Map<Host, Copy[]>()
  const ofStatement = new Map<string, number>()
  for (const [index, one] of mutants.entries()) {
    const place = places[index]
    if (!place) continue
    probes.set(one.id, probeAt(place, one.id, ofStatement, insertions))
    ofHost.set(place.host, [
      ...(ofHost.get(place.host) ?? []),
      { ...one, target: place.target, statement: place.statement },
    ])
  }
  const left: number[] = []
  for (const [host, own] of ofHost) {
    const wanted = own.filter(({ id }) => !without.has(id))
    const isLong = host.kind === 'body' && (host.end - host.start) * wanted.length > maxWhole
    const copies = isLong ? wanted : wanted.map((one) => ({ ...one, target: null }))
    const fitting = withRoom(host, copies)
    left.push(...copies.filter((one) => !fitting.has(one)).map(({ id }) => id))
    const reached = probe(host.kind === 'body' ? markerOfHost(own) : (probes.get(own[0]?.id ?? 0) ?? 0))
    const copy = host.kind === 'body' ? copiesOfBody : copiesOfExpression
    insertions.push(...copy(source, host, [...fitting], reached))
  }
  const start = program.hashbang?.end ?? 0
  const entry = lastDirective(program.body)?.end ?? start
  const loaded = `${name}=${shared}??={active:0,reach:null,check(){},run(){}};${probe(markerOfFile(mutants))}`
  insertions.push({ at: entry, text: `\nconst ${loaded};`, reach: Infinity })
  // Copies of functions can break rules of types that the original keeps.
  if (dialect === 'ts' || dialect === 'tsx') insertions.push({ at: start, text: '\n// @ts-nocheck\n', reach: Infinity })
  const hosts = [...ofHost].map(([host, own]) => ({ start: host.start, end: host.end, marker: markerOfHost(own) }))
  return { source: inserted(source, insertions), probes, hosts, left }
}

const markerOfHost = ([first]: readonly NumberedMutant[]) => -2 * (first?.id ?? 0) - 1

/** Chooses the copies for which there is room, the best ones first. */
function withRoom(host: Host, copies: readonly Copy[]): Set<Copy> {
  if (host.kind !== 'body') return new Set(copies)
  let length = 0
  const fitting = new Set<Copy>()
  for (const copy of copies) {
    const { start, end } = copy.target ?? host
    if (length > 0 && length + end - start > maxCopies) continue
    length += end - start
    fitting.add(copy)
  }
  return fitting
}

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
