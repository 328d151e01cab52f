import { type Dialect, isGrammar } from '../../dialects.ts'
import type { GrammarName } from '../../grammars/index.ts'
import type { CaseLanguage } from '../construct.ts'
import { cSharp } from './c-sharp.ts'
import { go } from './go.ts'
import { java } from './java.ts'
import { javaScript } from './javascript.ts'
import { php } from './php.ts'
import { python } from './python.ts'
import { ruby } from './ruby.ts'
import { rust } from './rust.ts'

const languages = { python, go, java, ruby, rust, php, 'c-sharp': cSharp } satisfies Record<GrammarName, CaseLanguage>

export const languageOf = (dialect: Dialect): CaseLanguage => (isGrammar(dialect) ? languages[dialect] : javaScript)
