import {
  aiServiceContract,
  clients,
  developerTools,
  domains,
  engines,
  foundation,
  gitWrapper,
  programStarters,
  serverPackages,
} from './borders.ts'
import type { Import, Imports } from './read-imports.ts'

export interface Violation {
  file: string
  target: string
  /** The rule that the import breaks. */
  rule: string
}

/** Tests and their helpers may import more, because they set up several programs. */
export const isTest = (file: string): boolean =>
  /\.test\.ts$|\/testing\.ts$|\/testing\/|\/(?:conformance|ground-truth)\//.test(file)

/** Returns every import that crosses a border. */
export function findViolations(imports: Imports): Violation[] {
  return [...imports].flatMap(([file, targets]) =>
    targets.flatMap((imported) => {
      const rule = ruleBroken(file, imported)
      return rule === undefined ? [] : [{ file, target: imported.target, rule }]
    }),
  )
}

function ruleBroken(file: string, imported: Import): string | undefined {
  const area = areaOf(file)
  if (startsPrograms(imported) && !mayStartPrograms(file)) {
    return `Only ${gitWrapper} starts git. List other files that start programs in checks/borders.ts.`
  }
  // Engines could be published without core, their tests included.
  if (area === 'engines') return engineRule(file, imported)
  if (isTest(file)) return undefined
  if (file.endsWith('/schema.ts')) {
    const isContract = imported.isPackage ? imported.target === 'zod' : imported.target.endsWith('/schema.ts')
    if (!isContract) return 'A schema imports zod and other schemas.'
  }
  if (imported.isPackage) return undefined
  if (imported.target === 'package.json') return undefined
  if (area === 'core') return coreRule(file, imported.target)
  if (area === 'client' || clients.includes(area)) return clientRule(area, imported)
  if (area === 'ai-service') return aiServiceRule(imported.target)
  return undefined
}

const startsPrograms = ({ target, isPackage, isTypeOnly }: Import): boolean =>
  isPackage && !isTypeOnly && /^(?:node:)?(?:child_process|cluster)$/.test(target)

const mayStartPrograms = (file: string): boolean =>
  isTest(file) ||
  file === gitWrapper ||
  [...programStarters, ...developerTools].some(
    (place) => file === place || (place.endsWith('/') && file.startsWith(place)),
  )

function engineRule(file: string, { target, isPackage }: Import): string | undefined {
  if (isPackage) {
    const isServer = serverPackages.some((name) => target === name || target.startsWith(name.replace(/\/?$/, '/')))
    return isServer ? 'An engine knows no HTTP server and no database.' : undefined
  }
  const [own = '', other = ''] = [folderOf(file, 1), folderOf(target, 1)]
  if (areaOf(target) !== 'engines') return 'An engine imports npm packages and other engines.'
  if (!engines.some((name) => name === own)) return `Give engines/${own} its place in checks/borders.ts.`
  if (isTest(file)) return undefined
  const isEarlier = engines.findIndex((name) => name === other) <= engines.findIndex((name) => name === own)
  return isEarlier ? undefined : `engines/${own} comes before engines/${other} and cannot import it.`
}

function coreRule(file: string, target: string): string | undefined {
  if (areaOf(target) === 'engines' || foundation.includes(target)) return undefined
  // Entities are listed once for all programs.
  if (target === 'ormconfig.ts' || target.startsWith('migrations/')) return undefined
  if (areaOf(target) !== 'core') return 'Core is used by the other programs and imports none of them.'
  const [own, other] = [domainOf(file), domainOf(target)]
  if (own === undefined) return undefined
  if (other === undefined) return 'Domains do not import the files that put them together.'
  if (own === other) return undefined
  const [ownPlace, otherPlace] = [placeOf(own), placeOf(other)]
  if (ownPlace < 0) return `Give core/${own} its place in checks/borders.ts.`
  if (otherPlace > ownPlace) return `core/${own} comes before core/${other} and cannot import it.`
  if (/\/(?:router|routes)\.ts$/.test(target))
    return 'Domains call operations, not the procedures and routes of others.'
  return undefined
}

function clientRule(area: string, { target, isTypeOnly }: Import): string | undefined {
  const other = areaOf(target)
  if (other === area || other === 'client' || other === 'engines') return undefined
  if (other === 'core' && target.endsWith('/schema.ts')) return undefined
  if (target === 'core/router.ts' && isTypeOnly) return undefined
  return 'A client imports client/, engines, the schemas of core and the type AppRouter.'
}

function aiServiceRule(target: string): string | undefined {
  const other = areaOf(target)
  if (other === 'ai-service' || other === 'engines' || target === aiServiceContract) return undefined
  return `The AI service imports engines and ${aiServiceContract}.`
}

const areaOf = (path: string): string => path.split('/', 1)[0] ?? ''
const folderOf = (path: string, depth: number): string | undefined => path.split('/')[depth]

/** `webhooks`, `identity/tokens`; undefined for the files at the top of core. */
export function domainOf(path: string): string | undefined {
  const [area, first = '', second = '', ...rest] = path.split('/')
  if (area !== 'core' || second === '') return undefined
  return first === 'identity' && rest.length > 0 ? `${first}/${second}` : first
}

const placeOf = (domain: string): number => domains.findIndex((name) => name === domain)
