import {
  chooseFramework as chooseForFile,
  type FrameworkChoice,
  type NamedFramework,
} from '../../engines/test-names/frameworks.ts'
import { type Language, linguistNameOf } from './languages.ts'

export {
  type BrowserFramework,
  browserFramework,
  type NamedFramework,
  type TestFramework,
} from '../../engines/test-names/frameworks.ts'

/** Chooses a framework for a language, of which nothing but the frameworks of the project is known. */
export function chooseFramework(
  language: Language,
  named: readonly NamedFramework[],
  how: { wanted?: string | undefined; nearestTest?: string | undefined } = {},
): FrameworkChoice {
  return chooseForFile({ path: '', language: linguistNameOf(language) }, named, how)
}
