import { answerReading } from '../parsing/read-apart.ts'
import { styleOf } from './style/style-of.ts'

// The process that `test-style.ts` starts.
answerReading(({ path, source }) => styleOf(path, source))
