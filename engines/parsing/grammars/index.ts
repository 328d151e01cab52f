import { cSharp } from './c-sharp.ts'
import { go } from './go.ts'
import type { Grammar } from './grammar.ts'
import { java } from './java.ts'
import { php } from './php.ts'
import { python } from './python.ts'
import { ruby } from './ruby.ts'
import { rust } from './rust.ts'

export const grammars = { python, go, java, ruby, rust, php, 'c-sharp': cSharp } satisfies Record<string, Grammar>
export type GrammarName = keyof typeof grammars
