import { catalogue } from './catalogue.ts'

/** Names that more than one language claims go to the one that most files of that name are written in. */
const common = [
  'JavaScript',
  'TypeScript',
  'Python',
  'Java',
  'C#',
  'C++',
  'C',
  'Go',
  'Rust',
  'PHP',
  'Ruby',
  'Kotlin',
  'Swift',
  'Objective-C',
  'Scala',
  'Shell',
  'Perl',
  'R',
  'Dart',
  'Elixir',
  'Haskell',
  'Lua',
  'F#',
  'GLSL',
  'Markdown',
  'SQL',
  'HTML',
  'CSS',
  'YAML',
  'XML',
  'INI',
]

let ranks: Map<number, number> | undefined

/** The likeliest of several candidates: a common language, else the one that lists the name first. */
export function likeliest(candidates: readonly number[]): number | undefined {
  if (candidates.length < 2) return candidates[0]
  ranks ??= new Map(
    common.flatMap((name, rank) => {
      const position = catalogue().positions.get(name)
      return position === undefined ? [] : [[position, rank] as [number, number]]
    }),
  )
  const rank = (candidate: number) => ranks?.get(candidate) ?? common.length
  return candidates.reduce((best, candidate) => (rank(candidate) < rank(best) ? candidate : best))
}
