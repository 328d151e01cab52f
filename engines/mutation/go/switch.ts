import { lineCounter } from '../../parsing/javascript/lines.ts'
import { nodesOf, readTree, type SyntaxNode } from '../../parsing/syntax-tree.ts'
import { applyMutant, type Mutant } from '../mutant.ts'
import { markerOfFile, type NumberedMutant, type SwitchedSource } from '../switched-source.ts'
import { type Edit, edited, type Host, hostOf, statementAround } from './hosts.ts'

/** The length of all copies of a function. Longer ones take long to compile. */
const maxCopies = 1_000_000
const parseTimeoutMs = 3_000

/**
 * Returns the source with all mutants of its functions, of which the environment variable ASSAY_MUTANT chooses one when
 * the program starts. Every function has a whole copy for each of its mutants, as a function of its own, so that a mutant
 * means what it would mean in a source of its own. The lines of a copy are those of a file `assay-mutant-ID.go`, by which
 * errors of the compiler name the mutant. The other lines keep their numbers.
 *
 * With ASSAY_REACH, the name of a file, the program writes what it reaches there, a number per line.
 *
 * Returns null for sources that cannot be switched, such as those with code in C.
 */
export async function switchGo(
  path: string,
  source: string,
  mutants: readonly NumberedMutant[],
  without: ReadonlySet<number> = new Set(),
): Promise<SwitchedSource | null> {
  const root = await readTree(source, 'go', parseTimeoutMs)
  const clause = root?.children.find(({ type }) => type === 'package_clause')
  if (!root || !clause || importsC(root, source)) return null
  const suffix = mutants[0]?.id ?? 0
  const numbers: number[] = []
  // The position of a number, because Go allocates nothing to look it up.
  const reach = (number: number) => `assayReach${suffix}(${numbers.push(number) - 1});`
  const { probes, statements, hosts: found } = placesOf(root, source, mutants)
  const probed = [...statements].map(([at, probe]) => inserted(at, reach(probe)))
  const left: number[] = []
  const entries: Edit[] = []
  const copies: string[] = []
  const hosts: { start: number; end: number; marker: number }[] = []
  const lineOf = lineCounter(source)
  for (const { host, own } of found) {
    const { start, end } = host.body
    const wanted = own.filter(({ id }) => !without.has(id))
    const count = Math.max(1, Math.floor(maxCopies / (end - start)))
    left.push(...wanted.slice(count).map(({ id }) => id))
    const marker = -2 * (own[0]?.id ?? 0) - 1
    hosts.push({ start, end, marker })
    const cases = wanted.slice(0, count).map(({ id, mutant }) => {
      const name = `assay${id}`
      const copy = copyOf(source, host, { id, mutant }, name)
      if (host.call) copies.push(copy)
      const call = host.call ? host.call(name) : `${copy}()`
      return `case ${id}:${host.hasResult ? `return ${call}` : `${call};return`};`
    })
    const choice = cases.length > 0 ? `switch assayActive${suffix}{${cases.join('')}};` : ''
    const back = host.call ? '' : `/*line ${path.slice(path.lastIndexOf('/') + 1)}:${lineOf(start)}*/`
    entries.push(...host.edits, inserted(start + 1, `${reach(marker)}${choice}${back}`))
  }
  const imports = ['os', 'strconv', 'sync/atomic']
    .map((name) => `;import assay${name.slice(name.lastIndexOf('/') + 1)}${suffix} "${name}"`)
    .join('')
  const switched = edited(source, 0, source.length, [inserted(clause.end, imports), ...entries, ...probed])
  const support = supportOf(suffix, numbers, reach(markerOfFile(mutants)))
  const end = ['\n//assay-copies', support, ...copies, ''].join('\n')
  return { source: switched + end, probes, hosts, left }
}

interface Places {
  /** The probe of each mutant, by id. */
  probes: ReadonlyMap<number, number>
  /** Where each probe is. */
  statements: ReadonlyMap<number, number>
  hosts: readonly { host: Host; own: readonly NumberedMutant[] }[]
}

/** Finds the function of each mutant, and the statement that reaches it. */
function placesOf(root: SyntaxNode, source: string, mutants: readonly NumberedMutant[]): Places {
  const probes = new Map<number, number>()
  const statements = new Map<number, number>()
  const hosts = new Map<number, { host: Host; own: NumberedMutant[] }>()
  for (const one of mutants) {
    const node = nodeAt(root, one.mutant)
    const host = hostOf(node, source)
    if (!host) continue
    const at = statementAround(node, host)?.start ?? host.body.start + 1
    const probe = statements.get(at) ?? one.id
    statements.set(at, probe)
    probes.set(one.id, probe)
    const known = hosts.get(host.body.start) ?? { host, own: [] }
    hosts.set(host.body.start, known)
    known.own.push(one)
  }
  return { probes, statements, hosts: [...hosts.values()] }
}

const inserted = (at: number, text: string): Edit => ({ start: at, end: at, text: added(text) })

/** What the driver leaves out if the file cannot be compiled with it. */
const added = (text: string) => `/*assay+*/${text}/*assay-*/`

function copyOf(source: string, { body, signature }: Host, { id, mutant }: NumberedMutant, name: string): string {
  const { start } = body
  const text = source.slice(start, body.end)
  const mutated = applyMutant(text, { ...mutant, start: mutant.start - start, end: mutant.end - start })
  return `/*line assay-mutant-${id}.go:1:1*/${signature(name)} /*assay-body*/${mutated}/*assay-end*/`
}

const importsC = (root: SyntaxNode, source: string) =>
  [...nodesOf(root)].some((node) => node.type === 'import_spec' && source.slice(node.start, node.end).endsWith('"C"'))

/** The smallest node around the mutant. */
function nodeAt(root: SyntaxNode, { start, end }: Mutant): SyntaxNode {
  let node = root
  while (true) {
    const inner = node.children.find((one) => one.start <= start && end <= one.end)
    if (!inner) return node
    node = inner
  }
}

/** Each file has all that it needs, because files of a package can be left out of a program. */
function supportOf(suffix: number, numbers: readonly number[], loaded: string): string {
  const of = (name: string) => `assay${name}${suffix}`
  return `var ${of('Active')} = ${of('Read')}()
var ${of('Path')} = ${of('os')}.Getenv("ASSAY_REACH")
var ${of('Numbers')} = [...]int{${numbers.join(', ')}}
var ${of('Seen')} [${numbers.length}]uint32

func ${of('Read')}() int {
	id, _ := ${of('strconv')}.Atoi(${of('os')}.Getenv("ASSAY_MUTANT"))
	return id
}

func ${of('Reach')}(index int) {
	if ${of('Path')} != "" && ${of('atomic')}.CompareAndSwapUint32(&${of('Seen')}[index], 0, 1) {
		${of('Report')}(${of('Numbers')}[index])
	}
}

func ${of('Report')}(number int) {
	file, err := ${of('os')}.OpenFile(${of('Path')}, ${of('os')}.O_APPEND|${of('os')}.O_CREATE|${of('os')}.O_WRONLY, 0600)
	if err != nil {
		return
	}
	file.WriteString(${of('strconv')}.Itoa(number) + "\\n")
	file.Close()
}

func init() {
	${loaded}
}
`
}
