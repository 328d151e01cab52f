import { answerReading } from '../parsing/read-apart.ts'
import type { MutantsReading } from './find-mutants.ts'
import { mutantsOf } from './mutants-of.ts'

// The process that `find-mutants.ts` starts.
answerReading(({ path, source, lines }: MutantsReading) => mutantsOf(path, source, lines))
