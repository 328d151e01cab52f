import { dependencesOf } from './dependences-of.ts'
import type { DependencesWork } from './read-dependences.ts'

/** The task of `readDependences`. A source that the parser cannot handle has unknown dependences. */
const work: DependencesWork = ({ path, source }) => dependencesOf(path, source).catch(() => null)

export default work
